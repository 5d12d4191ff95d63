"""Tables and sentences about assemblies say what the results say, each hidden unit once."""

import math
from dataclasses import replace

import planted_study as planted
import pytest

from microcolumn.evaluate import Assemblies
from microcolumn.report import _assembly_table, report_text
from microcolumn.study import Results


@pytest.fixture(scope="module")
def condition(planted_results):
    return planted_results.tested()[0]


def test_there_is_a_row_for_each_hidden_unit_of_each_model_that_has_some(
    planted_results, condition
):
    made = list(_assembly_table.tables(planted_results, condition))
    assert [table.title for table in made] == ["assemblies, RBM 5", "assemblies, SemiRBM 5"]
    found = planted_results.assemblies("cells", "RBM")
    for row, each in zip(made[0].rows, found.clearest, strict=True):
        shown = dict(zip(made[0].header, row, strict=True))
        assert (shown["units"], shown["verdict"]) == (" ".join(each.units), each.verdict)
        assert shown["recurs in"] == f"{round(3 * each.stability)} of 3"
        assert shown["bits/s lost"] == f"{each.bits_per_second:.2f} ± 0.25"
        assert (shown["hidden"], shown["on, per s"]) == (f"h{each.position}", "0.50")
        assert (shown["layer"], shown["share (chance)"]) == ("IV", "0.90 (0.50)")
        assert shown["p"] == "0.004"
    assert [row[-1] for row in made[0].rows] == ["assembly", "unstable", "not needed", "no group"]


def test_the_first_sentences_answer_whether_hidden_units_keep_to_layers(planted_results, condition):
    rbm, semi, *_ = _assembly_table.sentences(planted_results, condition)
    # One of two tested hidden units, in models with 2, 3, 2 and 3 live ones; p is 0.01, 0.05, 0.09
    # and 0.13.
    assert rbm == (
        "Do the hidden units of RBM 5 keep to layers? Undecided: 65 % of all weight lies in the "
        "main layer of its hidden unit, 50 % by chance (p < 0.05 in 1 of 4 splits); 1.0 of 2.5 "
        "live ones (mean over 4 splits) are concentrated in one layer (false discovery rate 5 %)"
    )
    assert semi.startswith("Do the hidden units of SemiRBM 5 keep to layers? Undecided: ")


@pytest.mark.parametrize(
    ("p_values", "answer"),
    [
        ((0.001, 0.4, 0.001), "Undecided"),  # the median alone would say yes
        ((0.001, 0.04, 0.001), "More than by chance"),
        ((0.05, 0.4, 0.06), "No more than by chance, as far as can be seen"),
    ],
)
def test_layers_are_answered_as_on_top_of_the_page(planted_results, p_values, answer):
    found = planted_results.layers("cells", "RBM")
    statistics = [
        replace(each, overall_p_value=p)
        for each, p in zip(found.statistics, p_values, strict=False)
    ]
    three = replace(
        found, splits=(0, 1, 2), statistics=tuple(statistics), n_live_hidden=found.n_live_hidden[:3]
    )
    told = _assembly_table._in_layers(three)
    assert f"keep to layers? {answer}: " in told
    assert f"(p < 0.05 in {sum(p < 0.05 for p in p_values)} of 3 splits)" in told


def test_hidden_units_keep_to_layers_where_all_of_them_together_do(planted_results):
    found = planted_results.layers("cells", "RBM")
    first = replace(found, splits=(0,), statistics=found.statistics[:1], n_live_hidden=(2,))
    told = _assembly_table._in_layers(first)
    assert "? More than by chance: " in told
    assert "50 % by chance (p = 0.01); 1.0 of 2.0 live ones (mean over 1 split)" in told
    dead = replace(first.statistics[0], hidden=(), overall_p_value=math.nan)
    told = _assembly_table._in_layers(replace(first, statistics=(dead,), n_live_hidden=(0,)))
    assert told == "RBM 5: no live hidden unit, so none keeps to a layer"


def test_a_sentence_counts_each_hidden_unit_once_over_all_splits(planted_results, condition):
    _, _, first, second, *signs = _assembly_table.sentences(planted_results, condition)
    told = "1 of 4 live hidden units is an assembly (1 unstable, 1 not needed and 1 no group); "
    inside = "1 of them is concentrated in one layer (p < 0.05, corrected)"
    assert first == f"RBM 5: {told}{inside}"
    assert second.startswith(f"SemiRBM 5: {told}")
    told = "75 % of the 40 couplings beside the hidden units are negative (mean over 4 splits)"
    assert signs[-1] == f"SemiRBM 5: {told}"


def test_assemblies_in_no_layer_are_none_of_them():
    rows = [replace(row, layer_p_value=0.4) for row in planted.assemblies(list("abcdefghij"))]
    said = _assembly_table._counts(Assemblies(tuple(rows), 4, True))
    assert said.endswith("; none of them is concentrated in one layer (p < 0.05, corrected)")


def test_splits_without_hidden_units_are_named_where_nothing_can_recur(tmp_path):
    def emptied(job, rows):
        for row in rows.get("scores", []):
            if job.split == 1 and row["model"].startswith("RBM"):
                row["n_live_hidden"] = 0

    results = Results(planted.write(tmp_path / "study.db", change=emptied))
    told = _assembly_table.sentences(results, results.tested()[0])
    [rbm] = [line for line in told if line.startswith("RBM 5: 1 of 4")]
    assert "; 1 of 3 other splits has no live hidden unit, so that none can recur there; " in rbm
    [semi] = [line for line in told if line.startswith("SemiRBM 5: 1 of 4")]
    assert "none can recur" not in semi


def test_couplings_are_beside_hidden_units_only_where_there_are_some(planted_results):
    found = planted_results.assemblies("cells", "SemiRBM")
    assert "couplings beside the hidden units are" in _assembly_table._signs(found)
    assert "40 couplings are negative" in _assembly_table._signs(replace(found, rows=()))


def test_without_layers_there_are_no_columns_and_no_note_about_them(
    planted_results, condition, monkeypatch
):
    found = planted_results.assemblies("cells", "RBM")
    rows = [replace(row, layer="", layer_share=math.nan, layer_p_value=math.nan) for row in found]
    unlabelled = replace(found, rows=tuple(rows))
    monkeypatch.setattr(type(planted_results), "assemblies", lambda *_, **__: unlabelled)
    [table, *_] = _assembly_table.tables(planted_results, condition)
    assert not {"layer", "share (chance)", "p"} & {*table.header, *table.left}
    assert {len(row) for row in table.rows} == {len(table.header)} == {7}
    assert "shuffled labels" not in table.note
    assert "; on: words per second" in table.note


def test_the_note_says_which_units_are_silenced(planted_results, condition):
    # T6 of the demo has hidden units whose largest weight is negative: a quarter of the largest
    # positive one would silence more units than are listed.
    [table, *_] = _assembly_table.tables(planted_results, condition)
    assert "negative weight of at least a quarter of the largest of either sign" in table.note


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Assemblies((), 4, True), "no live hidden unit"),
        (
            Assemblies(planted.assemblies([str(n) for n in range(10)]).rows, 1, True),
            "4 live hidden units; with one split it is not known which of them recur",
        ),
    ],
)
def test_what_cannot_be_said_is_not_said(found, said):
    assert _assembly_table._counts(found) == said


def test_the_report_has_tables_and_sentences_or_goes_without(planted_results, tmp_path):
    text = report_text(planted_results)
    assert "assemblies, SemiRBM 5\n" in text
    assert "RBM 5: 1 of 4 live hidden units is an assembly" in text
    tested = planted.write(tmp_path / "study.db", keep=lambda job: job.kind == "test")
    assert "assemblies" not in report_text(Results(tested))

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
    # One of two tested hidden units, in models with 2, 3, 2 and 3 live ones; p is the median of
    # 0.01, 0.05, 0.09 and 0.13.
    assert rbm == (
        "Do the hidden units of RBM 5 keep to layers? That is not shown: 1.0 of 2.5 live ones "
        "(mean over 4 splits) are concentrated in one layer (false discovery rate 5 %); 65 % of "
        "all weight lies in the main layer of its hidden unit, 50 % by chance (p = 0.07, "
        "median over splits)"
    )
    assert semi.startswith("Do the hidden units of SemiRBM 5 keep to layers? That is not shown: ")


def test_hidden_units_keep_to_layers_where_all_of_them_together_do(planted_results):
    found = planted_results.layers("cells", "RBM")
    first = replace(found, splits=(0,), statistics=found.statistics[:1], n_live_hidden=(2,))
    told = _assembly_table._in_layers(first)
    assert "? Yes: 1.0 of 2.0 live ones (mean over 1 split)" in told
    assert told.endswith("50 % by chance (p = 0.01)")
    dead = replace(first.statistics[0], hidden=(), overall_p_value=math.nan)
    told = _assembly_table._in_layers(replace(first, statistics=(dead,), n_live_hidden=(0,)))
    assert told == "RBM 5: no live hidden unit, so none keeps to a layer"


def test_a_sentence_counts_each_hidden_unit_once_over_all_splits(planted_results, condition):
    _, _, first, second, *signs = _assembly_table.sentences(planted_results, condition)
    told = "1 of 4 live hidden units are assemblies (1 unstable, 1 not needed and 1 no group); "
    assert first == f"RBM 5: {told}1 of the 1 lie within one layer (p < 0.05, corrected)"
    assert second.startswith(f"SemiRBM 5: {told}")
    told = "75 % of the 40 couplings beside the hidden units are negative (mean over 4 splits)"
    assert signs[-1] == f"SemiRBM 5: {told}"


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
    assert "RBM 5: 1 of 4 live hidden units are assemblies" in text
    tested = planted.write(tmp_path / "study.db", keep=lambda job: job.kind == "test")
    assert "assemblies" not in report_text(Results(tested))

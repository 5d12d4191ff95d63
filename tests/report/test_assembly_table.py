"""Tables and sentences about assemblies say what the results say, each hidden unit once."""

import math
from dataclasses import replace

import planted_study as planted
import pytest

from microcolumn.evaluate import Assemblies
from microcolumn.report import _assembly_table


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

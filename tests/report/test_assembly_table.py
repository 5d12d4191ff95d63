"""Tables and sentences about assemblies say what the results say, each hidden unit once."""

import pytest

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

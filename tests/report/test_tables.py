import pytest

from microcolumn.report import _tables as tables


@pytest.fixture(scope="module")
def conditions(planted_results):
    """The condition of single bins, and the longest words of the other experiment."""
    tested = planted_results.tested()
    return tested[0], tested[-1]


def column(table, name):
    return [row[table.header.index(name)] for row in table.rows]


def test_every_row_has_a_cell_for_each_column(planted_results, conditions):
    compared = planted_results.comparison(**conditions[1].names)
    made = [
        tables.models(compared),
        tables.predictions(planted_results, conditions[1]),
    ]
    for table in made:
        assert {len(row) for row in table.rows} == {len(table.header)}
        assert set(table.left) <= set(table.header)
        assert len(set(table.header)) == len(table.header)  # as the columns of a CSV file


def test_scores_are_those_of_the_comparison(planted_results, conditions):
    compared = planted_results.comparison(**conditions[0].names)
    table = tables.models(compared)
    shown = zip(column(table, "bits/s"), column(table, "±"), strict=True)
    for (mean, stderr), model in zip(shown, compared.models, strict=True):
        assert float(mean) == pytest.approx(model.bits_per_second, abs=0.005)
        assert float(stderr) == pytest.approx(model.stderr, abs=0.005)
    times = "\N{MULTIPLICATION SIGN}"
    assert column(table, "chosen") == [f"λ 1e-3 {times}3; λ 4e-3"] * 2 + [f"λ 4e-3 {times}4"]
    assert column(table, "Dirichlet gain") == ["-"] * 3  # this study was not asked for it
    assert column(table, "hidden in use") == ["2.5 of 5", "2.5 of 5", "-"]
    assert column(table, "converged") == ["no", "yes", "yes"]

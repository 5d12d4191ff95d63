from dataclasses import replace

import planted_study as planted
import pytest

from microcolumn.report import _tables as tables
from microcolumn.study import Plan, Results


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
        tables.pairs(compared),
        tables.growth(planted_results.by_window("cells")),
        tables.predictions(planted_results, conditions[1]),
        tables.layers(planted_results, conditions[1]),
        tables.interactions(planted_results, conditions[1]),
    ]
    for table in made:
        assert {len(row) for row in table.rows} == {len(table.header)}
        assert set(table.left) <= set(table.header)


def test_scores_are_those_of_the_comparison(planted_results, conditions):
    compared = planted_results.comparison(**conditions[0].names)
    table = tables.models(compared)
    shown = [cell.split(" ± ") for cell in column(table, "bits/s")]
    for (mean, split, block), model in zip(shown, compared.models, strict=True):
        assert float(mean) == pytest.approx(model.bits_per_second, abs=0.005)
        assert float(split) == pytest.approx(model.split_stderr, abs=0.005)
        assert float(block) == pytest.approx(planted.BLOCK_STDERR)
    times = "\N{MULTIPLICATION SIGN}"
    assert column(table, "λ") == [f"1e-3 {times}3, 4e-3"] * 2 + [f"4e-3 {times}4"]
    assert column(table, "live hidden") == ["2.5 of 5", "2.5 of 5", "-"]
    assert column(table, "converged") == ["no", "yes", "yes"]


def test_differences_are_those_of_the_comparison(planted_results, conditions):
    compared = planted_results.comparison(**conditions[0].names)
    rows = tables.pairs(compared).rows
    for row, pair in zip(rows, compared.pairs, strict=True):
        assert row[0] == f"{pair.first} - {pair.second}"
        mean, error = row[1].split(" ± ")
        assert float(mean) == pytest.approx(pair.bits_per_second, abs=0.005)
        assert float(error) == pytest.approx(pair.stderr, abs=0.005)
    assert ("RBM 5 - Ising", "2.00 ± 0.20") in [tuple(row[:2]) for row in rows]


def test_growth_is_the_score_per_unit_and_its_last_clear_step(planted_results):
    found = planted_results.by_window("cells")
    table = tables.growth(found)
    assert [float(cell.split(" ± ")[0]) for cell in column(table, "RBM")] == [3.0, 4.0, 5.0]
    ising, rbm = tables.growth_sentences(found)
    assert (ising.split(" T = ")[1][0], rbm.split(" T = ")[1][0]) == ("2", "3")


def test_predictions_name_the_best_unit(planted_results, conditions):
    table = tables.predictions(planted_results, conditions[1])
    assert column(table, "given") == ["rest", "past"] * 2
    assert column(table, "bits/s per unit") == ["0.900"] * 4
    assert column(table, "best unit") == ["1.650 (unit u3, 4.0 Hz)"] * 4


def test_layers_and_interactions_are_means_over_splits(planted_results, conditions):
    layers = tables.layers(planted_results, conditions[0])
    assert layers.rows[1][1:4] == ("65% (50%)", "0.07", "4 of 10")
    assert layers.rows[0][1:] == ("-", "-", "-", "0.03 / 0.01", "0.002")
    interactions = tables.interactions(planted_results, conditions[0])
    assert interactions.rows[0] == ("Ising", "90.0%", "97.0%", "99.0%")


def test_what_is_not_computed_has_no_table(tmp_path):
    results = Results(planted.write(tmp_path / "s.db", keep=lambda job: job.kind == "test"))
    condition = results.tested()[0]
    assert tables.predictions(results, condition) is None
    assert tables.layers(results, condition) is None
    assert tables.interactions(results, condition) is None


def test_a_study_of_one_split_has_one_seed_and_no_error_over_splits(tmp_path):
    plan = Plan(planted.PLAN.sources, (replace(planted.PLAN.experiments[0], n_splits=1),))
    path = planted.write(tmp_path / "study.db", plan=plan, keep=lambda job: job.kind == "test")
    results = Results(path)
    table = tables.models(results.comparison("cells"))
    assert all(" ± - ± " in cell for cell in column(table, "bits/s"))
    assert tables.provenance(results).seeds == (("instantaneous", "seed 0"),)


def test_provenance_keeps_whole_fingerprints_and_versions(planted_results):
    made = tables.provenance(planted_results)
    fingerprint = planted.facts()["cells"].fingerprint
    assert made.data == (("cells (simulated)", fingerprint, "simulated"),)
    assert [dict(each) for each in made.environments] == [planted.ENVIRONMENT]
    done = planted_results.provenance()["n_planned"]
    assert made.work.startswith(f"{done} of {done} jobs, ")

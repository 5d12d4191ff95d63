from dataclasses import replace

import planted_study as planted
import pytest

from microcolumn.figures._conditions import compared_at
from microcolumn.report import _tables as tables
from microcolumn.report._tables import Table
from microcolumn.study._plan import Plan
from microcolumn.study._results import Results


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return Results(planted.write(tmp_path_factory.mktemp("study") / "study.db"))


@pytest.fixture(scope="module")
def conditions(results):
    """The only place of single bins, and the longest words of the other experiment."""
    tested = results.tested()
    return tested[0], tested[-1]


def column(table, name):
    return [row[table.header.index(name)] for row in table.rows]


def test_every_row_has_a_cell_for_each_name_and_words_are_named_columns(results, conditions):
    compared = compared_at(results, conditions[1])
    made = [
        tables.recordings(results),
        tables.models(results, conditions[1], compared),
        tables.pairs(compared),
        tables.growth(results.by_window("cells")),
        tables.predictions(results, conditions[1]),
        tables.layers(results, conditions[1]),
        tables.interactions(results, conditions[1]),
    ]
    for table in made:
        assert isinstance(table, Table)
        assert table.rows
        assert {len(row) for row in table.rows} == {len(table.header)}
        assert set(table.left) <= set(table.header)
        assert table.title


def test_scores_are_those_of_the_comparison(results, conditions):
    compared = compared_at(results, conditions[0])
    table = tables.models(results, conditions[0], compared)
    shown = [cell.split(" ± ") for cell in column(table, "bits/s")]
    for (mean, split, block), model in zip(shown, compared.models, strict=True):
        assert float(mean) == pytest.approx(model.bits_per_second, abs=0.005)
        assert float(split) == pytest.approx(model.split_stderr, abs=0.005)
        assert float(block) == pytest.approx(planted.BLOCK_STDERR)


def test_differences_are_those_of_the_comparison(results, conditions):
    compared = compared_at(results, conditions[0])
    for row, pair in zip(tables.pairs(compared).rows, compared.pairs, strict=True):
        assert row[0] == f"{pair.first} - {pair.second}"
        mean, error = row[1].split(" ± ")
        assert float(mean) == pytest.approx(pair.bits_per_second, abs=0.005)
        assert float(error) == pytest.approx(pair.stderr, abs=0.005)
    assert tables.difference(compared.pair("RBM 5", "Ising")) == "2.00 ± 0.20"


def test_recordings_stand_with_their_words(results):
    table = tables.recordings(results)
    recorded = planted.recording()
    # Two experiments with bins of their own.
    assert column(table, "bin, ms") == ["20", "6.7"]
    assert column(table, "units") == ["23", "23"]
    assert column(table, "spikes") == [f"{recorded.n_spikes:,}"] * 2
    assert column(table, "words")[0] == f"{recorded.bin(0.020).n_bins:,}"
    assert column(table, "distinct")[0] == f"{len(recorded.bin(0.020)):,}"
    layers = column(table, "units by layer")[0]
    for layer in set(recorded.units.layer):
        assert f"{layer}: {recorded.units.layer.count(layer)}" in layers


def test_what_is_not_computed_has_no_table(tmp_path):
    results = Results(planted.write(tmp_path / "s.db", keep=lambda job: job.kind == "test"))
    condition = results.tested()[0]
    assert tables.predictions(results, condition) is None
    assert tables.layers(results, condition) is None
    assert tables.interactions(results, condition) is None


def test_a_study_of_one_split_has_one_seed_and_no_error_over_splits(tmp_path):
    plan = Plan(planted.PLAN.sources, (replace(planted.PLAN.experiments[0], n_splits=1),))
    results = Results(planted.write(tmp_path / "study.db", plan=plan))
    condition = results.tested()[0]
    table = tables.models(results, condition, compared_at(results, condition))
    assert all(" ± - ± " in cell for cell in column(table, "bits/s"))
    assert tables.provenance(results).seeds == (("instantaneous", "seed 0"),)


def test_provenance_keeps_whole_fingerprints_and_versions(results):
    made = tables.provenance(results)
    fingerprint = planted.facts()["cells"].fingerprint
    assert made.data == (("cells", fingerprint, "simulated"),)
    assert [dict(each) for each in made.environments] == [planted.ENVIRONMENT]
    assert made.work.startswith("232 of 232 jobs, ")

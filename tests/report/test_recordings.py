"""The table of recordings is about the words that were modelled, not about the file."""

from dataclasses import replace

import planted_study as planted

from microcolumn.recording import most_active
from microcolumn.report._tables import recordings
from microcolumn.study import Plan, Results

FIRST, SECOND = planted.PLAN.experiments


def row(table, k):
    assert len(table.rows[k]) == len(table.header)
    return dict(zip(table.header, table.rows[k], strict=True))


def test_each_experiment_stands_with_what_it_took(planted_results):
    table = recordings(planted_results)
    recorded = planted.recording()
    every, some = row(table, 0), row(table, 1)
    assert (every["recording"], every["experiment"]) == ("cells", "instantaneous")
    assert (every["units"], every["bin, ms"]) == ("23", "20")
    assert every["bins"] == f"{recorded.bin(0.020).n_bins:,}"
    assert every["distinct patterns"] == f"{len(recorded.bin(0.020)):,}"
    taken = recorded.take(most_active(recorded, 4))
    assert some["units"] == "4 of 23"
    assert some["distinct patterns"] == f"{len(taken.bin(0.0067)):,}"
    assert some["rate, Hz (range)"].startswith(f"{taken.rates_hz.mean():.2f} (")
    binned = taken.binning(0.0067)
    several = binned.multiple_fraction / (binned.single_fraction + binned.multiple_fraction)
    assert some["several spikes"] == f"{several:.1%}"
    layers = some["units by layer"]
    for layer in set(taken.units.layer):
        assert f"{layer}: {taken.units.layer.count(layer)}" in layers


def test_bins_left_out_are_counted(tmp_path):
    plan = Plan(planted.PLAN.sources, (replace(FIRST, max_words=200),))
    results = Results(planted.write(tmp_path / "study.db", plan, keep=lambda job: False))
    n_bins = planted.recording().bin(0.020).n_bins
    assert row(recordings(results), 0)["bins"] == f"200 of {n_bins:,}"

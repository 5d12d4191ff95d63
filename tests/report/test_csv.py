"""CSV files read back: every row of the results, whole files or none."""

import csv

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.evaluate import Estimate, pool
from microcolumn.report import _csv, write_tables
from microcolumn.report._csv import TABLES


@pytest.fixture(scope="module")
def tables(planted_results, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    found = {}
    for path in write_tables(planted_results, folder):
        with path.open(newline="", encoding="utf-8") as file:
            found[path.stem] = list(csv.DictReader(file))
    return found


def test_there_is_a_file_for_each_table_with_rows(tables):
    names = ["scores", "differences", "pooled", "assemblies", "units", "parameters", "adequacy"]
    assert list(TABLES) == names
    # No couplings have intervals, and there is no second recording.
    assert list(tables) == [name for name in TABLES if name not in ("parameters", "pooled")]


def test_parameters_have_their_intervals(planted_results, monkeypatch):
    X = np.random.default_rng(0).random((400, 3)) < 0.3
    found = mc.evaluate.intervals(mc.Ising(l1=1e-3).fit(X), X)
    monkeypatch.setattr(planted_results, "intervals", lambda **_: found)
    rows = TABLES["parameters"](planted_results)
    assert rows[0].items() >= {"recording": "cells", "model": "Ising"}.items()
    assert rows[0].items() >= found.to_rows()[0].items()


def test_scores_and_differences_are_those_of_the_results(tables, planted_results):
    [row] = [
        row
        for row in tables["scores"]
        if (row["experiment"], row["name"], row["split"]) == ("instantaneous", "RBM 5", "2")
    ]
    score = planted_results.comparison("cells").models[0].splits[2]
    assert float(row["bits_per_second"]) == score.bits_per_second
    compared = planted_results.comparison("cells").pairs
    rows = [row for row in tables["differences"] if row["experiment"] == "instantaneous"]
    assert [(row["first"], row["second"]) for row in rows] == [
        (p.first, p.second) for p in compared
    ]
    assert [float(row["bits_per_second"]) for row in rows] == [p.bits_per_second for p in compared]
    assert [(float(row["low"]), float(row["high"])) for row in rows] == [
        p.interval for p in compared
    ]
    assert "p_value" not in rows[0]  # pairs are estimates, not tests


def test_units_are_those_of_every_condition(tables, planted_results):
    conditions = planted_results.tested()
    expected = [
        (c.experiment.name, str(c.window), unit)
        for c in conditions
        for unit in planted_results.units("cells", experiment=c.experiment.name).ids
    ]
    rows = tables["units"]
    assert [(row["experiment"], row["window"], row["unit"]) for row in rows] == expected
    found = planted_results.unit_table("cells").to_dict("records")
    assert [row["assemblies"] for row in rows[:23]] == [";".join(r["assemblies"]) for r in found]
    gains = [float(row["gain_bits_per_second"]) for row in rows[:23]]
    assert gains == [row["gain_bits_per_second"] for row in found]


def test_no_file_is_written_where_a_table_fails(planted_results, tmp_path, monkeypatch):
    def fail(results):
        raise ZeroDivisionError

    monkeypatch.setattr("microcolumn.report._csv.TABLES", {**TABLES, "other": fail})
    with pytest.raises(ZeroDivisionError):
        write_tables(planted_results, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_contrasts_over_recordings_have_a_row_each_and_one_for_their_mean(monkeypatch):
    gains = [Estimate(0.1, 0.02, "%"), Estimate(0.3, 0.02, "%"), Estimate(0.2, 0.02, "%")]
    found = pool(gains, animals=["m1", "m1", "m2"], recordings=["a", "b", "c"])
    monkeypatch.setattr(_csv, "pooled", lambda results: {"groups": found})
    rows = TABLES["pooled"](None)
    assert [row.get("recording") for row in rows] == ["a", "b", "c", None]
    assert {row["contrast"] for row in rows} == {"groups"}
    *_, mean = rows
    assert (mean["value"], mean["low"], mean["n"]) == (found.mean.value, found.low, 2)
    assert (mean["method"], mean["tau_within"]) == ("animals", found.tau_within)

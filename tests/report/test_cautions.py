import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import planted_study as planted
import pytest

from microcolumn.formatting import scientific
from microcolumn.recording import Recording
from microcolumn.report._answer import whole_answer
from microcolumn.report._cautions import _of_bins, cautions
from microcolumn.report._json import report_dict
from microcolumn.report.text import report_text
from microcolumn.study import Plan, Results
from microcolumn.study.store import Store

FIRST, SECOND = planted.PLAN.experiments
FLOW = replace(FIRST, objectives="mpf")
BY_FLOW = Plan(planted.PLAN.sources, (FLOW,))
INSTANTANEOUS = Plan(planted.PLAN.sources, (FIRST,))


def is_test(job):
    return job.kind == "test"


def cautions_of(folder, plan, **options):
    path = planted.write(folder / "study.db", plan=plan, **{"keep": is_test} | options)
    return [each for each in cautions(Results(path)) if "not done" not in each]


@pytest.mark.parametrize(
    ("grid", "chosen", "n_cautions"),
    [
        ((1e-3, 4e-3), 1e-3, 1),
        ((0.0, 4e-3), 0.0, 0),  # nothing is below
        ((0.0, 1e-3, 4e-3), 1e-3, 0),
        ((4e-3,), 4e-3, 0),  # no choice was made
    ],
)
def test_only_an_end_of_the_grid_that_can_be_moved_is_a_caution(
    tmp_path, monkeypatch, grid, chosen, n_cautions
):
    monkeypatch.setattr(planted, "chosen_l1", lambda model, split: chosen)
    plan = Plan(planted.PLAN.sources, (replace(FIRST, l1=grid, models=("Ising",)),))
    found = cautions_of(tmp_path, plan)
    assert len(found) == n_cautions
    assert all(f"of the grid, {scientific(chosen)}, was chosen" in each for each in found)


def test_a_unit_sorted_twice_is_a_caution(tmp_path):
    data = planted.recording()
    rng = np.random.default_rng(0)
    trains = [np.sort(rng.uniform(0.0, data.duration_s, 60)) for _ in range(data.n_units)]
    trains[-1] = trains[0]
    plan = Plan(planted.PLAN.sources, (replace(FIRST, l1=(4e-3,)),))
    doubled = Recording(trains, data.units, data.epochs)
    path = planted.write(tmp_path / "study.db", plan=plan, keep=is_test, data=doubled)
    [told] = [each for each in cautions(Results(path)) if "sorted twice" in each]
    assert told.startswith("cells: units '0' and '22' share 100% of the spikes")
    assert told.endswith("choose units with --ids or Recording.select")


@pytest.mark.parametrize(
    ("bin_width", "windows", "peak_ms", "said"),
    [
        (0.020, (1,), 21.0, ""),
        (0.020, (1,), 29.0, ""),  # suggests 30 ms
        (0.020, (1,), 48.7, "bins of 20 ms were used, but .* 48.7 ± 2.1 ms wide"),
        (0.020, (1,), 8.0, "bins of 20 ms were used"),
        (0.0067, (1, 2, 4), 21.0, ""),  # 27 ms in four bins
        (0.0067, (1, 2), 30.0, "words of 13.4 ms were used"),
        (0.020, (1,), np.nan, ""),  # no peak, no suggestion
    ],
)
def test_a_bin_width_that_the_data_contradict_is_a_caution(
    planted_results, monkeypatch, bin_width, windows, peak_ms, said
):
    suggested = 5e-3 * round(peak_ms / 5) if peak_ms > 9 else 0.020
    suggested = 8e-3 if peak_ms == 8.0 else suggested
    peak = {"peak_width_s": peak_ms / 1e3, "peak_stderr_s": 0.0021, "width_s": suggested}
    found = SimpleNamespace(suggestion=SimpleNamespace(**peak))
    monkeypatch.setattr(planted_results, "data", lambda *_, **__: found)
    experiment = replace(FIRST, bin_width=bin_width, windows=windows)
    lines = list(_of_bins(planted_results, "cells", experiment))
    assert len(lines) == bool(said)
    if said:
        assert re.match(said, lines[0])
        assert lines[0].endswith(f"; set bin_width = {suggested:g} (--bin-width {suggested:g})")


@pytest.mark.parametrize(
    ("settings", "leaks"),
    [({"split_by": "words"}, True), ({"split_by": "blocks"}, False),
     ({"split_by": "words", "windows": (1,)}, False)],
)  # fmt: skip
def test_windows_that_share_bins_between_parts_are_a_caution(tmp_path, settings, leaks):
    plan = Plan(planted.PLAN.sources, (replace(SECOND, **settings),))
    assert any("share bins" in each for each in cautions_of(tmp_path, plan)) == leaks


def test_failed_jobs_and_mixed_environments_are_cautions(tmp_path, monkeypatch):
    path = planted.write(tmp_path / "study.db", INSTANTANEOUS, lambda job: job.split in (None, 0))
    monkeypatch.setattr(planted, "ENVIRONMENT", planted.ENVIRONMENT | {"numpy": "2.2.0"})
    planted.write(path, INSTANTANEOUS, lambda job: job.split in (None, 0, 1) or job.kind != "test")
    with Store.create(path) as store, store.lock():
        [missing] = [
            row for row in store.rows("current_jobs") if (row["kind"], row["split"]) == ("test", 3)
        ]
        store.fail(missing["digest"], "the test", "MemoryError: no memory", "...")
    found = cautions(Results(path))
    assert any("1 jobs failed" in each and "MemoryError: no memory" in each for each in found)
    assert any("2 environments, which differ in numpy" in each for each in found)


def test_a_spurious_mode_is_a_caution_and_takes_the_place_of_the_score(tmp_path):
    def false(job, rows):
        for row in rows.get("scores", []):
            if row["model"].startswith("Ising") and job.split == 1:
                row["false_mass"] = 0.25

    flow = cautions_of(tmp_path, BY_FLOW, change=false)
    assert any("(--l1), or set objectives = " in each for each in flow)
    path = planted.write(tmp_path / "other.db", plan=INSTANTANEOUS, keep=is_test, change=false)
    results = Results(path)
    [found] = [each for each in cautions(results) if "spurious mode" in each]
    assert found.endswith("; add larger penalties to l1 (--l1)")
    assert "Ising: the fit has a spurious mode in 1 of 4 tests, with up to 25%" in found
    text = report_text(results)
    assert "Ising: spurious mode: 25 % of the model's mass on words never seen" in text
    assert "Ising -" not in text
    assert " 5 - Ising" not in text
    [compared] = report_dict(results)["comparisons"]
    assert [model["name"] for model in compared["unranked"]] == ["Ising"]
    answer = whole_answer(results)
    assert answer.title.startswith("RBM 5 predicts unseen activity better than independent neurons")
    assert (
        answer.paragraphs[0][1] == "Not tested: Ising cannot be ranked because of a spurious mode."
    )

"""Sentences about intervals say what the results say."""

import numpy as np
import planted_study as planted
import pytest
from planted_intervals import planted_intervals

from microcolumn.report._structure import interval_sentences
from microcolumn.study import Plan, Results
from microcolumn.study.codec import to_blob


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Four pairs: coupled, not coupled, without a limit below, and without an interval."""
    pairs, nats = [[0, 1], [0, 2], [1, 2], [0, 3]], [0.5, 0.01, -1.2, np.nan]
    ising = ("Ising", ("u0", "u1", "u2", "u3"))
    stored = planted_intervals(*ising, pairs, nats, [0.05, 0.1, 0.2, 0.1])
    stored.couplings.low[2] = -np.inf

    def with_intervals(job, rows):
        for row in rows.get("structures", []):
            is_ising = job.model.model == "Ising"
            row["intervals"] = to_blob(stored) if is_ising and job.split == 0 else None

    path = tmp_path_factory.mktemp("intervals") / "study.db"
    plan = Plan(planted.PLAN.sources, planted.PLAN.experiments[:1])
    return Results(planted.write(path, plan, change=with_intervals))


def test_parameters_that_differ_from_zero_are_counted(results):
    [counted] = interval_sentences(results, results.tested()[0])
    assert counted.startswith("Ising: 2 of 4 pairs have a coupling that differs from 0")
    assert "(1 positive, 1 negative); 1 have no interval" in counted
    assert counted.endswith("errors from the slowest waves over time")


def test_without_intervals_there_is_no_sentence(planted_results):
    assert not list(interval_sentences(planted_results, planted_results.tested()[0]))

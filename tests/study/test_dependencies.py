"""What a job is given: whole paths, one fit, or the fit that validation prefers."""

import math

import pytest

from microcolumn.partition import LogPartition
from microcolumn.study._dependencies import candidates, inputs, log_partition_of
from microcolumn.study._jobs import Job, ModelSpec
from microcolumn.study._schema import json_text
from microcolumn.study._selection import Candidate
from microcolumn.study._store import Store

PLACE = ("A", "instantaneous", 1, 0)
ISING, RBM, SEMI = (
    ModelSpec("Ising", 0, "mpf"),
    ModelSpec("RBM", 3, "mpf"),
    ModelSpec("SemiRBM", 3, "mpf"),
)
#: Validation score and convergence of each variant's fits, by penalty.
PATHS = {
    ISING: {0.0: (1.0, True), 1e-3: (3.0, True), 2e-3: (2.0, True)},
    RBM: {0.0: (9.0, False), 1e-3: (4.0, True), 2e-3: (4.0, True)},
}


def row_of(job):
    """Columns of ``jobs`` of a job."""
    return {
        "kind": job.kind,
        "recording": job.recording,
        "experiment": job.experiment,
        "window": job.window,
        "split": job.split,
        "variant": job.model.name,
        "penalty": job.l1,
        "environment": {},
    }


def model(variant, penalty):
    return f"{variant.name} at {penalty:g}".encode()


@pytest.fixture
def store(tmp_path):
    """Fits of two variants, written from the largest penalty down, with their normalisers."""
    with Store.create(tmp_path / "study.db") as opened:
        for variant, path in PATHS.items():
            fits = [{"penalty": p, "model": model(variant, p)} for p in reversed(path)]
            opened.finish(
                f"fit {variant.name}", row_of(Job("fit", *PLACE, variant)), {"fits": fits}
            )
            for penalty, (score, converged) in path.items():
                normaliser = {
                    "log_z": penalty,
                    "stderr": 0.0,
                    "method": "exact",
                    "converged": converged,
                    "n_operations": 8,
                    "validation_bits_per_second": score,
                }
                job = Job("normalise", *PLACE, variant, penalty)
                name = f"normalise {variant.name} {penalty:g}"
                opened.finish(name, row_of(job), {"normalisers": [normaliser]})
        yield opened


def used(*members):
    names = [f"fit {variant.name}" for variant in members]
    return names + [f"normalise {v.name} {p:g}" for v in members for p in PATHS[v]]


def test_a_fit_starts_from_whole_paths_in_the_order_of_their_penalties(store):
    job = Job("fit", *PLACE, SEMI)
    models, log_z = inputs(store, job, ["fit Ising", "fit RBM 3"])
    assert models == {
        "Ising": (b"Ising at 0", b"Ising at 0.001", b"Ising at 0.002"),
        "RBM 3": (b"RBM 3 at 0", b"RBM 3 at 0.001", b"RBM 3 at 0.002"),
    }
    assert log_z == {}


def test_a_fit_that_starts_from_nothing_is_given_nothing(store):
    assert inputs(store, Job("fit", *PLACE, ISING), []) == ({}, {})


@pytest.mark.parametrize("penalty", [0.0, 2e-3])
def test_a_normaliser_is_of_the_fit_at_its_penalty(store, penalty):
    job = Job("normalise", *PLACE, RBM, penalty)
    assert inputs(store, job, ["fit RBM 3"]) == ({"RBM 3": (model(RBM, penalty),)}, {})


def test_a_test_is_given_the_chosen_fit_of_each_variant_with_its_log_z(store):
    """Of Ising the best; of the RBM the sparser of two equals, not the best, which is doubtful."""
    models, log_z = inputs(store, Job("test", *PLACE), used(ISING, RBM))
    assert models == {"Ising": (b"Ising at 0.001",), "RBM 3": (b"RBM 3 at 0.002",)}
    assert {name: found.value for name, found in log_z.items()} == {"Ising": 1e-3, "RBM 3": 2e-3}


@pytest.mark.parametrize("kind", ["predict", "structure"])
def test_other_jobs_are_given_the_same_choice_of_their_variant(store, kind):
    models, log_z = inputs(store, Job(kind, *PLACE, RBM), used(RBM))
    assert models == {"RBM 3": (b"RBM 3 at 0.002",)}
    assert log_z["RBM 3"].value == 2e-3


def test_candidates_are_rows_by_penalty():
    rows = {
        0.0: {"validation_bits_per_second": 2.0, "converged": 1},
        1e-3: {"validation_bits_per_second": math.nan, "converged": 0},
    }
    first, second = candidates(rows)
    assert first == Candidate(0.0, 2.0, True)
    assert (second.penalty, second.converged) == (1e-3, False)
    assert math.isnan(second.bits_per_second)


EXACT = LogPartition(1.5, 0.0, "exact, visible side", 32.0, math.nan, True)
ANNEALED = LogPartition(
    value=-2.25,
    stderr=0.01,
    method="ais",
    n_operations=1e9,
    seconds=math.nan,
    converged=False,
    effective_sample_size=411.5,
    reverse=-2.2,
    reverse_stderr=0.02,
    n_steps=2000,
    trace=((1000, -2.3, 0.03), (2000, -2.25, 0.01)),
    frequent_words=-2.26,
)


@pytest.mark.parametrize("found", [EXACT, ANNEALED])
def test_a_normaliser_comes_back_from_the_store_as_it_went_in(tmp_path, found):
    row = {name: getattr(found, name) for name in LogPartition.__slots__ if name != "seconds"}
    row["log_z"] = row.pop("value")
    row["trace"] = None if found.trace is None else json_text(found.trace)
    with Store.create(tmp_path / "study.db") as opened:
        opened.finish("a", row_of(Job("normalise", *PLACE, RBM, 0.0)), {"normalisers": [row]})
        back = log_partition_of(opened.rows("normalisers")[0])
    assert math.isnan(back.seconds)
    for name in LogPartition.__slots__:
        if name != "seconds":
            assert getattr(back, name) == getattr(found, name)

"""What a job is given of the results that it starts from."""

import math
from dataclasses import replace

import pytest

from microcolumn.models import ModelSpec
from microcolumn.partition import LogPartition
from microcolumn.study._jobs import Job
from microcolumn.study._prepared import inputs
from microcolumn.study.codec import row_of
from microcolumn.study.index import log_partition_of
from microcolumn.study.store import Store

PLACE = ("A", "instantaneous", 1, 0)
ISING, RBM, SEMI = ModelSpec("Ising"), ModelSpec("RBM", 3), ModelSpec("SemiRBM", 3)
#: Validation score and convergence of each model's fits, by l1.
PATHS = {
    ISING: {0.0: (1.0, True), 1e-3: (3.0, True), 2e-3: (2.0, True)},
    RBM: {0.0: (9.0, False), 1e-3: (4.0, True), 2e-3: (4.0, True)},
}


def fitted(spec, l1):
    return f"{spec.name} at {l1:g}".encode()


def normaliser(l1, score, converged):
    known = {"value": l1, "stderr": 0.0, "method": "exact", "n_operations": 8}
    return known | {"l1": l1, "converged": converged, "validation_bits_per_second": score}


@pytest.fixture
def store(path):
    """Fits of two models, written from the largest l1 down, with their normalisers."""
    with Store.create(path) as opened:
        for spec, fits in PATHS.items():
            rows = [{"l1": l1, "file": fitted(spec, l1)} for l1 in reversed(fits)]
            normalisers = [normaliser(l1, *found) for l1, found in fits.items()]
            job = Job("fit", *PLACE, spec)
            found = {"fits": rows, "normalisers": normalisers}
            opened.finish(str(job), job.row | {"environment": {}}, found)
        yield opened


def used(*specs):
    return {job: str(job) for job in [Job("fit", *PLACE, spec) for spec in specs]}


def test_a_fit_starts_from_all_fits_of_a_path_in_the_order_of_their_l1(store):
    job = Job("fit", *PLACE, SEMI)
    models, log_z = inputs(lambda _: store, job, used(ISING, RBM))
    assert models == {
        "Ising": (b"Ising at 0", b"Ising at 0.001", b"Ising at 0.002"),
        "RBM 3": (b"RBM 3 at 0", b"RBM 3 at 0.001", b"RBM 3 at 0.002"),
    }
    assert log_z == {}


def test_a_test_is_given_the_chosen_fit_of_each_model_with_its_log_z(store):
    """Of Ising the best; of the RBM the sparser of two equals, not the best, which is doubtful."""
    models, log_z = inputs(lambda _: store, Job("test", *PLACE), used(ISING, RBM))
    assert models == {"Ising": (b"Ising at 0.001",), "RBM 3": (b"RBM 3 at 0.002",)}
    assert {name: found.value for name, found in log_z.items()} == {"Ising": 1e-3, "RBM 3": 2e-3}


def test_assemblies_are_given_the_chosen_fit_of_every_split(store):
    other = replace(Job("fit", *PLACE, RBM), split=1)
    rows = [{"l1": 0.5, "file": b"RBM 3 of split 1"}]
    found = {"fits": rows, "normalisers": [normaliser(0.5, 1.0, True)]}
    store.finish(str(other), other.row | {"environment": {}}, found)
    job = Job("assemblies", *PLACE[:3], None, RBM)
    models, log_z = inputs(lambda _: store, job, used(RBM) | {other: str(other)})
    assert models == {"RBM 3": (b"RBM 3 at 0.002", b"RBM 3 of split 1")}
    assert log_z == {}


EXACT = LogPartition(1.5, 0.0, "exact", 32.0, math.nan, True, side="visible")
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
    job = Job("fit", *PLACE, RBM)
    rows = {"normalisers": [row_of(found, "seconds") | {"l1": 0.0}]}
    with Store.create(tmp_path / "study.db") as opened:
        opened.finish("a", job.row | {"environment": {}}, rows)
        back = log_partition_of(opened.rows("normalisers")[0])
    assert math.isnan(back.seconds)
    assert replace(back, seconds=0.0) == replace(found, seconds=0.0)

"""Names of models, and what each contains."""

import pickle

import pytest

from microcolumn.models import ModelSpec

ISING, RBM, SEMI = ModelSpec("Ising"), ModelSpec("RBM", 3), ModelSpec("SemiRBM", 3)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        (ModelSpec("Independent"), "Independent"),
        (ISING, "Ising"),
        (ModelSpec("Ising", 0, "mpf"), "Ising mpf"),
        (ModelSpec("RBM", 25, "pseudolikelihood"), "RBM 25 pseudolikelihood"),
        (RBM, "RBM 3"),
        (ModelSpec("SemiRBM", 25, "mpf"), "SemiRBM 25 mpf"),
    ],
)
def test_a_model_is_named_by_what_tells_it_from_others(spec, name):
    assert spec.name == name
    assert ModelSpec.of(name) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec


def test_the_semi_restricted_model_starts_from_what_it_contains():
    assert SEMI.nested == (ISING, RBM)
    assert ModelSpec("SemiRBM", 7, "mpf").nested == (
        ModelSpec("Ising", 0, "mpf"),
        ModelSpec("RBM", 7, "mpf"),
    )
    assert ISING.nested == RBM.nested == ()


def test_models_are_ordered_from_few_parameters_to_many():
    smaller = ModelSpec("RBM", 2)
    assert sorted([SEMI, RBM, ISING, smaller]) == [ISING, smaller, RBM, SEMI]

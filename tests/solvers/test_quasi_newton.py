"""The search itself: what it remembers, where it stops, and that it can be continued."""

import numpy as np
import pytest

from microcolumn.layout import Layout
from microcolumn.objectives import FunctionObjective, MinimumProbabilityFlow
from microcolumn.parameters import Parameters
from microcolumn.penalties import L1
from microcolumn.solvers._quasi_newton import Search


def _quadratic(n, condition, seed=0):
    """½ (b - t)'A(b - t) of biases, with eigenvalues from 1 to ``condition``."""
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.normal(size=(n, n)))[0]
    A, target = (basis * np.geomspace(1.0, condition, n)) @ basis.T, rng.normal(size=n)

    def objective(theta):
        slopes = A @ (theta.b - target)
        return 0.5 * float((theta.b - target) @ slopes), Parameters(b=slopes)

    return FunctionObjective(objective), target


def _search(objective, start, penalty=None, **options):
    layout = Layout.of(start)
    return Search(objective, penalty or L1(0.0), layout, layout.pack(start), **options)


@pytest.mark.parametrize("condition", [1.0, 1e2, 1e6])
def test_a_quadratic_is_solved_to_the_accuracy_of_its_gradient(condition):
    objective, target = _quadratic(20, condition)
    search = _search(objective, Parameters(b=np.zeros(20)))
    search.run(1e-9, 2000)
    assert search.optimality <= 1e-9
    np.testing.assert_allclose(search.x, target, atol=1e-8)


def test_with_as_many_pairs_as_coordinates_a_quadratic_takes_few_steps():
    objective, target = _quadratic(10, 100.0)
    steps = []
    for memory in (2, 50):
        search = _search(objective, Parameters(b=np.zeros(10)), memory=memory)
        search.run(1e-9, 2000)
        np.testing.assert_allclose(search.x, target, atol=1e-8)
        steps.append(search.n_iter)
    assert steps[1] <= 40
    assert steps[1] < steps[0]


def test_a_search_that_is_continued_ends_where_one_without_a_break_does(random_parameters, draw):
    X = draw(random_parameters("srbm", 5, seed=1), 300)
    start = random_parameters("srbm", 5, seed=2)
    whole, broken = (_search(MinimumProbabilityFlow(X), start, L1(2e-3)) for _ in range(2))
    whole.run(1e-8, 1000)
    for tol in (1e-2, 1e-4, 1e-8):
        broken.run(tol, 1000)
    assert np.array_equal(whole.x, broken.x)
    assert (whole.n_iter, whole.n_evaluations) == (broken.n_iter, broken.n_evaluations)


def test_a_tolerance_below_rounding_does_not_run_for_ever(random_parameters, draw):
    X = draw(random_parameters("ising", 5, scale=0.5, seed=1), 300)
    search = _search(MinimumProbabilityFlow(X), random_parameters("ising", 5, seed=2), L1(2e-3))
    search.run(1e-300, 100_000)
    assert search.optimality < 1e-12
    assert search.n_iter < 1000


def test_an_objective_without_a_minimum_is_left_where_it_falls_slowly():
    def softly_falling(theta):
        value = float(np.log1p(np.exp(-theta.b)).sum() + 1.0)
        return value, Parameters(b=-1.0 / (1.0 + np.exp(theta.b)))

    objective, start = FunctionObjective(softly_falling), Parameters(b=np.zeros(3))
    patient, hasty = _search(objective, start), _search(objective, start)
    patient.run(1e-12, 10_000)
    hasty.run(1e-12, 10_000, 1e-2)
    assert hasty.n_iter <= patient.n_iter
    assert hasty.value >= patient.value

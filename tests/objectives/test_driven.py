"""Objectives over flips under a drive: brute force over bins, and the best scale of each drive."""

import numpy as np
import pytest
from flips import KINDS, random_model
from scipy.optimize import minimize_scalar
from threads import on_one_and_all

from microcolumn.energy import log_weight
from microcolumn.layout import Layout
from microcolumn.objectives import mpf, pseudolikelihood
from microcolumn.objectives.driven import LARGEST_SCALE, DrivenFlips
from microcolumn.parameters import Parameters
from microcolumn.words import Words

ALL_KINDS = (*KINDS, "gaussian rbm", "gaussian srbm")
OBJECTIVES = {"mpf": lambda d: np.exp(0.5 * d), "pseudolikelihood": lambda d: np.logaddexp(0, d)}


def driven_words(seed=0, n_bins=300, n_units=5, n_rows=40):
    """Words that follow a drive, so that scales lie inside their range, and one unit against it."""
    rng = np.random.default_rng(seed)
    table, row = rng.normal(size=(n_rows, n_units)), rng.integers(0, n_rows, n_bins)
    sign = np.array([1.0] * (n_units - 1) + [-1.0])
    p = 1.0 / (1.0 + np.exp(1.0 - sign * table[row]))
    return Words.from_array(rng.random((n_bins, n_units)) < p), table, row


def brute_force(theta, words, table, row, scale, term):
    """Sum over flips of every bin, from p~ with the drive in its biases, and by unit."""
    total = np.zeros(theta.n_visible)
    bits = words.expand()
    for x, d in zip(bits, table[row] * scale, strict=True):
        for n, flip in enumerate(np.eye(theta.n_visible, dtype=np.uint8)):
            y = x ^ flip
            here, there = log_weight(theta, np.stack([x, y]))
            total[n] += term(there + d @ y - here - d @ x)
    return total / words.n_bins


def any_model(seed, kind, scale=0.3):
    """A random model, also with Gaussian hidden units."""
    theta = random_model(np.random.default_rng(seed), kind.removeprefix("gaussian "), 5, 3, scale)
    if kind.startswith("gaussian"):
        theta = Parameters(theta.b, theta.J, theta.W, theta.c, hidden="gaussian")
    return theta


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("kind", ALL_KINDS)
def test_value_and_scales_are_those_of_brute_force_over_bins(kind, objective):
    words, table, row = driven_words(n_bins=60)
    theta = any_model(1, kind)
    driven = DrivenFlips(words, table, row, objective)
    scale, (value, _) = driven.scale(theta), driven(theta)
    term = OBJECTIVES[objective]
    by_unit = brute_force(theta, words, table, row, scale, term)
    assert value == pytest.approx(by_unit.sum(), rel=1e-12)

    def along(s, n):
        return brute_force(theta, words, table, row, np.where(np.arange(5) == n, s, scale), term)[n]

    best = minimize_scalar(along, bounds=(0.0, LARGEST_SCALE), args=(0,), method="bounded")
    assert scale[0] == pytest.approx(best.x, abs=1e-4)
    assert scale[-1] == 0.0  # it fires against its drive


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("kind", ALL_KINDS)
def test_the_gradient_is_the_slope_of_the_value_with_scales_moving_along(kind, objective):
    words, table, row = driven_words()
    theta = any_model(2, kind, 0.7)
    driven, layout, step = DrivenFlips(words, table, row, objective), Layout.of(theta), 1e-5
    x, gradient = layout.pack(theta), np.empty(layout.size)
    driven.evaluate(x, layout, gradient)
    slopes = [
        (driven(layout.unpack(x + e))[0] - driven(layout.unpack(x - e))[0]) / (2 * step)
        for e in step * np.eye(x.size)
    ]
    np.testing.assert_allclose(gradient, slopes, atol=1e-8)


@pytest.mark.parametrize(
    ("objective", "plain"), [("mpf", mpf), ("pseudolikelihood", pseudolikelihood)]
)
@pytest.mark.parametrize("kind", KINDS)
def test_without_a_drive_it_is_the_objective_that_other_kernels_compute(kind, objective, plain):
    words, _, _ = driven_words()
    theta = random_model(np.random.default_rng(4), kind, 5, 3, 1.0)
    nothing = np.zeros((1, 5)), np.zeros(words.n_bins, dtype=int)
    value, gradient = DrivenFlips(words, *nothing, objective)(theta)
    expected, slopes = plain(theta, words)
    assert value == pytest.approx(expected, rel=1e-12)
    for name in "bJWc":
        if getattr(slopes, name) is not None:
            found = getattr(gradient, name)
            np.testing.assert_allclose(found, getattr(slopes, name), atol=1e-12)


def test_no_number_depends_on_the_number_of_threads():
    words, table, row = driven_words(n_bins=2000)
    theta = random_model(np.random.default_rng(5), "srbm", 5, 4, 0.7)

    def computed():
        value, gradient = DrivenFlips(words, table, row, "pseudolikelihood")(theta)
        return value, gradient.J.tobytes(), gradient.W.tobytes()

    one, many = on_one_and_all(computed)
    assert one == many


def test_what_is_out_of_range_is_refused_in_a_sentence():
    words, table, row = driven_words()
    driven = DrivenFlips(words, table, row, "mpf")
    with pytest.raises(OverflowError, match="beyond the range of floating-point numbers"):
        driven(random_model(np.random.default_rng(0), "ising", 5, 1, 2e3))

"""Any sum of fields, pairs, hidden units and a potential, against all words listed."""

import numpy as np
import pytest
from scipy.special import logsumexp

from microcolumn.energy import log_weight
from microcolumn.kernels import flip_changes
from microcolumn.objectives.sparse_words import SparseWords
from microcolumn.parameters import Parameters
from microcolumn.partition import exact_expectations, exact_samples, gibbs_samples, log_partition


def _model(n_units, has_pairs, hidden, has_count, seed=1):
    rng = np.random.default_rng(seed)
    J = np.triu(rng.normal(scale=0.3, size=(n_units, n_units)), 1)
    parts = {"b": rng.normal(-1.0, 1.0, n_units)}
    if has_pairs:
        parts["J"] = J + J.T
    if hidden:
        parts |= {"W": rng.normal(scale=0.7, size=(n_units, 3)), "c": rng.normal(size=3)}
        parts["hidden"] = hidden
    if has_count:
        parts["v"] = np.concatenate([[0.0, 0.0], rng.normal(size=n_units - 1)])
    return Parameters(**parts)


def _listed(theta):
    n = theta.n_visible
    words = ((np.arange(1 << n)[:, None] >> np.arange(n)) & 1).astype(np.uint8)
    log_p = log_weight(theta, words)
    log_z = float(logsumexp(log_p))
    return words, log_p, log_z, np.exp(log_p - log_z)


def _assert_close(found, expected, atol):
    for name in ("b", "J", "W", "c", "v"):
        other = getattr(expected, name)
        assert (getattr(found, name) is None) == (other is None)
        if other is not None:
            np.testing.assert_allclose(getattr(found, name), other, atol=atol)


SUMS = pytest.mark.parametrize(
    ("has_pairs", "hidden", "has_count"),
    [(J, W, v) for J in (False, True) for W in (None, "bernoulli", "gaussian") for v in (0, 1)],
)


@SUMS
@pytest.mark.parametrize("n_units", [5, 13])
def test_exact_sums_and_moments_are_those_of_the_list(n_units, has_pairs, hidden, has_count):
    theta = _model(n_units, has_pairs, hidden, has_count)
    words, log_p, log_z, p = _listed(theta)
    assert log_partition(theta).value == pytest.approx(log_z, abs=1e-9)
    found_log_z, found = exact_expectations(theta)
    expected = theta.moments(words.astype(float), p)
    assert found_log_z == pytest.approx(log_z, abs=1e-9)
    _assert_close(found, expected, 1e-10)
    sparse = SparseWords.of(words)
    np.testing.assert_allclose(sparse.log_weights(theta), log_p, atol=1e-10)
    _assert_close(sparse.sums(theta, p)[1], expected, 1e-10)


@SUMS
def test_moments_are_the_slopes_of_log_z(has_pairs, hidden, has_count):
    theta = _model(4, has_pairs, hidden, has_count)
    words, _, _, p = _listed(theta)
    moments = theta.moments(words.astype(float), p)
    parts = {name: getattr(theta, name) for name in ("b", "J", "W", "c", "v", "hidden")}
    for name in ("b", "J", "W", "c", "v"):
        array = parts[name]
        for place in [] if array is None else np.ndindex(array.shape):
            step = np.zeros_like(array)
            step[place] = 1e-5
            if name == "J":
                if place[0] >= place[1]:
                    continue
                step += step.T
            if name == "v" and place[0] < 2:
                continue
            ends = [Parameters(**parts | {name: array + s * step}) for s in (1.0, -1.0)]
            up, down = (_listed(end)[2] for end in ends)
            change = float((getattr(moments, name) * step).sum()) / 1e-5
            assert change == pytest.approx((up - down) / 2e-5, abs=1e-7)


@SUMS
def test_samples_chains_and_annealing_agree_with_the_list(has_pairs, hidden, has_count):
    theta = _model(5, has_pairs, hidden, has_count)
    _, _, log_z, p = _listed(theta)
    chains = gibbs_samples(theta, 8000, n_sweeps=60, n_chains=8000, random_state=0)
    for drawn in (exact_samples(theta, 8000, np.random.default_rng(0)), chains):
        share = np.bincount(drawn @ (1 << np.arange(5)), minlength=32) / len(drawn)
        error = np.sqrt(p * (1.0 - p) / len(drawn))
        assert (np.abs(share - p) / np.maximum(error, 1e-9)).max() < 4.8
    annealed = log_partition(theta, method="ais", n_steps=200, random_state=0)
    assert annealed.value == pytest.approx(log_z, abs=0.04)


@SUMS
def test_flips_are_differences_of_log_weights(has_pairs, hidden, has_count):
    theta = _model(5, has_pairs, hidden, has_count)
    words, log_p, _, _ = _listed(theta)
    live, _ = theta.drop_dead_units()
    changes = flip_changes(live.arrays, words, list(range(5)))
    for unit in range(5):
        flipped = words.copy()
        flipped[:, unit] ^= 1
        change = log_weight(theta, flipped) - log_p
        np.testing.assert_allclose(changes[:, unit], change, atol=1e-10)

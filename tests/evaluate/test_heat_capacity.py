"""Heat capacity against finite differences of log Z, closed forms and exact lattices."""

import math

import numpy as np
import pytest
from planted_lattice import coupling_slopes, square_lattice
from scipy import stats
from scipy.special import gammaln, logsumexp
from scipy.stats import entropy

import microcolumn as mc
from microcolumn.energy import log_weight
from microcolumn.evaluate import heat_capacity
from microcolumn.evaluate._heat_capacity import _cooled, flat_capacity


def by_differences(log_z, temperature, step=1e-3):
    """d/dT of the mean energy, from log Z as a function of inverse temperature."""
    beta = 1.0 / temperature
    less, here, more = (log_z(beta + by) for by in (-step, 0.0, step))
    return beta**2 * (more - 2 * here + less) / step**2


@pytest.mark.parametrize("kind", ["ising", "kpairwise", "srbm"])
def test_small_models_follow_log_z_in_temperature(kind, random_model, every_word):
    model = random_model(kind, 1, n_units=5)
    log_p = log_weight(model.parameters_, every_word(5))
    result = heat_capacity(model, temperatures=[0.5, 0.8, 1.5, 3.0])
    assert result.temperatures.tolist() == [0.5, 0.8, 1.0, 1.5, 3.0]
    expected = [by_differences(lambda b: logsumexp(b * log_p), t) for t in result.temperatures]
    np.testing.assert_allclose(result.per_unit[0], np.array(expected) / 5, rtol=1e-4)
    np.testing.assert_array_equal(result.stderr, np.zeros((1, 5)))


def test_independent_units_have_schottkys_peak():
    """Units with two levels b apart: (b / 2T)^2 / cosh^2(b / 2T)."""
    b = np.array([-4.0, -3.0, -1.0, 0.5])
    result = heat_capacity(mc.Independent.from_parameters(mc.Parameters(b=b)))
    half = b / (2.0 * result.temperatures[:, None])
    np.testing.assert_allclose(result.per_unit[0], (half**2 / np.cosh(half) ** 2).mean(axis=1))


def test_sums_and_chains_agree_with_kaufmans_lattice():
    for n in (4, 6):
        model = mc.Ising.from_parameters(square_lattice(n, 0.4))
        temperatures = np.array([0.8, 1.0, 1.3, 2.0])
        if n == 4:
            [own], [error] = (heat_capacity(model, temperatures=temperatures).per_unit, [0.0])
        else:
            rng = np.random.default_rng(0)
            own, error = (each / n**2 for each in _cooled(model.parameters_, temperatures, rng))
        K = 0.4 / temperatures
        exact = [k**2 * coupling_slopes(n, k)[2] / n**2 for k in K]
        assert np.all(np.abs(own - exact) < 4.0 * error + 1e-5)
        assert np.all(error < 0.1)


def test_large_models_cool_and_so_do_their_flat_models():
    """30 units in three blocks: three times the heat capacity of one, per unit the same."""
    rng = np.random.default_rng(2)
    J = 0.2 * np.abs(rng.normal(size=(10, 10)))
    J, b = np.triu(J, 1) + np.triu(J, 1).T, rng.normal(-2.0, 0.5, 10)
    small = mc.Ising.from_parameters(mc.Parameters(b=b, J=J))
    large = mc.Ising.from_parameters(mc.Parameters(np.tile(b, 3), np.kron(np.eye(3), J)))
    grid = [0.9, 1.0, 1.2]
    exact, cooled = (heat_capacity(model, temperatures=grid) for model in (small, large))
    off = (cooled.per_unit - exact.per_unit) / cooled.stderr
    assert np.abs(off).max() < 4.0
    # The number of active units of three independent blocks is a sum of three.
    one = mc.evaluate.synchrony(small).probability
    three = np.convolve(np.convolve(one, one), one)
    np.testing.assert_allclose(cooled.flat[0], flat_capacity(three, np.array(grid)) / 30, rtol=0.1)


def test_flat_models_are_their_words_one_by_one(every_word):
    active = np.array([0.5, 0.2, 0.15, 0.1, 0.05])
    n_active = every_word(4).sum(axis=1)
    log_p = np.log(active[n_active] / np.array([1, 4, 6, 4, 1])[n_active])
    grid = np.array([0.7, 1.0, 2.0])
    expected = [by_differences(lambda b: logsumexp(b * log_p), t) for t in grid]
    np.testing.assert_allclose(flat_capacity(active, grid), expected, rtol=1e-4)


def test_flat_models_of_correlated_units_grow_with_the_population():
    """Nonnenmacher et al. (2017): with correlations per unit it grows in proportion to the size.

    Beta-binomial numbers of active units, as where a shared drive r is the probability of a spike.
    The variance of -log p is that of n H(r), with H the entropy of one unit, to leading order.
    """
    per_unit = []
    for n in (100, 200, 400):
        k, (a, b) = np.arange(n + 1.0), (0.4, 8.0)
        beta = [gammaln(x) + gammaln(y) - gammaln(x + y) for x, y in ((k + a, n - k + b), (a, b))]
        log_p = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + beta[0] - beta[1]
        [at_one] = flat_capacity(np.exp(log_p), np.ones(1))
        per_unit.append(at_one / n)
    r = stats.beta(0.4, 8.0).rvs(200_000, random_state=0)
    assert per_unit[2] / 400 == pytest.approx(np.var(entropy([r, 1.0 - r])), rel=0.1)
    assert 1.8 < per_unit[2] / per_unit[1] < 2.1
    assert 1.7 < per_unit[1] / per_unit[0] < 2.1


def test_flat_models_end_where_numbers_were_never_drawn():
    active = np.array([0.7, 0.2, 0.09, 0.01, *np.zeros(7)])
    values = flat_capacity(active, np.array([0.2, 1.0, 4.0]))
    assert np.isfinite(values[0])
    assert np.isnan(values[1:]).all()


@pytest.fixture(scope="module")
def subsampled():
    rng = np.random.default_rng(0)
    X = rng.random((3000, 8)) < np.where(rng.random((3000, 1)) < 0.2, 0.5, 0.05)
    words = mc.Words.from_array(X)
    model = mc.Ising(l1=1e-3).fit(words)
    return model, words, heat_capacity(model, words, temperatures=[0.5, 1.5, 2.0], n_subsets=3)


def test_subsets_are_fitted_and_averaged(subsampled):
    model, words, result = subsampled
    assert result.sizes.tolist() == [3, 4, 6, 8]
    rng = np.random.default_rng(0)
    chosen = [rng.permutation(8)[:3] for _ in range(3)]
    own = []
    for positions in chosen:
        fit = mc.Ising(l1=1e-3).fit(words.subset(positions))
        own.append(heat_capacity(fit, temperatures=[0.5, 1.5, 2.0]).per_unit[0])
    np.testing.assert_allclose(result.per_unit[0], np.mean(own, axis=0), rtol=1e-9)
    np.testing.assert_allclose(result.stderr[0], np.std(own, axis=0, ddof=1) / math.sqrt(3))
    alone = heat_capacity(model, temperatures=[0.5, 1.5, 2.0])
    np.testing.assert_array_equal(result.per_unit[-1], alone.per_unit[0])
    assert np.diff(result.flat[:, 1]).min() > 0.0  # a shared drive, and nothing else


def test_it_says_that_growth_is_no_evidence(subsampled):
    text = str(subsampled[2])
    assert "no evidence of criticality" in text
    assert text.splitlines()[2].split()[:2] == ["3", f"{subsampled[2].per_unit[0, 1]:.3f}"]
    edge = heat_capacity(subsampled[0], temperatures=[0.5])
    assert str(edge).splitlines()[2].split()[-3:] == [f"{edge.flat[0, 1]:.2f}", "-", "-"]


def test_what_cannot_be_used_is_refused(subsampled):
    model, words, _ = subsampled
    for temperatures in ([1.0, -1.0], [0.0], [np.nan], [np.inf]):
        with pytest.raises(ValueError, match=r"temperatures\[\d\] is .*; pass positive numbers"):
            heat_capacity(model, temperatures=temperatures)
    with pytest.raises(ValueError, match="n_subsets"):
        heat_capacity(model, words, n_subsets=1)
    windows = words.subset([0, 1]).embed(2)
    of_windows = mc.Ising().fit(windows)
    with pytest.raises(ValueError, match="span 2 bins"):
        heat_capacity(of_windows, windows)
    X = np.random.default_rng(0).random((100, 30)) < 0.3
    with pytest.raises(TypeError, match="BernoulliMixture has no energy"):
        heat_capacity(mc.models.BernoulliMixture(2).fit(X))

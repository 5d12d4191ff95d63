"""Every way to sum over all words against enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import logsumexp
from scipy.stats import chi2
from threads import on_one_and_all

from microcolumn.kernels import ExactSums, exact_log_z, exact_moments, exact_samples
from microcolumn.kernels.cpu.hidden_sums import HiddenSums
from microcolumn.kernels.cpu.listed_sums import ListedSums
from microcolumn.kernels.cpu.pair_sums import PairSums

#: Ways to sum, with whether models have couplings, a potential and hidden units.
WAYS = [
    *((PairSums, (coupled, counted, False)) for coupled in (0, 1) for counted in (0, 1)),
    *((HiddenSums, (coupled, False, True)) for coupled in (0, 1)),
    *(
        (ListedSums, (coupled, counted, hidden))
        for coupled in (0, 1)
        for counted in (0, 1)
        for hidden in (0, 1)
    ),
]


def made(random_arrays, parts, n_units, n_hidden=3, scale=1.0, seed=0):
    coupled, counted, hidden = (bool(part) for part in parts)
    n_hidden *= hidden
    return random_arrays(n_units, n_hidden, scale, seed, coupled=coupled, counted=counted)


def assert_sums(sums, model, enumerated, tolerance=1e-11):
    _, log_z_by_hand, _, expected = enumerated
    log_z, moments = sums.moments(model)
    assert log_z == pytest.approx(log_z_by_hand, rel=0, abs=1e-10)
    assert logsumexp(sums.log_weights(model)) == pytest.approx(log_z_by_hand, rel=0, abs=1e-10)
    for found, by_hand in zip(moments, expected, strict=True):
        assert (found is None) == (by_hand is None)
        if found is not None:
            np.testing.assert_allclose(found, by_hand, rtol=0, atol=tolerance)


@pytest.mark.parametrize(("way", "parts"), WAYS)
@pytest.mark.parametrize("n_units", [1, 2, 3, 5, 9, 13])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 20.0])
def test_log_z_and_moments_match_enumeration(
    way, parts, n_units, scale, random_arrays, enumerate_arrays
):
    model = made(random_arrays, parts, n_units, scale=scale, seed=n_units)
    assert_sums(way(model), model, enumerate_arrays(model))


@settings(deadline=None, max_examples=60)
@given(
    way=st.sampled_from(WAYS),
    n_units=st.integers(1, 11),
    n_hidden=st.integers(1, 30),
    scale=st.sampled_from([0.01, 0.5, 5.0, 20.0, 1e3]),
    kept=st.floats(0.0, 1.0),
    seed=st.integers(0, 2**31),
)
def test_any_sparse_model_matches_enumeration(
    way, n_units, n_hidden, scale, kept, seed, random_arrays, enumerate_arrays
):
    sums, parts = way
    model = made(random_arrays, parts, n_units, n_hidden, scale, seed)
    if model.W is not None:
        keep = np.random.default_rng(seed).random(model.W.shape) <= kept
        model = model._replace(W=model.W * keep)
    assert_sums(sums(model), model, enumerate_arrays(model), 1e-11 * max(1.0, scale / 20.0))


@pytest.mark.parametrize(("way", "parts"), WAYS)
def test_a_plan_serves_the_models_that_it_fits(way, parts, random_arrays, enumerate_arrays):
    """Evaluations of a fit: parameters grow until the couplings leave the range of the plan."""
    first = made(random_arrays, parts, 9, scale=0.1)
    handle, sums = ExactSums(), way(first)
    for scale in (0.2, 3.0, 60.0, 0.5):
        model = made(random_arrays, parts, 9, scale=scale, seed=1)
        if sums.fits(model):
            assert_sums(sums, model, enumerate_arrays(model))
        log_z, moments = exact_moments(model, handle)
        _, by_hand, _, expected = enumerate_arrays(model)
        assert log_z == pytest.approx(by_hand, rel=0, abs=1e-10)
        np.testing.assert_allclose(moments.b, expected.b, rtol=0, atol=1e-11)
    assert not sums.fits(made(random_arrays, parts, 8))


def test_weights_that_come_and_go_change_the_plan(random_arrays, enumerate_arrays):
    model = random_arrays(9, 4)
    sums = HiddenSums(model._replace(W=model.W * (np.arange(9) > 7)[:, None]))
    assert_sums(sums, model, enumerate_arrays(model))


@pytest.mark.parametrize("parts", [(1, 0, 0), (1, 1, 0), (1, 0, 1), (1, 1, 1)])
@pytest.mark.parametrize("scale", [0.5, 20.0])
def test_eighteen_units_match_enumeration(parts, scale, random_arrays, enumerate_arrays):
    model = made(random_arrays, parts, 18, n_hidden=2, scale=scale, seed=18)
    _, by_hand, _, expected = enumerate_arrays(model)
    log_z, moments = exact_moments(model)
    assert log_z == pytest.approx(by_hand, rel=0, abs=1e-10)
    assert exact_log_z(model) == pytest.approx(by_hand, rel=0, abs=1e-10)
    np.testing.assert_allclose(moments.J, expected.J, rtol=0, atol=1e-11)


@pytest.mark.parametrize("counted", [False, True])
def test_more_units_than_one_chunk_holds(counted, random_arrays, enumerate_arrays):
    """Two populations that only the potential couples; without it log Z is the sum of theirs."""
    strong, weak = (random_arrays(n, scale=s, seed=n) for n, s in ((12, 30.0), (9, 0.01)))
    J = np.zeros((21, 21))
    J[:12, :12], J[12:, 12:] = strong.J, weak.J
    v = 0.3 * np.arange(22.0) if counted else None
    model = strong._replace(b=np.concatenate([strong.b, weak.b]), J=J, v=v)
    shift = 0.3 if counted else 0.0  # a linear potential is a bias
    parts = [enumerate_arrays(part._replace(b=part.b + shift)) for part in (strong, weak)]
    log_z, moments = exact_moments(model)
    assert log_z == pytest.approx(sum(part[1] for part in parts), rel=0, abs=1e-9)
    np.testing.assert_allclose(moments.b, np.concatenate([p[3].b for p in parts]), atol=1e-11)
    np.testing.assert_allclose(moments.J[12:, 12:], parts[1][3].J, atol=1e-11)
    np.testing.assert_allclose(
        moments.J[:12, 12:], np.outer(moments.b[:12], moments.b[12:]), atol=1e-11
    )


def test_twenty_strong_units_with_hidden_ones_are_summed_in_many_chunks(random_arrays):
    model = random_arrays(20, 2, scale=20.0)
    (log_z, moments), (listed, expected) = (
        way(model).moments(model) for way in (HiddenSums, ListedSums)
    )
    assert log_z == pytest.approx(listed, rel=0, abs=1e-9)
    np.testing.assert_allclose(moments.J, expected.J, rtol=0, atol=1e-11)
    np.testing.assert_allclose(moments.W, expected.W, rtol=0, atol=1e-11)


def test_a_sum_can_be_interrupted(random_arrays):
    def interrupt(share):
        raise KeyboardInterrupt

    for parts in ((1, 0, 0), (1, 0, 1), (1, 1, 1)):
        with pytest.raises(KeyboardInterrupt):
            exact_log_z(made(random_arrays, parts, 13, n_hidden=6), interrupt)


@pytest.mark.parametrize("parts", [(1, 0, 0), (1, 1, 0), (1, 0, 1)])
def test_one_and_two_threads_give_the_same_bits(parts, random_arrays):
    model = made(random_arrays, parts, 17, n_hidden=4, scale=20.0)
    found = on_one_and_all(lambda: (exact_moments(model), exact_log_z(model)))
    assert found[0][1] == found[1][1]
    assert found[0][0][0] == found[1][0][0]
    np.testing.assert_array_equal(found[0][0][1].J, found[1][0][1].J)


@pytest.mark.parametrize(("way", "parts"), WAYS)
@pytest.mark.parametrize("n_units", [1, 3, 13])
def test_words_are_drawn_as_often_as_their_probability_says(
    way, parts, n_units, random_arrays, enumerate_arrays
):
    model = made(random_arrays, parts, n_units, scale=2.0, seed=n_units)
    X, _, p, _ = enumerate_arrays(model)
    words = way(model).samples(model, 20_000, np.random.default_rng(7))
    assert words.dtype == np.uint8
    powers = 2 ** np.arange(n_units)[::-1]
    observed = np.bincount(words @ powers, minlength=len(X))
    rare = 20_000 * p < 5.0
    observed = np.append(observed[~rare], observed[rare].sum())
    expected = 20_000 * np.append(p[~rare], p[rare].sum())
    observed, expected = observed[expected > 1e-9], expected[expected > 1e-9]
    seen = observed > 0
    statistic = 2.0 * np.sum(observed[seen] * np.log(observed[seen] / expected[seen]))
    assert observed.size == 1 or chi2.sf(statistic, observed.size - 1) > 1e-3


def test_strongly_coupled_words_come_from_several_chunks(random_arrays):
    model = random_arrays(20, scale=20.0, seed=2)
    words = exact_samples(model, 5000, np.random.default_rng(0))
    rates = exact_moments(model)[1].b
    errors = np.sqrt(rates * (1.0 - rates) / 5000) + 1e-3
    assert (np.abs(words.mean(axis=0) - rates) < 4.5 * errors).all()

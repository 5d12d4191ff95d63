"""Effective interactions against inclusion-exclusion written out, in double and in many digits."""

from decimal import Decimal, localcontext
from itertools import chain, combinations, permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from microcolumn.energy import log_weight
from microcolumn.evaluate.interactions import effective_interactions
from microcolumn.models import Ising
from microcolumn.parameters import Parameters
from microcolumn.words import Words


def _random_parameters(seed, n_units, n_hidden, scale, couplings=True):
    rng = np.random.default_rng(seed)
    J = np.triu(rng.uniform(-scale, scale, (n_units, n_units)), 1)
    W = rng.uniform(-scale, scale, (n_units, n_hidden))
    W[rng.random(W.shape) < 0.2] = 0.0
    return Parameters(
        b=rng.uniform(-scale, scale, n_units),
        J=J + J.T if couplings else None,
        W=W,
        c=rng.uniform(-scale, scale, n_hidden),
    )


def _subsets(units):
    return chain.from_iterable(combinations(units, size) for size in range(len(units) + 1))


def _written_out(theta, units):
    """The interaction of a set of units, as the sum over its subsets."""
    total = 0.0
    for subset in _subsets(units):
        word = np.zeros((1, theta.n_visible))
        word[0, list(subset)] = 1.0
        total += (-1.0) ** (len(units) - len(subset)) * log_weight(theta, word)[0]
    return total


def _in_many_digits(bias, weights, digits=60):
    """Mixed difference of one softplus over all subsets of the weights, in decimal arithmetic."""
    with localcontext() as context:
        context.prec = digits
        context.Emax, context.Emin = 10**9, -(10**9)
        total = Decimal(0)
        for subset in _subsets(weights):
            z = Decimal(bias) + sum(Decimal(w) for w in subset)
            total += (-1) ** (len(weights) - len(subset)) * (1 + z.exp()).ln()
        return float(total)


def _of_one_hidden_unit(bias, weights):
    """Interaction of all the units of a model that has a single hidden unit."""
    column = np.array(weights, dtype=np.float64)[:, None]
    found = effective_interactions(Parameters(b=np.zeros(len(weights)), W=column, c=[bias]))
    table = {1: found.singles, 2: found.through_hidden, 3: found.triplets}[len(weights)]
    return table[tuple(range(len(weights)))]


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    n_units=st.integers(1, 5),
    n_hidden=st.integers(0, 3),
    scale=st.sampled_from([0.1, 1.0, 5.0, 20.0]),
    couplings=st.booleans(),
)
def test_every_interaction_is_the_sum_over_its_subsets(seed, n_units, n_hidden, scale, couplings):
    theta = _random_parameters(seed, n_units, n_hidden, scale, couplings)
    found = effective_interactions(theta)
    assert found.log_weight_silent == pytest.approx(_written_out(theta, ()), rel=1e-14)
    for size, table in ((1, found.singles), (2, found.pairs), (3, found.triplets)):
        expected = np.zeros_like(table)
        for units in combinations(range(n_units), size):
            for order in permutations(units):
                expected[order] = _written_out(theta, units)
        np.testing.assert_allclose(table, expected, rtol=1e-11, atol=1e-11 * scale)
        for axes in permutations(range(size)):
            np.testing.assert_array_equal(table, table.transpose(axes))


weight = st.floats(-20.0, 20.0).filter(lambda w: abs(w) > 1e-12)


@settings(deadline=None, max_examples=100)
@given(bias=st.floats(-40.0, 40.0), weights=st.lists(weight, min_size=1, max_size=3))
def test_no_digits_are_lost_for_one_hidden_unit(bias, weights):
    # At the centre of the cube the third difference passes through zero, where the rounding of
    # the weights themselves shows.
    assume(len(weights) < 3 or abs(2.0 * bias + sum(weights)) > 1e-2)
    exact = _in_many_digits(bias, weights, digits=90)
    np.testing.assert_allclose(_of_one_hidden_unit(bias, weights), exact, rtol=3e-12)


@pytest.mark.parametrize("bias", [-600.0, -3.0, 0.25, 3.0, 500.0])
@pytest.mark.parametrize(
    "weights",
    [
        (1e-90,),
        (1e-90, -1e-80),
        (1e-60, 1e-60, 1e-60),
        (-1e-60, 1e-8, 2.0),
        (1e-9, -1e-9),
        (900.0,),
        (-900.0, 700.0),
        (300.0, 400.0, -500.0),
        (300.0, 400.0, 500.0),
        (1e-30, 800.0, -800.0),
        (1e-30, -1e3),
    ],
)
def test_tiny_and_huge_weights_keep_their_digits(bias, weights):
    exact = _in_many_digits(bias, weights, digits=900)
    np.testing.assert_allclose(_of_one_hidden_unit(bias, weights), exact, rtol=1e-12, atol=1e-307)


def test_the_triplet_is_exactly_zero_where_the_softplus_is_symmetric():
    assert _of_one_hidden_unit(-3.0, (1.0, 2.0, 3.0)) == 0.0
    assert _of_one_hidden_unit(-1.0, (1.0, -2.0, 3.0)) == 0.0
    below, above = (_of_one_hidden_unit(-3.0 + d, (1.0, 2.0, 3.0)) for d in (-0.5, 0.5))
    assert below == -above > 0.0


def test_an_ising_model_has_its_couplings_as_pairs_and_no_triplets():
    theta = _random_parameters(0, 6, 0, 2.0)
    found = effective_interactions(Ising.from_parameters(theta))
    np.testing.assert_array_equal(found.pairs, 2.0 * theta.J)
    np.testing.assert_array_equal(found.direct, 2.0 * theta.J)
    np.testing.assert_array_equal(found.singles, theta.b)
    assert not found.through_hidden.any()
    assert not found.triplets.any()
    assert found.strongest(3) == []


def _cut_by_hand(found, word, order):
    active = np.flatnonzero(word)
    value = found.log_weight_silent + found.singles[active].sum()
    value += sum(found.pairs[pair] for pair in combinations(active, 2)) if order > 1 else 0.0
    value += sum(found.triplets[three] for three in combinations(active, 3)) if order > 2 else 0.0
    return value


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 1000), weighted=st.booleans())
def test_what_is_explained_is_what_sums_over_active_units_leave(seed, weighted):
    rng = np.random.default_rng(seed)
    theta = _random_parameters(seed, 6, 3, 2.0)
    bits = rng.random((50, 6)) < 0.5
    weights = rng.uniform(0.1, 2.0, 50) if weighted else np.ones(50)
    words = Words.from_array(bits, sample_weight=weights if weighted else None)
    found = effective_interactions(theta)
    explained = found.explained(words)
    target = log_weight(theta, bits)
    for order in (1, 2, 3):
        rest = target - [_cut_by_hand(found, word, order) for word in bits]
        mean_square = np.average(rest**2, weights=weights)
        variance = np.cov(target, aweights=weights, ddof=0)
        np.testing.assert_allclose(explained.rms_nats[order - 1] ** 2, mean_square, atol=1e-12)
        fraction = 1.0 - mean_square / variance
        np.testing.assert_allclose(explained.fraction[order - 1], fraction, rtol=1e-10, atol=1e-12)


def test_words_of_at_most_three_active_cells_are_explained_in_full_by_triplets():
    theta = _random_parameters(2, 8, 4, 3.0)
    bits = np.array([np.isin(np.arange(8), s) for s in _subsets(range(8)) if len(s) <= 3])
    explained = effective_interactions(theta).explained(bits)
    assert explained.rms_nats[2] < 1e-12
    assert explained.fraction[2] == pytest.approx(1.0, abs=1e-14)
    assert explained.rms_nats[0] > explained.rms_nats[1] > 0.1
    assert effective_interactions(theta, order=2).explained(bits).fraction.shape == (2,)


def test_without_variance_there_is_no_share():
    found = effective_interactions(_random_parameters(5, 4, 2, 2.0))
    explained = found.explained([[1, 1, 1, 1], [1, 1, 1, 1]])
    assert np.isnan(explained.fraction).all()
    assert explained.rms_nats[0] > 0.0


def test_the_strongest_come_first_and_each_set_once():
    theta = _random_parameters(7, 5, 3, 2.0)
    found = effective_interactions(theta)
    for order, table in ((1, found.singles), (2, found.pairs), (3, found.triplets)):
        every = {units: table[units] for units in combinations(range(5), order)}
        ranked = sorted((item for item in every.items() if item[1]), key=lambda i: -abs(i[1]))
        assert found.strongest(order, 1000) == ranked
        assert found.strongest(order, 2) == ranked[:2]
    assert found.strongest(2, 0) == []

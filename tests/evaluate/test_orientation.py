"""Nothing that is said of hidden units depends on their orientation or on their order."""

import numpy as np
from hypothesis import given, settings, strategies as st

from microcolumn.evaluate import effective_interactions, layer_statistics
from microcolumn.evaluate.activation import hidden_activation
from microcolumn.models import SemiRBM
from microcolumn.parameters import Parameters
from microcolumn.words import Words

LABELS = ["a", "a", "b", "b", "c"]


def _disguised(theta, flips, order):
    """The same distribution with some hidden units turned, and all in another order."""
    sign = np.where(flips, -1.0, 1.0)
    b = theta.b + theta.W[:, flips].sum(axis=1)
    return Parameters(b=b, J=theta.J, W=(theta.W * sign)[:, order], c=(theta.c * sign)[order])


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    flips=st.lists(st.booleans(), min_size=4, max_size=4),
    order=st.permutations(range(4)),
    unbiased=st.booleans(),
)
def test_statistics_are_those_of_the_distribution(seed, flips, order, unbiased):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.normal(size=(5, 5)), 1)
    W = 3.0 * rng.normal(size=(5, 4)) * (rng.random((5, 4)) < 0.7)
    c = np.zeros(4) if unbiased else rng.normal(scale=3.0, size=4)
    first = Parameters(b=rng.normal(size=5) - 2.0, J=upper + upper.T, W=W, c=c)
    second = _disguised(first, np.array(flips), order)
    one, other = SemiRBM.from_parameters(first), SemiRBM.from_parameters(second)
    words = Words.from_array(rng.integers(0, 2, (60, 5)))
    close = {"rtol": 1e-12, "atol": 1e-12}

    np.testing.assert_allclose(other.score_samples(words), one.score_samples(words), **close)
    np.testing.assert_allclose(other.hidden(words), one.hidden(words)[:, order], **close)
    np.testing.assert_array_equal(other.W_, one.W_[:, order])
    assert other.n_live_hidden_ == one.n_live_hidden_

    active, same = hidden_activation(one, words), hidden_activation(other, words)
    for name in ("mean", "variance", "live"):
        np.testing.assert_allclose(getattr(same, name), getattr(active, name)[order], **close)
    drawn = one.W_[:, active.order], other.W_[:, same.order]  # as figures and page draw them
    if np.unique(active.variance[active.live]).size == active.order.size:
        np.testing.assert_array_equal(*drawn)

    for here, there in ((one, other), (first, second)):
        found, again = layer_statistics(here, LABELS), layer_statistics(there, LABELS)
        by_position = {row.position: row for row in found.hidden}
        assert len(again.hidden) == len(found.hidden)
        for row in again.hidden:
            expected = by_position[order[row.position]]
            assert row.layer == expected.layer
            for name in ("mass", "share", "expected", "p_value", "p_holm", "p_fdr"):
                np.testing.assert_allclose(getattr(row, name), getattr(expected, name), **close)
        assert again.overall_p_value == found.overall_p_value or not found.hidden
        before, after = effective_interactions(here), effective_interactions(there)
        for name in ("singles", "through_hidden", "triplets"):
            np.testing.assert_allclose(
                getattr(after, name), getattr(before, name), rtol=1e-9, atol=1e-11
            )
        # Weights of p~ differ by a constant, which no remainder holds.
        expected = before.explained(words).rms_nats
        np.testing.assert_allclose(after.explained(words).rms_nats, expected, atol=1e-9)

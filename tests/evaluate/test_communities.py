"""Communities: planted ones are stable, random ones are not; modularity is that of its formula."""

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.errors import BadArgument, BadInput
from microcolumn.evaluate import communities, intervals

pytest.importorskip("networkx")


def _model(J):
    return mc.Ising.from_parameters(mc.Parameters(b=np.zeros(len(J)), J=J))


def _symmetric(n, rng, scale=1.0):
    J = np.triu(scale * rng.normal(size=(n, n)), 1)
    return J + J.T


BLOCKS = np.kron(np.eye(3), np.ones((4, 4))) - np.eye(12)


def test_planted_communities_come_back_in_noisy_fits():
    rng = np.random.default_rng(0)
    found = communities([_model(BLOCKS + _symmetric(12, rng, 0.2)) for _ in range(8)])
    groups = (("0", "1", "2", "3"), ("4", "5", "6", "7"), ("8", "9", "10", "11"))
    assert found.stable == groups
    assert found.p_value == pytest.approx(1 / 101)
    assert found.n_resamples == 8


def test_communities_of_noise_are_not_stable():
    """The same method finds a partition in each fit."""
    rng = np.random.default_rng(1)
    found = communities([_model(_symmetric(12, rng)) for _ in range(10)])
    assert max(map(len, found.stable), default=0) <= 2


def test_shuffled_couplings_are_as_modular_as_random_ones():
    p_values = []
    for seed in range(20):
        J = _symmetric(10, np.random.default_rng(seed))
        found = communities([_model(J)] * 2, n_resamples=19, random_state=seed)
        p_values.append(found.p_value)
    assert 0.25 < np.mean(p_values) < 0.75
    assert np.mean(np.array(p_values) <= 0.05) <= 0.25


def test_modularity_is_newmans():
    found = communities([_model(BLOCKS)] * 2)
    labels = np.repeat(np.arange(3), 4)
    degree, total = BLOCKS.sum(axis=0), BLOCKS.sum()
    expected = (BLOCKS - np.outer(degree, degree) / total)[np.equal.outer(labels, labels)].sum()
    assert found.modularity == pytest.approx(expected / total)


def test_two_bits_are_together_as_often_as_resamples_say():
    apart = np.kron(np.eye(2), np.ones((2, 2))) - np.eye(4)
    crossed = apart[np.ix_([0, 2, 1, 3], [0, 2, 1, 3])]
    found = communities([_model(apart), _model(apart), _model(crossed), _model(apart)])
    assert found.together[0].tolist() == pytest.approx([1.0, 0.75, 0.25, 0.0])
    assert found.stable == ()


def test_negative_couplings_hold_nothing_together():
    found = communities([_model(BLOCKS - 2.0 * (1.0 - np.kron(np.eye(3), np.ones((4, 4)))))] * 2)
    assert len(found.stable) == 3
    assert communities([_model(-BLOCKS)] * 2).stable == ()


def test_errors_of_intervals_decide_what_is_stable():
    """Planted groups in words: stable in many of them."""
    rng = np.random.default_rng(2)
    on = np.repeat(rng.random((8000, 2)) < 0.05, 4, axis=1)
    words = mc.Words.from_array(rng.random((8000, 8)) < np.where(on, 0.7, 0.03))
    known = intervals(mc.Ising(l1=1e-4).fit(words), words)
    found = communities(known, n_resamples=30)
    assert found.stable == (("0", "1", "2", "3"), ("4", "5", "6", "7"))
    assert "2 communities" in str(found)


def test_units_of_fits_in_other_orders_are_matched():
    recording = mc.simulate.microcolumn(n_units=5, minutes=1)
    first = mc.Ising(l1=1e-3).fit(recording.bin())
    second = mc.Ising(l1=1e-3).fit(recording.take([4, 2, 0, 1, 3]).bin())
    found = communities([first, second], n_resamples=5)
    assert found.names == recording.units.ids
    assert set(np.unique(found.together).tolist()) <= {0.0, 1.0}  # both fits agree


def test_the_same_seed_gives_the_same_communities():
    rng = np.random.default_rng(3)
    fits = [_model(_symmetric(9, rng)) for _ in range(3)]
    first, second = (communities(fits, n_resamples=9) for _ in range(2))
    assert first.together.tolist() == second.together.tolist()
    assert first.p_value == second.p_value


def test_what_cannot_be_resampled_is_refused():
    with pytest.raises(BadArgument) as caught:
        communities([_model(BLOCKS)])
    assert caught.value.argument == "source"
    rbm = mc.RBM.from_parameters(mc.Parameters(b=np.zeros(3), W=np.ones((3, 1)), c=[0.0]))
    with pytest.raises(BadInput, match="couplings of the same units"):
        communities([rbm, rbm])
    with pytest.raises(TypeError, match=r"source\[0\]"):
        communities(["Ising", "Ising"])

"""Scores and what is left of a model against the strength of its penalty."""

from functools import partial

import numpy as np
import pytest
from drawing import draw

import microcolumn as mc
from microcolumn.plot.penalty_paths import penalties

STRENGTHS = (0.0, 1e-3, 1e-2)


@pytest.fixture(scope="module")
def words():
    rng = np.random.default_rng(0)
    up = rng.random((3000, 1)) < 0.2
    X = rng.random((3000, 5)) < np.where(up, 0.4, 0.05)
    return mc.Words.from_array(X).split(0.5, random_state=0)


@pytest.fixture(scope="module")
def ising(words):
    return mc.evaluate.choose_l1(mc.Ising(), *words, STRENGTHS)


@pytest.fixture(scope="module")
def rbm(words):
    return mc.evaluate.choose_l1(mc.RBM(n_hidden=2), *words, STRENGTHS[1:])


drawn = partial(draw, penalties)


def lines(ax):
    """Lines by the name in the legend, and the rings."""
    named = {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}
    named.pop("chosen λ")
    rings = [line for line in ax.lines if line.get_marker() == "o" and line.get_markersize() > 6]
    return named, [line.get_xydata()[0].tolist() for line in rings if line.get_xydata().size]


def test_scores_are_drawn_at_their_strengths_with_errors_and_the_chosen_ringed(ising):
    ax = drawn(ising)
    named, rings = lines(ax)
    assert list(named) == ["Ising"]
    strengths, scores = named["Ising"].get_data()
    assert strengths.tolist() == list(STRENGTHS)
    np.testing.assert_allclose(scores, [score.bits_per_second for score in ising.scores])
    assert rings == [[ising.best.l1, ising.scores[ising.best_index].bits_per_second]]
    [bars] = ax.collections
    heights = [np.ptp(segment[:, 1]) / 2 for segment in bars.get_segments()]
    np.testing.assert_allclose(heights, [score.stderr for score in ising.scores])


def test_couplings_and_live_hidden_units_are_counted(ising, rbm):
    ax = drawn([ising, rbm], show="couplings")
    named, rings = lines(ax)
    assert list(named) == ["Ising"]  # an RBM has none
    counts = [np.count_nonzero(np.triu(fit.J_, 1)) for fit in ising.fits]
    assert named["Ising"].get_ydata().tolist() == counts
    assert rings == [[ising.best.l1, counts[ising.best_index]]]
    named, _ = lines(drawn([ising, rbm], show="hidden units"))
    assert list(named) == ["RBM 2"]
    live = [np.count_nonzero(fit.W_.any(axis=0)) for fit in rbm.fits]
    assert named["RBM 2"].get_ydata().tolist() == live

"""Scores and what is left of a model against the strength of its penalty."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import microcolumn as mc
from microcolumn.plot._penalties import PenaltyPath, penalties

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


def drawn(*given, **options):
    ax = penalties(*given, ax=Figure(layout="constrained").subplots(), **options)
    ax.figure.draw_without_rendering()
    return ax


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
    assert rings == [[ising.best.l1, ising.scores[ising.chosen].bits_per_second]]
    [bars] = ax.collections
    heights = [np.ptp(segment[:, 1]) / 2 for segment in bars.get_segments()]
    np.testing.assert_allclose(heights, [score.stderr for score in ising.scores])


@pytest.mark.parametrize(
    ("strengths", "scale", "names"),
    [
        ((0.0, 1e-4, 2e-2), "symlog", ["0", "-2", "-3", "-4"]),
        ((0.0,), "linear", ["0"]),
        ((1e-4, 2e-2), "log", ["-2", "-3", "-4"]),
        ((2e-3, 5e-3), "log", ["2e-3", "5e-3"]),
        ((5e-4, 2e-3), "log", ["5e-4", "2e-3"]),
        ((0.0, 2e-9, 1e-1), "symlog", ["0", "-1", "-3", "-5", "-7"]),
    ],
)
def test_no_penalty_has_a_place_on_the_logarithmic_axis(strengths, scale, names):
    n = len(strengths)
    path = PenaltyPath("Ising", np.array(strengths), np.ones(n), np.ones(n), None, None, 0)
    ax = drawn(path)
    assert ax.get_xscale() == scale
    texts = [text.get_text() for text in ax.get_xticklabels()]
    assert [text.replace("$10^{", "").replace("}$", "") for text in texts] == names
    low, high = ax.get_xlim()
    assert low < min(strengths)
    assert max(strengths) < high


def test_couplings_and_live_hidden_units_are_counted(ising, rbm):
    ax = drawn([ising, rbm], show="couplings")
    named, rings = lines(ax)
    assert list(named) == ["Ising"]  # an RBM has none
    counts = [np.count_nonzero(np.triu(fit.J_, 1)) for fit in ising.fits]
    assert named["Ising"].get_ydata().tolist() == counts
    assert rings == [[ising.best.l1, counts[ising.chosen]]]
    named, _ = lines(drawn([ising, rbm], show="hidden units"))
    assert list(named) == ["RBM 2"]
    live = [np.count_nonzero(fit.W_.any(axis=0)) for fit in rbm.fits]
    assert named["RBM 2"].get_ydata().tolist() == live


def test_several_are_called_by_their_models_or_by_names_that_are_given(ising, rbm):
    named, rings = lines(drawn([ising, rbm, ising]))
    assert list(named) == ["Ising", "RBM 2", "Ising (2)"]
    assert len(rings) == 3
    named, _ = lines(drawn({"pairs": ising, "groups": rbm}, color={"pairs": "red"}, title="both"))
    assert list(named) == ["pairs", "groups"]
    assert named["pairs"].get_color() == "red"
    assert drawn(ising, title="both").get_title() == "both"


def test_models_without_hidden_units_have_none_to_count(ising):
    with pytest.raises(ValueError, match=r"^these models have no hidden units; leave show out"):
        penalties(ising, show="hidden units")

import numpy as np
import pytest
from matplotlib.figure import Figure

import microcolumn as mc
from microcolumn.figures import comparison
from microcolumn.figures.style import MODEL_COLOURS


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(0)
    together = rng.random((2000, 1)) < 0.1
    words = mc.Words.from_array(rng.random((2000, 4)) < np.where(together, 0.7, 0.05))
    models = {"Independent": mc.Independent().fit(words), "Ising": mc.Ising().fit(words)}
    return mc.compare(models, words).scores


LAYERED = mc.Units(ids="abcd", layer=("II/III", "IV", "IV", "V/VI"))
COUPLINGS = np.array([[0, 1, 0, 0], [1, 0, -2, 0], [0, -2, 0, 0], [0, 0, 0, 0]], dtype=float)
WEIGHTS = np.array([[0, 1, 0], [0, 2, 0], [0, 0, -4], [0, 0, -1]], dtype=float)


def test_bars_are_the_scores_in_each_models_colour(scores):
    bars = comparison(scores, COUPLINGS, WEIGHTS, LAYERED).axes[0]
    heights = [patch.get_height() for patch in bars.patches]
    assert heights == [score.bits_per_second for score in scores.values()]
    colours = [patch.get_facecolor() for patch in bars.patches]
    assert colours[0] != colours[1]
    assert "bits/s" in bars.get_ylabel()
    assert set(scores) <= set(MODEL_COLOURS)


def test_error_bars_span_one_standard_error_each_way(scores):
    bars = comparison(scores, COUPLINGS, WEIGHTS, LAYERED).axes[0]
    lines = bars.containers[0].lines[2][0].get_segments()
    for segment, score in zip(lines, scores.values(), strict=True):
        assert np.ptp(segment[:, 1]) == pytest.approx(2 * score.stderr)


def test_the_matrix_shows_the_couplings_and_lines_between_layers(scores):
    matrix = comparison(scores, COUPLINGS, WEIGHTS, LAYERED).axes[1]
    np.testing.assert_array_equal(matrix.images[0].get_array(), COUPLINGS)
    horizontal = sorted({float(line.get_ydata()[0]) for line in matrix.lines} - {0.0, 1.0})
    assert horizontal == [0.5, 2.5]
    assert [label.get_text() for label in matrix.get_yticklabels()] == ["II/III", "IV", "V/VI"]


def test_dead_hidden_units_are_left_out_and_the_strongest_comes_first(scores):
    hidden = comparison(scores, COUPLINGS, WEIGHTS, LAYERED).axes[2]
    np.testing.assert_array_equal(hidden.images[0].get_array(), WEIGHTS[:, [2, 1]])


def test_a_model_without_live_hidden_units_and_units_without_layers_can_be_drawn(scores):
    figure = comparison(scores, COUPLINGS, np.zeros((4, 3)), mc.Units.numbered(4))
    assert isinstance(figure, Figure)
    assert [text.get_text() for text in figure.axes[2].texts] == ["none"]

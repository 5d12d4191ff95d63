import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import microcolumn as mc
from microcolumn.figures import comparison
from microcolumn.figures.style import MODEL_COLOURS

SCORES = {"Independent": (0.0, 0.0), "Ising": (12.5, 0.25), "RBM 25": (13.0, 0.5)}
LAYERED = mc.Units(ids="abcd", layer=("II/III", "IV", "IV", "V/VI"))
COUPLINGS = np.array([[0, 1, 0, 0], [1, 0, -2, 0], [0, -2, 0, 0], [0, 0, 0, 0]], dtype=float)
WEIGHTS = np.array([[0, 1, 0], [0, 2, 0], [0, 0, -4], [0, 0, -1]], dtype=float)


def test_bars_are_the_scores_in_each_models_colour():
    bars = comparison(SCORES, COUPLINGS, WEIGHTS, LAYERED).axes[0]
    heights = [patch.get_height() for patch in bars.patches]
    assert heights == [0.0, 12.5, 13.0]
    colours = [to_hex(patch.get_facecolor()).upper() for patch in bars.patches]
    assert colours == [MODEL_COLOURS[name] for name in ("Independent", "Ising", "RBM")]
    assert "bits/s" in bars.get_ylabel()


def test_error_bars_span_one_standard_error_each_way():
    bars = comparison(SCORES, COUPLINGS, WEIGHTS, LAYERED).axes[0]
    lines = bars.containers[0].lines[2][0].get_segments()
    for segment, (_, stderr) in zip(lines, SCORES.values(), strict=True):
        assert np.ptp(segment[:, 1]) == pytest.approx(2 * stderr)


def test_the_matrix_shows_the_couplings_and_lines_between_layers():
    matrix = comparison(SCORES, COUPLINGS, WEIGHTS, LAYERED).axes[1]
    np.testing.assert_array_equal(matrix.images[0].get_array(), COUPLINGS)
    horizontal = sorted({float(line.get_ydata()[0]) for line in matrix.lines} - {0.0, 1.0})
    assert horizontal == [0.5, 2.5]
    assert [label.get_text() for label in matrix.get_yticklabels()] == ["II/III", "IV", "V/VI"]


def test_dead_hidden_units_are_left_out_and_the_strongest_comes_first():
    hidden = comparison(SCORES, COUPLINGS, WEIGHTS, LAYERED).axes[2]
    np.testing.assert_array_equal(hidden.images[0].get_array(), WEIGHTS[:, [2, 1]])


def test_a_model_without_live_hidden_units_and_units_without_layers_can_be_drawn():
    figure = comparison(SCORES, COUPLINGS, np.zeros((4, 3)), mc.Units.numbered(4))
    assert isinstance(figure, Figure)
    assert [text.get_text() for text in figure.axes[2].texts] == ["none"]

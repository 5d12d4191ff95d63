"""Basins over time: rows are basins, and their heights the shares of words."""

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.errors import BadInput
from microcolumn.plot import basins

PAIR = np.array([[0.0, 3.0, 0.0], [3.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
MODEL = mc.Ising.from_parameters(mc.Parameters(b=[-2.0, -2.0, -2.0], J=PAIR))
WORDS = np.array([[0, 0, 0]] * 6 + [[1, 1, 0]] * 2 + [[0, 0, 1]] * 4)


def heights(ax):
    """Of the only row, relative to its base."""
    [row] = ax.patches
    return row.get_data().values


def test_a_row_has_the_units_of_its_minimum_and_the_shares_of_its_words():
    ax = basins(MODEL, WORDS, n_stretches=3)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["0 1"]
    values = heights(ax)
    assert values / values.max() == pytest.approx([0.0, 1.0, 0.0])
    assert [text.get_text() for text in ax.texts] == ["up to 50 %"]


def test_basins_that_are_known_are_drawn_as_those_that_are_sought():
    known = mc.evaluate.basins(MODEL, WORDS)
    first, second = basins(known, n_stretches=3), basins(MODEL, WORDS, n_stretches=3)
    assert heights(first) == pytest.approx(heights(second))


def test_silence_is_drawn_where_there_is_no_other():
    ax = basins(MODEL, np.zeros((5, 3), dtype=int))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["-"]
    assert [text.get_text() for text in ax.texts] == ["up to 100 %"]


def test_the_most_frequent_are_drawn():
    rng = np.random.default_rng(0)
    J = np.kron(np.eye(4), 3.0 * (np.ones((2, 2)) - np.eye(2)))
    model = mc.Ising.from_parameters(mc.Parameters(b=np.full(8, -2.0), J=J))
    X = np.repeat(rng.random((400, 4)) < [0.2, 0.1, 0.05, 0.02], 2, axis=1)
    ax = basins(model, X.astype(int), most=2)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["0 1", "2 3"]


def test_a_model_needs_words():
    with pytest.raises(BadInput, match="words"):
        basins(MODEL)

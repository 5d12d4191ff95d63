import numpy as np
import planted_study
import pytest

from microcolumn.figures import parameters
from microcolumn.figures.captioned import PAGE
from microcolumn.plot.laminar import laminar


@pytest.fixture(scope="module")
def figure(planted_results):
    return parameters(planted_results)


def panels(figure):
    """Axes of panels by title, in the order drawn."""
    return [ax for ax in figure.axes if ax.get_title()]


def letters(figure):
    return [ax.get_title("left") for ax in panels(figure)]


def test_panels_are_ising_rbm_and_both_halves_of_the_semi_restricted_model(figure):
    titles = [ax.get_title() for ax in panels(figure)]
    assert titles == ["Ising", "RBM 5", "SemiRBM 5", "SemiRBM 5"]
    assert letters(figure) == ["a", "b", "c", ""]
    assert figure.get_figwidth() == PAGE
    assert figure.number == "2"


def test_the_matrices_are_those_of_the_first_split(figure):
    ising, _, semi, _ = panels(figure)
    order = laminar(planted_study.recording().units).order
    position = order.tolist().index
    for ax in (ising, semi):
        drawn = ax.images[0].get_array()
        assert np.count_nonzero(drawn.filled(0.0)) == 2
        assert drawn[position(0), position(1)] == 0.1  # that of split 1 would be 1.1
        [biases] = ax.child_axes[1].patches
        assert set(biases.get_data().values.tolist()) == {-2.0, 0.0}  # bars and gaps


def scale(ax):
    """Nats per unit of x of the weights, from the first column's 0 and its number."""
    _, _, zero, number = ax.get_xticks()[:4]
    return float(ax.get_xticklabels()[3].get_text()) / (number - zero)


def test_the_hidden_units_are_those_of_the_sparsest_that_is_as_good(figure):
    _, rbm, _, semi = panels(figure)
    for ax in (rbm, semi):
        ends, _, zero = ax.patches[1].get_data()
        nats = np.unique(np.round((ends - zero) * scale(ax), 12))
        assert nats.tolist() == [0.0, 0.204]
        assert ax.get_xlabel() == "weight (nats)\n1 live hidden unit, strongest first"

import numpy as np
import pytest

from microcolumn.figures import patterns


@pytest.fixture(scope="module")
def figure(planted_results):
    return patterns(planted_results)


def clouds(ax):
    """Probabilities of all words of each model."""
    return [line.get_ydata() for line in ax.lines if line.get_marker() == "."]


def curves(ax):
    return {each.get_label(): each.lines[0].get_ydata() for each in ax.containers}


def test_the_points_are_the_stored_words_of_pairs_of_models(planted_results, figure):
    stored = planted_results.patterns("cells")
    for ax, names in zip(
        figure.axes[:2], (("Independent", "Ising"), ("Ising", "RBM 5")), strict=True
    ):
        for name, drawn in zip(names, clouds(ax), strict=True):
            np.testing.assert_array_equal(drawn, stored.statistics[name].model)


def test_ratios_are_those_of_the_best_model_of_each_class(planted_results, figure):
    lines = {line.get_label(): line for line in figure.axes[2].lines}
    stored = planted_results.patterns("cells").statistics
    for name in ("Independent", "Ising", "RBM 5", "SemiRBM 5"):
        silent = stored[name].n_active == 0
        [ratio] = np.log2(stored[name].model[silent] / stored[name].empirical[silent])
        assert lines[name].get_ydata()[0] == pytest.approx(ratio)


def test_synchrony_is_the_stored_one_of_the_data_and_of_each_model(planted_results, figure):
    stored = planted_results.patterns("cells").synchrony
    found = curves(figure.axes[3])
    assert list(found) == list(stored) == ["data", "Independent", "Ising", "RBM 5", "SemiRBM 5"]
    for name, each in stored.items():
        np.testing.assert_allclose(found[name], each.probability[each.probability > 0.0])

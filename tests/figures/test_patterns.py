import numpy as np
import pytest

from microcolumn.figures import moments, patterns
from microcolumn.study import NotComputedError


@pytest.fixture(scope="module")
def figure(planted_results):
    return moments(planted_results)


def clouds(ax):
    """Probabilities of all words of each model."""
    return [line.get_ydata() for line in ax.lines if line.get_marker() == "."]


def curves(ax):
    return {each.get_label(): each.lines[0].get_ydata() for each in ax.containers}


def test_the_points_are_the_stored_words_of_pairs_of_models(planted_results):
    stored = planted_results.patterns("cells")
    for ax, names in zip(
        patterns(planted_results).axes, (("Independent", "Ising"), ("Ising", "RBM 5")), strict=True
    ):
        for name, drawn in zip(names, clouds(ax), strict=True):
            np.testing.assert_array_equal(drawn, stored.statistics[name].model)


def test_moments_are_those_stored_of_pairs_and_of_the_best_groups(planted_results, figure):
    stored = planted_results.moments("cells")
    for ax, of in zip(figure.axes[:2], ("pairs", "triplets"), strict=True):
        drawn = [line for line in ax.lines if line.get_marker() == "o"]
        assert [line.get_label().split(",")[0] for line in drawn] == ["Ising", "RBM 5"]
        for name, line in zip(("Ising", "RBM 5"), drawn, strict=True):
            np.testing.assert_array_equal(line.get_ydata(), stored[name][of].model)
    assert "Ising: slope 0.33 for pairs, 0.33 for triplets; it differs measurably" in figure.caption


def test_synchrony_is_the_stored_one_of_the_data_and_of_each_model(planted_results, figure):
    stored = planted_results.patterns("cells").synchrony
    found = curves(figure.axes[2])
    assert list(found) == ["data", "Independent", "Ising", "RBM 5"]
    for name, each in found.items():
        np.testing.assert_allclose(each, stored[name].probability[stored[name].probability > 0.0])


def test_without_moments_there_is_no_figure(planted_results, monkeypatch):
    monkeypatch.setattr(planted_results, "moments", lambda recording, **where: {})
    with pytest.raises(NotComputedError, match="no model of pairs or groups is tested"):
        moments(planted_results)

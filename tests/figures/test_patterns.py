from dataclasses import replace

import numpy as np
import planted_study
import pytest
from matplotlib.collections import PathCollection

import microcolumn as mc
from microcolumn.figures._patterns import _chain, patterns


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Six cells, so that sums over all words are quick."""
    first, second = planted_study.PLAN.experiments
    plan = replace(planted_study.PLAN, experiments=(replace(first, most_active=6), second))
    file = tmp_path_factory.mktemp("store") / "study.db"
    return mc.study.open(planted_study.write(file, plan=plan))


@pytest.fixture(scope="module")
def figure(results):
    return patterns(results)


def points(ax):
    found = [each.get_offsets() for each in ax.collections if isinstance(each, PathCollection)]
    return by_row(np.concatenate(found))


def by_row(points):
    """In an order that does not depend on which was drawn first."""
    return points[np.lexsort(points.T)]


def curves(ax):
    return {each.get_label(): each.lines[0].get_ydata() for each in ax.containers}


def models_of(results):
    train, _, test = results.words("cells")
    found = {"Independent": mc.Independent().fit(train)}
    found |= {name: results.model("cells", name) for name in ("Ising", "RBM 5", "SemiRBM 5")}
    return found, test


def test_words_of_the_first_test_part_are_drawn_under_the_chosen_models(results, figure):
    models, test = models_of(results)
    for ax, names in zip(
        figure.axes[:2], (("Independent", "Ising"), ("Ising", "RBM 5")), strict=True
    ):
        found = [mc.pattern_statistics(models[name], test) for name in names]
        model = np.concatenate([each.model for each in found])
        empirical = np.concatenate([each.empirical for each in found])
        least = 1e-4 / test.n_bins
        expected = by_row(np.column_stack([np.maximum(model, least), empirical]))
        np.testing.assert_allclose(points(ax), expected)


def test_synchrony_is_that_of_the_test_words_and_of_each_model(results, figure):
    models, test = models_of(results)
    found = curves(figure.axes[2])
    assert list(found) == ["data", "Independent", "Ising", "RBM 5", "SemiRBM 5"]
    data = mc.synchrony(test).probability
    np.testing.assert_allclose(found["data"], data[data > 0.0])
    for name, model in models.items():
        np.testing.assert_allclose(found[name], mc.synchrony(model).probability)


def test_the_caption_says_what_is_selected(figure):
    for said in (
        "(a) Independent and Ising; (b) Ising and RBM 5:",
        "test words of split 0 (cells, experiment instantaneous;",
        "number of active units",
        "Ising 4e-3, RBM 5 1e-3, SemiRBM 5 1e-3",
        "above the band by selection",
        "(c) Distribution of the number of active units",
    ):
        assert said in figure.caption


def test_bits_of_windows_are_counted_as_such(results):
    figure = patterns(results, experiment="spatiotemporal", window=2)
    assert "windows of 2 bins" in figure.caption
    assert "number of active bits of the window" in figure.caption
    assert figure.axes[2].get_xlabel() == "active bits per word"
    figure.draw_without_rendering()


def test_models_are_drawn_against_the_next_simpler_one():
    assert _chain(["Independent", "Ising", "SemiRBM 5"]) == ["Independent", "Ising", "SemiRBM 5"]
    assert _chain(["Independent", "RBM 5", "SemiRBM 5"]) == ["Independent", "RBM 5"]


def test_an_ising_model_alone_is_drawn_against_firing_rates(tmp_path):
    first, _ = planted_study.PLAN.experiments
    alone = replace(first, models=("Ising",), most_active=6)
    plan = replace(planted_study.PLAN, experiments=(alone,))
    figure = patterns(mc.study.open(planted_study.write(tmp_path / "study.db", plan=plan)))
    assert len(figure.axes) == 2
    assert "(b) Distribution" in figure.caption


def test_a_later_split_is_shown_where_the_first_is_not_tested(tmp_path):
    file = planted_study.write(tmp_path / "study.db", keep=lambda job: job.split == 1)
    results = mc.study.open(file)
    figure = patterns(results, experiment="spatiotemporal", window=1)
    assert "test words of split 1" in figure.caption
    test = results.words("cells", split=1, experiment="spatiotemporal", window=1)[2]
    data = mc.synchrony(test).probability
    np.testing.assert_allclose(curves(figure.axes[-1])["data"], data[data > 0.0])

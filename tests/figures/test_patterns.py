from dataclasses import replace

import numpy as np
import planted_study
import pytest

from microcolumn.figures import patterns
from microcolumn.figures._patterns import _chain
from microcolumn.models import ModelSpec
from microcolumn.study import NotComputedError, Results


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


def test_the_caption_has_the_split_the_number_of_words_and_the_penalties(planted_results, figure):
    some = planted_results.patterns("cells").statistics["Ising"]
    words = f"{some.model.size:,} distinct of {some.n_words:,}"
    for fact in ("split 0", words, "Ising 4e-3, RBM 5 1e-3, SemiRBM 5 1e-3"):
        assert fact in figure.caption
    below = int(np.sum(some.model < 0.01 / some.n_words))
    assert "lie below the axis: " in figure.caption
    assert f"{below:,} for Ising" in figure.caption


def test_windows_can_be_asked_for(planted_results):
    where = {"experiment": "spatiotemporal", "window": 2}
    figure = patterns(planted_results, **where)
    stored = planted_results.patterns("cells", **where).synchrony["data"].probability
    np.testing.assert_allclose(curves(figure.axes[3])["data"], stored[stored > 0.0])
    assert figure.axes[3].get_xlabel() == "active bits per word"


def test_models_are_drawn_against_the_next_simpler_one():
    ising, rbm, semi = ModelSpec("Ising"), ModelSpec("RBM", 5), ModelSpec("SemiRBM", 5)
    assert _chain([ising, semi]) == ["Independent", "Ising", "SemiRBM 5"]
    assert _chain([rbm, semi]) == ["Independent", "RBM 5"]


def test_an_ising_model_alone_is_drawn_against_independent_units(tmp_path):
    first, _ = planted_study.PLAN.experiments
    plan = replace(planted_study.PLAN, experiments=(replace(first, models=("Ising",)),))
    keep = ("describe", "test", "patterns")
    file = planted_study.write(tmp_path / "study.db", plan, keep=lambda job: job.kind in keep)
    figure = patterns(Results(file))
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["a", "b", "c"]


def test_ratios_far_below_zero_are_not_said_to_be_errors(figure):
    # Words drawn from a model that are seen once lie below 0 under that very model.
    assert "even the right model lies far below 0" in figure.caption
    assert "0 where they agree" not in figure.caption


def test_the_caption_states_the_tail_of_synchrony(planted_results, figure):
    stored = planted_results.patterns("cells").synchrony
    tail = {name: each.probability[::-1].cumsum()[::-1] for name, each in stored.items()}
    k = max(2, max(k for k, share in enumerate(tail["data"]) if share >= 0.01))
    told = f"{k} or more active units: observed {100 * tail['data'][k]:.2f} % of words; "
    assert told + f"Independent {100 * tail['Independent'][k]:.2f} %, Ising " in figure.caption


def test_before_patterns_are_computed_there_is_no_figure(tmp_path):
    path = planted_study.write(tmp_path / "early.db", keep=lambda job: job.kind == "test")
    with pytest.raises(NotComputedError, match="patterns"):
        patterns(Results(path))

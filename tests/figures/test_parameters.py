from dataclasses import replace

import numpy as np
import planted_study
import pytest

from microcolumn.figures import parameters
from microcolumn.figures._captioned import PAGE
from microcolumn.parameters import Parameters
from microcolumn.plot._laminar import laminar
from microcolumn.study import Results

ONE, WINDOWS = planted_study.PLAN.experiments


def plan_of(**settings):
    """The planted plan's first experiment with other settings."""
    return replace(planted_study.PLAN, experiments=(replace(ONE, **settings),))


def results_of(folder, plan=planted_study.PLAN, **options):
    return Results(planted_study.write(folder / "study.db", plan, **options))


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
        drawn, biases = (image.get_array() for image in ax.images)
        assert np.count_nonzero(drawn.filled(0.0)) == 2
        assert drawn[position(0), position(1)] == 0.1  # that of split 1 would be 1.1
        assert (biases.compressed() == -2.0).all()


def test_the_hidden_units_are_those_at_the_chosen_penalty(figure):
    _, rbm, _, semi = panels(figure)
    for ax in (rbm, semi):
        ends, _, zero = ax.patches[1].get_data()
        assert np.unique(np.round(ends - zero, 12)).tolist() == [0.0, 0.2 + 1e-3]
        assert ax.get_xlabel() == "hidden unit, by variance (1 live)"


def test_nothing_is_cut_off_at_the_edges(figure):
    figure.draw_without_rendering()
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert 0.0 <= box.x0 < box.x1 <= width
    assert 0.0 <= box.y0 < box.y1 <= height


def test_the_caption_has_the_penalties_and_the_numbers_of_parameters(figure):
    n_pairs = 23 * 22 // 2
    for fact in (
        "23 units (20 ms words), fitted on split 0",
        f"(a) Ising (λ = 4e-3): couplings J (1 of {n_pairs}",
        "(b) RBM 5 (λ = 1e-3): weights of all live hidden units (1 of 5)",
        f"(c) SemiRBM 5 (λ = 1e-3): couplings J (1 of {n_pairs}",
    ):
        assert fact in figure.caption


def test_windows_are_drawn_bin_by_bin(planted_results):
    figure = parameters(planted_results, "cells", experiment="spatiotemporal")
    ising, rbm = panels(figure)
    assert ising.images[0].get_array().shape == (12, 12)
    names = [text.get_text() for text in rbm.get_yticklabels()]
    assert names == ["\N{MINUS SIGN}2", "\N{MINUS SIGN}1", "0"]
    assert letters(figure) == ["a", "b"]


@pytest.mark.parametrize(
    ("models", "shown"),
    [
        (("Ising",), ["a Ising"]),
        (("RBM",), ["a RBM 5"]),
        (("SemiRBM",), ["a SemiRBM 5", " SemiRBM 5"]),
        (("RBM", "SemiRBM"), ["a RBM 5", "b SemiRBM 5", " SemiRBM 5"]),
    ],
)
def test_models_that_the_study_has_not_are_left_out(tmp_path, models, shown):
    figure = parameters(results_of(tmp_path, plan_of(models=models, n_splits=1)))
    assert [f"{ax.get_title('left')} {ax.get_title()}" for ax in panels(figure)] == shown


def test_of_several_models_of_a_class_the_best_scoring_is_shown(tmp_path):
    def better(job, rows):
        for row in rows.get("scores", ()):
            row["bits_per_second"] += row["model"] == "RBM 7"

    plan = plan_of(models=("RBM",), n_hidden=(5, 7, 3), n_splits=2)
    figure = parameters(results_of(tmp_path, plan, change=better))
    assert [ax.get_title() for ax in panels(figure)] == ["RBM 7"]
    assert "RBM 3, RBM 5." in figure.caption


def test_the_first_split_that_is_tested_is_shown(tmp_path):
    plan = plan_of(models=("Ising",), n_splits=3)
    unfinished = results_of(
        tmp_path,
        plan,
        keep=lambda job: job.kind not in ("test", "patterns", "anneal") or job.split == 1,
    )
    figure = parameters(unfinished)
    assert "fitted on split 1" in figure.caption
    assert panels(figure)[0].images[0].get_array().max() == 1.1


def with_hidden(n_live):
    """Parameters of an RBM with so many live hidden units, of different variance."""

    def theta(job, n_bits, l1):
        n_hidden = job.model.n_hidden
        W = np.zeros((n_bits, n_hidden))
        W[:, :n_live] = np.linspace(0.1, 2.0, n_live)
        return Parameters(b=np.zeros(n_bits), W=W, c=np.arange(n_hidden) - 8.0)

    return theta


def test_the_most_variable_hidden_units_are_shown_and_the_rest_is_counted(tmp_path):
    plan = plan_of(models=("RBM",), n_hidden=20, n_splits=1)
    results = results_of(tmp_path, plan, parameters=with_hidden(15))
    figure = parameters(results)
    [ax] = panels(figure)
    assert ax.get_xlabel() == "hidden unit, by variance (12 of 15 live)"
    assert "12 live hidden units (of 15 live, 20 in all)" in figure.caption
    model, test = results.model("cells", "RBM 20"), results.words("cells")[2]
    variances = np.var(model.hidden(test.expand()), axis=0)
    order = sorted(range(15), key=lambda k: -variances[k])[:12]
    thresholds = [patch.get_width() for patch in ax.patches if hasattr(patch, "get_width")]
    np.testing.assert_allclose(thresholds, -model.c_[order])


def test_a_model_without_a_live_hidden_unit_has_a_panel(tmp_path):
    plan = plan_of(models=("RBM",), n_splits=1)
    [ax] = panels(parameters(results_of(tmp_path, plan, parameters=with_hidden(0))))
    assert "no live hidden unit" in [text.get_text() for text in ax.texts]

from dataclasses import replace

import numpy as np
import planted_study
import pytest

from microcolumn.figures import parameters
from microcolumn.figures._captioned import PAGE
from microcolumn.models import RBM, to_bytes
from microcolumn.parameters import Parameters
from microcolumn.plot._laminar import laminar
from microcolumn.study._results import Results

ONE, WINDOWS = planted_study.PLAN.experiments


def plan_of(**settings):
    """The planted plan's first experiment with other settings."""
    return replace(planted_study.PLAN, experiments=(replace(ONE, **settings),))


def results_of(folder, plan=planted_study.PLAN, **options):
    return Results(planted_study.write(folder / "study.db", plan, **options))


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return results_of(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="module")
def figure(results):
    return parameters(results)


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


def test_the_matrices_are_those_of_the_first_split(figure, results):
    ising, _, semi, _ = panels(figure)
    order = laminar(results.units("cells")).order
    position = order.tolist().index
    for ax in (ising, semi):
        drawn, biases = (image.get_array() for image in ax.images)
        assert np.count_nonzero(drawn.filled(0.0)) == 2
        assert drawn[position(0), position(1)] == 0.1  # that of split 1 would be 1.1
        assert (biases.compressed() == -2.0).all()


def test_the_hidden_units_are_those_at_the_chosen_l1(figure):
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


def test_the_caption_says_what_is_shown(figure):
    n_pairs = 23 * 22 // 2
    for said in (
        "Models of cells (instantaneous, 23 units), fitted on split 0",
        f"(a) Ising (λ = 4e-3): couplings J (1 of {n_pairs} are other than zero).",
        "(b) RBM 5 (λ = 1e-3): weights of all live hidden units (1 of 5).",
        f"(c) SemiRBM 5 (λ = 1e-3): couplings J (1 of {n_pairs} are other than zero) and weights",
        "variance of their activation on the test words",
        "lines between layers",
    ):
        assert said in figure.caption
    assert "Not shown" not in figure.caption
    assert "window" not in figure.caption


def test_windows_are_drawn_lag_by_lag(results):
    figure = parameters(results, "cells", experiment="spatiotemporal")
    ising, rbm = panels(figure)
    assert ising.images[0].get_array().shape == (12, 12)
    names = [text.get_text() for text in rbm.get_yticklabels()]
    assert names == ["\N{MINUS SIGN}2", "\N{MINUS SIGN}1", "0"]
    assert "4 units, 3 bins of 6.7 ms" in figure.caption
    assert "0 the newest" in figure.caption
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
    figure.svg("p")
    assert ("Matrices" in figure.caption) == (models != ("RBM",))
    assert ("Hidden units are ordered" in figure.caption) == (models != ("Ising",))


def test_of_several_variants_the_best_scoring_is_shown(tmp_path):
    def better(job, rows):
        for row in rows.get("scores", ()):
            row["bits_per_second"] += row["model"] == "RBM 7"

    plan = plan_of(models=("RBM",), n_hidden=(5, 7, 3), n_splits=2)
    figure = parameters(results_of(tmp_path, plan, change=better))
    assert [ax.get_title() for ax in panels(figure)] == ["RBM 7"]
    assert "Not shown, as they score no better: RBM 3, RBM 5." in figure.caption


def test_the_first_split_that_is_tested_is_shown(tmp_path):
    plan = plan_of(models=("Ising",), n_splits=3)
    unfinished = results_of(tmp_path, plan, keep=lambda job: job.kind != "test" or job.split > 0)
    figure = parameters(unfinished)
    assert "fitted on split 1" in figure.caption
    assert panels(figure)[0].images[0].get_array().max() == 1.1


def with_hidden(n_live):
    """A change of the stored models: so many live hidden units, of different variance."""

    def change(job, rows):
        for row in rows.get("fits", ()):
            n_hidden, n_units = job.model.n_hidden, planted_study.recording().n_units
            W = np.zeros((n_units, n_hidden))
            W[:, :n_live] = np.linspace(0.1, 2.0, n_live)
            theta = Parameters(b=np.zeros(n_units), W=W, c=np.arange(n_hidden) - 8.0)
            model = RBM.from_parameters(theta).set_params(l1=row["l1"])
            row["model"] = to_bytes(model)

    return change


def test_the_most_variable_hidden_units_are_shown_and_the_rest_is_counted(tmp_path):
    plan = plan_of(models=("RBM",), n_hidden=20, n_splits=1)
    results = results_of(tmp_path, plan, change=with_hidden(15))
    figure = parameters(results)
    [ax] = panels(figure)
    assert ax.get_xlabel() == "hidden unit, by variance (12 of 15 live)"
    assert "weights of 12 live hidden units (of 15 live, 20 in all)" in figure.caption
    model, test = results.model("cells", "RBM 20"), results.words("cells")[2]
    variances = np.var(model.hidden(test.expand()), axis=0)
    order = sorted(range(15), key=lambda k: -variances[k])[:12]
    thresholds = [patch.get_width() for patch in ax.patches if hasattr(patch, "get_width")]
    np.testing.assert_allclose(thresholds, -model.c_[order])


def test_no_live_hidden_unit_is_said(tmp_path):
    plan = plan_of(models=("RBM",), n_splits=1)
    figure = parameters(results_of(tmp_path, plan, change=with_hidden(0)))
    assert "none of 5 hidden units, as none is live" in figure.caption
    assert "no live hidden unit" in [text.get_text() for text in panels(figure)[0].texts]

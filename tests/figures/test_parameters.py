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
        drawn = ax.images[0].get_array()
        assert np.count_nonzero(drawn.filled(0.0)) == 2
        assert drawn[position(0), position(1)] == 0.1  # that of split 1 would be 1.1
        [biases] = ax.child_axes[1].patches
        assert set(biases.get_data().values.tolist()) == {-2.0, 0.0}  # bars and gaps


def scale(ax):
    """Nats per unit of x of the weights, from the first column's 0 and its number."""
    _, _, zero, number = ax.get_xticks()[:4]
    return float(ax.get_xticklabels()[3].get_text()) / (number - zero)


def test_the_hidden_units_are_those_at_the_chosen_penalty(figure):
    _, rbm, _, semi = panels(figure)
    for ax in (rbm, semi):
        ends, _, zero = ax.patches[1].get_data()
        nats = np.unique(np.round((ends - zero) * scale(ax), 12))
        assert nats.tolist() == [0.0, 0.2 + 1e-3]
        assert ax.get_xlabel() == "weight (nats)\n1 live hidden unit, strongest first"


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
    """Parameters of an RBM with so many live hidden units, weak ones first."""

    def theta(job, n_bits, l1):
        n_hidden = job.model.n_hidden
        W = np.zeros((n_bits, n_hidden))
        W[:, :n_live] = np.linspace(0.1, 2.0, n_live)
        return Parameters(b=np.zeros(n_bits), W=W, c=-np.arange(1.0, n_hidden + 1.0))

    return theta


def test_a_model_without_a_live_hidden_unit_has_a_panel(tmp_path):
    plan = plan_of(models=("RBM",), n_splits=1)
    [ax] = panels(parameters(results_of(tmp_path, plan, parameters=with_hidden(0))))
    assert "no live hidden unit" in [text.get_text() for text in ax.texts]

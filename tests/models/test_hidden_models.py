"""Fits of RBM and SemiRBM: group penalties, validation words, and units that are off in silence."""

import numpy as np
import pytest
from sklearn.base import clone

import microcolumn as mc


def _simulated(n_units=8, minutes=2.0, seed=0):
    return mc.simulate.microcolumn(n_units=n_units, minutes=minutes, seed=seed).bin()


@pytest.mark.parametrize("cls", [mc.RBM, mc.SemiRBM])
def test_a_group_penalty_is_part_of_the_objective_the_copies_and_the_file(cls, tmp_path):
    words, l1, group_l1 = _simulated(6), 1e-3, 1e-3
    model = cls(n_hidden=4, l1=l1, group_l1=group_l1, tol=1e-8).fit(words)
    loss, _ = mc.objectives.negative_log_likelihood(model.parameters_, words)
    norms = np.sqrt(6) * np.linalg.norm(model.W_, axis=0).sum()
    penalty = l1 * (np.abs(model.J_).sum() + np.abs(model.W_).sum()) + group_l1 * norms
    assert model.objective_ == pytest.approx(loss + penalty, rel=1e-12)
    assert model.optimality_ <= model.tol
    assert clone(model).group_l1 == group_l1
    model.save(tmp_path / "model.safetensors")
    assert mc.load(tmp_path / "model.safetensors").get_params() == model.get_params()
    [first, second] = model.fit_path(words, [1e-3, 4e-3])
    assert (first.group_l1, second.group_l1) == (group_l1, group_l1)


@pytest.mark.parametrize("l1", [0.0, 1e-3])
def test_nested_models_nest_under_the_same_group_penalty(l1):
    words = _simulated(7, 1.0)
    ising = mc.Ising(l1=l1).fit(words).objective_
    for strength in (5e-4, 5e-3):
        both = [cls(4, l1, group_l1=strength).fit(words) for cls in (mc.RBM, mc.SemiRBM)]
        assert both[1].objective_ <= min(both[0].objective_, ising) + 1e-9


def test_a_group_penalty_leaves_fewer_hidden_units_of_more_weights():
    words = _simulated(10, 10.0)
    single = mc.RBM(8, 1e-3).fit(words)
    grouped = mc.RBM(8, 0.0, group_l1=1e-3).fit(words)
    assert 0 < grouped.n_live_hidden_ < 8
    alive = grouped.W_.any(axis=0)
    assert (grouped.W_[:, alive] != 0.0).all()
    assert (single.W_[:, single.W_.any(axis=0)] == 0.0).any()


@pytest.mark.parametrize("n_silent", [1e5, 1e7])
def test_two_units_that_fire_once_and_together_are_fitted(n_silent):
    """Starts along correlations have weights as large as such units are rare."""
    X = np.array([[0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1]], dtype=np.uint8)
    model = mc.RBM(5, l1=1e-6).fit(X, sample_weight=[n_silent, 1.0, 50.0])
    assert np.isfinite(model.score_samples(X)).all()


@pytest.mark.parametrize("cls", [mc.RBM, mc.SemiRBM])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_words_kept_apart_end_a_fit_of_unpenalised_hidden_units(cls):
    words = _simulated(8, 10.0)
    train, test = words.split(0.5, by="blocks", random_state=0)
    model = cls(8, l1=0.0).fit(train)
    assert model.n_iter_ < model.max_iter
    assert model.certificate_.converged
    # It is better on new words than a fit that goes on for long.
    longer = cls(8, l1=1e-9, tol=1e-8, max_iter=1000).fit(train)
    assert model.objective_ > longer.objective_
    assert model.score(test) > longer.score(test)


@pytest.mark.parametrize(
    ("cls", "objective"), [(mc.RBM, "mpf"), (mc.SemiRBM, "mpf"), (mc.RBM, "likelihood")]
)
def test_hidden_units_of_a_fit_are_off_in_silence_and_its_certificate_holds_there(cls, objective):
    words = _simulated(6)
    model = cls(2, l1=1e-4, objective=objective, tol=1e-8).fit(words)
    theta = model.parameters_
    assert model.n_live_hidden_
    turned = mc.Parameters(b=theta.b + theta.W.sum(axis=1), J=theta.J, W=-theta.W, c=-theta.c)
    n_iter = model.n_iter_
    model.fit(words, start=turned)
    assert model.n_iter_ < n_iter  # turned, it is the optimum but for rounding
    assert (model.c_ <= 0.0).all()
    assert model.optimality_ <= model.tol
    loss = {"mpf": mc.objectives.mpf, "likelihood": mc.objectives.negative_log_likelihood}
    value, slopes = loss[objective](model.parameters_, words)
    penalty = 1e-4 * (np.abs(model.J_).sum() + np.abs(model.W_).sum())
    assert model.objective_ == pytest.approx(value + penalty, rel=1e-12)
    on = model.W_ != 0.0
    assert np.abs(slopes.W + 1e-4 * np.sign(model.W_))[on].max() <= 1.01 * model.tol

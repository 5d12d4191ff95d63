"""Models of windows whose couplings and weights depend on the lag between bins alone."""

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.layout import Layout

MODELS = [lambda **s: mc.Ising(**s), lambda **s: mc.RBM(8, **s), lambda **s: mc.SemiRBM(8, **s)]


@pytest.fixture(scope="module")
def trains():
    """Unit 1 follows unit 0, and unit 2 avoids to fire after itself."""
    coupling = np.array([[0.0, 0.0, 0.0], [1.5, 0.0, 0.0], [0.0, 0.0, -2.0]])
    rng, x = np.random.default_rng(0), np.zeros((30_000, 3), dtype=np.uint8)
    for t in range(1, len(x)):
        x[t] = rng.random(3) < 1.0 / (1.0 + np.exp(1.0 - coupling @ x[t - 1]))
    return coupling, mc.Words.from_array(x, bin_width=0.01)


@pytest.mark.parametrize("objective", ["likelihood", "pseudolikelihood"])
def test_a_known_matrix_of_lagged_couplings_is_recovered(trains, objective):
    # Each unit depends on one unit of the bin before: that is a model of pairs of neighbouring
    # bins, with the same couplings everywhere and other biases in the newest bin.
    coupling, words = trains
    model = mc.Ising(l1=0.0, tie_bins=True, objective=objective).fit(words.embed(4))
    by_bin = 2.0 * model.J_.reshape(4, 3, 4, 3)
    for newer in range(1, 4):
        np.testing.assert_allclose(by_bin[newer, :, newer - 1], coupling, atol=0.1)
    np.testing.assert_allclose(by_bin[3, :, :2], 0.0, atol=0.1)
    assert model.n_parameters_ == 12 + 3 + 3 * 9
    untied = mc.Ising(l1=0.0, objective=objective).fit(words.embed(4))
    assert 0.0 < model.objective_ - untied.objective_ < 27 / words.n_bins  # half of 39 more


@pytest.mark.parametrize("make", MODELS)
def test_fits_are_tied_converge_and_nest_in_untied_ones(trains, make, tmp_path):
    words = trains[1].embed(4)
    model = make(l1=1e-3, tie_bins=True).fit(words)
    assert model.certificate_.converged
    layout = Layout.of(model.parameters_, tied_bins=4)
    tied = layout.unpack(layout.pack(model.parameters_))
    for name in "bJW":
        part = getattr(tied, name)
        assert part is None or np.array_equal(part, getattr(model.parameters_, name))
    value, _ = mc.objectives.negative_log_likelihood(model.parameters_, words)
    penalty = 1e-3 * (np.abs(model.J_).sum() + np.abs(model.W_).sum())
    assert model.objective_ == pytest.approx(value + penalty, rel=1e-10)
    free = make(l1=1e-3).fit(words, start=model.parameters_)
    assert free.objective_ <= model.objective_ + 1e-6
    assert free.n_parameters_ > model.n_parameters_
    model.save(tmp_path / "tied.safetensors")
    read = mc.load(tmp_path / "tied.safetensors")
    assert read.tie_bins
    assert read.n_parameters_ == model.n_parameters_


@pytest.mark.parametrize("make", MODELS)
def test_single_bins_have_nothing_to_tie(trains, make):
    first, second = (make(tie_bins=tie).fit(trains[1]).parameters_ for tie in (False, True))
    for name in ("J", "b", "W", "c"):
        assert np.array_equal(getattr(first, name), getattr(second, name))


def test_a_sampled_fit_is_certified(trains):
    rng = np.random.default_rng(1)
    drive = rng.random((4000, 1)) < 0.1
    words = mc.Words.from_array(rng.random((4000, 9)) < np.where(drive, 0.4, 0.05)).embed(4)
    model = mc.Ising(l1=1e-3, tie_bins=True).fit(words)
    assert model.certificate_.converged
    assert model.certificate_.mean_square_z is not None
    untied = mc.Ising(l1=1e-3).fit(words)
    assert model.score(words) == pytest.approx(untied.score(words), abs=0.02)


def test_bins_share_the_hidden_units_that_are_chosen(trains):
    words = trains[1].embed(4).split(0.8)
    best = mc.evaluate.choose_n_hidden(mc.RBM(tie_bins=True), *words, [1e-2]).best
    assert best.n_hidden == 12

"""Fits by likelihood beyond exact sums, through the models: agreement, certificates, files."""

from dataclasses import replace

import numpy as np
import pytest
from few_draws import FEW_DRAWS
from forged import forged
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc
from microcolumn.models import from_bytes, to_bytes
from microcolumn.models.penalised import PenalisedModel

SETTINGS = {mc.Ising: {}, mc.RBM: {"n_hidden": 3}, mc.SemiRBM: {"n_hidden": 3}}
MODELS = pytest.mark.parametrize("cls", SETTINGS)


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setattr(PenalisedModel, "_sampler", FEW_DRAWS)


@pytest.fixture(scope="module")
def words():
    return mc.simulate.microcolumn(n_units=8, minutes=2.0, seed=0).bin()


def fitted(cls, words, **settings):
    return cls(**SETTINGS[cls], **settings).fit(words)


@pytest.mark.parametrize(
    ("model", "n_units", "is_sampled"),
    [
        (mc.Ising(), 26, False),
        (mc.Ising(), 28, True),
        (mc.Ising(objective="mpf"), 500, False),
        (mc.RBM(19), 100, False),  # hidden states are summed
        (mc.RBM(25), 100, True),
        (mc.SemiRBM(3), 100, True),
        (mc.SemiRBM(25), 20, False),
        (mc.SemiRBM(25, objective="pseudolikelihood"), 100, False),
        (mc.models.KPairwise(), 25, False),
        (mc.models.KPairwise(), 26, True),
    ],
)
def test_the_likelihood_is_sampled_where_sums_would_take_long(model, n_units, is_sampled):
    assert model._is_sampled(n_units) is is_sampled


def test_an_ising_fit_agrees_with_the_exact_one(words, out_of_reach, monkeypatch):
    sampled = fitted(mc.Ising, words)
    monkeypatch.undo()
    exact = fitted(mc.Ising, words)
    assert exact.certificate_.mean_square_z is None
    assert sampled.certificate_.converged
    assert np.abs(sampled.J_ - exact.J_).max() < 0.2
    # Nats per word that the noise of 36 parameters costs in some ten thousand draws.
    assert abs(exact.score(words) - sampled.score(words)) < 0.002


@MODELS
def test_a_path_gives_models_with_certificates(words, out_of_reach, cls):
    model = cls(**SETTINGS[cls], max_iter=200)
    weak, strong = model.fit_path(words, [2e-4, 0.5])
    for each in (weak, strong):
        assert each.certificate_.mean_square_z > 0.0
        assert each.certificate_.optimality == each.optimality_
        assert np.isfinite(each.score(words))
    assert weak.n_nonzero_ > strong.n_nonzero_
    assert not strong.J_.any()
    assert not strong.W_.any()


def test_more_units_than_any_sum_can_reach_are_fitted():
    words = mc.simulate.microcolumn(n_units=64, minutes=1.0, seed=3).bin()
    model = fitted(mc.Ising, words, l1=5e-3)
    assert model.certificate_.converged
    drawn = model.sample(4000, random_state=0)
    np.testing.assert_allclose(drawn.mean(axis=0), words.rates, atol=0.02)
    assert model.n_couplings_ < 64 * 63 // 2


@pytest.mark.parametrize("cls", [mc.Ising, mc.RBM])
@pytest.mark.filterwarnings("ignore:RBM with .* has no live hidden unit")
def test_too_few_steps_are_a_warning_with_what_is_left_to_gain(words, out_of_reach, cls):
    parts = {"J": np.zeros((8, 8))} if cls is mc.Ising else {"W": np.full((8, 3), 0.1)}
    start = mc.Parameters(b=np.full(8, -0.5), **parts)
    model = cls(**SETTINGS[cls], l1=1e-4, max_iter=1)
    wanted = (
        r"is not converged: .* mean square z of .* are still to be gained; raise max_iter or l1"
    )
    with pytest.warns(ConvergenceWarning, match=wanted) as caught:
        model.fit(words, start=start)
    message = str(caught[0].message)
    gain, _ = model.certificate_.gain_bits_per_second(words.bin_width)
    assert f"at least {gain:.2g} ±" in message
    assert gain > 0.0
    assert caught[0].filename == __file__
    assert not model.certificate_.converged


@pytest.fixture
def sampled(words, out_of_reach):
    return fitted(mc.RBM, words, l1=5e-3, max_iter=40)


def test_the_certificate_survives_a_file(sampled, tmp_path):
    sampled.save(tmp_path / "model.safetensors")
    copy = mc.load(tmp_path / "model.safetensors")
    assert copy.certificate_ == sampled.certificate_
    assert str(copy.certificate_) == str(sampled.certificate_)
    assert to_bytes(copy) == to_bytes(sampled)


@pytest.mark.parametrize(
    "change",
    [
        {"converged": 1},
        {"optimality": "small"},
        {"mean_square_z": None},
        {"mean_square_z": float("nan")},
        {"n_moments": 3.5},
        {"gain": True},
        {"invented": 1.0},
    ],
)
def test_a_certificate_that_no_fit_writes_is_refused(sampled, change):
    with pytest.raises(ValueError, match=r"is not a microcolumn model: .*certificate"):
        from_bytes(forged(to_bytes(sampled), certificate=change))


def test_a_comparison_asks_the_certificate_whether_a_fit_has_converged(sampled, words):
    for converged in (True, False):
        sampled.certificate_ = replace(sampled.certificate_, converged=converged)
        compared = mc.compare({"RBM": sampled}, words)
        assert compared.scores["RBM"].splits[0].fit_converged is converged

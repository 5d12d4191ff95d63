"""Models side by side, against separate scores and errors of differences over time."""

import math
from dataclasses import replace

import numpy as np
import pytest
from wave_errors import wave_stderr

import microcolumn as mc
from microcolumn.evaluate import compare
from microcolumn.models import RBM, Independent, Ising, SemiRBM
from microcolumn.parameters import Parameters
from microcolumn.solvers import Certificate
from microcolumn.words import Words


@pytest.fixture(scope="module")
def split():
    rng = np.random.default_rng(0)
    together = rng.random((4000, 1)) < 0.1
    words = Words.from_array(rng.random((4000, 5)) < np.where(together, 0.6, 0.05))
    return words.split(0.5, random_state=0)


@pytest.fixture(scope="module")
def models(split):
    train, _ = split
    return {
        "Independent": Independent().fit(train),
        "Ising": Ising(l1=5e-3).fit(train),
        "RBM": RBM(n_hidden=4, l1=5e-3).fit(train),
        "SemiRBM": SemiRBM(n_hidden=4, l1=5e-3).fit(train),
    }


def check_score(model, score):
    """The one split of a comparison against a score of its own."""
    [found] = model.splits
    assert (found.bits_per_second, found.stderr) == (score.bits_per_second, score.stderr)
    assert (found.normaliser, found.side) == (score.normaliser, score.side)
    assert (found.nats_per_word, found.n_words) == (score.nats_per_word, score.n_words)
    assert sum(found.gain_by_cell) == pytest.approx(score.bits_per_second, abs=1e-9)
    assert sum(found.share_by_cell) == pytest.approx(1.0)
    assert model.stderr == pytest.approx(score.stderr)
    assert (model.bits_per_second, model.per_neuron) == (score.bits_per_second, score.per_neuron)


def test_rows_hold_the_separate_scores_in_the_order_given(models, split):
    comparison = compare(models, split[1])
    assert [row.name for row in comparison.models] == list(models)
    for name, model in models.items():
        check_score(comparison.scores[name], mc.score(model, split[1]))
    assert comparison.best.bits_per_second == max(s.bits_per_second for s in comparison.models)
    assert comparison.scores["Independent"].bits_per_second == 0.0


def test_differences_to_the_best_are_paired(models, split):
    _, test = split
    comparison = compare(models, test)
    best = comparison.best
    for row in comparison.models:
        if row.name == best.name:
            continue
        behind = comparison.pair(best.name, row.name)
        gap = best.bits_per_second - row.bits_per_second
        assert behind.bits_per_second == pytest.approx(gap, rel=1e-9, abs=1e-9)
        nats = models[best.name].score_samples(test) - models[row.name].score_samples(test)
        assert behind.stderr == pytest.approx(wave_stderr(nats) / math.log(2) / 0.020)
    behind = comparison.pair(best.name, "Ising")
    assert behind.stderr < comparison.scores["Ising"].stderr


def test_errors_of_both_normalisers_enter_a_difference(random_model, monkeypatch):
    good, poor = random_model("ising", 1), random_model("rbm", 2)
    X = good.sample(500, random_state=0)
    exact = compare({"good": good, "poor": poor}, X, np.full(4, 0.3)).pair("good", "poor")
    for model, stderr in ((good, 0.03), (poor, 0.04)):
        log_z = replace(model.log_partition(), stderr=stderr)
        monkeypatch.setattr(model, "log_partition", lambda log_z=log_z: log_z)
    pair = compare({"good": good, "poor": poor}, X, np.full(4, 0.3)).pair("good", "poor")
    common = 0.05 / math.log(2) / 0.020
    assert pair.stderr == pytest.approx(math.hypot(exact.stderr, common))


def test_a_row_is_converged_only_if_the_fit_and_log_z_both_are(split, monkeypatch):
    train, test = split
    model = Ising(l1=5e-3).fit(train)
    assert compare({"Ising": model}, test).models[0].converged
    monkeypatch.setattr(model, "certificate_", Certificate(False, 1e-3))
    comparison = compare({"Ising": model}, test)
    assert not comparison.models[0].converged
    assert " no " in str(comparison)
    monkeypatch.undo()
    doubtful = replace(model.log_partition(), converged=False)
    monkeypatch.setattr(model, "log_partition", lambda: doubtful)
    assert not compare({"Ising": model}, test).models[0].converged


def test_a_model_from_parameters_is_measured_from_the_rates_of_the_others(models, split):
    truth = Ising.from_parameters(Parameters(b=np.full(5, -2.0), J=np.zeros((5, 5))))
    together = compare({"truth": truth, "Ising": models["Ising"]}, split[1]).scores["truth"]
    check_score(together, mc.score(truth, split[1], models["Independent"]))


def test_models_trained_at_different_rates_need_an_explicit_baseline(models, split):
    train, test = split
    other = {"Ising": models["Ising"], "other": Independent().fit(test)}
    with pytest.raises(ValueError, match="models 'Ising' and 'other' were trained at different"):
        compare(other, test)
    base = Independent().fit(train)
    found = compare(other, test, base).scores["other"]
    check_score(found, mc.score(other["other"], test, base))


def test_independent_units_are_a_model_like_others_beside_another_baseline(models, split):
    both = {name: models[name] for name in ("Ising", "Independent")}
    over_half = compare(both, split[1], np.full(5, 0.5))
    assert over_half.scores["Independent"].bits_per_second > 10.0
    for pair in (over_half.pairs[0], over_half.pair("Independent", "Ising").reversed()):
        expected = compare(both, split[1]).pair("Ising", "Independent")
        assert pair.bits_per_second == pytest.approx(expected.bits_per_second)
        assert pair.stderr == pytest.approx(expected.stderr)

"""Universal models against the rule of the Dirichlet process, written out."""

import math
from dataclasses import replace

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.models import AlternativeModel
from microcolumn.models._dirichlet_process import log_evidence, log_left_out
from microcolumn.partition.result import Mode

N_UNITS = 5
BASES = [mc.Independent(), mc.Ising(l1=1e-3), mc.models.PopulationTracking()]


def words_of(n_words=300, seed=0):
    rng = np.random.default_rng(seed)
    together = rng.random((n_words, 1)) < 0.2
    return (rng.random((n_words, N_UNITS)) < np.where(together, 0.7, 0.1)).astype(np.uint8)


def by_id(X):
    return X @ (1 << np.arange(X.shape[1])[::-1])


@pytest.mark.parametrize("base", BASES, ids=lambda base: type(base).__name__)
@pytest.mark.parametrize("concentration", [0.1, 50.0, None, "evidence"])
def test_words_have_the_probability_of_the_next_word(every_word, base, concentration):
    X, train = every_word(N_UNITS), words_of()
    model = mc.models.DirichletProcess(base, concentration).fit(train)
    counts = np.bincount(by_id(train), minlength=len(X))
    alpha, p0 = model.concentration_, np.exp(model.base_.score_samples(X))
    wanted = (counts + alpha * p0) / (len(train) + alpha)
    found = np.exp(model.score_samples(X))
    np.testing.assert_allclose(found, wanted, rtol=1e-10)
    assert found.sum() == pytest.approx(1.0, abs=1e-10)
    units = [4, 0, 2]
    np.testing.assert_allclose(
        model.log_odds(X, units), AlternativeModel._log_odds(model, X, units), atol=1e-9
    )


def test_the_evidence_is_the_product_of_the_chances_of_each_next_word(every_word):
    train, X = words_of(40), every_word(N_UNITS)
    log_p = mc.Independent().fit(train).score_samples(X)
    alpha = 3.7
    seen, wanted = np.zeros(len(X)), 0.0
    for n, word in enumerate(by_id(train)):
        wanted += math.log((seen[word] + alpha * math.exp(log_p[word])) / (n + alpha))
        seen[word] += 1
    there = seen > 0
    found = log_evidence(seen[there], log_p[there], math.log(alpha))
    assert found == pytest.approx(wanted, rel=1e-12)


def test_left_out_words_are_predicted_from_all_others(every_word):
    train, X = words_of(40), every_word(N_UNITS)
    base = mc.Independent().fit(train)
    log_p, alpha = base.score_samples(X), 3.7
    wanted = 0.0
    for place, word in enumerate(by_id(train)):
        others = np.delete(by_id(train), place)
        chance = np.sum(others == word) + alpha * math.exp(log_p[word])
        wanted += math.log(chance / (len(others) + alpha))
    counts = np.bincount(by_id(train), minlength=len(X)).astype(float)
    there = counts > 0
    found = log_left_out(counts[there], log_p[there], math.log(alpha))
    assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("concentration", "merit"), [(None, log_left_out), ("evidence", log_evidence)]
)
def test_the_concentration_is_the_best_one(concentration, merit):
    words = mc.Words.from_array(words_of(2_000))
    model = mc.models.DirichletProcess(mc.Independent(), concentration).fit(words)
    log_p = model.base_.score_samples(words.X)
    merits = [
        merit(words.counts, log_p, math.log(model.concentration_ * factor))
        for factor in (0.5, 0.99, 1.0, 1.01, 2.0)
    ]
    assert np.argmax(merits) == 2


def test_a_right_base_is_trusted_and_a_wrong_one_is_lifted():
    truth = mc.models.PopulationTracking().fit(words_of())
    train, test = (mc.Words.from_array(truth.sample(20_000, random_state=k)) for k in (1, 2))
    right = mc.models.DirichletProcess(mc.models.PopulationTracking()).fit(train)
    wrong = mc.models.DirichletProcess(mc.Independent()).fit(train)
    assert right.concentration_ > 10.0 * wrong.concentration_
    gain, none = (mc.score(each, test, each.base_) for each in (wrong, right))
    assert gain.bits_per_second > 10.0 * gain.stderr
    assert abs(none.bits_per_second) < 0.05 * gain.bits_per_second


def test_a_fitted_base_is_kept_with_its_order_of_units():
    train = mc.Words.from_array(words_of())
    base = mc.models.PopulationTracking().fit(train)
    model = mc.models.DirichletProcess(base, 10.0).fit(train)
    assert model.base_ is base
    turned = train.reordered([3, 1, 4, 0, 2])
    again = mc.models.DirichletProcess(base, 10.0).fit(turned)
    assert again.unit_ids_ == base.unit_ids_
    np.testing.assert_allclose(again.score_samples(train), model.score_samples(train), rtol=1e-12)
    np.testing.assert_allclose(again.score_samples(turned), model.score_samples(train), rtol=1e-12)
    with pytest.raises(ValueError, match="pass words of the units it was fitted on"):
        mc.models.DirichletProcess(mc.Independent().fit([[0, 1], [1, 0]])).fit(words_of())


def test_the_normaliser_is_that_of_the_base():
    train = words_of()
    ising = mc.Ising(l1=1e-3).fit(train)
    model = mc.models.DirichletProcess(ising).fit(train)
    assert model.log_partition() == ising.log_partition()
    assert model.certificate_ == ising.certificate_
    around = mc.models.DirichletProcess(mc.models.PopulationTracking(), 900.0).fit(train)
    assert not hasattr(around, "certificate_")
    assert around.size_ == "4 numbers of active units, 75 % base"
    assert around.n_parameters_ == around.base_.n_parameters_ + len(np.unique(by_id(train))) + 1
    log_z = ising.log_partition()
    assert mc.score(model, train, model.base_).normaliser == log_z.method


def test_a_spurious_mode_and_the_error_of_the_base_stay_visible():
    train = words_of()
    ising = mc.Ising(l1=1e-3).fit(train)
    modes = (Mode(0.9, 0.01, 1.0, seen=True), Mode(0.1, 0.01, 5.0, seen=False))
    doubtful = replace(ising.log_partition(), method="ais", stderr=0.2, modes=modes)
    model = mc.models.DirichletProcess(ising.with_log_partition(doubtful)).fit(train)
    score = mc.score(model, train)
    assert score.has_spurious_mode
    assert score.normaliser_stderr == pytest.approx(0.2 / (math.log(2.0) * 0.020))

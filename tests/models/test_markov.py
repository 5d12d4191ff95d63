"""Hidden Markov modes: likelihoods of trains, Baum-Welch, paths, prediction from the past."""

from itertools import pairwise, product

import numpy as np
import pytest
from scipy.special import expit, logit

import microcolumn as mc
from microcolumn.models import HiddenMarkovModes
from microcolumn.models._chain import Trains, long_run
from microcolumn.models._modes_fit import MarkovPasses
from microcolumn.models._words_estimator import floored_rates


def random_model(n_modes=3, n_units=3, seed=0):
    rng = np.random.default_rng(seed)
    return HiddenMarkovModes.from_parameters(
        rng.random((n_modes, n_units)),
        rng.dirichlet(np.ones(n_modes), size=n_modes),
        rng.dirichlet(np.ones(n_modes)),
    )


def emission(model, x):
    """Probability of a word in each mode, from the formula."""
    return np.where(x == 1, model.modes_, 1.0 - model.modes_).prod(axis=1)


def train_probability(model, X):
    """p(X) of one run as the sum over all paths of modes."""
    total, by_bin = 0.0, [emission(model, x) for x in X]
    for path in product(range(len(model.modes_)), repeat=len(X)):
        p = model.start_[path[0]] * by_bin[0][path[0]]
        for t, (before, after) in enumerate(pairwise(path), start=1):
            p *= model.transitions_[before, after] * by_bin[t][after]
        total += p
    return total


TRUTH = HiddenMarkovModes.from_parameters(
    [[0.03] * 6, [0.6, 0.7, 0.5, 0.05, 0.05, 0.05], [0.05, 0.05, 0.1, 0.5, 0.6, 0.7]],
    [[0.9, 0.08, 0.02], [0.15, 0.8, 0.05], [0.1, 0.2, 0.7]],
)


@pytest.fixture(scope="module")
def words():
    """Trains in three epochs."""
    X, _ = TRUTH.sample_sequence(9000, random_state=0)
    return mc.Words.from_array(X, epoch_starts=[0, 3000, 7000], units=mc.Units("abcdef"))


@pytest.fixture(scope="module")
def fitted(words):
    return HiddenMarkovModes(n_modes=3).fit(words)


def test_the_likelihood_of_trains_is_the_sum_over_all_paths():
    model, X = random_model(), np.random.default_rng(1).integers(0, 2, (6, 3))
    words = mc.Words.from_array(X, epoch_starts=[0, 4])
    log_p = model.score_sequence(words)
    for t in range(1, 5):
        assert log_p[:t].sum() == pytest.approx(np.log(train_probability(model, X[:t])), rel=1e-12)
    assert log_p[4:].sum() == pytest.approx(np.log(train_probability(model, X[4:])), rel=1e-12)


def test_single_words_have_the_modes_of_the_long_run(every_word):
    model, X = random_model(seed=2), every_word(3)
    balance = np.linalg.matrix_power(model.transitions_, 200)[0]
    np.testing.assert_allclose(model.weights_, balance, rtol=1e-10)
    wanted = np.log([balance @ emission(model, x) for x in X])
    np.testing.assert_allclose(model.score_samples(X), wanted, rtol=1e-10)
    assert np.exp(model.score_samples(X)).sum() == pytest.approx(1.0, abs=1e-12)
    mixture = mc.models.BernoulliMixture.from_parameters(model.modes_, model.weights_)
    assert np.array_equal(model.log_odds(X, [1]), mixture.log_odds(X, [1]))
    assert np.array_equal(model._active_distribution(), mixture._active_distribution())


def test_rare_modes_of_the_long_run_keep_their_digits():
    rare = 1e-14
    transitions = np.array([[1.0 - rare, rare], [0.5, 0.5]])
    np.testing.assert_allclose(long_run(transitions)[1], rare / (0.5 + rare), rtol=1e-12)


def test_gaps_of_a_split_start_the_chain_anew(words, fitted):
    _, held = words.split(0.5, by="blocks", random_state=0)
    log_p, X = fitted.score_sequence(held), held.expand()
    starts = [0, *(np.flatnonzero(np.diff(held.bins) != 1) + 1), held.n_bins]
    starts = sorted({*starts, *np.searchsorted(held.bins, [3000, 7000])})
    for begin, end in pairwise(starts):
        alone = fitted.score_sequence(X[begin:end])
        np.testing.assert_allclose(log_p[begin:end], alone, rtol=1e-12)


def plain_baum_welch(X, modes, start, transitions, rates, smoothing):
    """Objective of one run and the next parameters, by scaled recursions in NumPy."""
    n, k = len(X), len(modes)
    b = np.exp(X @ np.log(modes).T + (1 - X) @ np.log(1 - modes).T)
    alpha, beta, scale = np.empty((n, k)), np.ones((n, k)), np.empty(n)
    for t in range(n):
        alpha[t] = (start if t == 0 else alpha[t - 1] @ transitions) * b[t]
        scale[t] = alpha[t].sum()
        alpha[t] /= scale[t]
    for t in range(n - 2, -1, -1):
        beta[t] = transitions @ (b[t + 1] * beta[t + 1]) / scale[t + 1]
    gamma = alpha * beta
    pairs = transitions * (alpha[:-1].T @ (b[1:] * beta[1:] / scale[1:, None]))
    prior = (rates * np.log(modes) + (1 - rates) * np.log(1 - modes)).sum()
    prior += np.log(start).sum() / k + np.log(transitions).sum() / k
    objective = (np.log(scale).sum() + smoothing * prior) / n
    spikes, shares = gamma.T @ X + smoothing * rates, gamma.sum(axis=0)[:, None] + smoothing
    pairs, first = pairs + smoothing / k, gamma[0] + smoothing / k
    return objective, spikes / shares, first / first.sum(), pairs / pairs.sum(axis=1)[:, None]


def test_passes_are_those_of_plain_baum_welch():
    X, _ = TRUTH.sample_sequence(400, random_state=3)
    words = mc.Words.from_array(X)
    model, rates = random_model(n_units=6, seed=3), floored_rates(words)
    modes, start, transitions = model.modes_, model.start_, model.transitions_
    theta = logit(modes), np.log(start), np.log(transitions)
    passes, objectives = MarkovPasses(words, smoothing=4.0), []
    for _ in range(8):
        found = passes(theta)
        objective, modes, start, transitions = plain_baum_welch(
            X.astype(float), modes, start, transitions, rates, 4.0
        )
        assert found.objective == pytest.approx(objective, rel=1e-12)
        objectives.append(found.objective)
        theta = found.following
        np.testing.assert_allclose(expit(theta[0]), modes, rtol=1e-8)
        np.testing.assert_allclose(np.exp(theta[1]), start, rtol=1e-8)
        np.testing.assert_allclose(np.exp(theta[2]), transitions, rtol=1e-8)
    assert (np.diff(objectives) > 0.0).all(), "every pass raises the objective"


def test_a_known_chain_is_recovered_from_its_trains():
    X, _ = TRUTH.sample_sequence(30_000, random_state=0)
    found = HiddenMarkovModes(n_modes=3, smoothing=1.0).fit(X)
    order = [0, *(1 + np.argsort(-found.modes_[1:, 0]))]
    np.testing.assert_allclose(found.modes_[order], TRUTH.modes_, atol=0.05)
    transitions = found.transitions_[np.ix_(order, order)]
    np.testing.assert_allclose(transitions, TRUTH.transitions_, atol=0.03)


def test_paths_find_most_modes_of_trains_that_were_drawn():
    X, modes = TRUTH.sample_sequence(3000, random_state=5)
    right = (TRUTH.decode(X) == modes).mean()
    by_word = (TRUTH.responsibilities(X).argmax(axis=1) == modes).mean()
    assert right > by_word > 0.8


def test_likelihood_and_path_are_those_of_hmmlearn():
    hmm = pytest.importorskip("hmmlearn.hmm")
    model = random_model(n_modes=4, n_units=5, seed=6)
    X, _ = model.sample_sequence(300, random_state=1)
    words = mc.Words.from_array(X)
    peer = hmm.CategoricalHMM(n_components=4)
    peer.startprob_, peer.transmat_ = model.start_, model.transitions_
    every = mc.Words.from_array(np.array(list(product((0, 1), repeat=5))))
    peer.emissionprob_ = np.array([emission(model, x) for x in every.X]).T
    names = (words.expand() @ [16, 8, 4, 2, 1])[:, None]
    assert model.score_sequence(words).sum() == pytest.approx(peer.score(names), rel=1e-10)
    _, path = peer.decode(names)
    assert model.decode(words).tolist() == path.tolist()


def test_the_filter_predicts_what_enumeration_gives():
    model, X = random_model(seed=7), np.random.default_rng(2).integers(0, 2, (5, 3))
    words = mc.Words.from_array(X, epoch_starts=[0, 4])
    odds = model.log_odds_in_time(words, [2, 0])
    for t, begin in [(0, 0), (3, 0), (4, 4)]:
        past, p = X[begin:t], np.zeros((2, 2))
        for word in product((0, 1), repeat=3):
            value = train_probability(model, np.vstack([past, word]))
            p[0, word[2]] += value
            p[1, word[0]] += value
        np.testing.assert_allclose(odds[t], np.log(p[:, 1] / p[:, 0]), rtol=1e-10)


def test_predictions_from_the_past_use_all_earlier_bins(words, fitted):
    train, held = words.split(0.5, by="blocks", random_state=1)
    prediction = mc.evaluate.predict(fitted, held, given="past", positions=[1, 4])
    assert np.array_equal(prediction.spikes, held.expand()[:, [1, 4]])
    wanted = expit(fitted.log_odds_in_time(held)[:, [1, 4]])
    np.testing.assert_allclose(prediction.probability, wanted, rtol=1e-9)
    assert np.array_equal(prediction.bins, held.bins)
    memory = mc.evaluate.prediction_gain(prediction).bits_per_second
    mixture = mc.models.BernoulliMixture(n_components=3).fit(train)
    blind = mc.evaluate.prediction_gain(
        mc.evaluate.predict(mixture, held, given="past", positions=[1, 4])
    ).bits_per_second
    assert (memory > 1.0).all()
    assert (blind < 0.2).all()
    # The order of units does not matter.
    turned = mc.evaluate.predict(
        fitted, held.subset([5, 4, 3, 2, 1, 0]), given="past", positions=[1, 4]
    )
    np.testing.assert_allclose(turned.probability, prediction.probability, rtol=1e-9)


def test_runs_of_single_bins_have_no_transitions(words):
    X = words.expand()[:300]
    apart = mc.Words.from_array(X, epoch_starts=np.arange(300))
    model = HiddenMarkovModes(n_modes=2).fit(apart)
    np.testing.assert_allclose(model.transitions_, 0.5)  # nothing but the prior
    assert Trains.of(apart).runs.size == 300 + 1


def test_samples_of_trains_are_seeded_and_have_the_rates_of_the_long_run():
    X, modes = TRUTH.sample_sequence(20_000, random_state=2)
    again, _ = TRUTH.sample_sequence(20_000, random_state=2)
    assert np.array_equal(X, again)
    share = np.bincount(modes, minlength=3) / modes.size
    np.testing.assert_allclose(share, TRUTH.weights_, atol=0.03)
    np.testing.assert_allclose(X.mean(axis=0), TRUTH.weights_ @ TRUTH.modes_, atol=0.02)
    single = TRUTH.sample(20_000, random_state=3)
    np.testing.assert_allclose(single.mean(axis=0), TRUTH.weights_ @ TRUTH.modes_, atol=0.01)

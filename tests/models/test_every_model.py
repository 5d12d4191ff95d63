"""What holds for every model of words, against all words listed."""

import pickle

import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from threads import on_one_and_all

import microcolumn as mc
from microcolumn.errors import Unsupported
from microcolumn.models import from_bytes, to_bytes

MODELS = {
    "independent": mc.Independent(),
    "ising": mc.Ising(l1=1e-3),
    "rbm": mc.RBM(n_hidden=2, l1=1e-3),
    "semi-rbm": mc.SemiRBM(n_hidden=2, l1=1e-3),
    "gaussian-rbm": mc.models.GaussianRBM(n_hidden=2, l1=1e-3),
    "k-pairwise": mc.models.KPairwise(l1=1e-3),
    "cascade": mc.models.CascadedLogistic(l1=1e-3),
    "tracking": mc.models.PopulationTracking(strength=5.0),
    "projections": mc.models.RandomProjections(20, n_inputs=2),
    "reshaped": mc.models.ReshapedProjections(20, 1e-3, n_inputs=2),
    "potentials": mc.models.ProjectionPotentials(2, 1e-3),
    "semiparametric": mc.models.SemiparametricPairwise(1e-3),
    "gaussian": mc.models.DichotomizedGaussian(),
    "mixture": mc.models.BernoulliMixture(3),
    "modes": mc.models.HiddenMarkovModes(3),
    "drive": mc.models.CommonDrive(),
    "free drive": mc.models.CommonDrive("free"),
    "universal": mc.models.DirichletProcess(mc.models.PopulationTracking(), "evidence"),
}
N = 5
EVERY = ((np.arange(1 << N)[:, None] >> np.arange(N)) & 1).astype(np.uint8)


@pytest.fixture(scope="module")
def X():
    """Units that fire together now and then, and one that hardly ever fires."""
    rng = np.random.default_rng(0)
    together = rng.random((3000, 1)) < 0.2
    return (rng.random((3000, N)) < np.where(together, 0.6, [[0.1, 0.2, 0.1, 0.3, 0.02]])).astype(
        np.uint8
    )


@pytest.fixture(scope="module")
def fits(X):
    return {name: clone(model).fit(X) for name, model in MODELS.items()}


@pytest.fixture(params=MODELS)
def name(request):
    return request.param


@pytest.fixture
def model(fits, name):
    return fits[name]


def test_probabilities_of_all_words_add_up_to_one(model):
    assert logsumexp(model.score_samples(EVERY)) == pytest.approx(0.0, abs=1e-9)


#: Words that leave little or nothing to fit.
EDGES = {
    "one word": [[0, 1]],
    "one unit": [[0], [1], [0], [0]],
    "silence": [[0, 0, 0]] * 5,
    "all on": [[1, 1, 1]] * 5,
    "silent and always on": [[0, 1, 1], [0, 0, 1], [0, 1, 1], [0, 1, 1], [0, 0, 1]],
    "never together": [[1, 0]] * 20 + [[0, 1]] * 20,
    "copies": [[0, 0, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1]] * 20,
    "opposites": [[1, 0, 0], [0, 1, 1], [1, 0, 1], [0, 1, 0]] * 5,
}
#: Fits that nothing holds back, or that see the words otherwise.
LOOSE = [
    cls(**settings, **{} if cls is mc.Ising else {"n_hidden": 3})
    for cls in (mc.Ising, mc.RBM, mc.SemiRBM)
    for settings in ({"l1": 0.0, "max_iter": 200}, {"l1": 2e-3, "objective": "mpf"})
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # optima at infinity
@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("model", [*MODELS.values(), *LOOSE], ids=repr)
def test_any_words_give_every_word_a_probability(model, edge, every_word):
    X = np.array(EDGES[edge])
    log_p = clone(model).fit(X).score_samples(every_word(X.shape[1]))
    assert np.isfinite(log_p).all()
    assert logsumexp(log_p) == pytest.approx(0.0, abs=1e-9)


def test_conditionals_are_ratios_of_probabilities(model):
    log_p = model.score_samples(EVERY)
    found = model.log_odds(EVERY, range(N))
    for unit in range(N):
        bit = 1 << unit
        with_it = np.arange(1 << N) | bit
        expected = log_p[with_it] - log_p[with_it ^ bit]
        np.testing.assert_allclose(found[:, unit], expected, atol=1e-9)
    p = 1.0 / (1.0 + np.exp(-found))
    np.testing.assert_allclose(model.conditional(EVERY), p, rtol=1e-12)
    np.testing.assert_allclose(model.conditional(EVERY, 2), p[:, 2], rtol=1e-12)


def test_samples_have_the_probabilities_of_the_words_and_follow_the_seed(model):
    p, n = np.exp(model.score_samples(EVERY)), 20_000
    drawn = model.sample(n, random_state=1)
    share = np.bincount(drawn @ (1 << np.arange(N)), minlength=1 << N) / n
    expected_often = n * p > 20.0
    z = (share - p) / np.sqrt(p * (1.0 - p) / n)
    assert np.abs(z[expected_often]).max() < 4.5
    assert share[~expected_often].sum() < p[~expected_often].sum() + 0.01
    assert np.array_equal(model.sample(n, random_state=1), drawn)
    assert not np.array_equal(model.sample(n, random_state=2), drawn)


@pytest.mark.parametrize("name", sorted(MODELS.keys() - {"cascade"}))
def test_synchrony_is_that_of_all_words(fits, name):
    model = fits[name]
    found = mc.evaluate.synchrony(model)
    p = np.exp(model.score_samples(EVERY))
    assert found.method == "exact"
    np.testing.assert_allclose(
        found.probability, np.bincount(EVERY.sum(axis=1), p, N + 1), rtol=1e-8
    )


def test_whole_weights_are_repeated_rows(X, name):
    if name == "modes":
        pytest.skip("bins of a train have no weights")
    weights = np.random.default_rng(3).integers(1, 4, 500)
    weighted = clone(MODELS[name]).fit(X[:500], sample_weight=weights)
    repeated = clone(MODELS[name]).fit(np.repeat(X[:500], weights, axis=0))
    np.testing.assert_allclose(
        weighted.score_samples(EVERY), repeated.score_samples(EVERY), atol=2e-5
    )


#: Those that are fitted to words with missing cells.
OF_INCOMPLETE = ["independent", "ising", "rbm", "semi-rbm", "gaussian-rbm", "mixture"]


def _with_gaps(X):
    """Words in which single cells are missing, and two units for a while."""
    X = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
    X[: len(X) // 2, [1, 3]] = np.nan
    return X


def test_words_with_missing_cells_have_the_sum_of_what_they_may_be(model, X):
    words = mc.IncompleteWords.from_array(_with_gaps(X[:40]))
    log_p = model.score_samples(EVERY)
    expected = [
        logsumexp(log_p[(np.isnan(word) | (word == EVERY)).all(axis=1)]) for word in words.expand()
    ]
    np.testing.assert_allclose(model.score_samples(words), expected, atol=1e-9)
    assert model.score(words) == pytest.approx(np.mean(expected), rel=1e-9)


@pytest.mark.parametrize("name", sorted(MODELS.keys() - OF_INCOMPLETE))
def test_models_that_need_complete_words_say_so(name, X):
    with pytest.raises(Unsupported, match="words with missing cells; fit Independent"):
        clone(MODELS[name]).fit(mc.IncompleteWords.from_array(_with_gaps(X)))


@pytest.mark.parametrize("name", OF_INCOMPLETE)
def test_words_of_which_no_cell_is_missing_are_fitted_as_ever(name, fits, X):
    complete = clone(MODELS[name]).fit(mc.IncompleteWords.from_array(X))
    np.testing.assert_allclose(
        complete.score_samples(EVERY), fits[name].score_samples(EVERY), atol=2e-3
    )
    assert complete.objective_ == pytest.approx(fits[name].objective_, abs=1e-5)


@pytest.mark.parametrize("name", OF_INCOMPLETE)
def test_fits_to_words_with_missing_cells_are_kept_in_files(name, X):
    words = mc.IncompleteWords.from_array(_with_gaps(X))
    fitted = clone(MODELS[name]).fit(words)
    again = from_bytes(to_bytes(fitted))
    assert np.array_equal(again.score_samples(words), fitted.score_samples(words))
    assert again.words_info_.n_bins == fitted.n_words_ == words.n_bins
    np.testing.assert_array_equal(fitted.rates_, again.rates_)


@pytest.mark.parametrize("name", OF_INCOMPLETE)
def test_units_of_words_with_missing_cells_may_be_in_another_order(name, X):
    X = _with_gaps(X)
    words = mc.IncompleteWords.from_array(X, units=mc.Units([*"abcde"]))
    turned = mc.IncompleteWords.from_array(X[:, ::-1], units=mc.Units([*"edcba"]))
    fitted = clone(MODELS[name]).fit(words)
    assert fitted.score(turned) == pytest.approx(fitted.score(words), rel=1e-12)


def test_words_in_another_order_of_units_are_put_right(X, name):
    words = mc.Words.from_array(X, units=mc.Units([*"abcde"]))
    turned = mc.Words.from_array(X[:, ::-1], units=mc.Units([*"edcba"]))
    fitted = clone(MODELS[name]).fit(words)
    assert fitted.score(turned) == pytest.approx(fitted.score(words), rel=1e-12)


@pytest.mark.parametrize("name", ["k-pairwise", "cascade", "tracking", "drive"])
def test_a_fit_does_not_depend_on_the_order_of_units(X, fits, name):
    order = np.array([3, 1, 4, 0, 2])
    turned = clone(MODELS[name]).fit(X[:, order])
    np.testing.assert_allclose(
        turned.score_samples(EVERY[:, order]), fits[name].score_samples(EVERY), atol=1e-4
    )


def test_files_pickles_and_clones_give_the_same_bits(X, name, model, tmp_path):
    model.save(tmp_path / "model.safetensors")
    expected = model.score_samples(EVERY)
    copies = [
        mc.load(tmp_path / "model.safetensors"),
        from_bytes(to_bytes(model)),
        pickle.loads(pickle.dumps(model)),
        clone(model).fit(X.astype(np.float32)),
        clone(model).fit(X.tolist()),
        clone(model).fit(mc.Words.from_array(X)),
    ]
    for copy in copies:
        assert type(copy) is type(model)
        assert np.array_equal(copy.score_samples(EVERY), expected)
        assert np.array_equal(copy.sample(9, random_state=0), model.sample(9, random_state=0))
        assert (copy.n_features_in_, copy.size_) == (N, model.size_)
        assert copy.n_parameters_ == model.n_parameters_
    assert to_bytes(copies[0]) == to_bytes(model)
    if name != "universal":  # whose base is fitted when it comes from a file
        assert copies[0].get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        clone(model).score_samples(EVERY)


def test_other_numbers_and_other_units_are_refused(model):
    with pytest.raises(ValueError, match="words are binary"):
        model.score_samples(2 * EVERY)
    with pytest.raises(ValueError, match="words are binary"):
        clone(model).fit(2 * EVERY)
    with pytest.raises(ValueError, match="X has 4 features"):
        model.score_samples(EVERY[:, :4])


def test_any_number_of_threads_gives_the_same_bits(X, name):
    fits = on_one_and_all(lambda: clone(MODELS[name]).fit(X[:500]).score_samples(EVERY))
    assert np.array_equal(*fits)


@pytest.mark.parametrize(
    "model",
    [
        mc.models.PopulationTracking(),
        mc.models.BernoulliMixture(3),
        mc.models.CommonDrive(),
    ],
    ids=repr,
)
@pytest.mark.parametrize("window", [1, 2])
def test_the_past_is_summed_out_as_enumeration_does(X, model, window):
    words = mc.Words.from_array(X[:400, :3]).embed(window)
    fitted = clone(model).fit(words)
    first, n = words.n_dims - 3, words.n_dims
    every = ((np.arange(1 << n)[:, None] >> np.arange(n)) & 1).astype(np.uint8)
    p = np.exp(fitted.score_samples(every))
    found, past = fitted.log_odds_given_past(words)
    for row in (0, len(words) - 1):
        same = (every[:, :first] == words.X[row, :first]).all(axis=1)
        on = p[same] @ every[same][:, first:]
        expected = np.log(on) - np.log(p[same].sum() - on)
        np.testing.assert_allclose(found[past[row]], expected, rtol=1e-8)


@pytest.mark.parametrize(
    "model",
    [
        mc.models.PopulationTracking(strength=0.0),
        mc.models.DirichletProcess(mc.Independent(), concentration="validation"),
        mc.models.CascadedLogistic(l1=-1.0),
        mc.models.CascadedLogistic(count=3),
        mc.models.RandomProjections(0),
        mc.models.ProjectionPotentials(-1),
        mc.models.SemiparametricPairwise(0.0),
        mc.models.BernoulliMixture(0),
        mc.models.BernoulliMixture(smoothing=0.0),
        mc.models.HiddenMarkovModes(n_init=0),
        mc.models.CommonDrive("normal"),
        mc.models.CommonDrive(ridge=0.0),
        mc.models.KPairwise(smoothing=-1.0),
    ],
    ids=repr,
)
def test_settings_out_of_range_are_refused(model):
    with pytest.raises(ValueError, match=r"is .*; it must be"):
        model.fit([[0, 1], [1, 0], [0, 0], [1, 1]])


@pytest.mark.parametrize("name", ["cascade", "projections", "tracking"])
def test_fits_along_a_grid_are_those_of_single_settings(X, name):
    words = mc.Words.from_array(X)
    model = clone(MODELS[name])
    model.set_params(**{"tol": 1e-8} if "tol" in model.get_params() else {})
    grid = model.grid(words)[-4:]
    for settings, fit in zip(grid, model.fit_grid(words, grid), strict=True):
        alone = clone(model).set_params(**settings).fit(words)
        assert fit.get_params() == alone.get_params()
        assert (fit.size_, fit.unit_ids_) == (alone.size_, alone.unit_ids_)
        np.testing.assert_allclose(fit.score_samples(EVERY), alone.score_samples(EVERY), atol=1e-6)


@pytest.mark.parametrize("name", ["cascade", "projections"])
def test_a_strong_penalty_leaves_independent_units(X, name):
    model = clone(MODELS[name]).set_params(l1=1e3).fit(X)
    assert (model.n_nonzero_, model.n_parameters_) == (0, N)
    independent = mc.Independent().fit(X).score_samples(EVERY)
    np.testing.assert_allclose(model.score_samples(EVERY), independent, atol=2e-3)


@pytest.mark.parametrize(
    "name", ["k-pairwise", "cascade", "tracking", "mixture", "drive", "universal"]
)
def test_the_best_of_a_grid_is_chosen_on_held_out_words(X, fits, name):
    train, held = (mc.Words.from_array(part) for part in (X[:2000], X[2000:]))
    choice = mc.evaluate.choose(fits[name], train, held)
    best = max(score.bits_per_second for score in choice.scores)
    assert choice.scores[choice.best_index].bits_per_second == best

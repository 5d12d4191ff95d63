"""Fits of Ising, RBM and SemiRBM: unique optima, nesting, weights, edges, determinism."""

import numpy as np
import pytest
from scipy.special import logit
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc

SETTINGS = {mc.Ising: {}, mc.RBM: {"n_hidden": 3}, mc.SemiRBM: {"n_hidden": 3}}
MODELS = pytest.mark.parametrize("cls", SETTINGS)
RECORDINGS = (
    "simulated",
    "rat_hpc_linear_nelpy",
    "mouse_retina_p15_demas54",
    "mouse_retina_p6_stafford477",
)


def _simulated(n_units=8, minutes=2.0, seed=0):
    return mc.simulate.microcolumn(n_units=n_units, minutes=minutes, seed=seed).bin()


def _words(recorded, name, n_units, n_bins=None):
    """The most active units of a recording, or as many simulated ones."""
    return _simulated(n_units, 10.0) if name == "simulated" else recorded(name, n_units, n_bins)


def _assert_ten_starts_agree(words, random_parameters, l1, objective="mpf"):
    fits = [
        mc.Ising(l1=l1, objective=objective, tol=1e-10).fit(
            words, start=random_parameters("ising", words.n_dims, scale=0.5, seed=seed)
        )
        for seed in range(10)
    ]
    for fit in fits:
        assert fit.optimality_ <= fit.tol
        np.testing.assert_allclose(fit.J_, fits[0].J_, atol=1e-6)
        np.testing.assert_allclose(fit.b_, fits[0].b_, atol=1e-6)
        assert np.array_equal(fit.J_ == 0.0, fits[0].J_ == 0.0)


@pytest.mark.parametrize("l1", [0.0, 2e-3, 1e-2])
def test_ising_fits_from_ten_random_starts_agree(random_parameters, l1):
    _assert_ten_starts_agree(_simulated(), random_parameters, l1)


@pytest.mark.parametrize(
    ("name", "n_units", "minutes"), [("simulated", 14, 0.5), ("rat_hpc_linear_nelpy", 28, None)]
)
def test_pairs_that_never_fire_together_do_not_depend_on_the_start(
    recorded, random_parameters, name, n_units, minutes
):
    words = _simulated(n_units, minutes) if minutes else recorded(name, n_units)
    X = words.X.astype(int)
    apart = X.T @ X == 0
    assert apart.any()
    _assert_ten_starts_agree(words, random_parameters, 0.0)
    model = mc.Ising(l1=0.0, objective="mpf").fit(words)
    assert (model.J_[apart] == -20.0).all()
    slopes = mc.objectives.mpf(model.parameters_, words)[1]
    assert max(np.abs(slopes.J).max(), np.abs(slopes.b).max()) < 1e-10


def test_with_a_penalty_pairs_that_never_fire_together_are_fitted_like_others():
    X = np.array([[0, 0]] * 70 + [[0, 1]] * 20 + [[1, 0]] * 10)
    assert mc.Ising(l1=0.0).fit(X).J_[0, 1] == -20.0
    assert -20.0 < mc.Ising(l1=1e-3).fit(X).J_[0, 1] < 0.0


@MODELS
@pytest.mark.parametrize("objective", ["mpf", "pseudolikelihood", "likelihood", "conditional"])
def test_a_huge_penalty_leaves_the_independent_model(cls, objective):
    words = _simulated(5)
    model = cls(**SETTINGS[cls], l1=1e3, objective=objective).fit(words)
    assert not model.J_.any()
    assert not model.W_.any()
    np.testing.assert_allclose(model.b_, logit(words.rates), atol=1e-7)
    independent = mc.Independent().fit(words)
    assert model.score(words) == pytest.approx(independent.score(words), abs=1e-10)


@MODELS
def test_too_few_iterations_are_a_warning_with_the_figure(cls):
    with pytest.warns(ConvergenceWarning, match=r"violated by .* after \d+ iterations; raise") as w:
        model = cls(**SETTINGS[cls], objective="mpf", max_iter=10).fit(_simulated(6))
    assert f"{model.optimality_:.2g}" in str(w[0].message)
    assert w[0].filename == __file__
    assert not model.certificate_.converged
    assert np.isfinite(model.score(_simulated(6)))


def _data_sets(random_parameters, draw):
    rng = np.random.default_rng(0)
    return {
        "coins": rng.integers(0, 2, size=(80, 5)),
        "sparse": (rng.random((300, 6)) < 0.1).astype(int),
        "strongly coupled": draw(random_parameters("ising", 5, scale=1.5, seed=1), 300),
        "hidden causes": draw(random_parameters("rbm", 6, 2, scale=2.0, seed=2), 300),
        "simulated": _simulated(7, 1.0).expand(),
    }


def _objectives(words, l1, **settings):
    return {cls: cls(**SETTINGS[cls], l1=l1, **settings).fit(words).objective_ for cls in SETTINGS}


def _assert_nested(values):
    assert values[mc.SemiRBM] <= min(values[mc.RBM], values[mc.Ising]) + 1e-6


@pytest.mark.parametrize(
    "name", ["coins", "sparse", "strongly coupled", "hidden causes", "simulated"]
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # few iterations
def test_nested_models_nest(random_parameters, draw, name):
    # Without a penalty it is the validation words on which they do (tests/solvers/test_paths.py).
    X = _data_sets(random_parameters, draw)[name]
    for l1 in (1e-4, 1e-3, 1e-2):
        _assert_nested(_objectives(X, l1, max_iter=100))


@pytest.mark.parametrize("name", RECORDINGS)
def test_nested_models_nest_on_recordings(recorded, name):
    words = _words(recorded, name, 8, 50_000)
    _assert_nested(_objectives(words, 1e-3, objective="mpf"))
    _assert_nested(_objectives(words, 4e-3, max_iter=60, tol=1e-4))


@pytest.mark.parametrize("objective", ["mpf", "pseudolikelihood", "likelihood"])
def test_paths_nest_at_every_penalty(objective):
    words, penalties = _simulated(5, 1.0), [2e-3, 6e-3]
    paths = {
        cls: cls(**SETTINGS[cls], objective=objective, tol=1e-6).fit_path(words, penalties)
        for cls in SETTINGS
    }
    for k, l1 in enumerate(penalties):
        _assert_nested({cls: paths[cls][k].objective_ for cls in paths})
        assert all(paths[cls][k].l1 == l1 for cls in paths)


@MODELS
def test_a_path_gives_fitted_copies_and_leaves_the_model_alone(cls):
    words = _simulated(5, 1.0)
    model = cls(**SETTINGS[cls], l1=0.5)
    models = model.fit_path(words, [1e-3, 5e-3])
    assert not hasattr(model, "parameters_")
    assert not hasattr(model, "n_features_in_")
    assert model.l1 == 0.5
    assert [m.l1 for m in models] == [1e-3, 5e-3]
    assert all(np.isfinite(m.score(words)) for m in models)
    # The Ising problem is convex: the way there does not matter.
    if cls is mc.Ising:
        np.testing.assert_allclose(models[1].J_, cls(l1=5e-3).fit(words).J_, atol=1e-6)


@MODELS
def test_silent_and_always_active_units_keep_their_floored_bias(cls):
    X = np.column_stack([_simulated(4, 0.5).expand(), np.zeros(1500), np.ones(1500)])
    model = cls(**SETTINGS[cls]).fit(X)
    np.testing.assert_allclose(model.b_[4:], logit([0.5 / 1501, 1500.5 / 1501]))
    assert not model.J_[4:].any()
    assert not model.W_[4:].any()


def test_a_unit_that_is_always_active_by_weight_is_held_despite_rounding():
    rng = np.random.default_rng(1)
    X = np.column_stack([np.ones(50), rng.integers(0, 2, size=(50, 2))])
    weights = rng.random(50) / 3.0
    for scale in (1.0, 0.1, 1e-3, 7.7, 1 / 3):
        model = mc.Ising(l1=1e-3).fit(X, sample_weight=weights * scale)
        assert not model.J_[0].any()
        assert model.b_[0] < 10.0


def test_errors_of_ising_parameters_fall_with_the_number_of_words(random_parameters, draw):
    # benchmarks/recovery.py shows the slope; here sixteen times the words, a quarter of the error.
    truth = random_parameters("ising", 6, scale=0.4, seed=4)
    truth = mc.Parameters(b=truth.b - 1.0, J=truth.J)

    def error(n_words):
        errors = [
            mc.Ising(l1=0.0).fit(draw(truth, n_words, seed)).J_ - truth.J for seed in range(4)
        ]
        return np.sqrt(np.mean(np.square(errors)))

    assert 2.5 < error(4_000) / error(64_000) < 6.5

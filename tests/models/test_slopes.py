"""Slopes of log p with the parameters of each model, against finite differences."""

from copy import deepcopy

import numpy as np
import pytest

import microcolumn as mc

STEP = 1e-5


@pytest.fixture(scope="module")
def words():
    """Two groups that fire together, of five units."""
    rng = np.random.default_rng(0)
    state = rng.integers(0, 3, (4000, 1))
    rates = np.where(state == 1, [0.6, 0.6, 0.5, 0.1, 0.1], [0.1, 0.05, 0.1, 0.1, 0.2])
    rates = np.where(state == 2, [0.1, 0.1, 0.2, 0.7, 0.5], rates)
    return (rng.random((4000, 5)) < rates).astype(np.uint8)


def differences(moves, X):
    """Slopes of log p of all words by central differences, one column per parameter."""
    columns = [
        (move(STEP).score_samples(X) - move(-STEP).score_samples(X)) / (2.0 * STEP)
        for move in moves
    ]
    return np.column_stack(columns)


def mixture(words):
    model = mc.models.BernoulliMixture(3).fit(words)
    log_odds, log_weights = np.log(model.modes_ / (1 - model.modes_)), np.log(model.weights_)

    def moved(table, place):
        def move(step):
            tables = {"odds": log_odds.copy(), "weights": log_weights.copy()}
            tables[table][place] += step
            weights = np.exp(tables["weights"])
            modes = 1.0 / (1.0 + np.exp(-tables["odds"]))
            return mc.models.BernoulliMixture.from_parameters(modes, weights / weights.sum())

        return move

    odds = [moved("odds", place) for place in np.ndindex(log_odds.shape)]
    return model, odds + [moved("weights", k) for k in range(2)]


def drive(words, distribution):
    model = mc.models.CommonDrive().fit(words)
    if distribution == "free":  # few nodes, of which each is a direction of its own
        nodes, weights = [-1.5, 0.0, 1.0, 2.0], [0.2, 0.4, 0.3, 0.1]
        model = mc.models.CommonDrive.from_parameters(model.b_, model.w_, nodes, weights)

    def moved(name, place):
        def move(step):
            arrays = {k: v.copy() for k, v in model._arrays().items()}
            arrays[name][place] *= np.exp(step) if name == "weights" else 1.0
            arrays[name][place] += 0.0 if name == "weights" else step
            arrays["weights"] /= arrays["weights"].sum()
            return mc.models.CommonDrive.from_parameters(**arrays)

        return move

    free = ["b", "w", "weights"] if distribution == "free" else ["b", "w"]
    return model, [moved(k, at) for k in free for at in range(model._arrays()[k].size)]


def cascade(words):
    model = mc.models.CascadedLogistic(l1=1e-3).fit(words)

    def moved(name, place):
        def move(step):
            arrays = {k: v.copy() for k, v in model._arrays().items()}
            arrays[name][place] += step
            return mc.models.CascadedLogistic.from_parameters(**arrays)

        return move

    free = {"b": np.ones(5), "weights": model.weights_, "steps": model.steps_}
    assert model.steps_.any()
    moves = [moved(k, tuple(at)) for k, table in free.items() for at in np.argwhere(table)]
    return model, moves


def tracking(words):
    model = mc.models.PopulationTracking(10.0).fit(words)
    log_odds = np.log(model.probabilities_ / (1 - model.probabilities_))
    log_p = np.log(model.active_distribution_)

    def moved(table, place):
        def move(step):
            tables = {"odds": log_odds.copy(), "number": log_p.copy()}
            tables[table][place] += step
            p = np.exp(tables["number"])
            chances = 1.0 / (1.0 + np.exp(-tables["odds"]))
            other = deepcopy(model)
            other.active_distribution_, other.probabilities_ = p / p.sum(), chances
            other._set_tables()
            return other

        return move

    odds = [moved("odds", place) for place in np.ndindex(log_odds.shape)]
    return model, odds + [moved("number", k) for k in range(6)]


def projections(words):
    model = mc.models.RandomProjections(20, l1=1e-3).fit(words)

    def moved(name, place):
        def move(step):
            other = deepcopy(model)
            setattr(other, name, getattr(model, name).copy())
            getattr(other, name)[place] += step  # log Z stays: slopes are up to a constant
            return other

        return move

    live = np.flatnonzero(model.strengths_)
    assert 0 < live.size < model.strengths_.size
    return model, [moved("b_", k) for k in range(5)] + [moved("strengths_", k) for k in live]


CASES = {
    "mixture": mixture,
    "drive": lambda words: drive(words, "gaussian"),
    "free drive": lambda words: drive(words, "free"),
    "cascade": cascade,
    "tracking": tracking,
    "projections": projections,
}


@pytest.mark.parametrize("name", CASES)
def test_slopes_span_what_small_changes_of_the_parameters_do(name, words, every_word):
    model, moves = CASES[name](words)
    X = every_word(5)
    numeric = differences(moves, X)
    found = np.column_stack([model._slopes(X), np.ones(len(X))])
    mixed, *_ = np.linalg.lstsq(found, numeric, rcond=None)
    np.testing.assert_allclose(found @ mixed, numeric, atol=1e-6)
    # And nothing else: as many directions.
    other = np.column_stack([numeric, np.ones(len(X))])
    assert np.linalg.matrix_rank(found, 1e-6) == np.linalg.matrix_rank(other, 1e-4)

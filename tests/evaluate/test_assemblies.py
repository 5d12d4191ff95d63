"""Assemblies of known models: worth against a sum over all words, verdicts, names, refits."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import root
from scipy.special import softmax

from microcolumn.energy import log_weight
from microcolumn.evaluate.assembly import Assemblies, Assembly, assemblies, refits
from microcolumn.models import RBM, Ising, SemiRBM
from microcolumn.parameters import Parameters
from microcolumn.units import Units
from microcolumn.words import Words

LAYERS = ["IV"] * 4 + ["V"] * 4


def _theta(coupled=True):
    """Two groups of four and a dead hidden unit, with couplings of both signs."""
    rng = np.random.default_rng(0)
    W = np.zeros((8, 3))
    W[:4, 0], W[4:, 2] = [2.0, 1.5, 1.0, 0.3], [1.8, 2.2, -0.9, 1.1]
    J = np.triu(rng.normal(scale=0.3, size=(8, 8)), 1) if coupled else np.zeros((8, 8))
    return Parameters(b=rng.normal(-2, 0.3, size=8), J=J + J.T, W=W, c=[-3.0, 0.0, -2.5])


def _words(n=600, layer=LAYERS):
    units = Units([f"u{k}" for k in range(8)], layer=layer)
    X = SemiRBM.from_parameters(_theta()).sample(n, random_state=1)
    return Words.from_array(X, units=units)


def _log_p(theta, words):
    """Normalised log probabilities by a sum over all words."""
    every = _every(theta.n_visible)
    return log_weight(theta, words.X) - np.logaddexp.reduce(log_weight(theta, every))


def _every(n):
    return np.array(list(product((0, 1), repeat=n)))


def _rates(theta):
    every = _every(theta.n_visible)
    return softmax(log_weight(theta, every)) @ every


def _without(theta, k):
    """The model without hidden unit k, its biases such that all rates stay."""
    keep = [i for i in range(theta.n_hidden) if i != k]

    def with_biases(b):
        return Parameters(b=b, J=theta.J, W=theta.W[:, keep], c=theta.c[keep])

    found = root(lambda b: _rates(with_biases(b)) - _rates(theta), theta.b, tol=1e-12)
    assert found.success
    return with_biases(found.x)


def test_bits_lost_are_those_of_the_model_without_the_hidden_unit():
    theta, words = _theta(), _words()
    found = assemblies(SemiRBM.from_parameters(theta), words)
    assert found.exact
    assert [row.position for row in found] in ([0, 2], [2, 0])
    for row in found:
        lost = _log_p(theta, words) - _log_p(_without(theta, row.position), words)
        mean = np.average(lost, weights=words.counts) / math.log(2) / 0.020
        assert row.bits_per_second == pytest.approx(mean, rel=1e-4)
        assert row.stderr > 0.0


@pytest.mark.parametrize("n_beside", [8, 26])
def test_bits_lost_from_drawn_words_agree_within_their_error(n_beside):
    """Units beside change nothing; of 16 units exact samples are drawn, of 34 words of chains."""
    theta, words = _theta(), _words()
    exact = assemblies(SemiRBM.from_parameters(theta), words)
    wide = Parameters(
        b=np.append(theta.b, np.full(n_beside, -2.0)),
        J=np.pad(theta.J, (0, n_beside)),
        W=np.pad(theta.W, ((0, n_beside), (0, 0))),
        c=theta.c,
    )
    beside = np.random.default_rng(0).random((words.n_bins, n_beside)) < 0.12
    drawn = assemblies(SemiRBM.from_parameters(wide), np.hstack((words, beside)))
    assert not drawn.exact
    for row, other in zip(exact, drawn, strict=True):
        # The words drawn add little to the error of the words held out.
        assert other.stderr == pytest.approx(row.stderr, rel=0.05)
        assert abs(row.bits_per_second - other.bits_per_second) < 0.1


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_nothing_depends_on_order_and_orientation_of_hidden_units(seed):
    rng = np.random.default_rng(seed)
    theta, words = _theta(), _words()
    order, sign = rng.permutation(3), np.where(rng.random(3) < 0.5, -1.0, 1.0)
    b = theta.b + theta.W[:, sign < 0].sum(axis=1)
    turned = Parameters(b=b, J=theta.J, W=(theta.W * sign)[:, order], c=(theta.c * sign)[order])
    models = [SemiRBM.from_parameters(each) for each in (theta, turned)]
    first, second = assemblies(models, words), assemblies(models[::-1], words)
    for row, other in zip(first, second, strict=True):
        assert order[other.position] == row.position
        for name in ("units", "negative_units", "layer", "stability", "verdict", "layer_p_value"):
            assert getattr(other, name) == getattr(row, name)
        for name in ("active_share", "rate_hz", "similarity", "bits_per_second", "stderr"):
            assert getattr(other, name) == pytest.approx(getattr(row, name), rel=1e-9)


def test_units_have_a_quarter_of_the_largest_weight_and_are_named_strongest_first():
    by_position = {
        row.position: row for row in assemblies(SemiRBM.from_parameters(_theta()), _words())
    }
    assert by_position[0].units == ("u0", "u1", "u2")
    assert by_position[2].units == ("u5", "u4", "u7")
    assert (by_position[0].negative_units, by_position[2].negative_units) == ((), ("u6",))


def test_units_are_named_by_their_mean_weight_over_the_fits_that_have_the_group():
    """In one fit a unit is too weak by accident, and another, which is not planted, too strong."""
    theta, models = _theta(), []
    for k in range(3):
        W = theta.W + 0.0
        W[:4, 0] = [2.0, 1.5, 1.0, 1.0]
        if k == 0:
            W[3, 0], W[7, 0] = 0.2, 0.6
        models.append(SemiRBM.from_parameters(Parameters(b=theta.b, J=theta.J, W=W, c=theta.c)))
    alone, among = (
        {row.position: row.units for row in assemblies(each, _words())}
        for each in (models[:1], models)
    )
    assert alone[0] == ("u0", "u1", "u2", "u7")
    assert among[0] == ("u0", "u1", "u2", "u3")


def test_signs_of_couplings_are_means_over_fits():
    J = np.zeros((8, 8))
    J[0, 1] = J[1, 0] = J[2, 3] = J[3, 2] = 0.5
    J[4, 5] = J[5, 4] = -0.5
    theta = _theta()
    other = Parameters(b=theta.b, J=J, W=theta.W, c=theta.c)
    found = assemblies([SemiRBM.from_parameters(each) for each in (theta, other)], _words())
    negative = np.mean(theta.J[np.triu_indices(8, 1)] < 0)
    assert found.n_couplings == (28 + 3) / 2
    assert found.negative_share == pytest.approx((negative + 1 / 3) / 2)
    plain = Parameters(b=theta.b, W=theta.W, c=theta.c)
    assert math.isnan(assemblies(RBM.from_parameters(plain), _words()).negative_share)


def test_activity_is_the_mean_posterior():
    model, words = SemiRBM.from_parameters(_theta()), _words()
    mean = model.hidden(words).mean(axis=0)
    for row in assemblies(model, words):
        assert row.active_share == pytest.approx(mean[row.position])
        assert row.rate_hz == pytest.approx(50 * mean[row.position])


ROW = Assembly(0, ("a", "b"), (), "", math.nan, math.nan, 0.1, 5.0, 5, 0.8, 0.9, 2.0, 1.0)


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "assembly"),
        ({"stability": 0.6}, "unstable"),
        ({"stderr": 1.3}, "not needed"),
        ({"stderr": math.nan}, "not needed"),  # one word has no error
        ({"units": ("a",)}, "no group"),
        ({"units": tuple("abcd"), "n_recorded": 5}, "common drive"),
        ({"units": tuple("abcd"), "n_recorded": 6}, "assembly"),
        ({"units": tuple("ab"), "n_recorded": 2}, "assembly"),  # so few are a pair
        ({"n_others": 0, "stability": math.nan}, "not known"),
    ],
)
def test_the_verdict_asks_for_two_units_recurrence_and_a_loss(changes, verdict):
    assert replace(ROW, **changes).verdict == verdict


def test_the_clearest_is_an_assembly_that_is_lost_by_most_of_its_error():
    lost = {0: (9.0, math.nan), 1: (3.0, 1.0), 2: (2.0, 0.1), 3: (0.0, 0.0), 4: (-2.0, 1.0)}
    rows = [
        replace(ROW, position=k, bits_per_second=bits, stderr=error)
        for k, (bits, error) in lost.items()
    ]
    unstable = replace(ROW, position=5, bits_per_second=50.0, stability=0.1)
    found = Assemblies((unstable, *rows), 6, exact=True)
    assert [row.name for row in found.clearest] == ["h2", "h1", "h5", "h0", "h3", "h4"]


@pytest.mark.parametrize(
    "model",
    [
        Ising.from_parameters(Parameters(b=np.zeros(8))),
        RBM.from_parameters(Parameters(b=np.zeros(8), W=np.zeros((8, 2)))),
    ],
    ids=["none", "dead"],
)
def test_a_model_without_live_hidden_units_has_no_assemblies(model):
    found = assemblies([model, model], _words())
    assert len(found) == 0
    assert str(found) == "no live hidden unit"
    assert "no live hidden unit" in found._repr_html_()
    assert found.to_rows() == []


def test_huge_weights_lose_what_they_should():
    """The hidden unit is on with a probability that rounds to 1."""
    W = np.full((8, 1), 40.0)
    model = RBM.from_parameters(Parameters(b=np.full(8, -3.0), W=W, c=[-100.0]))
    words, theta = _words(), model.parameters_
    [row] = assemblies(model, words)
    lost = _log_p(theta, words) - _log_p(Parameters(b=theta.b), words)
    mean = np.average(lost, weights=words.counts) / math.log(2) / 0.020
    assert row.bits_per_second == pytest.approx(mean, rel=1e-9)


def test_an_assembly_is_found_in_planted_words_and_prints():
    rng = np.random.default_rng(0)
    together = rng.random((6000, 1)) < 0.1 * (np.arange(12) < 4)
    X = rng.random((6000, 12)) < np.where(together, 0.6, 0.05)
    train, test = Words.from_array(X).split(0.5, random_state=0)
    model = RBM(4, objective="mpf", l1=0.01).fit(train)
    found = assemblies([model, *refits(model, train, 3)], test)
    assert [sorted(row.units) for row in found.stable] == [["0", "1", "2", "3"]]
    assert "4 of 4" in str(found)
    assert found.to_rows()[0]["verdict"] == "assembly"
    assert found[0].position == found.to_rows()[0]["position"]


def test_refits_are_of_halves_that_share_no_word_and_the_same_for_a_seed():
    words = _words(400)
    model = RBM(2, objective="mpf", l1=0.01)
    first, second, third = refits(model, words, 3)
    assert first.words_info_.n_bins == second.words_info_.n_bins == 200
    both = (first.rates_ * 200 + second.rates_ * 200) / 400
    assert both == pytest.approx(words.rates, abs=0.005)  # rates have a floor
    assert (third.l1, third.n_hidden) == (0.01, 2)
    again = refits(model, words, 3)
    assert all(
        np.array_equal(a.W_, b.W_) for a, b in zip((first, second, third), again, strict=True)
    )

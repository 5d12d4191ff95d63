"""The penalty is chosen on words that the fit has not seen, from a grid that finds its optimum."""

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.evaluate import _choice as choice
from microcolumn.objectives import l1_grid, largest_l1


@pytest.fixture(scope="module")
def parts():
    words = mc.simulate.microcolumn(n_units=6, minutes=6, seed=0).bin()
    return words.split(0.7, by="blocks", random_state=0)


@pytest.mark.parametrize("model", [mc.Ising(), mc.RBM(3), mc.SemiRBM(3)])
def test_the_highest_validation_score_of_a_grid_made_for_the_words_wins(parts, model):
    train, validation = parts
    found = mc.choose_l1(model, train, validation)
    assert set(l1_grid(largest_l1(train))) <= set(found.l1_values)
    assert found.l1_values == tuple(sorted(found.l1_values))
    by_hand = [
        mc.excess_log_likelihood(fit, validation).bits_per_second
        for fit in model.fit_path(train, l1_grid(largest_l1(train)))
    ]
    scores = [score.bits_per_second for score in found.scores]
    base = [found.l1_values.index(l1) for l1 in l1_grid(largest_l1(train))]
    np.testing.assert_allclose(np.array(scores)[base], by_hand, atol=1e-6)
    assert found.best is found.fits[int(np.argmax(scores))]
    assert str(found).startswith(f"l1 {found.best.l1:g} of {len(scores)} from ")


def _scored_by(monkeypatch, score):
    """Let a function of l1 stand in for the validation score."""

    def excess_log_likelihood(model, _):
        return mc.Score(
            bits_per_second=score(model.l1), stderr=0.1, normaliser_stderr=0.0, normaliser="exact",
            side="visible", converged=True, nats_per_word=0.0, n_words=10, n_units=6, block_bins=5,
        )  # fmt: skip

    monkeypatch.setattr(choice, "excess_log_likelihood", excess_log_likelihood)


@pytest.mark.parametrize(
    ("score", "n_values", "best"),
    [
        (lambda l1: -abs(np.log(l1) - np.log(1e-3)), 4, 1e-3),  # inside
        (lambda l1: -abs(np.log(l1) - np.log(7e-7)), 6, 7e-7),  # found after two extensions
        (lambda l1: l1, 4, 0.005),  # nothing is left at the largest strength
    ],
)
def test_a_grid_is_extended_while_its_end_is_best(parts, monkeypatch, score, n_values, best):
    _scored_by(monkeypatch, score)
    found = mc.choose_l1(mc.Ising(tol=1e-4), *parts, "coarse")
    assert (len(found.l1_values), found.is_at_end) == (n_values, False)
    assert abs(np.log10(found.best.l1 / best)) < 0.51
    np.testing.assert_allclose(np.diff(np.log10(found.l1_values)), 1.0, atol=0.01)


def test_a_coarse_grid_of_many_units_ends_where_the_score_begins_to_fall(parts, monkeypatch):
    _scored_by(monkeypatch, lambda l1: -abs(np.log10(l1 / 5.02e-4)))
    whole = mc.choose_l1(mc.Ising(tol=1e-8), *parts, "coarse")
    monkeypatch.setattr(choice, "_MANY_BITS", 6)
    found = mc.choose_l1(mc.Ising(tol=1e-8), *parts, "coarse")
    assert len(whole.l1_values) == 4
    assert found.l1_values == whole.l1_values[1:]
    assert found.best.l1 == whole.best.l1 == found.l1_values[1]
    np.testing.assert_allclose(found.best.J_, whole.best.J_, atol=1e-5)


def test_the_last_extension_is_no_penalty_below_which_nothing_is(parts, monkeypatch):
    _scored_by(monkeypatch, lambda l1: -l1)
    found = mc.choose_l1(mc.Ising(tol=1e-4), *parts, "coarse")
    assert (len(found.l1_values), found.best.l1, found.is_at_end) == (7, 0.0, False)


def test_a_grid_goes_up_while_something_is_left_at_its_end(parts, monkeypatch):
    monkeypatch.setattr(choice, "largest_l1", lambda words, objective: 1e-4)
    _scored_by(monkeypatch, lambda l1: l1)
    found = mc.choose_l1(mc.Ising(tol=1e-4), *parts, "coarse")
    assert found.l1_values[-1] == 1e-2
    assert found.is_at_end == (found.best.n_couplings_ > 0)


def test_given_strengths_are_neither_extended_nor_rounded(parts, monkeypatch):
    _scored_by(monkeypatch, lambda l1: -l1)
    found = mc.choose_l1(mc.Ising(tol=1e-4), *parts, [0.0012345, 2e-3])
    assert (found.l1_values, found.best.l1, found.is_at_end) == ((0.0012345, 2e-3), 0.0012345, True)
    with pytest.raises(ValueError, match="l1_values is 'fine'; pass 'auto', 'coarse' or numbers"):
        mc.choose_l1(mc.Ising(), *parts, "fine")


def test_independent_words_have_one_strength():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 30)
    found = mc.choose_l1(mc.Ising(), X, X)
    assert (found.l1_values, found.is_at_end) == ((0.0,), False)


def test_a_semi_restricted_model_nests_at_strengths_that_the_nested_ones_lack(parts):
    train, validation = parts
    ising = mc.choose_l1(mc.Ising(), train, validation, [1e-3]).fits
    rbm = mc.choose_l1(mc.RBM(3), train, validation, [1e-3, 4e-3]).fits
    l1_values = [1e-3, 4e-3, 1e-2]
    both = mc.choose_l1(mc.SemiRBM(3), train, validation, l1_values, nested=(ising, rbm))
    for l1, fit in zip(l1_values, both.fits, strict=True):
        nested = (mc.Ising(l1=l1), mc.RBM(3, l1=l1))
        assert fit.objective_ <= min(each.fit(train).objective_ for each in nested) + 1e-7


def test_a_false_mode_or_a_doubtful_log_z_is_chosen_only_if_there_is_no_other():
    good, doubtful = choice.merits_of(1.0, True, 0.0), choice.merits_of(9.0, False, 0.0)
    false, unknown = choice.merits_of(9.0, True, 0.02), choice.merits_of(float("nan"), True, None)
    ranks = {1.0: false, 2.0: doubtful, 3.0: unknown, 4.0: good}
    for l1 in (4.0, 3.0, 2.0, 1.0):
        assert choice.preferred(ranks) == l1
        del ranks[l1]


def test_the_best_is_fitted_to_all_words(parts):
    words = mc.simulate.microcolumn(n_units=6, minutes=6, seed=0).bin()
    model = mc.Ising()
    fitted, found = mc.fit_best(model, words, random_state=3)
    train, validation = words.split(0.8, by="blocks", random_state=3)
    assert found.best.l1 == mc.choose_l1(model, train, validation).best.l1
    np.testing.assert_array_equal(fitted.J_, mc.Ising(l1=fitted.l1).fit(words).J_)
    assert (fitted.l1, model.l1) == (found.best.l1, mc.Ising().l1)
    assert not hasattr(model, "parameters_")


@pytest.mark.parametrize("model", [[], {}, None, [mc.Ising()]])
def test_anything_but_one_model_is_named(parts, model):
    with pytest.raises(
        TypeError, match=r"^model is .*; pass one model with a penalty, such as RBM"
    ):
        mc.fit_best(model, parts[0])

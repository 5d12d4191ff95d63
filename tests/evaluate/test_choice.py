"""The penalty is chosen on words that the fit has not seen, from a grid that finds its optimum."""

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.evaluate import choice
from microcolumn.objectives import l1_grid, largest_l1
from microcolumn.words import Words


@pytest.fixture(scope="module")
def parts():
    words = mc.simulate.microcolumn(n_units=6, minutes=6, seed=0).bin()
    return words.split(0.7, by="blocks", random_state=0)


@pytest.mark.parametrize("model", [mc.Ising(), mc.RBM(3, objective="mpf")])
def test_the_highest_validation_score_of_a_grid_made_for_the_words_wins(parts, model):
    train, validation = parts
    found = mc.evaluate.choose_l1(model, train, validation)
    grid = l1_grid(largest_l1(train, model.objective))
    assert set(grid) <= set(found.l1_values)
    assert found.l1_values == tuple(sorted(found.l1_values))
    by_hand = [mc.score(fit, validation).bits_per_second for fit in model.fit_path(train, grid)]
    scores = np.array([score.bits_per_second for score in found.scores])
    base = [found.l1_values.index(l1) for l1 in grid]
    np.testing.assert_allclose(scores[base], by_hand, atol=1e-6)
    equal = scores >= scores.max() - choice.EQUAL * found.scores[int(scores.argmax())].stderr
    assert found.best is found.fits[int(np.flatnonzero(equal).max())]
    assert str(found).startswith(f"l1 {found.best.l1:g} of {len(scores)} from ")


@pytest.mark.parametrize("model", [mc.RBM(3), mc.SemiRBM(3)])
def test_a_search_over_hidden_units_ends_where_the_score_has_turned(parts, model):
    train, validation = parts
    found = mc.evaluate.choose_l1(model, train, validation)
    grid = l1_grid(largest_l1(train, "likelihood"))
    assert 3 <= len(found.l1_values) <= len(grid) + 2
    assert found.l1_values[-1] <= grid[-1]
    scores = [score.bits_per_second for score in found.scores]
    assert found.scores[found.best_index].bits_per_second >= max(scores) - 0.1
    weaker, stronger = found.best_index, len(scores) - 1 - found.best_index
    assert weaker >= 1  # neighbours on both sides were tried
    assert stronger >= 1 or found.best.n_nonzero_ == 0
    # The chosen fit has come to its end, as if it were the only one.
    single = type(model)(3, l1=found.best.l1).fit(train)
    assert found.best.certificate_.converged
    assert abs(mc.score(single, validation).bits_per_second - max(scores)) < 0.3


def test_scores_that_hardly_differ_are_ties_which_the_stronger_penalty_wins():
    scores = {1e-4: 5.0, 1e-3: 4.9995, 1e-2: 4.9}
    merits = {l1: choice.merits_of(score, True, 0.0) for l1, score in scores.items()}
    assert choice.preferred(merits, dict.fromkeys(scores, 0.1)) == 1e-3
    assert choice.preferred(merits, dict.fromkeys(scores, 0.0)) == 1e-4
    assert choice.preferred(merits, dict.fromkeys(scores, float("nan"))) == 1e-4


def _scored_by(monkeypatch, score):
    """Let a function of l1 stand in for the validation score."""

    def scored(model, _):
        return mc.evaluate.Score(
            bits_per_second=score(model.l1), stderr=0.0, normaliser_stderr=0.0, normaliser="exact",
            side="visible", converged=True, nats_per_word=0.0, n_words=10, n_units=6,
        )  # fmt: skip

    monkeypatch.setattr(choice, "score", scored)


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
    found = mc.evaluate.choose_l1(mc.Ising(), *parts, "coarse")
    assert (len(found.l1_values), found.is_at_end) == (n_values, False)
    assert abs(np.log10(found.best.l1 / best)) < 0.51
    np.testing.assert_allclose(np.diff(np.log10(found.l1_values)), 1.0, atol=0.01)


def test_the_last_extension_is_no_penalty_below_which_nothing_is(parts, monkeypatch):
    _scored_by(monkeypatch, lambda l1: -l1)
    found = mc.evaluate.choose_l1(mc.Ising(tol=1e-4), *parts, "coarse")
    assert (len(found.l1_values), found.best.l1, found.is_at_end) == (7, 0.0, False)


def test_a_grid_goes_up_while_something_is_left_at_its_end(parts, monkeypatch):
    monkeypatch.setattr(choice, "largest_l1", lambda words, objective: 1e-4)
    _scored_by(monkeypatch, lambda l1: l1)
    found = mc.evaluate.choose_l1(mc.Ising(tol=1e-4), *parts, "coarse")
    assert found.l1_values[-1] == 1e-2
    assert found.is_at_end == (found.best.n_couplings_ > 0)


def test_given_strengths_are_neither_extended_nor_rounded(parts, monkeypatch):
    _scored_by(monkeypatch, lambda l1: -l1)
    found = mc.evaluate.choose_l1(mc.Ising(tol=1e-4), *parts, [0.0012345, 2e-3])
    assert (found.l1_values, found.best.l1, found.is_at_end) == ((0.0012345, 2e-3), 0.0012345, True)


def test_independent_words_have_one_strength():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 30)
    found = mc.evaluate.choose_l1(mc.Ising(), X, X)
    assert (found.l1_values, found.is_at_end) == ((0.0,), False)


def test_a_semi_restricted_model_nests_at_strengths_that_the_nested_ones_lack(parts):
    train, validation = parts
    strict = {"tol": 1e-8}
    ising = mc.evaluate.choose_l1(mc.Ising(**strict), train, validation, [1e-3]).fits
    rbm = mc.evaluate.choose_l1(mc.RBM(3, **strict), train, validation, [1e-3, 4e-3]).fits
    l1_values, both = [1e-3, 4e-3, 1e-2], mc.SemiRBM(3, **strict)
    both = mc.evaluate.choose_l1(both, train, validation, l1_values, nested=(ising, rbm))
    for l1, fit in zip(l1_values, both.fits, strict=True):
        nested = (mc.Ising(l1=l1, **strict), mc.RBM(3, l1=l1, **strict))
        assert fit.objective_ <= min(each.fit(train).objective_ for each in nested) + 1e-7


def test_a_spurious_mode_or_a_doubtful_log_z_is_chosen_only_if_there_is_no_other():
    good, doubtful = choice.merits_of(1.0, True, 0.0), choice.merits_of(9.0, False, 0.0)
    false, unknown = choice.merits_of(9.0, True, 0.02), choice.merits_of(float("nan"), True, None)
    ranks = {1.0: false, 2.0: doubtful, 3.0: unknown, 4.0: good}
    for l1 in (4.0, 3.0, 2.0, 1.0):
        assert choice.preferred(ranks, dict.fromkeys(ranks, 0.0)) == l1
        del ranks[l1]


GRID = ({"n_components": 1}, {"n_components": 2}, {"n_components": 4})


@pytest.fixture(scope="module")
def bursts():
    rng = np.random.default_rng(1)
    up = rng.random((6000, 1)) < 0.2
    words = Words.from_array(rng.random((6000, 5)) < np.where(up, 0.6, 0.05))
    return words.split(0.5, by="blocks", random_state=0)


def test_every_setting_is_fitted_scored_and_kept(bursts):
    found = mc.evaluate.choose(mc.models.BernoulliMixture(), *bursts, GRID)
    assert found.settings == GRID
    assert [fit.n_components for fit in found.fits] == [1, 2, 4]
    expected = [
        mc.score(mc.models.BernoulliMixture(**each).fit(bursts[0]), bursts[1]).bits_per_second
        for each in GRID
    ]
    assert [score.bits_per_second for score in found.scores] == pytest.approx(expected, abs=0.05)
    best = max(score.bits_per_second for score in found.scores)
    assert found.scores[found.best_index].bits_per_second == best
    assert found.best is found.fits[found.best_index]
    assert found.best.n_components > 1  # the words have two states


def test_by_default_a_alternative_says_what_is_worth_trying(bursts):
    model = mc.models.PopulationTracking()
    found = mc.evaluate.choose(model, *bursts)
    assert found.settings == model.grid(bursts[0])
    assert not hasattr(model, "rates_")  # it is left as it was


def test_a_fit_that_has_not_converged_is_chosen_only_if_there_is_no_other(bursts):
    model = mc.models.BernoulliMixture(max_iter=1)
    with pytest.warns(match="not converged"):
        found = mc.evaluate.choose(model, *bursts, ({"n_components": 1}, {"n_components": 4}))
    assert found.scores[1].bits_per_second > found.scores[0].bits_per_second
    assert (found.fits[0].certificate_.converged, found.best_index) == (True, 0)

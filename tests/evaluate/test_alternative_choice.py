"""Settings of alternatives chosen on held-out words."""

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.evaluate import choose
from microcolumn.words import Words

GRID = ({"n_components": 1}, {"n_components": 2}, {"n_components": 4})


@pytest.fixture(scope="module")
def parts():
    rng = np.random.default_rng(1)
    up = rng.random((6000, 1)) < 0.2
    words = Words.from_array(rng.random((6000, 5)) < np.where(up, 0.6, 0.05))
    return words.split(0.5, by="blocks", random_state=0)


def test_every_setting_is_fitted_scored_and_kept(parts):
    found = choose(mc.models.BernoulliMixture(), *parts, GRID)
    assert found.settings == GRID
    assert [fit.n_components for fit in found.fits] == [1, 2, 4]
    expected = [
        mc.score(mc.models.BernoulliMixture(**each).fit(parts[0]), parts[1]).bits_per_second
        for each in GRID
    ]
    assert [score.bits_per_second for score in found.scores] == pytest.approx(expected, abs=0.05)
    best = max(score.bits_per_second for score in found.scores)
    assert found.scores[found.chosen].bits_per_second == best
    assert found.best is found.fits[found.chosen]
    assert found.best.n_components > 1  # the words have two states


def test_by_default_a_alternative_says_what_is_worth_trying(parts):
    model = mc.models.PopulationTracking()
    found = choose(model, *parts)
    assert found.settings == model.grid(parts[0])
    assert not hasattr(model, "rates_")  # it is left as it was


def test_a_fit_that_has_not_converged_is_chosen_only_if_there_is_no_other(parts):
    model = mc.models.BernoulliMixture(max_iter=1)
    with pytest.warns(match="not converged"):
        found = choose(model, *parts, ({"n_components": 1}, {"n_components": 4}))
    assert found.scores[1].bits_per_second > found.scores[0].bits_per_second
    assert (found.fits[0].certificate_.converged, found.chosen) == (True, 0)

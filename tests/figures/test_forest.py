from dataclasses import replace

import planted_study as planted
import pytest

from microcolumn.evaluate import pool_contrasts
from microcolumn.figures import forest
from microcolumn.figures._scores import has_contrasts
from microcolumn.study import NotComputedError


@pytest.fixture
def three(planted_results, monkeypatch):
    """The planted study as if it had three recordings of two animals."""
    compare, tested = planted_results.comparison, planted_results.tested
    animals = {"cells": "m1", "B": "m1", "C": "m2"}

    def comparison(recording, **where):
        return replace(compare("cells", **where), recording=recording, animal=animals[recording])

    monkeypatch.setattr(planted_results, "comparison", comparison)
    every = [c._replace(recording=name) for name in animals for c in tested()]
    monkeypatch.setattr(planted_results, "tested", lambda: every)
    sources = tuple(replace(planted.SOURCE, name=name, seed=k) for k, name in enumerate(animals))
    monkeypatch.setattr(planted_results, "plan", replace(planted.PLAN, sources=sources))
    index = planted_results.index
    families = index.families
    monkeypatch.setattr(index, "families", lambda c: families(c._replace(recording="cells")))
    return planted_results


def test_all_recordings_are_drawn_by_animal_with_the_mean_in_the_caption(three):
    figure = forest(three)
    [ax, *_] = figure.axes
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == ["m1, cells", "m1, B", "m2, C", "mean"]
    found = pool_contrasts(three.comparison(name, experiment="instantaneous") for name in "BC")
    assert list(found) == ["groups"]
    compared = [three.comparison(n, experiment="instantaneous") for n in ("cells", "B", "C")]
    mean = pool_contrasts(compared)["groups"]
    assert f"Models with groups over those without: {mean}." in figure.caption
    assert "2 animals (3 recordings)" in figure.caption


def test_one_recording_has_no_forest(planted_results):
    [condition, *_] = planted_results.tested()
    assert not has_contrasts(planted_results, condition)
    with pytest.raises(NotComputedError, match="no planned contrast is known of several"):
        forest(planted_results)


def test_several_recordings_have_one_by_default(three):
    assert has_contrasts(three, three.tested()[0])

import pytest

from microcolumn.evaluate import pool_contrasts
from microcolumn.figures import forest
from microcolumn.figures._scores import has_contrasts
from microcolumn.study import NotComputedError


def test_all_recordings_are_drawn_by_animal_with_the_mean_in_the_caption(of_three):
    figure = forest(of_three)
    [ax, *_] = figure.axes
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == ["m1, cells", "m1, B", "m2, C", "mean"]
    found = pool_contrasts(of_three.comparison(name, experiment="instantaneous") for name in "BC")
    assert list(found) == ["groups"]
    compared = [of_three.comparison(n, experiment="instantaneous") for n in ("cells", "B", "C")]
    mean = pool_contrasts(compared)["groups"]
    assert f"Models with groups over those without: {mean}." in figure.caption
    assert "2 animals (3 recordings)" in figure.caption


def test_one_recording_has_no_forest(planted_results):
    [condition, *_] = planted_results.tested()
    assert not has_contrasts(planted_results, condition)
    with pytest.raises(NotComputedError, match="no planned contrast is known of several"):
        forest(planted_results)


def test_several_recordings_have_one_by_default(of_three):
    assert has_contrasts(of_three, of_three.tested()[0])

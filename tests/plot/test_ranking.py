import numpy as np
import pytest
from planted_comparison import compared

import microcolumn as mc
from microcolumn.plot import ranking

LEVELS = {"Ising": 10.0, "BernoulliMixture": 13.0, "RBM 25": 12.0}


def drawn(ax):
    """Difference, error and marker by the name of the model, from the top down."""
    names = [label.get_text() for label in ax.get_yticklabels()]
    found = {}
    for bars in ax.containers:
        point, _, (line,) = bars.lines
        (left, _), (right, _) = line.get_segments()[0]
        place = round(float(point.get_ydata()[0]))
        marks = point.get_marker(), point.get_markerfacecolor()
        found[names[place]] = (float(point.get_xdata()[0]), (right - left) / 2, *marks)
    return found


def test_models_are_ranked_from_the_top_with_their_differences_from_the_best():
    given = compared(LEVELS)
    ax = ranking(given)
    assert ax.yaxis_inverted()
    shown = drawn(ax)
    assert list(shown) == ["BernoulliMixture", "RBM 25", "Ising"]
    for name in ("RBM 25", "Ising"):
        pair = given.pair(name, "BernoulliMixture")
        assert shown[name][:2] == pytest.approx((pair.bits_per_second, pair.stderr))
    assert shown["BernoulliMixture"][:2] == (0.0, 0.0)
    texts = [text.get_text() for text in ax.texts]
    assert texts == ["13.00", "12.00", "10.00", "bits/s"]
    assert ax.get_xlabel().startswith("difference from the best (bits/s)")


def test_rivals_are_open_and_told_apart():
    ax = ranking(compared(LEVELS))
    marks = {name: row[2:] for name, row in drawn(ax).items()}
    assert marks["BernoulliMixture"] == ("D", "white")
    assert marks["RBM 25"][0] == "o"
    assert marks["RBM 25"][1] != "white"
    assert "other kinds" in ax.get_xlabel()
    assert "other kinds" not in ranking(compared({"Ising": 1.0, "RBM 25": 2.0})).get_xlabel()


def test_a_single_model_and_one_split_are_drawn():
    ax = ranking(compared({"Ising": 3.0}))
    assert ax.get_xlim() == (-1.0, 0.1)
    given = compared(LEVELS, n_splits=1)
    assert drawn(ranking(given))["Ising"][1] == pytest.approx(0.1)  # from blocks


def test_fitted_models_are_ranked_too(random_parameters, draw):
    theta = random_parameters("ising", n_units=3)
    train, test = (mc.Words.from_array(draw(theta, 400, seed), 0.02) for seed in (0, 1))
    given = mc.compare({"Ising": mc.Ising().fit(train), "rates": mc.Independent().fit(train)}, test)
    shown = drawn(ranking(given))
    assert set(shown) == set(given.scores)
    assert max(row[0] for row in shown.values()) == 0.0


def test_several_recordings_are_marks_around_their_median():
    given = [compared(LEVELS), compared(LEVELS | {"RBM 25": 14.5}), compared({"Ising": 7.0})]
    ax = ranking(given)
    names = [label.get_text() for label in ax.get_yticklabels()]
    places = {name: [] for name in names}
    for line in ax.lines[:-1]:  # the last one marks the best
        places[names[round(float(line.get_ydata()[0]))]].append(line.get_xdata())
    per_unit = [
        {name: each.scores[name].per_neuron - each.best.per_neuron for name in each.scores}
        for each in given
    ]
    for name, (single, middle) in places.items():
        expected = [found[name] for found in per_unit if name in found]
        assert list(single) == pytest.approx(expected)
        assert middle[0] == pytest.approx(np.median(expected))
    assert names == ["RBM 25", "BernoulliMixture", "Ising"]
    told = [text.get_text() for text in ax.texts]
    assert told == ["1 of 2", "1 of 2", "1 of 3", "best in"]
    assert "per unit" in ax.get_xlabel()


def test_a_model_without_a_finite_score_cannot_be_ranked():
    with pytest.raises(ValueError, match="no model to rank"):
        ranking(compared({"Ising": np.nan}))

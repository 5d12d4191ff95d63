import math

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

import microcolumn as mc
from microcolumn.evaluate import counting_bounds
from microcolumn.parameters import Parameters
from microcolumn.plot.style import MODEL_COLOURS
from microcolumn.plot.word_patterns import pattern_ratios, patterns, synchrony


def axes():
    return Figure(figsize=(3.4, 3.0), layout="constrained").subplots()


@pytest.fixture(scope="module")
def words():
    rng = np.random.default_rng(3)
    together = rng.random((3000, 1)) < 0.1
    return mc.Words.from_array(rng.random((3000, 6)) < np.where(together, 0.6, 0.05))


@pytest.fixture(scope="module")
def statistics(words):
    models = {"Independent": mc.Independent().fit(words), "Ising": mc.Ising().fit(words)}
    return {name: mc.evaluate.pattern_statistics(model, words) for name, model in models.items()}


def clouds(ax):
    """Points of all words of each model."""
    return [line.get_xydata() for line in ax.lines if line.get_marker() == "."]


def medians(ax):
    """Large points by name of the model."""
    return {line.get_label(): line.get_xydata() for line in ax.lines if line.get_label()[0] != "_"}


def quartiles(ax):
    """Ends of the bars of each model."""
    found = [each for each in ax.collections if isinstance(each, LineCollection)]
    return [np.array([segment[:, 1] for segment in each.get_segments()]) for each in found]


def test_every_word_is_a_point_with_the_model_on_y_jittered_within_its_count(statistics):
    for points, each in zip(
        clouds(patterns(statistics, ax=axes())), statistics.values(), strict=True
    ):
        np.testing.assert_array_equal(points[:, 1], each.model)
        assert np.abs(points[:, 0] - each.empirical).max() < 0.3 / 3000


def test_large_points_are_medians_of_words_of_similar_counts_with_quartiles(statistics):
    ax = patterns(statistics, ax=axes())
    each = statistics["Ising"]
    counts = np.round(each.empirical * 3000).astype(int)
    groups = [(1, 1), (2, 2), (3, 5), (6, 11), (12, 23), (24, 47), (48, 95), (96, 191), (192, 383)]
    groups += [(384, 767), (768, 1535), (1536, 3000)]
    expected = [
        np.sort(each.model[(low <= counts) & (counts <= high)])
        for low, high in groups
        if np.any((low <= counts) & (counts <= high))
    ]
    middle = [values[math.ceil(0.5 * values.size) - 1] for values in expected]
    np.testing.assert_allclose(medians(ax)["Ising"][:, 1], middle)
    ends = [[values[math.ceil(q * values.size) - 1] for q in (0.25, 0.75)] for values in expected]
    np.testing.assert_allclose(quartiles(ax)[1], ends)


def test_the_dashed_lines_are_the_bounds_of_counting_noise(statistics):
    ax = patterns(statistics, ax=axes())
    lower, upper = (line for line in ax.lines if line.get_linestyle() == "--")
    for line, bound in zip((lower, upper), (0, 1), strict=True):
        frequency, p = line.get_data()
        np.testing.assert_array_equal(frequency, counting_bounds(p, 3000)[bound])


def test_probabilities_that_underflow_are_below_the_axis():
    # Given the rates, two of 500 units that fire together are next to impossible.
    X = np.zeros((40, 500), dtype=np.uint8)
    X[0] = 1
    model = mc.Independent.from_parameters(Parameters(b=np.full(500, -20.0)))
    found = mc.evaluate.pattern_statistics(model, X)
    assert found.model.min() == 0.0
    for draw in (patterns, pattern_ratios):
        ax = draw({"Independent": found}, ax=axes())
        ax.figure.draw_without_rendering()
        assert np.all(np.isfinite(ax.get_ylim()))


def test_one_silent_unit_is_a_single_point():
    found = mc.evaluate.pattern_statistics(mc.Independent().fit(np.zeros((9, 1))), np.zeros((9, 1)))
    ax = patterns({"a $model$": found}, ax=axes())
    ax.figure.draw_without_rendering()
    assert medians(ax)["a \\$model\\$"][:, 0].tolist() == [1.0]
    assert pattern_ratios({"a": found}, ax=axes()).get_xlim() == (-0.6, 0.6)


def test_ratios_are_medians_over_words_with_as_many_active_bits(statistics):
    ax = pattern_ratios(statistics, ax=axes())
    for k, (name, each) in enumerate(statistics.items()):
        ratio = np.log2(each.model / each.empirical)
        last = int(each.n_active.max())  # at least five words, alone or with the next lower
        while np.sum(each.n_active >= last) < 5:
            last -= 1
        groups = [ratio[each.n_active == n] for n in range(last)] + [ratio[each.n_active >= last]]
        middle = [np.sort(group)[math.ceil(group.size / 2) - 1] for group in groups]
        np.testing.assert_allclose(medians(ax)[name][:, 1], middle)
        np.testing.assert_allclose(medians(ax)[name][:, 0], np.arange(last + 1) + (k - 0.5) / 4)
    assert (f"{last} or more" in ax.get_xlabel()) == (each.n_active.max() > last)


def test_models_and_words_give_what_statistics_give(words):
    ising, rates = mc.Ising().fit(words), mc.Independent().fit(words)
    for draw in (patterns, pattern_ratios):
        found = {
            name: mc.evaluate.pattern_statistics(m, words)
            for name, m in (("a", ising), ("b", rates))
        }
        expected = medians(draw(found, ax=axes()))
        got = medians(draw({"a": ising, "b": rates}, words, ax=axes()))
        assert expected.keys() == got.keys()
        for name, points in expected.items():
            np.testing.assert_array_equal(got[name], points)
        assert list(medians(draw([ising, rates], words, ax=axes()))) == ["Ising", "Independent"]
        assert list(medians(draw(ising, words, ax=axes()))) == ["Ising"]
        [alone] = [line for line in draw(found["a"], ax=axes()).lines if line.get_marker() == "o"]
        np.testing.assert_array_equal(
            alone.get_xydata(), medians(draw(ising, words, ax=axes()))["Ising"]
        )


def lines_of(ax):
    return {container.get_label(): container for container in ax.containers}


def test_synchrony_of_data_is_black_points_with_errors_and_of_models_a_line(words):
    data, ising = mc.evaluate.synchrony(words), mc.evaluate.synchrony(mc.Ising().fit(words))
    lines = lines_of(synchrony({"data": data, "Ising": ising}, ax=axes()))
    points, _, (bars,) = lines["data"].lines
    occurs = np.flatnonzero(data.probability)
    assert points.get_color() == "#000000"
    np.testing.assert_array_equal(points.get_xdata(), occurs)
    np.testing.assert_array_equal(points.get_ydata(), data.probability[occurs])
    lengths = [segment[1][1] - segment[0][1] for segment in bars.get_segments()]
    np.testing.assert_allclose(lengths, 2.0 * data.stderr[occurs])
    line = lines["Ising"].lines[0]
    assert line.get_color() == MODEL_COLOURS["Ising"]
    np.testing.assert_allclose(line.get_ydata(), ising.probability)


def test_synchrony_of_one_word_has_no_error():
    ax = synchrony({"data": mc.evaluate.synchrony([[0]])}, ax=axes())
    ax.figure.draw_without_rendering()
    assert lines_of(ax)["data"].lines[0].get_ydata() == pytest.approx([1.0])


def test_synchrony_of_models_and_words_is_that_of_both(words):
    ising = mc.Ising().fit(words)
    lines = lines_of(synchrony(ising, words, ax=axes()))
    assert list(lines) == ["data", "Ising"]
    np.testing.assert_array_equal(
        lines["Ising"].lines[0].get_ydata(), mc.evaluate.synchrony(ising).probability
    )
    observed = mc.evaluate.synchrony(words)
    np.testing.assert_array_equal(
        lines["data"].lines[0].get_ydata(), observed.probability[observed.probability > 0.0]
    )
    assert list(lines_of(synchrony(observed, ax=axes()))) == ["data"]

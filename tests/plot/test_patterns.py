import numpy as np
import pytest
from drawing import axes, draw

import microcolumn as mc
from microcolumn.evaluate import counting_bounds
from microcolumn.parameters import Parameters
from microcolumn.plot.style import MODEL_COLOURS
from microcolumn.plot.word_patterns import patterns, synchrony


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


def test_every_word_is_a_point_with_the_model_on_y_jittered_within_its_count(statistics):
    for points, each in zip(
        clouds(patterns(statistics, ax=axes())), statistics.values(), strict=True
    ):
        np.testing.assert_array_equal(points[:, 1], each.model)
        assert np.abs(points[:, 0] - each.empirical).max() < 0.3 / 3000


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
    ax = patterns({"Independent": found}, ax=axes())
    ax.figure.draw_without_rendering()
    assert np.all(np.isfinite(ax.get_ylim()))


def test_one_silent_unit_is_a_single_point():
    found = mc.evaluate.pattern_statistics(mc.Independent().fit(np.zeros((9, 1))), np.zeros((9, 1)))
    ax = patterns({"a $model$": found}, ax=axes())
    ax.figure.draw_without_rendering()
    [[[x, y]]] = clouds(ax)
    assert (x, y) == (pytest.approx(1.0, abs=0.04), found.model[0])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a \\$model\\$"]


def test_models_and_words_give_what_statistics_give(words, statistics):
    models = {"Independent": mc.Independent().fit(words), "Ising": mc.Ising().fit(words)}
    for known, fitted in zip(
        clouds(patterns(statistics, ax=axes())),
        clouds(patterns(models, words, ax=axes())),
        strict=True,
    ):
        np.testing.assert_array_equal(known, fitted)


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


def test_zipf_ranks_the_words_of_data_and_models():
    rng = np.random.default_rng(0)
    X = rng.random((500, 3)) < 0.3
    model = mc.Independent().fit(X)
    ax = draw(mc.plot.zipf, {"my $model": model}, X)
    for line, words in zip(ax.lines, (X, model.sample(500)), strict=True):
        codes = np.bincount(words @ [1, 2, 4])
        counted = sorted(codes[codes > 0], reverse=True)
        np.testing.assert_allclose(line.get_ydata(), np.array(counted) / 500)
        np.testing.assert_array_equal(line.get_xdata(), np.arange(len(counted)) + 1)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["data", "my \\$model"]

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

import microcolumn as mc
from microcolumn.evaluate import PatternStatistics, Synchrony, counting_bounds
from microcolumn.parameters import Parameters
from microcolumn.plot._patterns import patterns, synchrony
from microcolumn.plot.style import MODEL_COLOURS


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
    return {name: mc.pattern_statistics(model, words) for name, model in models.items()}


def drawn(ax):
    """Points and colours of all scatters."""
    found = [each for each in ax.collections if isinstance(each, PathCollection)]
    points = np.concatenate([each.get_offsets() for each in found])
    colours = np.concatenate([each.get_facecolors()[:, :3] for each in found])
    return np.asarray(points), colours


def test_every_word_is_a_point_in_the_colour_of_its_model(statistics):
    points, colours = drawn(patterns(statistics, ax=axes()))
    for name, each in statistics.items():
        own = np.all(np.isclose(colours, to_rgb(MODEL_COLOURS[name])), axis=1)
        expected = np.column_stack([each.model, each.empirical])
        np.testing.assert_allclose(np.sort(points[own], axis=0), np.sort(expected, axis=0))


def test_words_are_told_apart_by_their_number_of_active_bits(statistics):
    ax = patterns(statistics, ax=axes())
    found = [each for each in ax.collections if isinstance(each, PathCollection)]
    numbers = np.minimum(statistics["Ising"].n_active, 4)
    expected = [2 * int(np.sum(numbers == k)) for k in (4, 3, 2, 1, 0)]  # busy words lie below
    assert [len(each.get_offsets()) for each in found] == expected
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["0", "1", "2", "3", "4+"]


def test_models_are_drawn_in_turns_so_that_none_hides_another(statistics):
    ax = patterns(statistics, ax=axes())
    scatter = ax.collections[1]
    is_ising = np.all(
        np.isclose(scatter.get_facecolors()[:, :3], to_rgb(MODEL_COLOURS["Ising"])), axis=1
    )
    half = is_ising.size // 2
    assert 0.2 < is_ising[:half].mean() < 0.8


def test_the_dashed_lines_are_the_bounds_of_counting_noise(statistics):
    ax = patterns(statistics, ax=axes())
    lower, upper = (line for line in ax.lines if line.get_linestyle() == "--")
    for line, bound in zip((lower, upper), (0, 1), strict=True):
        x, y = line.get_data()
        np.testing.assert_array_equal(y, counting_bounds(x, 3000)[bound])
    x, y = next(line for line in ax.lines if line.get_linestyle() == "-").get_data()
    assert list(x) == list(y)


def test_many_points_are_rasterized_and_few_are_not(statistics):
    few = patterns(statistics, ax=axes())
    assert not any(each.get_rasterized() for each in few.collections)
    one = statistics["Ising"]
    rows = np.resize(np.arange(one.model.size), 2001)
    fields = ("X", "n_active", "empirical", "model", "lower", "upper")
    many = PatternStatistics(*(getattr(one, name)[rows] for name in fields), n_words=3000)
    ax = patterns({"Ising": many}, ax=axes())
    scatters = [each for each in ax.collections if isinstance(each, PathCollection)]
    assert all(each.get_rasterized() for each in scatters)


def test_probabilities_that_underflow_are_drawn_at_the_left_edge():
    # Given the rates, two of 500 units that fire together are next to impossible.
    X = np.zeros((40, 500), dtype=np.uint8)
    X[0] = 1
    model = mc.Independent.from_parameters(Parameters(b=np.full(500, -20.0)))
    found = mc.pattern_statistics(model, X)
    assert found.model.min() == 0.0
    ax = patterns({"Independent": found}, ax=axes())
    ax.figure.draw_without_rendering()
    points, _ = drawn(ax)
    assert points[:, 0].min() == pytest.approx(1e-4 / 40)
    low, high = ax.get_xlim()
    assert np.all((points[:, 0] > low) & (points[:, 0] < high))


def test_one_silent_unit_is_a_single_point():
    found = mc.pattern_statistics(mc.Independent().fit(np.zeros((9, 1))), np.zeros((9, 1)))
    points, _ = drawn(patterns({"a $model$": found}, ax=axes()))
    assert points[:, 1].tolist() == [1.0]


def test_nothing_to_draw_is_refused():
    with pytest.raises(ValueError, match="no statistics to draw"):
        patterns({}, ax=axes())
    with pytest.raises(ValueError, match="no distributions to draw"):
        synchrony({}, ax=axes())


def lines_of(ax):
    return {container.get_label(): container for container in ax.containers}


def test_synchrony_of_data_is_black_points_with_errors_and_of_models_a_line(words):
    data, ising = mc.synchrony(words), mc.synchrony(mc.Ising().fit(words))
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


def test_synchrony_of_500_units_shows_what_occurs():
    p = np.zeros(501)
    p[:3] = 0.6, 0.3, 0.1
    data = Synchrony(p, np.where(p > 0, 0.01, 0.0), "words")
    model = Synchrony(np.full(501, 1 / 501), np.zeros(501), "exact")
    ax = synchrony({"data": data, "RBM 25": model}, ax=axes())
    ax.figure.draw_without_rendering()
    assert ax.get_xlim() == (-0.5, 2.5)
    assert ax.get_ylim() == pytest.approx((0.02, 2.0))


def test_synchrony_of_one_word_has_no_error():
    ax = synchrony({"data": mc.synchrony([[0]])}, ax=axes())
    ax.figure.draw_without_rendering()
    assert lines_of(ax)["data"].lines[0].get_ydata() == pytest.approx([1.0])

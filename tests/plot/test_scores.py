import math
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import microcolumn as mc
from microcolumn.evaluate import Comparison, SplitScore, WindowResult
from microcolumn.evaluate._splits import compare_splits, model_score
from microcolumn.models import ModelSpec
from microcolumn.plot._scores import differences, scores, windows
from microcolumn.plot.style import MODEL_COLOURS

SHIFTS = (0.5, -0.5, 1.0, -1.0)


def compared(levels, recording="cells", n_splits=4, n_units=23):
    """Models at given levels; splits shift all, and those with hidden units a bit more."""
    tested = {
        name: [
            SplitScore(k, level + SHIFTS[k] * (1.2 if "RBM" in name else 1.0), 0.3)
            for k in range(n_splits)
        ]
        for name, level in levels.items()
    }
    pairs = {
        (first, second): {
            k: (tested[first][k].bits_per_second - tested[second][k].bits_per_second, 0.15)
            for k in range(n_splits)
        }
        for first in levels
        for second in levels
        if first < second
    }
    by_spec = {ModelSpec.of(name): rows for name, rows in tested.items()}
    models, found = compare_splits(by_spec, pairs, n_units, 1.0)
    return Comparison(
        models, found, n_units, n_splits, n_splits, recording, "instantaneous", window=1
    )


def axes():
    return Figure().subplots()


def errors(container):
    """Half the length of the error bars of bars or points; a gap has none."""
    [drawn] = getattr(container, "errorbar", container).lines[2]
    return [(high[1] - low[1]) / 2 for low, high in filter(len, drawn.get_segments())]


def bars_of(ax):
    return {c.get_label(): c for c in ax.containers if hasattr(c, "patches")}


def test_the_bars_are_the_scores_and_their_errors_those_of_the_tables():
    both = compared({"Ising": 10.0, "RBM 5": 12.0})
    ax = scores(both, ax=axes())
    bars = bars_of(ax)
    assert [bar.get_height() for bar in bars["Ising"]] == pytest.approx([10.0])
    assert [bar.get_height() for bar in bars["RBM 5"]] == pytest.approx([12.0])
    # Nadeau & Bengio: half of the words tested, so the variance grows by 1/4 + 1.
    expected = np.std(SHIFTS, ddof=1) * math.sqrt(1 / 4 + 1.0)
    assert errors(bars["Ising"]) == pytest.approx([expected])
    assert both.pair("Ising", "Independent").stderr == pytest.approx(expected)


def test_one_split_has_the_error_of_its_blocks():
    ax = scores(compared({"Ising": 10.0}, n_splits=1), ax=axes())
    assert errors(bars_of(ax)["Ising"]) == pytest.approx([0.3])


def test_recordings_are_groups_side_by_side_with_the_same_colour_per_model():
    several = [
        compared({"RBM 5": 12.0, "Ising": 10.0}, "A", n_units=1),
        compared({"Ising": 20.0}, "$B$"),
    ]
    ax = scores(several, ax=axes())
    bars = bars_of(ax)
    assert list(bars) == ["Ising", "RBM 5"]
    places = [bar.get_x() + bar.get_width() / 2 for bar in bars["Ising"]]
    assert places[1] - places[0] == pytest.approx(1.0)
    assert [round(place) for place in places] == [0, 1]
    assert len(bars["RBM 5"].patches) == 1  # the other recording has none
    labels = [label.get_text() for label in ax.get_xticklabels()]
    assert labels == ["A\n1 unit", "\\$B\\$\n23 units"]
    ax.figure.draw_without_rendering()


def test_models_of_a_class_share_a_colour_and_differ_in_hatches_and_markers():
    both = compared({"RBM 25": 12.0, "RBM 5": 11.0, "Ising": 10.0})
    bars = bars_of(scores(both, ax=axes()))
    assert list(bars) == ["Ising", "RBM 5", "RBM 25"]
    hidden = [bars[name].patches[0] for name in ("RBM 5", "RBM 25")]
    assert {to_hex(bar.get_facecolor()).upper() for bar in hidden} == {MODEL_COLOURS["RBM"]}
    assert hidden[0].get_hatch() != hidden[1].get_hatch()
    points = [container.lines[0] for container in differences(both, ax=axes()).containers]
    assert {point.get_color() for point in points} == {MODEL_COLOURS["RBM"]}
    assert points[0].get_marker() != points[1].get_marker()


def test_a_comparison_of_models_in_memory_is_drawn_under_their_names():
    rng = np.random.default_rng(0)
    X = rng.random((2000, 4)) < np.where(rng.random((2000, 1)) < 0.1, 0.7, 0.05)
    train, test = mc.Words.from_array(X).split(0.5, random_state=0)
    models = {"my $RBM$": mc.Ising().fit(train), "Independent": mc.Independent().fit(train)}
    models["Ising"] = mc.Ising(l1=0.1).fit(train)
    found = mc.compare(models, test)
    bars = bars_of(scores(found, ax=axes()))
    best = found.scores["my $RBM$"]
    assert bars["my \\$RBM\\$"].patches[0].get_height() == best.bits_per_second
    assert errors(bars["my \\$RBM\\$"]) == pytest.approx([best.block_stderr])
    bar = bars["my \\$RBM\\$"].patches[0]
    assert to_hex(bar.get_facecolor()).upper() == MODEL_COLOURS["Ising"]  # which it is
    assert "Independent" not in bars  # it is the zero line
    [point] = differences(found, ax=axes()).containers
    pair = found.pair("my $RBM$", "Ising")
    assert point.lines[0].get_ydata() == pytest.approx([pair.bits_per_second])
    assert errors(point) == pytest.approx([pair.stderr])


def test_nothing_to_draw_is_refused():
    with pytest.raises(ValueError, match="no score to draw"):
        scores([], ax=axes())
    rates = mc.Independent().fit([[0, 1], [0, 0], [1, 0]])
    with pytest.raises(ValueError, match="no score to draw"):
        scores(mc.compare({"Independent": rates}, [[0, 1], [0, 0]]), ax=axes())


def test_differences_are_paired_and_have_their_p_values_as_text():
    both = compared({"Ising": 10.0, "RBM 5": 12.0})
    ax = differences(both, ax=axes())
    [points] = ax.containers
    assert points.lines[0].get_ydata() == pytest.approx([2.0])
    pair = both.pair("RBM 5", "Ising")
    assert errors(points) == pytest.approx([pair.stderr])
    assert pair.stderr < both.pair("Ising", "Independent").stderr  # what is shared cancels
    [text] = [text.get_text() for text in ax.texts]
    assert float(text.removeprefix("p=")) == pytest.approx(pair.p_holm, rel=0.05)


def test_few_splits_are_drawn_without_p_values():
    ax = differences(compared({"Ising": 10.0, "RBM 5": 12.0}, n_splits=2), ax=axes())
    assert len(ax.containers) == 1
    assert len(ax.texts) == 0


def test_differences_turn_the_pairs_in_which_the_reference_is_better():
    ax = differences(compared({"Ising": 10.0, "RBM 5": 7.0}), ax=axes())
    assert ax.containers[0].lines[0].get_ydata() == pytest.approx([-3.0])


def test_recordings_without_the_reference_are_left_empty():
    several = [compared({"RBM 5": 12.0}, "A"), compared({"RBM 5": 12.0, "Ising": 11.0}, "B")]
    ax = differences(several, ax=axes())
    [points] = ax.containers
    assert points.lines[0].get_xdata() == pytest.approx([1.0])
    with pytest.raises(ValueError, match="compared with 'Ising'; name another"):
        differences(several[0], ax=axes())


@pytest.mark.parametrize(("n_recordings", "n_models", "width"), [(12, 3, 7.0), (1, 6, 3.4)])
def test_many_p_values_stand_upright_and_do_not_overlap(n_recordings, n_models, width):
    levels = {"Ising": 10.0} | {f"RBM {k + 1}": 12.0 for k in range(n_models)}
    several = [compared(levels, f"mouse {k}") for k in range(n_recordings)]
    figure = Figure(figsize=(width, 2.5), layout="constrained")
    ax = differences(several, ax=figure.subplots())
    ax.get_legend().remove()
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) == n_recordings * n_models
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[k + 1 :])
    assert max(box.y1 for box in boxes) < ax.get_window_extent().y1


def windows_result(n_splits=4):
    """Ising stops at two bins; the other was not computed at two."""
    level = {"Ising": {1: 10.0, 2: 14.0, 3: 14.0}, "RBM": {1: 12.0, 3: 20.0}}
    models = {
        name: tuple(
            model_score(
                ModelSpec.of(name),
                [SplitScore(k, by_window[n] + 0.1 * SHIFTS[k], 0.2) for k in range(n_splits)],
                4,
            )
            if n in by_window
            else None
            for n in (1, 2, 3)
        )
        for name, by_window in level.items()
    }
    return WindowResult("cells", "spatiotemporal", (1, 2, 3), models, 1.0)


def lines_of(ax):
    return {c.get_label(): c for c in ax.containers}


def test_lines_are_scores_per_neuron_with_gaps_for_what_is_not_computed():
    ax = windows(windows_result(), ax=axes())
    lines = lines_of(ax)
    assert lines["Ising"].lines[0].get_ydata() == pytest.approx([2.5, 3.5, 3.5])
    assert lines["RBM"].lines[0].get_ydata() == pytest.approx([3.0, np.nan, 5.0], nan_ok=True)
    x = lines["Ising"].lines[0].get_xdata()
    assert np.round(x).tolist() == [1, 2, 3]
    expected = 0.1 * np.std(SHIFTS, ddof=1) * math.sqrt(1 / 4 + 1.0) / 4
    assert errors(lines["Ising"]) == pytest.approx([expected] * 3)


def test_lines_of_one_split_have_the_error_of_blocks():
    ising = windows(windows_result(n_splits=1), ax=axes()).containers[0]
    assert errors(ising) == pytest.approx([0.05] * 3)


def test_the_axis_above_is_the_length_of_words_in_ms():
    ax = windows(windows_result(), bin_width=0.0067, ax=axes())
    [above] = ax.child_axes
    ax.figure.draw_without_rendering()
    np.testing.assert_allclose(above.get_xlim(), 6.7 * np.array(ax.get_xlim()))
    assert "ms" in above.get_xlabel()


def test_many_lags_are_not_all_numbered():
    result = windows_result()
    many = tuple(range(1, 31))
    models = {"Ising": result.models["Ising"] * 10}
    ax = windows(replace(result, windows=many, models=models), ax=axes())
    assert len(ax.get_xticks()) < 15
    assert all(float(tick).is_integer() for tick in ax.get_xticks())


def test_scores_that_differ_by_rounding_alone_do_not_fill_the_axis():
    found = compared({"Ising": 1.0, "RBM 3": 1.0, "Independent": 1.0})
    tiny = {"bits_per_second": 1e-15, "corrected_stderr": 1e-16}
    same = replace(found, pairs=tuple(replace(pair, **tiny) for pair in found.pairs))
    for draw in (scores, differences):
        low, high = draw(same, ax=axes()).get_ylim()
        assert high - low > 9e-4

"""Where points and panels of a figure are."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from microcolumn.figures import _geometry as geometry
from microcolumn.figures._captioned import captioned, letter
from microcolumn.figures._presets import preset
from microcolumn.plot._tips import tip


def drawn(draw, size=(7.0, 2.0), **panels):
    """A figure that was drawn once, so that its layout is known."""
    with captioned("", "Title", size) as figure:
        draw(figure, **panels)
    figure.svg("p")
    return figure


def placed(figure, ax, x, y):
    """Where a point of the data is, in 10,000ths from the upper left corner."""
    left, top = ax.transData.transform((x, y)) / (figure.bbox.width, figure.bbox.height)
    return round(1e4 * left), round(1e4 * (1 - top))


def test_points_are_where_they_are_drawn():
    def draw(figure):
        [line] = figure.add_subplot().plot([1.0, 2.0, 3.0], [10.0, 30.0, 20.0], "o")
        tip(line, {"unit": ["a", "b", "c"]})

    figure = drawn(draw)
    [found], total = geometry.points_of(figure)
    assert (found.columns, total) == (("unit",), 3)
    for row, x, y, unit in zip(found.rows, (1, 2, 3), (10, 30, 20), "abc", strict=True):
        assert row[:2] == placed(figure, figure.axes[0], x, y)
        assert row[2:] == (0, 0, unit)


def test_a_bar_is_a_box():
    def draw(figure):
        tip(figure.add_subplot().bar([0.0], [4.0], 0.5), {"bits/s": 4.0})

    figure = drawn(draw)
    [[_, [(x, y, width, height, value)]]], _ = geometry.points_of(figure)
    ax = figure.axes[0]
    assert (x, y) == placed(figure, ax, -0.25, 4.0)
    right, bottom = placed(figure, ax, 0.25, 0.0)
    assert (x + width, y + height) == (pytest.approx(right, abs=1), pytest.approx(bottom, abs=1))
    assert value == 4.0


def test_points_that_are_not_seen_are_left_out_and_unknown_numbers_are_none():
    def draw(figure):
        ax = figure.add_subplot()
        dots = ax.scatter([1.0, 2.0, 99.0, np.nan], [1.0, 1.0, 1.0, 1.0])
        ax.set_xlim(0.0, 3.0)
        tip(dots, {"x": [1, 2, 99, 0], "error": [0.123456789, np.nan, 0.1, 0.1]})

    [found], total = geometry.points_of(drawn(draw))
    assert total == 2
    assert [row[4:] for row in found.rows] == [(1, 0.123457), (2, None)]


def test_of_very_many_points_some_of_every_kind_are_kept(monkeypatch):
    monkeypatch.setattr(geometry, "MOST_POINTS", 10)

    def draw(figure):
        ax = figure.add_subplot()
        for n, name in ((90, "a"), (10, "b")):
            tip(ax.scatter(range(n), range(n)), {name: range(n)})

    found, total = geometry.points_of(drawn(draw))
    assert total == 100
    assert [(each.columns, len(each.rows)) for each in found] == [(("a",), 9), (("b",), 1)]


def test_panels_side_by_side_are_apart_and_hold_their_axes():
    def draw(figure):
        for ax, name in zip(figure.subplots(1, 2), "ab", strict=True):
            ax.plot([0, 1])
            letter(ax, name)

    figure = drawn(draw)
    panels = geometry.panels_of(figure)
    assert len(panels) == 2
    for panel, ax in zip(panels, figure.axes, strict=True):
        box = ax.get_position()
        assert panel.left < 504 * box.x0
        assert panel.left + panel.width > 504 * box.x1
        assert panel.top < 144 * (1 - box.y1)
        assert panel.top + panel.height > 144 * (1 - box.y0)
    assert panels[0].left + panels[0].width <= panels[1].left + 3.5


def test_rows_are_read_before_columns_and_legends_are_broken_like_text():
    def draw(figure):
        panels = figure.subplots(2, 2).ravel()
        for k, ax in enumerate(panels):
            ax.plot([0, k], label=f"a rather long name {k}")
        lines = [ax.lines[0] for ax in panels]
        figure.legend(
            lines, [line.get_label() for line in lines], loc="outside upper center", ncols=4
        )

    legend, rest, *panels = geometry.panels_of(drawn(draw, (7.0, 4.0)))
    assert legend.height < 20
    assert legend.top == rest.top
    assert rest.left > legend.left
    assert [panel.top > 150 for panel in panels] == [False, False, True, True]


@pytest.mark.parametrize("font", ["DejaVu Sans", None])
def test_a_piece_that_would_stand_alone_stays_with_the_one_before(font):
    """Four probes, of which the first has the axis of depths, and a wide panel."""

    def draw(figure):
        probes = figure.subplots(1, 5, width_ratios=[1, 1, 1, 1, 3.8], gridspec_kw={"wspace": 0.1})
        probes[0].set_ylabel("depth")
        for ax in probes[1:4]:
            ax.set_yticks([])

    with preset(font=font):
        panels = geometry.panels_of(drawn(draw, (7.0, 2.0)))
    assert len(panels) == 2
    assert 72 * 3.6 < panels[0].width < 72 * 4.3


def test_a_remark_above_a_figure_is_no_panel_of_its_own():
    def draw(figure):
        figure.subplots(1, 2)
        figure.mark_simulated("The data are simulated.")

    panels = geometry.panels_of(drawn(draw, (7.0, 2.0)))
    assert len(panels) == 2
    assert panels[0].top > 9 > 1 > panels[1].top
    assert panels[1].left + panels[1].width == pytest.approx(504, abs=2)


def test_a_legend_of_one_entry_between_panels_does_not_join_them():
    def draw(figure):
        left, _ = figure.subplots(1, 2)
        left.plot([0, 1], label="units")
        figure.legend(loc="outside upper center")

    legend, *panels = geometry.panels_of(drawn(draw, (7.0, 2.0)))
    assert legend.height < 20
    assert len(panels) == 2


def test_small_pieces_stay_together():
    def draw(figure):
        for ax in figure.subplots(1, 8):
            ax.imshow(np.eye(3))
            ax.set_axis_off()

    panels = geometry.panels_of(drawn(draw, (7.0, 1.0)))
    assert len(panels) == 2
    assert all(panel.width <= 72 * 4.3 for panel in panels)


def test_a_figure_without_axes_has_no_panel():
    figure = Figure()
    assert geometry.panels_of(figure) == []
    assert geometry.points_of(figure) == ([], 0)

"""Panels of narrow figures: below each other where they can be, in the order of reading."""

import numpy as np
import pytest

from microcolumn.figures import preset
from microcolumn.figures._captioned import PAGE, captioned, share_legend
from microcolumn.figures._stacking import height_at, is_narrow


def rows_of(figure):
    """Labels of panels by row, from their places on the drawn page, without colour bars."""
    figure.draw_without_rendering()
    rows = {}
    for ax in figure.axes:
        if (name := ax.get_label()) != "<colorbar>":
            box = ax.get_window_extent().transformed(figure.transFigure.inverted())
            rows.setdefault(round(box.y0, 1), []).append((box.x0, name))
    return ["".join(name for _, name in sorted(rows[y])) for y in sorted(rows, reverse=True)]


def drawn(mosaic, width, height=4.0):
    with preset(width), captioned("1", "Title", (PAGE, height)) as figure:
        for name, ax in figure.subplot_mosaic(mosaic).items():
            ax.set_label(name)
    return figure


def test_panels_of_a_single_column_are_stacked_in_the_order_of_reading():
    assert rows_of(drawn("aab;ccd", "double")) == ["ab", "cd"]
    assert rows_of(drawn("aab;ccd", "single")) == ["a", "b", "c", "d"]


def test_stacked_panels_keep_their_height_or_shape_and_fit_onto_a_page():
    # Both are half of the page wide, and 89 mm are 3.504 inches.
    assert drawn("ab", "single", 2.0).get_figheight() == pytest.approx(4.0)
    assert drawn("aaaa;aaaa;bbbb;cccd", 100, 8.0).get_figheight() <= 9.5


def test_more_panels_than_fit_onto_a_page_have_several_columns():
    figure = drawn("abc;def;ghi", "single", 8.0)
    assert len(rows_of(figure)) == 5
    assert figure.get_figheight() <= 9.5


def test_a_wide_figure_stays_as_it_is():
    assert height_at(7.2, (PAGE, 3.0)) == 3.0
    assert height_at(0.95 * PAGE, (PAGE, 3.0)) == pytest.approx(2.85)
    assert rows_of(drawn("ab", 0.95 * PAGE * 25.4)) == ["ab"]


def test_figures_are_told_that_they_are_narrow():
    assert not is_narrow(PAGE)
    for width, narrow in (("single", True), (134, True), (165, False), ("double", False)):
        with preset(width):
            assert is_narrow(PAGE) is narrow


def test_panels_that_share_an_axis_stay_beside_each_other():
    with preset("single"), captioned("1", "Title", (PAGE, 3.0)) as figure:
        for name, ax in zip("ab", figure.subplots(1, 2, sharey=True), strict=True):
            ax.set_label(name)
    assert rows_of(figure) == ["ab"]
    assert figure.get_figheight() == 3.0


def test_one_panel_and_subfigures_are_left_alone():
    with preset("single"), captioned("1", "Title", (PAGE, 3.0)) as figure:
        figure.subplots().set_label("a")
    assert rows_of(figure) == ["a"]
    with preset("single"), captioned("1", "Title", (PAGE, 3.0)) as figure:
        for name, part in zip("ab", figure.subfigures(1, 2), strict=True):
            part.subplots().set_label(name)
    assert rows_of(figure) == ["ab"]


def test_a_colour_bar_goes_with_its_panel():
    with preset("single"), captioned("1", "Title", (PAGE, 3.0)) as figure:
        for name, ax in zip("ab", figure.subplots(1, 2), strict=True):
            ax.set_label(name)
            figure.colorbar(ax.imshow(np.eye(3)), ax=ax)
    assert rows_of(figure) == ["a", "b"]
    first, second = [ax.get_position() for ax in figure.axes if ax.get_label() == "<colorbar>"]
    assert first.y0 > second.y1


def test_the_mark_of_simulated_data_keeps_its_height():
    with preset("single"), captioned("1", "Title", (PAGE, 3.0)) as figure:
        figure.subplots(1, 2)
        figure.mark_simulated("The data are simulated.")
    strip = 1.0 - figure.get_layout_engine().get()["rect"][3]
    assert strip * figure.get_figheight() * 72 == pytest.approx(9.0)


@pytest.mark.parametrize("width", ["single", "double"])
def test_a_shared_legend_fits_the_width(width):
    with preset(width), captioned("1", "Title", (PAGE, 4.0)) as figure:
        for ax in figure.subplots(1, 2):
            for n in range(7):
                ax.plot([n], label=f"a rather long name {n}")
            ax.legend()
        share_legend(figure, "outside upper center")
    figure.draw_without_rendering()
    [legend] = figure.legends
    assert legend.get_window_extent().width <= figure.bbox.width

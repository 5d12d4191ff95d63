"""A journal's width and font: names, millimetres, and fonts that are installed."""

import warnings
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from microcolumn.figures import preset
from microcolumn.figures._captioned import COLUMN, PAGE, captioned, share_legend
from microcolumn.figures._presets import height_at, is_narrow, width_mm


def draw(size=(PAGE, 2.0), text="λ µ"):
    with captioned("1", "Title", size) as figure:
        figure.subplots().set_title(text)
    return figure


@pytest.mark.parametrize(
    ("width", "millimetres"), [("single", 89.0), ("double", 183.0), ("120", 120.0), (85.5, 85.5)]
)
def test_figures_have_the_width_that_a_journal_asks_for(width, millimetres):
    with preset(width):
        for size in ((PAGE, 2.0), (COLUMN, 2.0)):
            assert draw(size).get_figwidth() * 25.4 == pytest.approx(millimetres)
    assert draw().get_figwidth() == PAGE


def test_a_png_has_the_pixels_of_its_width():
    with preset("single"):
        figure = draw()
    file = BytesIO()
    figure.savefig(file, format="png", dpi=254)
    assert Image.open(file).width == 890


@pytest.mark.parametrize("width", ["wide", "", "nan", 10, 5000, "-89", True])
def test_a_width_that_is_none_is_refused(width):
    with pytest.raises(ValueError, match=r"width is .*'single' \(89 mm\), 'double' \(183 mm\)"):
        width_mm(width)


def fonts_of(figure):
    file = BytesIO()
    figure.savefig(file, format="pdf")
    return file.getvalue()


def test_text_is_in_the_font_asked_for_also_when_saved_later():
    with preset(font="stixgeneral"):  # in any case
        figure = draw(text="abc")
    assert b"STIXGeneral" in fonts_of(figure)
    assert b"STIXGeneral" not in fonts_of(draw(text="abc"))


def test_letters_that_a_font_lacks_come_from_another():
    with preset(font="cmss10"):
        figure = draw(text="firing rate, λ = 2 µs")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a missing letter would be one
        written = fonts_of(figure)
    assert b"Cmss10" in written
    assert b"DejaVuSans" in written


def test_a_font_that_is_not_installed_is_refused_and_named_with_its_remedy():
    with (
        pytest.raises(ValueError, match=r"'No Such Sans' is not installed here; install it"),
        preset(font="No Such Sans"),
    ):
        pass


def test_a_block_that_fails_leaves_no_preset_behind():
    with pytest.raises(KeyError), preset("single"):
        raise KeyError
    assert draw().get_figwidth() == PAGE


def test_an_inner_preset_counts():
    with preset("single"), preset("double"):
        assert draw().get_figwidth() * 25.4 == pytest.approx(183.0)


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

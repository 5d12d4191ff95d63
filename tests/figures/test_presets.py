"""A journal's width and font: names, millimetres, and fonts that are installed."""

from io import BytesIO

import pytest

from microcolumn.figures import preset
from microcolumn.figures._presets import width_mm
from microcolumn.figures.captioned import COLUMN, PAGE, captioned, panels


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
        for name, ax in panels(figure, mosaic).items():
            ax.set_label(name)
    return figure


def test_panels_of_a_single_column_are_stacked_in_the_order_of_reading():
    assert rows_of(drawn(["aab", "ccd"], "double")) == ["ab", "cd"]
    assert rows_of(drawn(["aab", "ccd"], "single")) == ["a", "b", "c", "d"]

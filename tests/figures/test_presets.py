"""A journal's width and font: names, millimetres, and fonts that are installed."""

import warnings
from io import BytesIO

import pytest
from PIL import Image

from microcolumn.figures import preset
from microcolumn.figures._captioned import COLUMN, PAGE, captioned
from microcolumn.figures._presets import width_mm


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
        pytest.raises(ValueError, match=r"'No Such Sans' is not installed here; .* leave it out"),
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

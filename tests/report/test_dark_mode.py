"""Colours on dark paper: hues stay, and what was seen by day is seen by night."""

import colorsys
import re
from importlib.resources import files

import pytest
from browser import FILL, contrast, launched

from microcolumn.plot._time import COLOURS
from microcolumn.plot.style import MODEL_COLOURS

PAPER, INK = (0x16, 0x17, 0x1A), (0xE7, 0xE3, 0xDA)
GREYS = ("#d9d9d9", "#999999", "#737373", "#4d4d4d")


def rgb(colour):
    return tuple(int(colour[k : k + 2], 16) for k in (1, 3, 5))


def sheet(name):
    return (files("microcolumn.report") / "templates" / name).read_text()


@pytest.fixture(scope="module")
def by_night():
    """What each colour becomes."""
    colours = {*MODEL_COLOURS.values(), *COLOURS, *GREYS, "#ffffff", "#000000"}
    shapes = "".join(f'<path style="fill: {c}; --fill: {c}"/>' for c in map(str.lower, colours))
    with launched() as browser, browser.new_context(color_scheme="dark") as context:
        page = context.new_page()
        page.set_content(f"<style>{sheet('page.css')}</style><svg>{shapes}</svg>")
        found = [each.evaluate(FILL) for each in page.locator("path").all()]
    return dict(zip(map(str.lower, colours), map(tuple, found), strict=True))


@pytest.mark.parametrize("colour", sorted({c.lower() for c in MODEL_COLOURS.values()}))
def test_models_keep_their_hue_and_can_be_seen(by_night, colour):
    if colour != "#999999":
        both = (rgb(colour), by_night[colour])
        hues = [colorsys.rgb_to_hls(*(part / 255 for part in each))[0] for each in both]
        turned = abs(hues[0] - hues[1])
        assert min(turned, 1 - turned) < 0.05
    assert contrast(by_night[colour], PAPER) >= 2.8


def test_greys_keep_their_contrast_with_the_paper(by_night):
    for colour in GREYS:
        by_day = contrast(rgb(colour), (255, 255, 255))
        assert contrast(by_night[colour], PAPER) == pytest.approx(by_day, rel=0.1)


def test_white_is_the_paper_and_black_the_ink(by_night):
    assert (by_night["#ffffff"], by_night["#000000"]) == (PAPER, INK)


def test_hidden_units_have_the_colours_of_the_figure_in_the_raster_by_day_and_by_night(by_night):
    found = re.findall(r"--assembly-(\d): (#[0-9a-f]{6})", sheet("explorer.css"))
    day, night = found[: len(found) // 2], found[len(found) // 2 :]
    assert [slot for slot, _ in day] == [slot for slot, _ in night] == list("012345")
    figure = [colour.lower() for colour in COLOURS]
    assert [colour for _, colour in day][: len(figure)] == figure
    for (_, colour), in_figure in zip(night, figure, strict=False):
        assert rgb(colour) == pytest.approx(by_night[in_figure], abs=2)

"""Colours on dark paper: hues stay, and what was seen by day is seen by night."""

import colorsys
import re
from importlib.resources import files

import pytest
from browser import contrast

from microcolumn.plot._time import COLOURS
from microcolumn.plot.style import MODEL_COLOURS
from microcolumn.report._dark_mode import dark_counterpart, dark_mode_rules

PAPER = (0x16, 0x17, 0x1A)


def rgb(colour):
    return tuple(int(colour[k : k + 2], 16) for k in (1, 3, 5))


@pytest.mark.parametrize("colour", sorted({c.lower() for c in MODEL_COLOURS.values()}))
def test_models_keep_their_hue_and_can_be_seen(colour):
    by_night = rgb(dark_counterpart(colour))
    if colour != "#999999":
        hues = [
            colorsys.rgb_to_hls(*(part / 255 for part in c))[0] for c in (rgb(colour), by_night)
        ]
        turned = abs(hues[0] - hues[1])
        assert min(turned, 1 - turned) < 0.05
    assert contrast(by_night, PAPER) >= 2.8


def test_greys_keep_their_contrast_with_the_paper():
    for colour in ("#d9d9d9", "#999999", "#737373", "#4d4d4d"):
        by_day = contrast(rgb(colour), (255, 255, 255))
        assert contrast(rgb(dark_counterpart(colour)), PAPER) == pytest.approx(by_day, rel=0.1)


def test_white_is_the_paper_and_black_the_ink():
    assert dark_counterpart("#ffffff") == "var(--paper)"
    assert dark_counterpart("#000000") == "var(--ink)"


def test_each_colour_of_a_drawing_has_one_rule():
    drawings = [
        '<path style="fill: #0072b2; stroke: #ffffff"/><path style="fill: none"/>',
        '<path style="fill: #0072b2"/>',
    ]
    rules = dark_mode_rules(drawings).split("\n")
    assert len(rules) == 2
    assert rules[0].startswith('[style*="fill: #0072b2"] { fill: #')
    assert rules[1] == '[style*="stroke: #ffffff"] { stroke: var(--paper) !important }'


def test_hidden_units_have_the_colours_of_the_figure_in_the_raster_by_day_and_by_night():
    sheet = (files("microcolumn.report") / "templates" / "explorer.css").read_text()
    found = re.findall(r"--assembly-(\d): (#[0-9a-f]{6})", sheet)
    day, night = found[: len(found) // 2], found[len(found) // 2 :]
    assert [slot for slot, _ in day] == [slot for slot, _ in night] == list("012345")
    figure = [colour.lower() for colour in COLOURS]
    assert [colour for _, colour in day][: len(figure)] == figure
    assert [colour for _, colour in night][: len(figure)] == list(map(dark_counterpart, figure))

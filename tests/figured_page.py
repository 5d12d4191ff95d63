"""A page with figures that take no time, whose points, panels and files are known."""

from __future__ import annotations

import json

import planted_study
import pytest
from matplotlib import pyplot as plt

from microcolumn import report
from microcolumn.figures import _all
from microcolumn.figures.captioned import captioned, letter
from microcolumn.plot.tips import tip
from microcolumn.study import Results

#: The name of a unit that a page must show and never run.
HOSTILE = "<img src=x onerror=alert(1)>"
RATES, GAINS = [1.0, 2.0, 4.0], [0.5, -0.25, 1.5]
#: The figure for all recordings.
SHEET = "#figure-ranking .sheet"
#: Width and height of it, in points.
WIDTH, HEIGHT = 504, 144


def draw(results, recording=None, **where):
    """Two panels: three units as points, two models as bars; a legend above them."""
    with captioned("3", "Gains & bars", (WIDTH / 72, HEIGHT / 72)) as figure:
        points, bars = figure.subplots(1, 2)
        [line] = points.plot(RATES, GAINS, "o", color="#0072B2", label="units")
        tip(line, {"unit": ["u1", HOSTILE, "u3"], "rate (Hz)": RATES, "gain": GAINS})
        tip(bars.bar([0, 1], [3.0, 12.0]), {"model": ["Ising", "RBM 10"], "bits/s": [3.0, 12.0]})
        for ax, name in zip((points, bars), "ab", strict=True):
            letter(ax, name)
        figure.legend(loc="outside upper center")
        figure.caption = "(a) Units (p < 0.05). (b) Models, 12 ± 1 bits/s, λ = 2e-3."
    return figure


def write(folder):
    """Write the page of a planted study, with a figure of a user's own; give the file."""
    path = folder / "cells.html"
    results = Results(planted_study.write(folder / "cells.db"))
    figures = {
        "ranking": _all.Figures(draw, "3", per_recording=False),
        "data": _all.Figures(draw, "1"),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_all, "FIGURES", figures)
        own = plt.figure(figsize=(3.0, 2.0))
        own.add_subplot().set_title("My own")
        own.caption = "What I add."
        report.write(results, path, extra=[own], progress=False)
        plt.close(own)
    return path


def place(page, kind, k):
    """Where a point is on the screen: of the first (units) or the second kind (models)."""
    data = json.loads(page.locator("#figure-ranking > script").text_content())
    x, y, width, height, *_ = data["points"][kind][1][k]
    at = [(x + width / 2) / 1e4 * WIDTH, (y + height / 2) / 1e4 * HEIGHT]
    return page.evaluate(
        """([x, y, selector]) => {
          const drawings = [...document.querySelectorAll(selector + ' svg')];
          const shown = drawings.find(({ viewBox: { baseVal: view } }) => x >= view.x
            && x <= view.x + view.width && y >= view.y && y <= view.y + view.height);
          const matrix = shown.getScreenCTM();
          return [matrix.e + matrix.a * x, matrix.f + matrix.d * y]; }""",
        [*at, SHEET],
    )


def saved(page, name, within="body"):
    """Name and content of the file that a button makes, the first of that name in a part."""
    with page.expect_download() as found:
        page.locator(within).get_by_role("button", name=name).first.click()
    return found.value.suggested_filename, found.value.path().read_bytes()

"""The raster of hidden units in a browser: zoom and pan by mouse, fingers, keys and buttons."""

import numpy as np
import pytest
from browser import view_of

pytestmark = pytest.mark.integration

BIN_S = 0.020


def onsets(*on):
    """Bins in which any of some hidden units turns on."""
    return sorted({n for each in on for n in np.flatnonzero(np.diff(each, prepend=False) & each)})


def test_keys_zoom_and_move_and_the_view_follows(raster, stretch):
    canvas = raster.canvas("raster")
    canvas.press("0")
    canvas.press("Home")
    for _ in range(4):
        canvas.press("+")
    first, span = view_of(raster)
    assert first < 0.5  # the middle of the first bin stays where it is
    assert span == pytest.approx(stretch["n_bins"] / 16)
    canvas.press("ArrowRight")
    assert raster.text("assemblies-readout").startswith(f"{BIN_S:.3f} s: ")
    page = int(span)
    canvas.press("PageDown")
    assert view_of(raster)[0] == first + page
    assert raster.text("assemblies-readout").startswith(f"{(1 + page) * BIN_S:.3f} s: ")
    canvas.press("PageUp")
    assert view_of(raster)[0] == first
    canvas.press("End")
    assert sum(view_of(raster)) == pytest.approx(stretch["n_bins"])
    last = (stretch["n_bins"] - 1) * BIN_S
    assert raster.text("assemblies-readout").startswith(f"{last:.3f} s: ")
    canvas.press("-")
    assert view_of(raster)[1] == pytest.approx(stretch["n_bins"] / 8)


def test_buttons_do_what_they_are_called(raster, stretch):
    def press(name):
        raster.page.get_by_role("button", name=name).click()

    _, span = view_of(raster)
    press("Zoom in")
    assert view_of(raster)[1] == pytest.approx(span / 2)
    press("Zoom out")
    press("Zoom out")
    assert view_of(raster)[1] == pytest.approx(min(2 * span, stretch["n_bins"]))
    press("All: show the whole recording")
    assert view_of(raster) == (0, stretch["n_bins"])
    seconds = stretch["n_bins"] * BIN_S
    assert raster.text("view") == f"all {seconds:.3g} s"
    raster.canvas("raster").press("Home")
    [first, second, *_] = [n for n in onsets(stretch["on"][0]) if n > 0]
    for name, bin_ in (("Next time", first), ("Next time", second), ("Previous time", first)):
        press(name)
        assert raster.text("assemblies-readout").startswith(f"{bin_ * BIN_S:.3f} s: ")

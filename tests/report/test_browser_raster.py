"""The raster of hidden units in a browser: zoom and pan by mouse, fingers, keys and buttons."""

import re

import numpy as np
import pytest
from browser import LAPTOP, PHONE, is_on, view_of

BIN_S = 0.020


def bin_at(visit, x):
    """Place in bins under a pixel of the canvas."""
    box = visit.plot("raster")
    return box["first"] + (x - box["left"]) / box["cellWidth"]


def at(visit, x, y):
    """A place of the canvas as a place of the window."""
    corner = visit.canvas("raster").bounding_box()
    return corner["x"] + x, corner["y"] + y


def scrolled(visit):
    return visit.page.evaluate("scrollY")


def scrolled_on(visit, since):
    """How far the page has scrolled since, when it begins to move or after some seconds."""
    return visit.page.evaluate(
        """(since) => new Promise((done) => {
          const look = (left) => scrollY !== since || !left ? done(scrollY - since)
            : requestAnimationFrame(() => look(left - 1));
          look(300); })""",
        since,
    )


def onsets(*on):
    """Bins in which any of some hidden units turns on."""
    return sorted({n for each in on for n in np.flatnonzero(np.diff(each, prepend=False) & each)})


def test_the_wheel_with_ctrl_zooms_about_the_pointer(raster):
    raster.canvas("raster").hover(position={"x": 300, "y": 60})
    before, page_before = (bin_at(raster, 300), view_of(raster)), scrolled(raster)
    raster.page.keyboard.down("Control")
    raster.page.mouse.wheel(0, -100)
    raster.page.keyboard.up("Control")
    assert view_of(raster)[1] < 0.7 * before[1][1]
    assert bin_at(raster, 300) == pytest.approx(before[0], abs=1e-6)
    assert scrolled(raster) == page_before


def test_the_wheel_alone_scrolls_the_page_unless_the_raster_has_the_focus(raster):
    raster.canvas("raster").hover(position={"x": 300, "y": 60})
    before, page_before = view_of(raster), scrolled(raster)
    raster.page.mouse.wheel(0, -60)
    assert scrolled_on(raster, page_before) < 0
    assert view_of(raster) == before
    raster.canvas("raster").click(position={"x": 300, "y": 60})
    page_before = scrolled(raster)
    raster.page.mouse.wheel(0, -60)
    raster.settle()
    assert view_of(raster)[1] < 0.9 * before[1]
    assert scrolled(raster) == page_before


def test_where_nothing_is_left_to_zoom_the_wheel_scrolls_the_page(raster, stretch):
    raster.canvas("raster").dblclick(position={"x": 300, "y": 60})
    page_before = scrolled(raster)
    raster.page.mouse.wheel(0, 60)
    assert scrolled_on(raster, page_before) > 0
    assert view_of(raster) == (0, stretch["n_bins"])


def test_a_drag_takes_the_data_along(raster):
    held = bin_at(raster, 400)
    raster.page.mouse.move(*at(raster, 400, 80))
    raster.page.mouse.down()
    raster.page.mouse.move(*at(raster, 300, 95), steps=4)
    raster.page.mouse.up()
    assert bin_at(raster, 300) == pytest.approx(held, abs=1e-6)
    after = view_of(raster)
    raster.page.mouse.move(*at(raster, 200, 80))
    assert view_of(raster) == after


def test_a_drag_ends_at_the_edges(raster, stretch):
    for x_from, x_to, edge in ((100, 500, 0), (500, 100, stretch["n_bins"])):
        for _ in range(8):
            raster.page.mouse.move(*at(raster, x_from, 80))
            raster.page.mouse.down()
            raster.page.mouse.move(*at(raster, x_to, 80))
            raster.page.mouse.up()
        first, span = view_of(raster)
        assert (first if edge == 0 else first + span) == pytest.approx(edge)


def test_a_double_click_shows_all(raster, stretch):
    raster.canvas("raster").dblclick(position={"x": 300, "y": 60})
    assert view_of(raster) == (0, stretch["n_bins"])


def test_the_strip_leads_to_any_time(raster, stretch):
    box, n_bins = raster.plot("raster"), stretch["n_bins"]
    x = box["left"] + 0.75 * box["width"]
    raster.page.mouse.move(*at(raster, x, box["strip"] + 8))
    raster.page.mouse.down()
    first, span = view_of(raster)
    assert first + span / 2 == pytest.approx(0.75 * n_bins, abs=1)
    raster.page.mouse.move(*at(raster, x - 0.25 * box["width"], box["strip"] + 8))
    raster.page.mouse.up()
    first, _ = view_of(raster)
    assert first + span / 2 == pytest.approx(0.5 * n_bins, abs=1)


def test_full_zoom_shows_single_bins(raster):
    canvas = raster.canvas("raster")
    for _ in range(20):
        canvas.press("+")
    box = raster.plot("raster")
    assert box["cellWidth"] >= 6
    assert box["width"] / box["cellWidth"] >= 10
    before = view_of(raster)
    canvas.press("+")
    assert view_of(raster) == before


def test_keys_begin_where_one_looks(raster, stretch):
    before = view_of(raster)
    raster.canvas("raster").press("ArrowRight")
    time = f"{stretch['start_s'] + (before[0] + 1) * BIN_S:.3f} s: "
    assert raster.text("assemblies-readout").startswith(time)
    assert view_of(raster) == before


def test_keys_zoom_and_move_and_the_view_follows(raster, stretch):
    canvas, start = raster.canvas("raster"), stretch["start_s"]
    canvas.press("0")
    canvas.press("Home")
    for _ in range(4):
        canvas.press("+")
    first, span = view_of(raster)
    assert first < 0.5  # the middle of the first bin stays where it is
    assert span == pytest.approx(stretch["n_bins"] / 16)
    canvas.press("ArrowRight")
    assert raster.text("assemblies-readout").startswith(f"{start + BIN_S:.3f} s: ")
    page = int(span)
    canvas.press("PageDown")
    assert view_of(raster)[0] == first + page
    assert raster.text("assemblies-readout").startswith(f"{start + (1 + page) * BIN_S:.3f} s: ")
    canvas.press("PageUp")
    assert view_of(raster)[0] == first
    canvas.press("End")
    assert sum(view_of(raster)) == pytest.approx(stretch["n_bins"])
    last = start + (stretch["n_bins"] - 1) * BIN_S
    assert raster.text("assemblies-readout").startswith(f"{last:.3f} s: ")
    canvas.press("-")
    assert view_of(raster)[1] == pytest.approx(stretch["n_bins"] / 8)


def test_up_and_down_jump_to_where_a_chosen_hidden_unit_turns_on(raster, stretch):
    canvas, start = raster.canvas("raster"), stretch["start_s"]
    raster.page.locator("#explorer-hidden input").nth(1).check()
    times = onsets(is_on(stretch["hidden"][0]), is_on(stretch["hidden"][1]))
    assert len(times) > 3
    canvas.press("Home")
    for bin_ in [n for n in times if n > 0][:3]:
        canvas.press("ArrowDown")
        said = raster.text("assemblies-readout")
        assert said.startswith(f"{start + bin_ * BIN_S:.3f} s: ")
        assert " is on " in said
        first, span = view_of(raster)
        assert first <= bin_ < first + span
    canvas.press("ArrowUp")
    before = [n for n in times if n > 0][1]
    assert raster.text("assemblies-readout").startswith(f"{start + before * BIN_S:.3f} s: ")


def test_buttons_do_what_they_are_called(raster, stretch):
    def press(name):
        raster.page.get_by_role("button", name=name).click()

    _, span = view_of(raster)
    press("Zoom in")
    assert view_of(raster)[1] == pytest.approx(span / 2)
    press("Zoom out")
    press("Zoom out")
    assert view_of(raster)[1] == pytest.approx(min(2 * span, stretch["n_bins"]))
    press("All: show the whole stretch")
    assert view_of(raster) == (0, stretch["n_bins"])
    seconds = stretch["n_bins"] * BIN_S
    assert raster.text("view") == f"Showing all {seconds:.3g} s"
    raster.canvas("raster").press("Home")
    [first, second, *_] = [n for n in onsets(is_on(stretch["hidden"][0])) if n > 0]
    for name, bin_ in (("Next time", first), ("Next time", second), ("Previous time", first)):
        press(name)
        time = f"{stretch['start_s'] + bin_ * BIN_S:.3f} s: "
        assert raster.text("assemblies-readout").startswith(time)


class Fingers:
    """Fingers on the screen, at places of the canvas as it lay when they came."""

    def __init__(self, visit):
        self.session = visit.page.context.new_cdp_session(visit.page)
        self.corner = at(visit, 0, 0)

    def send(self, kind, *places):
        left, top = self.corner
        points = [{"x": left + x, "y": top + y, "id": k} for k, (x, y) in enumerate(places)]
        event = {"type": f"touch{kind}", "touchPoints": points}
        self.session.send("Input.dispatchTouchEvent", event)


def test_two_fingers_zoom_about_their_middle(phone):
    (_, span), middle, fingers = view_of(phone), bin_at(phone, 170), Fingers(phone)
    fingers.send("Start", (140, 80), (200, 80))
    for k in range(1, 11):
        fingers.send("Move", (140 - 3 * k, 80), (200 + 3 * k, 80))
    fingers.send("End")
    assert view_of(phone)[1] == pytest.approx(span / 2, rel=0.02)
    assert bin_at(phone, 170) == pytest.approx(middle, abs=0.1)


def test_a_finger_moves_the_raster_sideways(phone):
    (first, _), page_before, fingers = view_of(phone), scrolled(phone), Fingers(phone)
    fingers.send("Start", (220, 80))
    for k in range(1, 13):
        fingers.send("Move", (220 - 10 * k, 80))
    fingers.send("End")
    box = phone.plot("raster")
    assert box["first"] - first == pytest.approx(120 / box["cellWidth"], rel=0.15)
    assert scrolled(phone) == page_before


def test_a_finger_moves_the_page_up_and_down(phone):
    before, page_before, fingers = view_of(phone), scrolled(phone), Fingers(phone)
    fingers.send("Start", (150, 200))
    for k in range(1, 9):
        fingers.send("Move", (150, 200 + 15 * k))
    fingers.send("End")
    assert scrolled_on(phone, page_before) < 0
    assert view_of(phone) == before


def test_a_tap_is_as_good_as_a_mouse(phone):
    phone.canvas("raster").tap()
    assert re.match(r"[\d.]+ s: h0 is o(n|ff) \(P = ", phone.text("assemblies-readout"))


@pytest.mark.parametrize("viewport", [PHONE, LAPTOP], ids=["phone", "laptop"])
def test_a_resized_window_keeps_the_time_in_view(raster, viewport):
    first, span = view_of(raster)
    raster.page.set_viewport_size(viewport)
    raster.settle()
    assert view_of(raster) == pytest.approx((first, span))


def test_numbers_along_time_adapt_to_the_zoom(raster, stretch):
    raster.page.evaluate(
        """() => { const { prototype } = CanvasRenderingContext2D, draw = prototype.fillText;
          prototype.fillText = function (text, ...rest) {
            window.drawn.push(text); draw.call(this, text, ...rest); }; }"""
    )
    steps = []
    for key in "0+++":
        raster.page.evaluate("window.drawn = []")
        raster.canvas("raster").press(key)
        texts = raster.page.evaluate("window.drawn")
        first, span = view_of(raster)
        start, end = texts.index("P(h = 1 | x)") + 1, texts.index("time (s)")
        times = [float(text) for text in texts[start:end]]
        assert 2 <= len(times) <= 12
        low = stretch["start_s"] + first * BIN_S
        assert all(low - 1e-6 <= time <= low + span * BIN_S + 1e-6 for time in times)
        steps.append(round(times[1] - times[0], 6))
    assert steps == sorted(steps, reverse=True)
    assert len(set(steps)) >= 3

"""What the points of a figure stand for, in a browser: by mouse, by touch and by keyboard."""

import pytest
from browser import LAPTOP, PHONE
from figured_page import HOSTILE, SHEET, place

pytestmark = pytest.mark.integration

WIDE = {"width": 1920, "height": 900}


def tip_text(page):
    return page.locator(".tip").inner_text().split("\n")


def boxes(page):
    """Where the mark of a point and what is said of it are."""
    return [page.locator(each).bounding_box() for each in (".tip-mark", ".tip")]


def test_a_point_pointed_at_says_what_it_stands_for(page):
    page.mouse.move(*place(page, 0, 1))
    assert tip_text(page) == ["unit", HOSTILE, "rate (Hz)", "2", "gain", "\u22120.25"]
    page.mouse.move(*place(page, 1, 1))
    assert tip_text(page) == ["model", "RBM 10", "bits/s", "12"]
    page.mouse.move(2, 2)
    assert page.locator(".tip").count() == 0


@pytest.mark.parametrize("window", [LAPTOP, WIDE, PHONE], ids=["laptop", "wide", "phone"])
def test_a_tip_stands_beside_its_point_within_the_window(page, window):
    page.set_viewport_size(window)
    page.locator(SHEET).scroll_into_view_if_needed()
    for kind, k in ((0, 0), (0, 1), (1, 0), (1, 1)):
        x, y = place(page, kind, k)
        page.mouse.move(x, y)
        mark, box = boxes(page)
        middle = mark["x"] + mark["width"] / 2
        assert middle == pytest.approx(x, abs=1.5)
        assert 4 <= box["x"] <= middle <= box["x"] + box["width"] <= window["width"] - 4
        above = mark["y"] - box["y"] - box["height"]
        below = box["y"] - mark["y"] - mark["height"]
        assert 0 <= max(above, below) <= 12


def test_arrow_keys_walk_through_the_points_and_escape_hides_them(page):
    page.locator(SHEET).focus()
    page.keyboard.press("Home")
    assert tip_text(page)[1] == "u1"
    for key, shown in (
        ("ArrowRight", HOSTILE),
        ("ArrowDown", "u3"),
        ("ArrowRight", "Ising"),
        ("ArrowLeft", "u3"),
        ("End", "RBM 10"),
        ("ArrowRight", "RBM 10"),
    ):
        page.keyboard.press(key)
        assert tip_text(page)[1] == shown
    assert page.locator("p[role=status].unseen").inner_text() == "model RBM 10, bits/s 12"
    page.keyboard.press("Escape")
    assert page.locator(".tip").count() == 0


def test_a_tap_shows_a_point_and_a_tap_beside_it_hides_it(figured_phone):
    page = figured_phone.page
    page.locator(SHEET).scroll_into_view_if_needed()
    page.touchscreen.tap(*place(page, 0, 2))
    assert tip_text(page)[1] == "u3"
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    page.locator("#figure-likelihood figcaption").tap()
    assert page.locator(".tip").count() == 0

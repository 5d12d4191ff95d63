"""What the points of a figure stand for, in a browser: by mouse, by touch and by keyboard."""

import pytest
from figured_page import HOSTILE, SHEET, place

pytestmark = pytest.mark.integration


def tip_text(page):
    return page.locator(".tip").inner_text().split("\n")


def test_a_point_pointed_at_says_what_it_stands_for(page):
    page.mouse.move(*place(page, 0, 1))
    assert tip_text(page) == ["unit", HOSTILE, "rate (Hz)", "2", "gain", "\u22120.25"]
    page.mouse.move(*place(page, 1, 1))
    assert tip_text(page) == ["model", "RBM 10", "bits/s", "12"]
    page.mouse.move(2, 2)
    assert page.locator(".tip").count() == 0


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

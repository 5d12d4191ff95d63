"""What helps to read the page, in a browser: the menu, panels on a phone, stops of the focus."""

from itertools import pairwise

import pytest
from browser import LAPTOP, PHONE
from figured_page import SHEET

pytestmark = pytest.mark.integration

TABLET = {"width": 1024, "height": 700}


def go_to(page, section):
    page.evaluate(f"document.getElementById('{section}').scrollIntoView({{ behavior: 'instant' }})")


def test_the_menu_shows_where_one_is(page):
    for section in ("prediction", "methods", "answer"):
        go_to(page, section)
        page.locator(f"nav [aria-current][href='#{section}']").wait_for()
    assert page.locator("nav [aria-current]").count() == 1
    assert page.locator("nav").bounding_box()["width"] < LAPTOP["width"] / 4


@pytest.mark.parametrize("window", [PHONE, TABLET], ids=["phone", "tablet"])
def test_without_room_beside_the_text_the_menu_is_a_line_that_stays_in_view(page, window):
    page.set_viewport_size(window)
    folded = page.locator(".menu:not([open])")
    folded.wait_for()
    go_to(page, "prediction")
    page.locator(".menu summary", has_text="Sections: Prediction").wait_for()
    line = page.locator("nav").bounding_box()
    assert line["y"] == 0
    assert line["height"] < 45
    assert page.locator("#prediction").bounding_box()["y"] >= line["height"] - 1
    height = page.evaluate("document.scrollingElement.scrollHeight")
    page.locator(".menu summary").click()
    assert page.evaluate("document.scrollingElement.scrollHeight") == height
    page.locator(".menu").get_by_role("link", name="Methods").click()
    folded.wait_for()
    page.locator(".menu summary", has_text="Sections: Methods").wait_for()
    page.set_viewport_size(LAPTOP)
    page.locator(".menu[open]").wait_for()


def test_panels_are_stacked_on_a_phone_and_come_together_again(page):
    whole = page.locator(f"{SHEET} > svg").get_attribute("viewBox")
    page.set_viewport_size(PHONE)
    page.wait_for_selector(f"{SHEET} .crop")
    crops = page.locator(f"{SHEET} .crop")
    boxes = [each.bounding_box() for each in crops.all()]
    assert len(boxes) == 3  # a legend and two panels
    assert all(box["x"] + box["width"] <= PHONE["width"] for box in boxes)
    for above, below in pairwise(boxes):
        assert below["y"] >= above["y"] + above["height"]
    page.set_viewport_size(LAPTOP)
    page.wait_for_selector(f"{SHEET} > svg")
    assert page.locator(f"{SHEET} > svg").get_attribute("viewBox") == whole

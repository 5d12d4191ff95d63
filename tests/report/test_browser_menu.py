"""What helps to read the page, in a browser: the menu, panels on a phone, stops of the focus."""

import json
from itertools import pairwise

import pytest
from browser import LAPTOP, PHONE, visiting
from figured_page import SHEET

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


def test_an_open_menu_is_folded_by_escape_and_by_a_click_beside_it(page):
    page.set_viewport_size(PHONE)
    folded = page.locator(".menu:not([open])")
    folded.wait_for()
    go_to(page, "methods")
    summary = page.locator(".menu summary")
    summary.click()
    page.locator(".menu a").first.focus()
    page.keyboard.press("Escape")
    folded.wait_for()
    assert summary.evaluate("(summary) => summary === document.activeElement")
    summary.click()
    page.mouse.click(195, 700)
    folded.wait_for()


def test_without_scripts_the_menu_covers_nothing(browser, figured):
    with visiting(
        browser, figured, ready=False, java_script_enabled=False, viewport=PHONE
    ) as visit:
        visit.page.mouse.wheel(0, 3000)
        visit.page.wait_for_timeout(200)
        box = visit.page.locator("nav").bounding_box()
        assert box["y"] + box["height"] < 0


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


def test_a_stacked_panel_shows_itself_and_nothing_beside_it(page):
    data = json.loads(page.locator("#figure-likelihood > script").text_content())
    page.set_viewport_size(PHONE)
    page.wait_for_selector(f"{SHEET} .crop")
    drawings = page.locator(f"{SHEET} .crop svg").all()
    for (_, _, width, height), drawing in zip(data["panels"], drawings, strict=True):
        box = drawing.bounding_box()
        assert box["height"] / box["width"] == pytest.approx(height / width, rel=0.02)


def test_a_panel_that_scrolls_is_as_large_as_others_and_scrolled_by_the_keys(drawn_phone):
    page = drawn_phone.page
    scales = "(all) => all.map((svg) => svg.getScreenCTM().a)"
    wide = page.locator("#figure-data-0 .crop.wide")
    whole = page.locator("#figure-data-0 .crop:not(.wide) svg")
    for scale in wide.locator("svg").evaluate_all(scales):
        assert scale == pytest.approx(whole.first.evaluate("(svg) => svg.getScreenCTM().a"), 0.02)
    wide.first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("(box) => box.scrollLeft > 0", arg=wide.first.element_handle())
    assert page.locator(".tip").count() == 0


def test_buttons_of_a_figure_are_one_stop_and_arrow_keys_lead_along_them(page):
    bar = page.locator("#figure-likelihood .takeaway")
    buttons = bar.locator("> button, > details > summary")
    stops = "(all) => all.map((each) => each.tabIndex)"
    buttons.first.focus()
    assert buttons.evaluate_all(stops) == [0, -1, -1, -1]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.textContent") == "CSV"
    assert buttons.evaluate_all(stops) == [-1, -1, 0, -1]
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.textContent") == "Code"


def test_only_what_scrolls_stops_the_focus(page, figured_visit):
    boxes = """(scrolls) => [...document.querySelectorAll('.card, .table, pre')].filter((box) =>
      scrolls === (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight)
      ).map((box) => box.tabIndex === 0 || (scrolls && !!box.querySelector('[tabindex="0"]')))"""
    for viewport in (LAPTOP, PHONE):
        page.set_viewport_size(viewport)
        figured_visit.settle()
        assert not any(page.evaluate(boxes, False))
        assert all(page.evaluate(boxes, True))
    assert page.evaluate(boxes, True)


def test_further_figures_have_a_section_of_their_own(page):
    section = page.locator("#further")
    assert section.locator("h2").inner_text() == "Further figures"
    number = page.locator(".plate").count()
    caption = section.locator("figcaption").inner_text()
    assert caption == f"Figure {number}. My own. What I add."
    assert section.locator(".code").count() == 0

"""The page as readers have set their browsers: windows, night, paper, own colours, no motion."""

import re

import pytest
from browser import FILL, PAPER, PHONE, contrast, visiting
from figured_page import SHEET

pytestmark = pytest.mark.integration


def fill(page, part):
    """Colour of a part of the figure, as [red, green, blue]."""
    return page.locator(f"{SHEET} {part}").first.evaluate(FILL)


@pytest.mark.parametrize("width", [320, 390, 683, 768, 1024, 1366, 1920])
def test_nothing_is_wider_than_the_window(page, figured_visit, width):
    """683 pixels are those of a laptop at a zoom of 200 %."""
    page.set_viewport_size({"width": width, "height": 700})
    figured_visit.settle()
    wide, window_width = page.evaluate("[document.scrollingElement.scrollWidth, innerWidth]")
    assert wide <= window_width == width


def test_figures_turn_dark_while_the_page_is_open(page):
    assert fill(page, "path") == [255, 255, 255]
    page.emulate_media(color_scheme="dark")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert fill(page, "path") == [int(n) for n in re.findall(r"\d+", paper)]
    assert contrast(fill(page, "text"), fill(page, "path")) > 7
    blue = fill(page, "use[style*='0072b2']")
    assert contrast(blue, fill(page, "path")) > 3
    assert max(blue) == blue[2]
    page.emulate_media(color_scheme="light")
    assert fill(page, "path") == [255, 255, 255]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_prints_on_white_without_buttons(page, scheme):
    page.emulate_media(media="print", color_scheme=scheme)
    page.set_viewport_size(PAPER)
    assert fill(page, "path") == [255, 255, 255]
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator(".takeaway").first.is_visible()
    assert not page.locator("nav").is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF-")


def test_what_is_folded_is_not_printed_and_a_link_to_it_unfolds_it(browser, drawn):
    with visiting(browser, drawn) as visit:
        visit.page.emulate_media(media="print")
        places = {"methods": "#methods .references", "parameters": "#explorer-parameters"}
        parts = {name: visit.page.locator(place) for name, place in places.items()}
        assert not any(each.is_visible() for each in parts.values())
        visit.page.emulate_media(media="screen")
        for name, part in parts.items():
            visit.page.evaluate("(name) => { location.hash = name; }", name)
            part.wait_for()
        assert visit.page.locator("#provenance dl").is_hidden()
        visit.page.locator("nav a[href='#provenance']").click()
        visit.page.locator("#provenance dl").wait_for()
        visit.check_quiet()


@pytest.mark.parametrize(
    ("which", "setting"),
    [
        *(("figured", setting) for setting in ("laptop", "night", "phone", "folded")),
        *(("drawn", setting) for setting in ("laptop", "night", "phone", "paper")),
    ],
)
def test_no_rule_of_accessibility_is_broken(browser, request, which, setting):
    """Neither with quick figures that have everything beside them, nor with those of a study."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    options = {
        "night": {"color_scheme": "dark"},
        "phone": {"viewport": PHONE, "has_touch": True, "is_mobile": True},
        "paper": {"viewport": PAPER},
    }
    with visiting(browser, request.getfixturevalue(which), **options.get(setting, {})) as visit:
        if setting == "paper":
            visit.page.emulate_media(media="print")
        if setting != "folded":
            visit.unfold()
        visit.settle()
        found = axe.run(visit.page).response["violations"]
        assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []

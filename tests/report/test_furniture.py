"""What helps to read the page, in a browser: tips, files, sorting, the menu, a phone, the night."""

import csv
import io
import json
import re
from xml.etree import ElementTree

import planted_study as planted
import pytest
from browser import LAPTOP, PAPER, PHONE, contrast, launched, visiting
from matplotlib import pyplot as plt

from microcolumn import report
from microcolumn.figures import _all
from microcolumn.figures._captioned import captioned, letter
from microcolumn.plot._tips import tip
from microcolumn.study import Results

HOSTILE = "<img src=x onerror=alert(1)>"
RATES, GAINS = [1.0, 2.0, 4.0], [0.5, -0.25, 1.5]
SHEET = "#figure-likelihood .sheet"


def draw(results, recording=None, **where):
    """Two panels: three units as points, two models as bars."""
    with captioned("3", "Gains & bars", (7.0, 2.0)) as figure:
        points, bars = figure.subplots(1, 2)
        [line] = points.plot(RATES, GAINS, "o", color="#0072B2")
        tip(line, {"unit": ["u1", HOSTILE, "u3"], "rate (Hz)": RATES, "gain": GAINS})
        tip(bars.bar([0, 1], [3.0, 12.0]), {"model": ["Ising", "RBM 10"], "bits/s": [3.0, 12.0]})
        for ax, name in zip((points, bars), "ab", strict=True):
            letter(ax, name)
        figure.caption = "(a) Units. (b) Models."
    return figure


@pytest.fixture(scope="module")
def browser():
    with launched() as found:
        yield found


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    results = Results(planted.write(folder / "cells.db"))
    path = folder / "cells.html"
    with pytest.MonkeyPatch.context() as patch:
        figures = {
            "likelihood": _all.Figures(draw, "3", per_recording=False),
            "data": _all.Figures(draw, "1"),
        }
        patch.setattr(_all, "FIGURES", figures)
        own = plt.figure(figsize=(3.0, 2.0))
        own.add_subplot().set_title("My own")
        own.caption = "What I add."
        report.write(results, path, extra=[own], progress=False)
        plt.close(own)
    return path


@pytest.fixture(scope="module")
def opened(browser, file):
    with visiting(browser, file) as visit:
        yield visit


@pytest.fixture
def page(opened):
    page = opened.page
    page.emulate_media(media="screen", color_scheme="light")
    page.set_viewport_size(LAPTOP)
    page.keyboard.press("Escape")
    page.mouse.move(0, 0)
    page.locator(SHEET).scroll_into_view_if_needed()
    yield page
    assert opened.errors == []
    assert opened.dialogs == []


def place(page, kind, k, selector=SHEET):
    """Where a point is on the screen: of the first (units) or the second kind (models)."""
    data = json.loads(page.locator("#figure-likelihood > script").text_content())
    x, y, width, height, *_ = data["points"][kind][1][k]
    box = page.locator(f"{selector} svg").first.bounding_box()
    return (
        box["x"] + box["width"] * (x + width / 2) / 1e4,
        box["y"] + box["height"] * (y + height / 2) / 1e4,
    )


def tip_text(page):
    return page.locator(".tip").inner_text().split("\n")


def saved(page, name, kind):
    """Content of the file that a button makes."""
    with page.expect_download() as found:
        page.get_by_role("button", name=name).first.click()
    assert found.value.suggested_filename.endswith(kind)
    return found.value.path().read_bytes()


def test_a_point_pointed_at_says_what_it_stands_for(page):
    page.mouse.move(*place(page, 0, 1))
    assert tip_text(page) == ["unit", HOSTILE, "rate (Hz)", "2", "gain", "\u22120.25"]
    page.mouse.move(*place(page, 1, 1))
    assert tip_text(page) == ["model", "RBM 10", "bits/s", "12"]
    page.mouse.move(2, 2)
    assert page.locator(".tip").count() == 0


def test_a_tip_stays_within_the_window_and_marks_its_point(page):
    x, y = place(page, 0, 0)
    page.mouse.move(x + 3, y)
    mark, box = (page.locator(each).bounding_box() for each in (".tip-mark", ".tip"))
    assert mark["x"] + mark["width"] / 2 == pytest.approx(x, abs=1.5)
    assert mark["y"] + mark["height"] / 2 == pytest.approx(y, abs=1.5)
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= LAPTOP["width"]


def test_arrow_keys_walk_through_the_points_and_escape_hides_them(page):
    sheet = page.locator(SHEET)
    sheet.focus()
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


def test_a_tap_shows_a_point(browser, file):
    with visiting(browser, file, viewport=PHONE, has_touch=True, is_mobile=True) as visit:
        page = visit.page
        page.locator(SHEET).scroll_into_view_if_needed()
        data = json.loads(page.locator("#figure-likelihood > script").text_content())
        x, y, *_ = data["points"][0][1][2]
        at = page.evaluate(
            """([x, y]) => {
              const view = document.querySelector('#figure-likelihood .crop svg');
              const matrix = view.getScreenCTM();
              return [matrix.e + matrix.a * x, matrix.f + matrix.d * y];
            }""",
            [x / 1e4 * 504, y / 1e4 * 144],
        )
        page.touchscreen.tap(*at)
        assert tip_text(page)[1] == "u3"
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")


def test_a_figure_is_saved_as_svg_with_its_caption(page):
    root = ElementTree.fromstring(saved(page, "SVG of Figure 2", ".svg"))
    space = "{http://www.w3.org/2000/svg}"
    assert (root.get("width"), root.get("viewBox")) == ("504pt", "0 0 504 144")
    assert root.find(f"{space}title").text == "Figure 2 (3 in the paper). Gains & bars."
    assert root.find(f"{space}desc").text.endswith("(a) Units. (b) Models.")


def test_a_figure_is_saved_as_png_for_print(page):
    pixels = plt.imread(io.BytesIO(saved(page, "PNG of Figure 2", ".png")))
    assert pixels.shape[:2] == (600, 2100)
    assert pixels[..., :3].min() < 0.5 < pixels[..., :3].max()


def test_points_of_a_figure_are_saved_as_csv(page):
    rows = list(csv.reader(saved(page, "CSV of Figure 2", ".csv").decode().splitlines()))
    assert rows[0] == ["unit", "rate (Hz)", "gain", "model", "bits/s"]
    assert rows[2] == [HOSTILE, "2", "-0.25", "", ""]
    assert rows[-1] == ["", "", "", "RBM 10", "12"]
    assert len(rows) == 6


def test_a_table_is_saved_as_it_was_computed(page):
    content = saved(page, re.compile("CSV of the table: Scores on test parts"), ".csv").decode()
    rows = list(csv.reader(io.StringIO(content)))
    shown = page.locator("[data-sortable] table", has_text="Scores on test parts").first
    assert rows[0] == [each.inner_text().rstrip() for each in shown.locator("thead th").all()]
    assert [row[0] for row in rows[1:]] == shown.locator("tbody th").all_inner_texts()
    assert "\u00b7" not in content  # powers of ten as a spreadsheet reads them


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


def test_a_table_is_sorted_by_click_and_by_key(page):
    table = page.locator("[data-sortable] table", has_text="Scores on test parts").first
    before = table.locator("tbody th").all_inner_texts()
    header = table.locator("thead th", has_text="parameters")
    column = table.locator("thead th").evaluate_all(
        "(cells) => cells.findIndex((cell) => cell.textContent === 'parameters')"
    )

    def shown():
        cells = table.locator("tbody tr").evaluate_all(
            "(rows, k) => rows.map((row) => row.cells[k].textContent)", column
        )
        return [float(cell) for cell in cells]

    header.get_by_role("button").click()
    assert header.get_attribute("aria-sort") == "descending"
    assert shown() == sorted(shown(), reverse=True)
    page.keyboard.press("Enter")
    assert header.get_attribute("aria-sort") == "ascending"
    assert shown() == sorted(shown())
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    assert header.get_attribute("aria-sort") == "none"
    assert table.locator("[aria-sort=descending]").count() == 1
    page.keyboard.press("Space")
    page.keyboard.press("Space")
    assert table.locator("tbody th").all_inner_texts() == before


def test_the_code_of_a_figure_and_bibtex_are_copied(browser, file):
    allowed = ["clipboard-read", "clipboard-write"]
    with visiting(browser, file, permissions=allowed) as visit:
        page = visit.page
        page.locator("#figure-likelihood summary").click()
        texts = {"#figure-likelihood": "import microcolumn as mc", "#citation": "@article{"}
        for box, begins in texts.items():
            page.locator(f"{box} .copy").click()
            page.locator(f"{box} .copy", has_text="Copied").wait_for()
            copied = page.evaluate("navigator.clipboard.readText()")
            assert copied.startswith(begins)
        assert "doi = {10.1371/journal.pcbi.1003684}" in copied


def test_the_menu_shows_where_one_is(page):
    for section in ("prediction", "methods", "answer"):
        page.evaluate(
            f"document.getElementById('{section}').scrollIntoView({{ behavior: 'instant' }})"
        )
        page.locator(f"nav [aria-current][href='#{section}']").wait_for()
    assert page.locator("nav [aria-current]").count() == 1


def test_the_menu_is_folded_on_a_phone(page):
    page.set_viewport_size(PHONE)
    folded = page.locator(".menu:not([open])")
    folded.wait_for()
    page.locator(".menu summary").click()
    page.locator(".menu").get_by_role("link", name="Methods").click()
    folded.wait_for()
    page.locator(".menu summary", has_text="Sections: Methods").wait_for()
    page.set_viewport_size(LAPTOP)
    page.locator(".menu[open]").wait_for()


def test_panels_are_stacked_on_a_phone_and_come_together_again(page):
    whole = page.locator(f"{SHEET} > svg").get_attribute("viewBox")
    page.set_viewport_size(PHONE)
    page.wait_for_selector(f"{SHEET} .crop")
    boxes = [each.bounding_box() for each in page.locator(f"{SHEET} .crop").all()]
    assert len(boxes) == 2
    assert boxes[1]["y"] >= boxes[0]["y"] + boxes[0]["height"]
    assert all(box["x"] + box["width"] <= PHONE["width"] for box in boxes)
    assert all(box["height"] > 100 for box in boxes)
    page.set_viewport_size(LAPTOP)
    page.wait_for_selector(f"{SHEET} > svg")
    assert page.locator(f"{SHEET} > svg").get_attribute("viewBox") == whole


def test_figures_are_dark_by_night(page):
    def fill(part):
        return page.locator(f"{SHEET} {part}").first.evaluate(
            "(e) => getComputedStyle(e).fill.match(/[\\d.]+/g).map(Number).slice(0, 3)"
        )

    assert fill("path") == [255, 255, 255]
    page.emulate_media(color_scheme="dark")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert fill("path") == [int(n) for n in re.findall(r"\d+", paper)]
    assert contrast(fill("text"), fill("path")) > 7
    points = page.locator(f"{SHEET} use[style*='0072b2']").first
    blue = points.evaluate("(e) => getComputedStyle(e).fill.match(/\\d+/g).map(Number)")
    assert contrast(blue, fill("path")) > 3
    assert max(blue) == blue[2]


def test_only_what_scrolls_stops_the_focus(page, opened):
    boxes = """(scrolls) => [...document.querySelectorAll('.card, .table, pre')].filter((box) =>
      scrolls === (box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1)
      ).map((box) => box.tabIndex === 0 || (scrolls && !!box.querySelector('[tabindex="0"]')))"""
    for viewport in (LAPTOP, PHONE):
        page.set_viewport_size(viewport)
        opened.settle()
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


def test_it_prints_without_buttons(page):
    page.emulate_media(media="print")
    page.set_viewport_size(PAPER)
    assert not page.locator(".takeaway").first.is_visible()
    assert not page.locator("nav").is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF-")


@pytest.mark.parametrize("setting", ["laptop", "night", "phone"])
def test_no_rule_of_accessibility_is_broken(browser, file, setting):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    options = {
        "laptop": {},
        "night": {"color_scheme": "dark"},
        "phone": {"viewport": PHONE, "has_touch": True, "is_mobile": True},
    }[setting]
    with visiting(browser, file, **options) as visit:
        found = axe.run(visit.page).response["violations"]
        assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []

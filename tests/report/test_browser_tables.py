"""Tables in a browser: sorted by any column, many rows in a box that scrolls, names in view."""

import io

import pytest
from browser import LAPTOP, PAPER, PHONE
from matplotlib import pyplot as plt

SCORES = "[data-sortable] .table:has-text('Scores on test parts')"
PAIRS = "[data-sortable] .table:has-text('Differences between models')"
#: The table of the 23 units.
UNITS = "#units .tall"


def cells(table, header):
    """Texts of a column as they are shown, from the top."""
    return table.evaluate(
        """(box, name) => {
          const names = [...box.querySelectorAll('thead th')].map((cell) => cell.innerText.trim());
          const column = names.findIndex((each) => each.startsWith(name));
          return [...box.querySelectorAll('tbody tr')].map((row) => row.cells[column].innerText);
        }""",
        header,
    )


@pytest.fixture
def units(page):
    """The box of the table of units, scrolled to its beginning."""
    box = page.locator(UNITS).first
    box.evaluate("(box) => { box.scrollTop = 0; box.scrollIntoView({ behavior: 'instant' }); }")
    return box


def test_a_table_is_sorted_by_click_and_by_key(page):
    table = page.locator(SCORES).first
    before = cells(table, "model")
    header = table.locator("thead th", has_text="parameters")

    def shown():
        return [float(cell) for cell in cells(table, "parameters")]

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
    assert cells(table, "model") == before


def test_names_with_numbers_in_them_are_sorted_as_names(page):
    table = page.locator(PAIRS).first
    table.locator("thead th", has_text="difference").get_by_role("button").click()
    names = cells(table, "difference")
    assert names == sorted(names, reverse=True)
    assert names[0].startswith("SemiRBM")
    assert any(name.startswith("RBM") for name in names)
    page.keyboard.press("Space")
    page.keyboard.press("Space")


def test_headers_are_one_stop_of_the_focus_and_the_file_another(page):
    page.locator(SCORES).first.locator("thead button").first.focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "CSV"
    about = page.evaluate("document.activeElement.closest('.tabled').textContent")
    assert "Scores on test parts" in about


def test_many_rows_scroll_in_a_box_under_their_header(page, units):
    rows = units.locator("tbody tr").count()
    assert rows == 23
    box = units.bounding_box()
    assert box["height"] <= 0.75 * LAPTOP["height"] + 1
    units.evaluate("(box) => { box.scrollTop = box.scrollHeight; }")
    header, last = units.locator("thead"), units.locator("tbody tr").last
    assert header.locator("th").first.bounding_box()["y"] == pytest.approx(box["y"], abs=1)
    end = last.bounding_box()["y"] + last.bounding_box()["height"]
    assert end == pytest.approx(box["y"] + box["height"], abs=2)
    small = page.locator(".table:not(.tall)")
    assert max(each.locator("tbody tr").count() for each in small.all()) <= 20


def test_a_box_of_many_rows_is_scrolled_by_the_keyboard(page, units):
    units.locator("thead button").first.focus()
    page.keyboard.press("PageDown")
    page.wait_for_function("(box) => box.scrollTop > 0", arg=units.element_handle())


def test_sorting_shows_the_first_rows(units):
    units.evaluate("(box) => { box.scrollTop = 150; }")
    header = units.locator("thead button").first
    header.click()
    assert units.evaluate("(box) => box.scrollTop") == 0
    header.click()
    header.click()


def lightness(page, y):
    """Mean lightness along a line across the box of units, 0 to 1."""
    box = page.locator(UNITS).first.bounding_box()
    clip = {"x": box["x"] + box["width"] / 2, "y": y, "width": box["width"] / 2 - 20, "height": 1}
    return float(plt.imread(io.BytesIO(page.screenshot(clip=clip)))[..., :3].mean())


def test_the_edge_is_shaded_where_rows_follow(page, units):
    box = units.bounding_box()
    edge = box["y"] + box["height"] - 2
    assert lightness(page, edge) < 0.93
    units.evaluate("(box) => { box.scrollTop = box.scrollHeight - box.clientHeight - 40; }")
    assert lightness(page, edge) < 0.95
    units.evaluate("(box) => { box.scrollTop = box.scrollHeight; }")
    units.locator("tbody").evaluate("(body) => { body.style.visibility = 'hidden'; }")
    assert lightness(page, edge) > 0.99
    units.locator("tbody").evaluate("(body) => { body.style.visibility = ''; }")


def test_all_rows_are_printed_under_a_header_that_each_page_repeats(page, units):
    page.set_viewport_size(PAPER)
    page.emulate_media(media="print")
    box, last = units.bounding_box(), units.locator("tbody tr").last.bounding_box()
    assert last["y"] + last["height"] <= box["y"] + box["height"] + 1
    header = units.locator("thead th").first
    assert header.evaluate("(each) => getComputedStyle(each).position") == "static"
    # Chromium leaves buttons out where it repeats a header.
    name = header.locator("button")
    assert name.evaluate("(each) => getComputedStyle(each).display") == "contents"


def test_short_names_are_in_one_line_on_a_phone_and_long_ones_in_several(page, figured_visit):
    page.set_viewport_size(PHONE)
    figured_visit.settle()
    lines = """(all) => all.map((name) => { const text = document.createRange();
      text.selectNodeContents(name);
      return [name.innerText, new Set([...text.getClientRects()].map(({ top }) => top)).size]; })"""
    names = page.locator(f"{SCORES} tbody th, {PAIRS} tbody th").evaluate_all(lines)
    assert {lines for name, lines in names if len(name) <= 18} == {1}
    assert max(lines for name, lines in names if len(name) > 18) > 1


def test_captions_and_names_stay_in_view_where_a_table_scrolls_sideways(page, figured_visit):
    page.set_viewport_size(PHONE)
    figured_visit.settle()
    box = page.locator(SCORES).first
    box.scroll_into_view_if_needed()
    left = box.bounding_box()["x"]
    for along in (0, 150):
        box.evaluate("(box, along) => { box.scrollLeft = along; }", along)
        assert box.evaluate("(box) => box.scrollLeft") == along
        caption = box.locator("caption span").bounding_box()
        assert left - 1 <= caption["x"] <= caption["x"] + caption["width"] <= PHONE["width"]
        name = box.locator("tbody th").first.bounding_box()
        assert name["x"] == pytest.approx(left, abs=1)
        assert name["width"] < PHONE["width"] / 2
    box.evaluate("(box) => { box.scrollLeft = 0; }")

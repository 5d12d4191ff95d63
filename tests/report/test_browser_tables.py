"""Tables in a browser: sorted by any column, many rows in a box that scrolls, names in view."""

import pytest
from browser import PAPER

pytestmark = pytest.mark.integration

SCORES = "[data-sortable] .table:has-text('Scores on test parts')"
#: The table of the 23 units.
UNITS = "#numbers .tall"


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

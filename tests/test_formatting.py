from xml.etree import ElementTree

import pytest
from hypothesis import given, strategies as st

from microcolumn.formatting import (
    duration,
    html_table,
    text_table,
)

PLAIN = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=12)


@given(st.lists(st.tuples(PLAIN, PLAIN), max_size=5))
def test_cells_stand_where_their_column_ends_or_begins(rows):
    header = ("name", "number")
    widths = [max(len(line[k]) for line in (header, *rows)) for k in range(2)]
    expected = [f"  {a.ljust(widths[0])}  {b.rjust(widths[1])}" for a, b in (header, *rows)]
    assert text_table(header, rows, left=("name",), indent=2).splitlines() == expected


def test_text_on_the_left_is_broken_where_a_table_would_be_too_wide():
    rows = [("a long name", "1.25", "another long text")]
    header, left = ("name", "number", "text"), ("name", "text")
    whole = text_table(header, rows, left=left, indent=2)
    assert text_table(header, rows, left=left, indent=2, width=100) == whole
    narrow = text_table(header, rows, left=left, indent=2, width=30).splitlines()
    assert max(map(len, narrow)) <= 30
    assert narrow[1].split()[:2] == ["a", "long"]
    least = text_table(header, rows, left=left, width=5)  # neither words nor numbers are cut
    assert set(least.split()) == set(whole.split())


def test_columns_that_do_not_fit_stand_below_beside_the_first_again():
    rows = [("Ising", "1.25", "misses the pairs"), ("RBM", "12.5", "fits")]
    assert text_table(
        ("model", "bits per s", "verdict"), rows, left=("model", "verdict"), width=25
    ) == (
        "model  bits per s\n"
        "Ising        1.25\n"
        "RBM          12.5\n"
        "model  verdict\n"
        "Ising  misses the pairs\n"
        "RBM    fits"
    )


def test_text_from_a_recording_is_neither_markup_nor_a_command_to_the_terminal(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    text = text_table(("[b]unit[/b]",), [("[red]:smile:",), ("a\nb\tc\x1b[1m",)])
    assert [line.strip() for line in text.splitlines()] == [
        "[b]unit[/b]",
        "[red]:smile:",
        r"a b c\x1b[1m",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"), [(12.3, "12 s"), (119, "119 s"), (3600, "60 min"), (9000, "2.5 h")]
)
def test_durations_have_the_unit_that_fits(seconds, text):
    assert duration(seconds) == text


def cells_of(table, tag):
    return [cell.text or "" for cell in ElementTree.fromstring(table).iter(tag)]


@given(st.lists(st.tuples(PLAIN, PLAIN), max_size=5))
def test_an_html_table_holds_its_cells_in_order_whatever_they_say(rows):
    table = html_table(("<unit>", "&Hz"), rows, left=("<unit>",), caption="<b>units</b>")
    assert cells_of(table, "th") == ["<unit>", "&Hz"]
    assert cells_of(table, "td") == [cell for row in rows for cell in row]
    assert cells_of(table, "caption") == ["<b>units</b>"]


def test_a_row_with_a_cell_too_few_is_refused():
    with pytest.raises(ValueError, match="longer"):
        html_table(("a", "b"), [("1",)])

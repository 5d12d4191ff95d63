from hypothesis import given, strategies as st

from microcolumn.formatting import text_table

PLAIN = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=12)


@given(st.lists(st.tuples(PLAIN, PLAIN), max_size=5))
def test_cells_stand_where_their_column_ends_or_begins(rows):
    header = ("name", "number")
    widths = [max(len(line[k]) for line in (header, *rows)) for k in range(2)]
    expected = [f"  {a.ljust(widths[0])}  {b.rjust(widths[1])}" for a, b in (header, *rows)]
    assert text_table(header, rows, left=("name",), indent=2).splitlines() == expected


def test_text_from_a_recording_is_neither_markup_nor_a_command_to_the_terminal(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    text = text_table(("[b]unit[/b]",), [("[red]:smile:",), ("a\nb\tc\x1b[1m",)])
    assert [line.strip() for line in text.splitlines()] == [
        "[b]unit[/b]",
        "[red]:smile:",
        r"a b c\x1b[1m",
    ]

import pytest

from microcolumn.report import report_text
from microcolumn.report.text import report_lines, short_report


@pytest.fixture(scope="module")
def text(planted_results):
    return report_text(planted_results)


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_the_whole_report_fits_a_terminal_and_breaks_no_word(text, planted_results, columns):
    lines = [line.text for line in report_lines(planted_results, columns)]
    assert max(map(len, lines)) <= columns
    assert words_of("\n".join(lines)) == words_of(text)
    short = [line.text for line in short_report(planted_results, columns)]
    assert max(map(len, short)) <= columns
    assert len(short) < 40
    for line in short:  # which breaks no amount
        assert not line.strip().startswith(("%", "±", "bits/s"))


def words_of(text):
    return {word for word in text.split() if set(word) - set("-=")}

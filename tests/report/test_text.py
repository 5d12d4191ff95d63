import pytest

from microcolumn.report import answer_text, report_text
from microcolumn.report.text import report_lines, short_report


@pytest.fixture(scope="module")
def text(planted_results):
    return report_text(planted_results)


def test_the_answer_fits_a_terminal_and_breaks_no_amount(planted_results):
    said = answer_text(planted_results)
    assert max(map(len, said.splitlines())) <= 100
    assert "\N{NO-BREAK SPACE}" not in said
    for line in said.splitlines():
        assert not line.strip().startswith(("%", "±", "bits/s"))


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_the_whole_report_fits_a_terminal_and_breaks_no_word(text, planted_results, columns):
    lines = [line.text for line in report_lines(planted_results, columns)]
    assert max(map(len, lines)) <= columns
    assert words_of("\n".join(lines)) == words_of(text)
    short = [line.text for line in short_report(planted_results, columns)]
    assert max(map(len, short)) <= columns
    assert len(short) < 40


def words_of(text):
    return {word for word in text.split() if set(word) - set("-=")}

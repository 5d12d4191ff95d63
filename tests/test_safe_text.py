import csv
import io

import pytest

from microcolumn.safe_text import csv_cell, printable, shortened

HOSTILE = [
    "\x1b[2J",
    "\x9b31m",
    "\x07",
    "\r",
    "\b",
    "\u202egnp",
    "\u2066x",
    "\u200f",
    "\u2028",
    "\x7f",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_terminal_would_obey_is_shown(text):
    shown = printable(f"layer {text} IV")
    assert shown.isprintable()
    assert shown.startswith("layer \\")


def test_other_text_is_left_alone():
    text = "Schicht II/III, 皮質, ± 0.5 µm,\n\tCA1 é"
    assert printable(text) == text


def test_a_long_sentence_keeps_its_beginning_and_its_remedy():
    sentence = "a.nwb: units " + "x" * 5000 + "; name fewer"
    assert len(shortened(sentence)) <= 600
    assert shortened(sentence).startswith("a.nwb: units x")
    assert shortened(sentence).endswith("x; name fewer")
    assert shortened("short; good") == "short; good"


@pytest.mark.parametrize("text", ["=1+1", "+cmd", "-cmd|' /C calc'!A0", "@SUM(1)", "\t=1", "\r=1"])
def test_a_cell_never_begins_a_formula(text):
    file = io.StringIO()
    csv.writer(file).writerow([csv_cell(text)])
    [[cell]] = csv.reader(io.StringIO(file.getvalue()))
    assert cell.startswith("'")


@pytest.mark.parametrize("value", [-1.5, "-1.5", "+2", "-1e-300", "-.5", "-", "u-1", "", 3, None])
def test_numbers_and_other_text_stay_as_they_are(value):
    assert csv_cell(value) == value

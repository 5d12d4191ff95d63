"""What notebooks show: whatever a recording says is text, and tables count its units."""

import re
from html import unescape
from xml.etree import ElementTree

import numpy as np
import pytest

from microcolumn import Recording, Units, Words
from microcolumn.notebook import card, facts, units_tables

HOSTILE = "<script>alert(1)</script>"


def rows_of(html, table=0):
    """Cells of one of the tables, line by line, the header first."""
    root = ElementTree.fromstring(f"<div>{html}</div>")
    lines = list(root.iter("table"))[table].iter("tr")
    return [[cell.text or "" for cell in line] for line in lines]


@pytest.fixture(scope="module")
def layered():
    return Units(
        ["u1", "u2", "u3", "u4"],
        depth_um=[900.0, 100.0, 300.0, np.nan],
        layer=["V", "II", "II", ""],
    )


def test_units_are_counted_by_layer_from_the_top(layered):
    rows = rows_of(units_tables(layered, "rate, Hz", np.array([1.0, 2.0, 4.0, 8.0])))
    assert rows == [
        ["layer", "units", "depth, µm (from surface)", "rate, Hz: median (range)"],
        ["II", "2", "100 to 300", "3.00 (2.00 to 4.00)"],
        ["V", "1", "900 to 900", "1.00 (1.00 to 1.00)"],
        ["-", "1", "-", "8.00 (8.00 to 8.00)"],
    ]


def test_units_are_listed_one_by_one(layered):
    rows = rows_of(units_tables(layered, "rate, Hz", np.array([1.0, 2.0, 4.0, 8.0])), table=1)
    assert rows[0] == ["unit", "layer", "depth, µm", "rate, Hz"]
    assert rows[1:3] == [["u1", "V", "900", "1.00"], ["u2", "II", "100", "2.00"]]
    assert rows[4] == ["u4", "", "-", "8.00"]


def test_units_without_layers_are_one_group():
    rows = rows_of(units_tables(Units.numbered(1), "Hz", np.array([0.5])))
    assert rows == [["", "units", "Hz: median (range)"], ["all", "1", "0.50 (0.50 to 0.50)"]]


def test_layers_are_told_apart_by_area():
    units = Units("abc", layer=["IV", "IV", "V"], area=["B", "A", "B"])
    rows = rows_of(units_tables(units, "Hz", np.ones(3)))
    assert [row[:3] for row in rows[1:]] == [["B", "IV", "1"], ["B", "V", "1"], ["A", "IV", "1"]]


def test_of_very_many_units_the_first_are_listed():
    html = units_tables(Units.numbered(500), "Hz", np.ones(500))
    assert len(rows_of(html, table=1)) == 201
    assert "and 300 more units" in html


def test_facts_that_are_not_known_are_left_out():
    assert rows_of(facts({"source": "x", "notes": ""})) == [["source", "x"]]
    assert facts({"notes": ""}) == ""


def test_no_text_of_a_recording_is_markup():
    units = Units([HOSTILE], layer=[HOSTILE], area=[HOSTILE])
    recording = Recording([[0.1, 0.2]], units, [[0.0, 1.0]], source=HOSTILE, notes=[HOSTILE])
    for html in (recording._repr_html_(), card(HOSTILE), recording.bin(0.1)._repr_html_()):
        assert "<script" not in html
        assert HOSTILE in unescape(html)


def test_a_recording_shows_its_line_its_facts_and_its_rates():
    recording = Recording(
        [[0.1, 0.2], [0.3]], epochs=[[0.0, 1.0], [2.0, 3.0]], source="a.nwb", simulated=True
    )
    html = recording._repr_html_()
    assert f"<b>{recording!r}</b>" in html
    assert dict(rows_of(html)) == {
        "source": "a.nwb",
        "simulated": "yes",
        "recorded": "2 s in 2 epochs",
    }
    median = np.median(recording.rates_hz)
    assert rows_of(html, table=1)[1] == ["all", "2", f"{median:.2f} (0.50 to 1.00)"]


@pytest.mark.parametrize("window", [1, 2])
def test_words_show_how_often_units_are_active(window):
    X = np.random.default_rng(0).random((200, 3)) < 0.3
    html = Words.from_array(X).embed(window)._repr_html_()
    shown = [float(row[1]) for row in rows_of(html, table=1)[1:]]
    # A unit of windows is active as often as in the bins that windows start and end in.
    bins = [X[k : len(X) - window + 1 + k].mean(axis=0) for k in range(window)]
    np.testing.assert_allclose(shown, 100 * np.mean(bins, axis=0), atol=0.006)
    assert re.search(r"<summary>3 units</summary>", html)

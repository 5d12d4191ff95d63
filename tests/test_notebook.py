"""What notebooks show: whatever a recording says is text, and tables count its units."""

from html import unescape
from xml.etree import ElementTree

import numpy as np
import pytest

import microcolumn as mc
from microcolumn import Recording, Units
from microcolumn.notebook import card, units_tables

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


def test_no_text_of_a_recording_is_markup():
    units = Units([HOSTILE], layer=[HOSTILE], area=[HOSTILE])
    recording = Recording([[0.1, 0.2]], units, [[0.0, 1.0]], source=HOSTILE, notes=[HOSTILE])
    for html in (recording._repr_html_(), card(HOSTILE), recording.bin(0.1)._repr_html_()):
        assert "<script" not in html
        assert HOSTILE in unescape(html)


@pytest.fixture(scope="module")
def results():
    """What a cell of a notebook may end with, by its name."""
    recording = mc.simulate.microcolumn(n_units=5, minutes=0.5, seed=1)
    words = recording.bin(0.020)
    rbm, ising = mc.RBM(2, l1=1e-4).fit(words), mc.Ising(l1=1e-3).fit(words)
    return {
        "LogPartition": rbm.log_partition(),
        "Score": mc.score(rbm, words),
        "Adequacy": mc.evaluate.adequacy(rbm, words),
        "Intervals": mc.evaluate.intervals(ising, words),
        "Interactions": mc.evaluate.effective_interactions(rbm),
        "Explainable": mc.evaluate.explainable(words),
        "BinWidth": mc.survey.suggest_bin_width(recording),
        "Summary": mc.survey.summarise(recording),
        "Choice": mc.evaluate.choose_l1(mc.Ising(), words, words, [1e-3, 1e-2]),
        "Binning": recording.binning(0.020),
        "PairedDifference": mc.compare({"a": ising, "b": rbm}, words).pair("a", "b"),
        "Certificate": ising.certificate_,
    }


def test_results_that_are_text_are_shown_as_they_are_printed(results):
    for name, result in results.items():
        assert type(result).__name__ == name
        [line] = ElementTree.fromstring(f"<div>{result._repr_html_()}</div>")
        assert line.tag == "pre"
        assert line.text == str(result) == repr(result)
        assert len(line.text) < 3000

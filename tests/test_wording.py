"""Templates of English: one line of text, whatever is filled in."""

from importlib.resources import files

import jinja2
import pytest

from microcolumn.figures import FIGURES
from microcolumn.wording import worded


def test_a_template_becomes_one_line_with_its_values():
    assert worded("figures", "error_bars", n_splits=[1, 2], marks="Bands") == (
        "Bands: one standard error of the mean over splits, corrected for the words that splits "
        "share (Nadeau & Bengio 2003); of two splits that from blocks of neighbouring bins, if it "
        "is larger; of a single split that from blocks of neighbouring bins."
    )


def test_what_is_filled_in_is_text_and_no_template():
    found = worded("figures", "error_bars", n_splits=[1], marks="<b>{{ 1 + 1 }}\N{NO-BREAK SPACE}a")
    assert found.startswith("<b>{{ 1 + 1 }}\N{NO-BREAK SPACE}a: ")


def test_a_value_that_is_missing_is_an_error():
    with pytest.raises(jinja2.UndefinedError, match="n_splits"):
        worded("figures", "error_bars", marks="Bands")


def test_every_figure_has_a_template():
    names = {file.name for file in files("microcolumn.figures").joinpath("templates").iterdir()}
    assert {f"{name}.txt" for name in FIGURES} <= names

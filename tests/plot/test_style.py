import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, strategies as st
from matplotlib.colors import to_rgb
from matplotlib.text import Text

import microcolumn as mc
from microcolumn.plot._inputs import named_models
from microcolumn.plot.style import (
    MODEL_COLOURS,
    colour_of,
    legible,
    literal,
    looks_of,
    printable,
    round_below,
)


@pytest.mark.parametrize("model", MODEL_COLOURS)
def test_a_model_has_its_colour_with_any_number_of_hidden_units_and_objective(model):
    names = [model, f"{model} 25", f"{model} 8 mpf", f"{model} mpf"]
    assert {colour_of(name) for name in names} == {MODEL_COLOURS[model]}


@given(st.text(max_size=20))
def test_text_is_drawn_letter_by_letter(text):
    seen, is_math = Text()._preprocess_math(literal(text))
    assert not is_math
    assert seen == " ".join(printable(text).split())


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("$u$", r"\$u\$"),
        ("<script>", "<script>"),
        (" a\n\tb\x00c\x85 ", "a b c"),
        ("\ud800x\ufffe", "x"),
        ("x" * 24, "x" * 24),
        ("x" * 25, "x" * 12 + "…" + "x" * 11),
        ("ses-2024-03-17_mouse_M0421_probe01", "ses-2024-03-…421_probe01"),
        ("", ""),
    ],
)
def test_text_from_a_recording_is_tamed(text, drawn):
    assert literal(text) == drawn


@given(st.text(st.characters()))
def test_printable_text_is_fit_for_xml(text):
    element = ElementTree.Element("t")
    element.text = printable(text)
    assert len(element.text) == len(text)
    ElementTree.fromstring(ElementTree.tostring(element, encoding="utf-8"))


def test_printable_text_is_left_as_it_is():
    assert printable("λ = 0.1, <b>µm</b> 😀\n") == "λ = 0.1, <b>µm</b> 😀\n"


@pytest.mark.parametrize(
    ("value", "below"),
    [(4.7, 4.0), (1.0, 1.0), (0.3, 0.3), (0.1 * 3, 0.3), (0.00199, 0.001), (70_000.0, 70_000.0)],
)
def test_a_number_is_rounded_down_to_one_digit(value, below):
    assert round_below(value) == below


def test_importing_plots_opens_no_window_system_and_loads_no_study():
    code = """if True:
        import sys, microcolumn as mc
        all_plots = [getattr(mc.plot, name) for name in mc.plot.__all__]
        sys.exit(bool({"matplotlib.pyplot", "microcolumn.study"} & set(sys.modules)))"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("colour", ["#56B4E9", "#CC79A7", "#D55E00", "#FFFFFF", "#F0E442"])
def test_letters_in_a_colour_are_dark_enough_to_read_and_no_darker(colour):
    def contrast(shown):
        srgb = np.array(to_rgb(shown))
        linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
        return 1.05 / (0.05 + 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])

    assert contrast(colour) < 4.5 <= contrast(legible(colour)) < 4.8
    assert legible("#000000") == "#000000"
    assert legible("#0072B2") == "#0072b2"  # dark enough as it is


@pytest.fixture
def model():
    return mc.Independent().fit([[0, 1], [1, 1], [0, 0]])


def test_fitted_models_have_the_colour_of_their_class_whatever_they_are_called(model):
    expected = looks_of(["Independent"])["Independent"].colour
    for asked in ({"mine": model}, [model], model):
        assert {each.colour for each in looks_of(["mine"], None, {"mine": model}).values()} == {
            expected
        }
        assert looks_of(list(named_models(asked)), None, asked).popitem()[1].colour == expected
    assert looks_of(["mine"], None, {"mine": "no model"})["mine"].colour != expected

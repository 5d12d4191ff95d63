import subprocess
import sys
from xml.etree import ElementTree

import pytest
from hypothesis import given, strategies as st

import microcolumn as mc
from microcolumn.plot._inputs import named_models
from microcolumn.plot.style import MODEL_COLOURS, literal, looks, printable


@pytest.mark.parametrize("model", MODEL_COLOURS)
def test_a_model_has_its_colour_with_any_number_of_hidden_units_and_objective(model):
    names = [model, f"{model} 25", f"{model} 8 mpf", f"{model} mpf"]
    assert {looks([name])[name].colour for name in names} == {MODEL_COLOURS[model]}


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


def test_importing_plots_opens_no_window_system_and_loads_no_study():
    code = """if True:
        import sys, microcolumn as mc
        all_plots = [getattr(mc.plot, name) for name in mc.plot.__all__]
        sys.exit(bool({"matplotlib.pyplot", "microcolumn.study"} & set(sys.modules)))"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.fixture
def model():
    return mc.Independent().fit([[0, 1], [1, 1], [0, 0]])


def test_fitted_models_have_the_colour_of_their_class_whatever_they_are_called(model):
    expected = looks(["Independent"])["Independent"].colour
    for asked in ({"mine": model}, [model], model):
        assert {each.colour for each in looks(["mine"], None, {"mine": model}).values()} == {
            expected
        }
        assert looks(list(named_models(asked)), None, asked).popitem()[1].colour == expected
    assert looks(["mine"], None, {"mine": "no model"})["mine"].colour != expected

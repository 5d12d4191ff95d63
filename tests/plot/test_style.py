import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, strategies as st
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from matplotlib.text import Text

import microcolumn as mc
from microcolumn.models import ModelSpec
from microcolumn.parameters import Parameters
from microcolumn.plot._inputs import named_models
from microcolumn.plot.style import (
    MODEL_COLOURS,
    OTHER_COLOUR,
    RC,
    axes_or_new,
    by_name,
    colour_map,
    colour_of,
    legible,
    literal,
    looks,
    looks_of,
    match_type,
    one_colour,
    printable,
    round_below,
)


@pytest.mark.parametrize("model", MODEL_COLOURS)
def test_a_model_has_its_colour_with_any_number_of_hidden_units_and_objective(model):
    names = [model, f"{model} 25", f"{model} 8 mpf", f"{model} mpf"]
    assert {colour_of(name) for name in names} == {MODEL_COLOURS[model]}


@pytest.mark.parametrize("name", ["", " ", "GLM", "rbm"])
def test_another_model_has_the_colour_of_others(name):
    assert colour_of(name) == OTHER_COLOUR


def test_classes_of_the_paper_are_told_apart_without_colours():
    found = looks(["Independent", "Ising", "RBM 10", "SemiRBM 10"])
    assert len({look.marker for look in found.values()}) == 4
    assert looks(["mine"], {"mine": ModelSpec("RBM", 10)})["mine"].marker == found["RBM 10"].marker


def test_models_of_a_class_are_told_apart_by_all_but_their_colour():
    alike = looks(["Ising", "RBM 10", "RBM 25", "RBM 50"])
    assert alike.pop("Ising") == looks(["Ising"])["Ising"]
    colours, *others = zip(*alike.values(), strict=True)
    assert set(colours) == {MODEL_COLOURS["RBM"]}
    assert [len(set(each)) for each in others] == [3] * 4
    lightness = [sum(to_rgb(look.tint)) for look in alike.values()]
    assert lightness == sorted(lightness)
    assert len(looks(map(str, range(20)))) == 20


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


def test_new_axes_are_of_a_pyplot_figure_of_the_size_asked_for():
    ax = axes_or_new(None, (3.0, 2.0))
    try:
        assert ax.figure.get_size_inches().tolist() == [3.0, 2.0]
        assert plt.fignum_exists(ax.figure.number)
        assert [ax.spines[side].get_visible() for side in ("left", "top", "right")] == [
            True,
            False,
            False,
        ]
        assert ax.xaxis.label.get_size() == RC["axes.labelsize"]
    finally:
        plt.close(ax.figure)


@pytest.mark.parametrize(
    ("value", "below"),
    [(4.7, 4.0), (1.0, 1.0), (0.3, 0.3), (0.1 * 3, 0.3), (0.00199, 0.001), (70_000.0, 70_000.0)],
)
def test_a_number_is_rounded_down_to_one_digit(value, below):
    assert round_below(value) == below


@pytest.mark.parametrize("draw", [mc.plot.couplings, mc.plot.hidden_units])
def test_plots_of_their_own_figure_fit_into_it(draw):
    theta = Parameters(b=[-3.0, -2.0], J=[[0.0, 1.0], [1.0, 0.0]], W=[[1.0], [-1.0]], c=[-2.0])
    ax = draw(mc.SemiRBM.from_parameters(theta))
    try:
        ax.figure.draw_without_rendering()
        box, (width, height) = ax.figure.get_tightbbox(), ax.figure.get_size_inches()
        assert 0.0 <= box.x0 < box.x1 <= width
        assert 0.0 <= box.y0 < box.y1 <= height
    finally:
        plt.close(ax.figure)


def test_a_second_axis_has_the_type_of_the_first():
    ax = axes_or_new(None)  # in smaller type than the settings ask for by now
    right = ax.secondary_yaxis("right")
    right.set_ylabel("%")
    match_type(right, ax.yaxis)
    assert right.yaxis.label.get_fontsize() == ax.yaxis.label.get_fontsize() == 8
    assert {text.get_fontsize() for text in right.get_yticklabels()} == {7}
    plt.close("all")


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


def test_colours_are_of_all_or_by_name():
    styles = looks_of(["Ising", "RBM 10"])
    assert {each.colour for each in looks_of(["Ising", "RBM 10"], "red").values()} == {"red"}
    one = looks_of(["Ising", "RBM 10"], {"RBM 10": "red"})
    assert one["Ising"] == styles["Ising"]
    assert (one["RBM 10"].colour, one["RBM 10"].marker) == ("red", styles["RBM 10"].marker)
    with pytest.raises(ValueError, match=r"^color names 'SemiRBM'; name some of Ising, RBM 10$"):
        looks_of(["Ising", "RBM 10"], {"SemiRBM": "red"})


def test_a_model_without_a_name_is_black():
    assert looks_of([""])[""].colour == "#000000"


def test_fitted_models_have_the_colour_of_their_class_whatever_they_are_called(model):
    expected = looks_of(["Independent"])["Independent"].colour
    for asked in ({"mine": model}, [model], model):
        assert {each.colour for each in looks_of(["mine"], None, {"mine": model}).values()} == {
            expected
        }
        assert looks_of(list(named_models(asked)), None, asked).popitem()[1].colour == expected
    assert looks_of(["mine"], None, {"mine": "no model"})["mine"].colour != expected


def test_the_rest_of_a_palette_is_kept():
    assert by_name(["a", "b", "c"], ["red", "blue"], {"b": "C0"}) == {
        "a": "red",
        "b": "C0",
        "c": "red",
    }


def test_a_colour_is_any_that_matplotlib_knows():
    assert one_colour(None, "red") == "red"
    assert one_colour("0.5", "red") == "0.5"
    assert one_colour([0, 0, 1], "red") == (0, 0, 1, 1)
    with pytest.raises(ValueError, match=r"^color is 'rot'; give a colour .* '#D55E00'$"):
        one_colour("rot", "red")
    with pytest.raises(ValueError, match=r"^color\['a'\] is nan; give a colour"):
        by_name(["a"], ["red"], {"a": float("nan")})
    with pytest.raises(ValueError, match=r"or a dict of colours by name$"):
        by_name(["a", "b"], ["red"], ["red", "blue"])


def test_a_map_of_colours_is_found_by_name():
    assert colour_map(None).name == "RdBu_r"
    assert colour_map(colour_map("PuOr")).name == "PuOr"
    with pytest.raises(ValueError, match=r"^cmap is 'blu'; give a colour map .* 'RdBu_r'$"):
        colour_map("blu")

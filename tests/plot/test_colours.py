import pytest

import microcolumn as mc
from microcolumn.plot._colours import by_name, colour_map, looks_of, one_colour
from microcolumn.plot._inputs import named_models


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
    for given in ({"mine": model}, [model], model):
        assert {each.colour for each in looks_of(["mine"], None, {"mine": model}).values()} == {
            expected
        }
        assert looks_of(list(named_models(given)), None, given).popitem()[1].colour == expected
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

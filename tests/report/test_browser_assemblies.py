"""Hidden units in the raster in a browser: which are shown, their colours, and what is said."""

import re

import numpy as np
import pytest
from browser import view_of

from microcolumn.plot.laminar import laminar

pytestmark = pytest.mark.integration

BIN_S = 0.020


def boxes(visit):
    return visit.page.locator("#explorer-hidden input")


def test_it_opens_where_the_clearest_assembly_is_on_most(raster, stretch):
    first, span = view_of(raster)
    assert 20 < span < stretch["n_bins"]
    column = stretch["hidden"][0]["column"]
    values, n = np.cumsum([0, *stretch["P"][:, column]]), round(span)
    most = max(values[n:] - values[:-n])
    assert values[round(first) + n] - values[round(first)] == pytest.approx(most, abs=1e-3)
    assert stretch["on"][0][round(first) : round(first) + n].any()
    listed = raster.page.locator("#explorer-hidden label").all_inner_texts()
    columns = [int(re.match(r"h(\d+)", text)[1]) for text in listed]
    assert columns == [unit["column"] for unit in stretch["hidden"]]
    assert listed[0].startswith("h0: assembly")
    for known in ("layer IV, 90 %", "2.00\xa0±\xa00.25\xa0bits/s lost", "found in 4 of 4 splits"):
        assert known in listed[0]
    checked = [box.is_checked() for box in boxes(raster).all()]
    assert checked == [True] + [False] * (len(listed) - 1)


def test_the_bins_shaded_are_those_in_which_a_hidden_unit_is_on(raster, stretch):
    n = 6
    for k in range(1, n):
        boxes(raster).nth(k).check()
    raster.canvas("raster").press("0")
    box, paper, seen = raster.plot("raster"), raster.colours("body")[1], set()
    for k in range(n):
        on = stretch["on"][k]
        assert f"in {on.sum():,} of {on.size:,} bins" in raster.text("summary")
        # Just above P = 0.5 in a low trace; bins are narrow, so those with like neighbours.
        y = box["top"] + box["height"] + 19 + k * 40 + 13
        alike = [m for m in range(1, on.size - 1) if len(set(on[m - 1 : m + 2])) == 1]
        for m in [m for m in alike if on[m]][:9] + [m for m in alike if not on[m]][:9]:
            colour = raster.pixel("raster", box["left"] + (m + 0.5) * box["cellWidth"], y)
            assert (np.abs(np.subtract(colour, paper)).max() > 25) == on[m]
            seen.add(bool(on[m]))
    assert seen == {True, False}


def test_a_time_pointed_at_tells_who_spikes(raster, raster_results, stretch):
    model = raster_results.model("cells", stretch["model"])
    words, order = raster_results.all_words("cells"), laminar(raster_results.units("cells")).order
    X, unit = words.expand(), stretch["hidden"][0]
    raster.canvas("raster").press("0")
    busy = int(X[:, order[unit["members"]]].sum(axis=1).argmax())
    raster.point_at("raster", 2, busy)
    said = raster.text("assemblies-readout")
    p = model.hidden(X[busy : busy + 1])[0, unit["column"]]
    state = re.match(r"([\d.]+) s: h0 is (on|off) \(P = ([\d.]+)\) with (\d+) of its (\d+) ", said)
    assert float(state[1]) == pytest.approx(busy * BIN_S)
    assert (state[2] == "on") == (p > 0.5)
    assert float(state[3]) == pytest.approx(p, abs=1e-3)
    assert int(state[4]) == X[busy, order[unit["members"]]].sum()
    assert int(state[5]) == len(unit["members"])
    assert f"{X[busy].sum()} units spike: unit " in said

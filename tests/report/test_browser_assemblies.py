"""Hidden units in the raster in a browser: which are shown, their colours, and what is said."""

import re

import large_study
import numpy as np
import planted_study
import pytest
from browser import PHONE, contrast, is_on, view_of, visiting, write_page

from microcolumn.plot._laminar import laminar
from microcolumn.recording import Recording
from microcolumn.units import Units

BIN_S = 0.020


def boxes(visit):
    return visit.page.locator("#explorer-hidden input")


def test_it_opens_where_the_clearest_assembly_is_on_most(raster, stretch):
    first, span = view_of(raster)
    assert 20 < span < stretch["n_bins"]
    values = np.cumsum([0, *stretch["hidden"][0]["thousandths"]])
    n = round(span)
    assert values[round(first) + n] - values[round(first)] == max(values[n:] - values[:-n])
    assert is_on(stretch["hidden"][0])[round(first) : round(first) + n].any()
    listed = raster.page.locator("#explorer-hidden label").all_inner_texts()
    columns = [int(re.match(r"h(\d+)", text)[1]) for text in listed]
    assert columns == [unit["column"] for unit in stretch["hidden"]]
    assert listed[0].startswith("h0: assembly")
    for known in ("layer IV, 90 %", "2.00\xa0±\xa00.25\xa0bits/s lost", "recurs in 3 of 3"):
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
        on = is_on(stretch["hidden"][k])
        assert f"in {on.sum():,} of these {on.size:,} bins" in raster.text("summary")
        # Just above P = 0.5 in a low trace; bins are narrow, so those with like neighbours.
        y = box["top"] + box["height"] + 19 + k * 40 + 13
        alike = [m for m in range(1, on.size - 1) if len(set(on[m - 1 : m + 2])) == 1]
        for m in [m for m in alike if on[m]][:9] + [m for m in alike if not on[m]][:9]:
            colour = raster.pixel("raster", box["left"] + (m + 0.5) * box["cellWidth"], y)
            assert (np.abs(np.subtract(colour, paper)).max() > 25) == on[m]
            seen.add(bool(on[m]))
    assert seen == {True, False}


def test_six_hidden_units_at_most_have_a_colour_of_their_own(raster, stretch):
    assert len(stretch["hidden"]) > 6
    for k in range(1, 6):
        boxes(raster).nth(k).check()
    assert boxes(raster).nth(6).is_disabled()
    swatches = raster.page.locator("#explorer-summary b").evaluate_all(
        "(names) => names.map((name) => getComputedStyle(name).boxShadow)"
    )
    assert len(set(swatches)) == 6
    boxes(raster).nth(0).uncheck()
    assert boxes(raster).nth(6).is_enabled()
    boxes(raster).nth(6).check()
    again = raster.page.locator("#explorer-summary b").evaluate_all(
        "(names) => names.map((name) => getComputedStyle(name).boxShadow)"
    )
    assert again[1:] == swatches[1:]  # those that stay keep their colours


def test_a_hidden_unit_has_its_colour_of_the_figure_whichever_are_chosen(raster):
    drawn = raster.page.locator("#explorer-hidden label")

    def colour(k):
        return drawn.nth(k).evaluate("(row) => row.style.getPropertyValue('--colour')")

    boxes(raster).nth(0).uncheck()
    for k in (6, 2, 0, 3):
        boxes(raster).nth(k).check()
    assert [colour(k) for k in (0, 2, 3)] == [f"var(--assembly-{k})" for k in (0, 2, 3)]
    assert colour(6) == "var(--assembly-5)"  # none that the figure has


def focused(visit, boxes):
    """Which of some boxes or buttons has the focus."""
    return boxes.evaluate_all("(all) => all.indexOf(document.activeElement)")


def test_the_list_is_one_stop_and_arrow_keys_lead_along_it(raster):
    keyboard, listed = raster.page.keyboard, boxes(raster)
    listed.first.focus()
    keyboard.press("ArrowDown")
    keyboard.press("Space")
    assert [each.is_checked() for each in listed.all()][:3] == [True, True, False]
    for k in range(2, 6):
        keyboard.press("ArrowDown")
        keyboard.press("Space")
        assert focused(raster, listed) == k
    assert listed.nth(6).is_disabled()
    keyboard.press("ArrowDown")
    assert focused(raster, listed) == 0
    keyboard.press("ArrowUp")
    assert focused(raster, listed) == 5
    keyboard.press("Tab")
    keyboard.press("Shift+Tab")
    assert focused(raster, listed) == 5


def test_buttons_of_the_view_are_one_stop_and_arrow_keys_lead_along_them(raster):
    buttons = raster.page.locator("#explorer-toolbar button")
    before = view_of(raster)[1]
    buttons.first.focus()
    raster.page.keyboard.press("ArrowRight")
    raster.page.keyboard.press("Enter")
    assert view_of(raster)[1] < before
    raster.page.keyboard.press("Tab")
    assert raster.page.evaluate("document.activeElement.id") == "explorer-raster"
    raster.page.keyboard.press("Shift+Tab")
    assert focused(raster, buttons) == 1


def test_without_a_choice_the_spikes_stay(raster, stretch):
    boxes(raster).nth(0).uncheck()
    assert "Choose a hidden unit" in raster.text("summary")
    raster.canvas("raster").press("ArrowDown")
    raster.point_at("raster", 0, round(view_of(raster)[0]) + 3)
    assert re.match(r"[\d.]+ s: (\d+ units? spikes?|no unit)", raster.text("assemblies-readout"))


def spike_colours(raster, stretch, row):
    """Colours of a spike of a row, near its upper and its lower end."""
    [bin_, *_] = stretch["spikes"][row]
    canvas = raster.canvas("raster")
    canvas.press("0")
    raster.point_at("raster", row, bin_)
    for _ in range(6):
        canvas.press("+")
    box = raster.plot("raster")
    x = box["left"] + (bin_ + 0.5 - box["first"]) * box["cellWidth"]
    heights = [box["top"] + (row + part) * box["cellHeight"] for part in (0.25, 0.75)]
    return [np.array(raster.pixel("raster", x, y), dtype=int) for y in heights]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_spikes_are_coloured_by_the_size_of_weights(raster, stretch, scheme):
    raster.page.emulate_media(color_scheme=scheme)
    percent = np.array(stretch["hidden"][0]["percent"])
    order = [row for row in np.argsort(-percent).tolist() if stretch["spikes"][row]]
    weak = [row for row in order if percent[row] > 0][-1]
    none = next(row for row in order if percent[row] == 0)
    found = [spike_colours(raster, stretch, row)[0] for row in (order[0], weak, none, order[-1])]
    paper = np.array(raster.colours("body")[1])
    assert all(np.abs(colour - paper).max() > 25 for colour in found)
    red = [colour[0] - colour[2] for colour in found]
    assert red == sorted(red, reverse=True)
    assert len(set(red)) == 4


def test_a_unit_of_several_hidden_units_has_a_colour_for_each(raster, stretch):
    members = [set(unit["members"]) for unit in stretch["hidden"]]
    spiking = {row for row, bins in enumerate(stretch["spikes"]) if bins}
    boxes(raster).nth(1).check()
    above, below = spike_colours(raster, stretch, min(members[0] & members[1] & spiking))
    assert np.abs(above - below).max() > 40
    above, below = spike_colours(raster, stretch, min((members[0] - members[1]) & spiking))
    assert (above == below).all()


def test_a_time_pointed_at_tells_who_spikes(raster, raster_results, stretch):
    model = raster_results.model("cells", stretch["model"])
    words, order = raster_results.all_words("cells"), laminar(raster_results.units("cells")).order
    first = round(stretch["start_s"] / BIN_S)
    X = words.expand()[first : first + stretch["n_bins"]]
    unit = stretch["hidden"][0]
    raster.canvas("raster").press("0")
    busy = int(X[:, order[unit["members"]]].sum(axis=1).argmax())
    raster.point_at("raster", 2, busy)
    said = raster.text("assemblies-readout")
    p = model.hidden(X[busy : busy + 1])[0, unit["column"]]
    state = re.match(r"([\d.]+) s: h0 is (on|off) \(P = ([\d.]+)\) with (\d+) of its (\d+) ", said)
    assert float(state[1]) == pytest.approx(stretch["start_s"] + busy * BIN_S)
    assert (state[2] == "on") == (p > 0.5)
    assert float(state[3]) == pytest.approx(p, abs=1e-3)
    assert int(state[4]) == X[busy, order[unit["members"]]].sum()
    assert int(state[5]) == len(unit["members"])
    assert f"{X[busy].sum()} units spike: unit " in said


def test_only_what_the_keyboard_does_is_spoken(raster):
    spoken = raster.page.locator("#explorer-assemblies-spoken")
    assert spoken.get_attribute("aria-live") == "polite"
    raster.point_at("raster", 2, round(view_of(raster)[0]) + 5)
    assert raster.text("assemblies-readout").endswith(("spikes", ")", "more"))
    assert spoken.text_content() == ""
    raster.canvas("raster").press("ArrowRight")
    assert spoken.text_content() == raster.text("assemblies-readout")
    raster.canvas("raster").press("+")
    assert spoken.text_content().startswith("Showing ")
    assert raster.page.locator("#explorer-assemblies-readout").get_attribute("aria-live") is None


def test_weak_weights_can_be_seen_by_night(raster):
    raster.page.emulate_media(color_scheme="dark")
    raster.settle()
    paper = raster.colours("body")[1]
    zero = raster.page.evaluate("colours.zero")
    weak = raster.page.evaluate("[1, -1].map((w) => signedColour(w / 1000, 1))")
    full = raster.page.evaluate("[1, -1].map((w) => signedColour(w, 1))")
    assert contrast(zero, paper) > 1.3
    numbers = [[int(n) for n in re.findall(r"\d+", colour)] for colour in weak + full]
    for colour in numbers[:2]:
        assert contrast(colour, zero) > 1.25
        assert min(contrast(strong, colour) for strong in numbers[2:]) > 2


def test_one_unit_with_a_long_name_and_no_layer_is_shown(browser, tmp_path):
    name = "a unit whose name is much longer than any axis has space for"
    data = Recording([np.arange(0.51, 20.0, 0.7)], Units([name]), epochs=[[0.0, 20.0]])
    plan = large_study.plan_of(data, 2, planted_study.L1)
    file = write_page(large_study.write(tmp_path / "cells.db", plan), tmp_path / "cells.html", 0)
    with visiting(browser, file, viewport=PHONE) as visit:
        visit.canvas("raster").press("Home")
        for key in ("+", "ArrowDown", "PageDown", "End", "0"):
            visit.canvas("raster").press(key)
        visit.point_at("raster", 0, 25)
        assert visit.text("assemblies-readout").endswith(f"1 unit spikes: unit {name}")
        wide, window_width = visit.page.evaluate(
            "[document.scrollingElement.scrollWidth, innerWidth]"
        )
        assert wide <= window_width

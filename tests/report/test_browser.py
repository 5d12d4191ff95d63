"""The page in a browser: what it shows is what the store holds, by mouse, keys, phone and paper."""

import re
from typing import NamedTuple

import large_study
import numpy as np
import planted_study
import pytest
from browser import LAPTOP, visiting, write_page

from microcolumn.models import PopulationModel
from microcolumn.plot.laminar import laminar
from microcolumn.recording import Recording
from microcolumn.report._explorer import explorers
from microcolumn.study import Results
from microcolumn.units import Units

pytestmark = pytest.mark.integration

#: Names of units that a page must show and never run.
HOSTILE = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "$\\alpha$", "</script>")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    given = planted_study.recording()
    ids = [*HOSTILE, *given.units.ids[len(HOSTILE) :]]
    units = Units(ids, given.units.depth_um, given.units.layer)
    return Results(
        planted_study.write(
            tmp_path_factory.mktemp("study") / "cells.db",
            change=large_study.tell_l1,
            data=Recording(given.trains, units, epochs=given.epochs),
            parameters=large_study.parameters,
        )
    )


@pytest.fixture(scope="module")
def file(results, tmp_path_factory):
    return write_page(results, tmp_path_factory.mktemp("page") / "cells.html")


@pytest.fixture(scope="module")
def opened(browser, file):
    with visiting(browser, file) as visit:
        yield visit


@pytest.fixture
def visit(opened):
    """The page as it is when the first experiment was just chosen."""
    opened.page.emulate_media(media="screen", color_scheme="light")
    opened.page.set_viewport_size(LAPTOP)
    opened.page.mouse.move(0, 0)
    opened.unfold()
    opened.page.locator("#explorer-where").select_option(index=0)
    yield opened
    opened.check_quiet()


def choose(visit, model):
    visit.page.locator("#explorer-models label", has_text=re.compile(f"^{model}$")).click()


def slide(visit, step):
    visit.page.locator("#explorer-penalty").fill(str(step))


def value_in(readout):
    return float(re.search(r"= (\S+)", readout)[1].replace("\u2212", "-"))


def order_of(results):
    return laminar(results.units("cells")).order


class Shown(NamedTuple):
    """The model with hidden units that is shown at first, from the store."""

    name: str
    model: PopulationModel
    hidden: list[int]  # columns of W


@pytest.fixture(scope="module")
def shown(results):
    [found, *_] = explorers(results)
    name = found["assemblies"]["model"]
    [path] = [path for path in found["models"] if path["name"] == name]
    hidden = path["steps"][path["chosen"]]["hidden"]
    return Shown(name, results.model("cells", name), hidden)


def test_a_coupling_pointed_at_is_the_stored_one(visit, results):
    choose(visit, "Ising")
    slide(visit, 1)
    model = results.model("cells", "Ising", l1=planted_study.L1[1])
    units, order = results.units("cells"), order_of(results)
    J = model.J_[np.ix_(order, order)]
    for row, column in np.argwhere(J)[[0, 40, -1]]:
        visit.point_at("couplings", row, column)
        said = visit.text("parameters-readout")
        assert value_in(said) == pytest.approx(J[row, column], rel=6e-3)
        for n in (order[row], order[column]):
            assert f"unit {units.ids[n]} ({units.layer[n]}, {units.depth_um[n]:.0f} µm)" in said
        box, mark = visit.plot("couplings"), visit.page.locator("#explorer-couplings > div > div")
        edges = [float(mark.evaluate(f"(m) => m.style.{edge}")[:-2]) for edge in ("left", "top")]
        assert edges[0] == pytest.approx(box["left"] + column * box["cellWidth"], abs=0.01)
        assert edges[1] == pytest.approx(box["top"] + row * box["cellHeight"], abs=0.01)
    row, column = np.argwhere(J == 0.0)[1]
    visit.point_at("couplings", row, column)
    assert visit.text("parameters-readout").endswith("J = 0")
    visit.point_at("couplings", 3, 3)
    assert visit.text("parameters-readout").endswith("no coupling with itself")


def test_a_window_says_which_bin_a_weight_belongs_to(visit, results):
    visit.page.locator("#explorer-where").select_option(index=1)
    choose(visit, "Ising")
    slide(visit, 0)
    order = laminar(results.units("cells", experiment="spatiotemporal")).order
    J = results.model("cells", "Ising", l1=0.0, experiment="spatiotemporal", window=3).J_
    visit.point_at("couplings", 1, 4 + 2)
    said = visit.text("parameters-readout")
    assert value_in(said) == pytest.approx(J[order[1], 4 + order[2]], rel=6e-3)
    first, second = said.split(" \u2013 ")
    assert "2 bins before the newest" in first
    assert "1 bin before the newest" in second


def test_the_slider_leads_along_the_stored_path(visit, results):
    choose(visit, "SemiRBM 5")
    slider = visit.page.locator("#explorer-penalty")
    slider.press("Home")
    for step, l1 in enumerate(planted_study.L1):
        model = results.model("cells", "SemiRBM 5", l1=l1)
        said = visit.text("facts").replace("\n", " ")
        score = large_study.validation_score(l1)
        assert f"{score:.2f} ± 0.50 bits/s, split 0" in said.replace("\u2212", "-")
        assert f"{model.n_live_hidden_} of 5" in said
        assert f"{np.count_nonzero(model.J_) // 2} of 253" in said
        assert "annealed importance sampling" in said
        assert ("not converged" in said) == (l1 == 0.0)
        chosen = ", chosen by validation" if step == 1 else ""
        assert slider.get_attribute("aria-valuetext") == f"{l1:g}{chosen}"
        slider.press("ArrowRight")


def test_arrow_keys_walk_through_a_map(visit, results):
    choose(visit, "Ising")
    order, ids = order_of(results), results.units("cells").ids
    canvas = visit.canvas("couplings")
    canvas.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp"):
        canvas.press(key)
    visit_said = visit.text("parameters-readout")
    canvas.press("ArrowDown")
    canvas.press("End")
    at_end = visit.text("parameters-readout")
    canvas.press("ArrowRight")
    assert visit_said.startswith(f"unit {ids[order[1]]} ")
    assert visit_said.endswith("no coupling with itself")
    assert at_end.startswith(f"unit {ids[order[2]]} (")
    assert f"\u2013 unit {ids[order[-1]]} (" in at_end
    assert visit.text("parameters-readout") == at_end
    canvas.press("Home")
    assert f"\u2013 unit {ids[order[0]]} (" in visit.text("parameters-readout")


def test_enter_on_a_hidden_unit_shows_it_in_the_data(visit, shown):
    choose(visit, shown.name)
    canvas = visit.canvas("weights")
    canvas.focus()
    canvas.press("ArrowRight")
    canvas.press("Enter")
    assert visit.text("summary").startswith(f"h{shown.hidden[1]}\n")
    checked = visit.page.locator("#explorer-hidden label:has(:checked)").all_inner_texts()
    assert [text.splitlines()[0] for text in checked] == [f"h{shown.hidden[1]}"]
    slide(visit, 0)
    canvas.focus()
    canvas.press("Enter")
    assert "choose these first" in visit.text("parameters-readout")


def test_without_javascript_all_but_the_explorers_is_there(browser, file, visit):
    counts = [visit.page.locator(part).count() for part in ("section", "table", "svg")]
    counts[2] -= visit.page.locator("#explorer-curve svg").count()
    with visiting(browser, file, ready=False, java_script_enabled=False) as plain:
        assert [plain.page.locator(p).count() for p in ("section", "table", "svg")] == counts
        for control in ("input", "select", "canvas", "button", "fieldset"):
            assert not any(each.is_visible() for each in plain.page.locator(control).all())
        assert plain.page.locator("#raster noscript p").is_visible()

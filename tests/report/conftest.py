"""Pages that several tests open in a browser."""

import figured_page
import large_study
import planted_study
import pytest
from browser import LAPTOP, PHONE, launched, visiting, write_page

from microcolumn.report._explorer import explorers
from microcolumn.study import Results


@pytest.fixture(scope="module")
def browser():
    with launched() as found:
        yield found


@pytest.fixture(scope="session")
def figured(tmp_path_factory):
    """The file of a page with figures."""
    return figured_page.write(tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def figured_visit(browser, figured):
    """A visit of it, which the tests of a module share."""
    with visiting(browser, figured) as visit:
        yield visit


@pytest.fixture
def page(figured_visit):
    """It as it is when nothing is pointed at."""
    page = figured_visit.page
    figured_visit.unfold()
    page.emulate_media(media="screen", color_scheme="light", forced_colors="none")
    page.set_viewport_size(LAPTOP)
    page.keyboard.press("Escape")
    page.mouse.move(0, 0)
    page.locator(figured_page.SHEET).scroll_into_view_if_needed()
    yield page
    assert figured_visit.errors == []
    assert figured_visit.dialogs == []


@pytest.fixture(scope="session")
def raster_results(tmp_path_factory):
    """Ten hidden units, of which seven live; the first is an assembly."""
    plan = planted_study.Plan.of(
        {"cells": planted_study.recording()},
        n_hidden=10,
        n_splits=4,
        l1=planted_study.L1,
        models=("Ising", "RBM"),
    )
    return Results(
        planted_study.write(
            tmp_path_factory.mktemp("study") / "cells.db",
            plan,
            change=large_study.tell_l1,
            parameters=large_study.parameters,
        )
    )


@pytest.fixture(scope="session")
def raster_page(raster_results, tmp_path_factory):
    return write_page(raster_results, tmp_path_factory.mktemp("page") / "cells.html", n_figures=0)


@pytest.fixture(scope="session")
def drawn(raster_results, tmp_path_factory):
    """The file of a page with the first figures of a study as they are."""
    return write_page(raster_results, tmp_path_factory.mktemp("page") / "drawn.html")


@pytest.fixture(scope="session")
def stretch(raster_results):
    """What the raster shows, as data, with when hidden units are on by the model itself."""
    [found] = explorers(raster_results)
    shown, X = found["assemblies"], raster_results.all_words("cells").expand()
    P = raster_results.model("cells", shown["model"]).hidden(X)
    return shown | {"on": [P[:, unit["column"]] > 0.5 for unit in shown["hidden"]], "P": P}


@pytest.fixture
def raster(browser, raster_page):
    """A visit of the raster."""
    with visiting(browser, raster_page) as visit:
        visit.canvas("raster").scroll_into_view_if_needed()
        yield visit


@pytest.fixture
def phone(browser, raster_page):
    """A visit of the raster with fingers."""
    options = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    with visiting(browser, raster_page, **options) as visit:
        visit.canvas("raster").scroll_into_view_if_needed()
        yield visit

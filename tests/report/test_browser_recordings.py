"""One list that switches the page to another recording, and links that lead to a group."""

import pytest
from browser import visiting

from microcolumn import report
from microcolumn.figures import _all
from microcolumn.simulate import microcolumn
from microcolumn.study import Plan, run

pytestmark = pytest.mark.integration

NAMES = ["first", "second </script>"]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("two")
    given = {name: microcolumn(6, minutes=1.0, seed=k) for k, name in enumerate(NAMES)}
    plan = Plan.of(given, models=["Ising", "RBM"], n_hidden=2, l1=1e-3, n_splits=2)
    results = run(plan, folder / "study.db", n_jobs=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_all, "FIGURES", {name: _all.FIGURES[name] for name in ("ranking", "data")})
        report.write(results, folder / "page.html", progress=False)
    return folder / "page.html"


@pytest.fixture
def visit(browser, file):
    with visiting(browser, file, reduced_motion="reduce") as found:
        yield found


def shown(page):
    """Recordings of the parts that are not hidden."""
    parts = page.locator("[data-recording]:not([hidden])").all()
    return {each.get_attribute("data-recording") for each in parts}


def test_a_list_switches_the_whole_page_to_another_recording(visit):
    page = visit.page
    picker = page.locator("#recording")
    assert picker.locator("option").all_inner_texts() == NAMES
    assert shown(page) == {NAMES[0]}
    figure = page.locator("#data figure:visible")
    assert figure.locator("figcaption b").inner_text().startswith("Figure 2 (1 in the paper)")
    picker.focus()
    picker.press("ArrowDown")
    assert shown(page) == {NAMES[1]}
    assert page.evaluate("new URLSearchParams(location.hash.slice(1)).get('recording')") == NAMES[1]
    # The same figure of another recording has the same number.
    assert figure.locator("figcaption b").inner_text().startswith("Figure 2 (1 in the paper)")
    page.evaluate("location.hash = '#recording=first'")
    visit.wait_until("document.querySelector('#recording').value === 'first'")
    assert shown(page) == {NAMES[0]}


def test_a_group_in_a_table_leads_to_it_in_the_raster(visit):
    page = visit.page
    page.locator("#recording").select_option(NAMES[1])
    link = page.locator("#groups table a:visible").last
    name = link.inner_text()
    link.focus()
    link.press("Enter")
    # The page follows its address in an event of its own, after the key.
    focused = "document.activeElement === document.querySelector('#explorer-hidden :checked')"
    visit.wait_until(focused)
    checked = page.locator("#explorer-hidden label:has(:checked)")
    assert checked.inner_text().splitlines()[0].split(":")[0] == name
    top = "Math.abs(document.getElementById('raster').getBoundingClientRect().top)"
    visit.wait_until(f"{top} < 100")


def test_without_javascript_recordings_are_below_each_other(browser, file):
    with visiting(browser, file, ready=False, java_script_enabled=False) as plain:
        panes = plain.page.locator("#data .pane")
        assert panes.locator("summary h3").all_inner_texts() == NAMES
        assert [each.get_attribute("open") is not None for each in panes.all()] == [True, False]
        panes.last.locator("summary").first.click()
        assert panes.last.locator("figure").is_visible()

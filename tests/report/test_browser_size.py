"""How much a reader has to read: words, screens and printed pages, with what is folded closed."""

import re
from dataclasses import replace

import planted_study as planted
import pytest
from browser import PAPER, PHONE, visiting

from microcolumn import report
from microcolumn.study import Plan, Results

pytestmark = pytest.mark.integration

#: JavaScript: all that can be seen without unfolding, or what stands above the first figure, the
#: list of sections apart.
VISIBLE = "document.body.innerText"
ABOVE = """(() => {
  const limit = document.querySelector('main figure').getBoundingClientRect().top, found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = new Range();
  while (walk.nextNode()) {
    range.selectNodeContents(walk.currentNode);
    const { left, bottom, width } = range.getBoundingClientRect();
    const around = walk.currentNode.parentElement;
    const isRead = left >= 0 && width > 2 && bottom <= limit + 2 && around.checkVisibility();
    if (isRead && !around.closest('nav')) found.push(walk.currentNode.data);
  }
  return found.join(' ');
})()"""

#: JavaScript: screens, but for what was planted, which recordings do not have.
SCREENS = """(document.documentElement.scrollHeight
  - (document.querySelector('#found')?.offsetHeight ?? 0)) / innerHeight"""
#: JavaScript: lines of a caption.
LINES = """(each) =>
  each.getBoundingClientRect().height / parseFloat(getComputedStyle(each).lineHeight)"""


def n_words(text):
    return sum(any(map(str.isalnum, word)) for word in text.split())


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A page of a quick look with all its figures."""
    folder = tmp_path_factory.mktemp("page")
    first = planted.PLAN.experiments[0]
    whole = Plan(planted.PLAN.sources, (replace(first, n_splits=10),))
    plan = Plan(planted.PLAN.sources, (first,), whole)
    results = Results(planted.write(folder / "cells.db", plan))
    report.write(results, folder / "cells.html", progress=False)
    return folder / "cells.html"


@pytest.mark.parametrize("window", [{"width": 1366, "height": 768}, PHONE])
def test_a_page_is_read_in_minutes(browser, file, window):
    with visiting(browser, file, viewport=window) as visit:
        page = visit.page
        assert n_words(page.evaluate(ABOVE)) <= 60
        assert n_words(page.evaluate(VISIBLE)) <= 2500
        assert page.evaluate(SCREENS) <= 7
        captions = page.locator("figcaption:visible").all()
        assert max(each.evaluate(LINES) for each in captions) < 2.5


def test_it_prints_on_a_few_pages(browser, file):
    with visiting(browser, file, viewport=PAPER) as visit:
        pages = re.findall(rb"/Type\s*/Page\b", visit.page.pdf(format="A4"))
        assert 0 < len(pages) <= 7

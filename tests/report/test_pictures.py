"""Figures as pictures of a page: the study's and a user's own."""

import json
import re
from pathlib import Path

import planted_study as planted
import pytest
from matplotlib.figure import Figure

from microcolumn.figures import _all
from microcolumn.figures.captioned import captioned
from microcolumn.plot.tips import tip
from microcolumn.report import _pictures as pictures, page, write


def figure_with_points(n=200):
    with captioned("4", "Words", (7.0, 1.0)) as figure:
        [line] = figure.add_subplot().plot(range(n), ".")
        line.set_rasterized(True)
        tip(line, {"word": [f"a word with a long name {k}" for k in range(n)]})
    return figure


def drawn(results, monkeypatch, figure):
    entry = _all.Figures(lambda *args, **where: figure, "4")
    monkeypatch.setattr(_all, "FIGURES", {"patterns": entry})
    [found] = pictures.pictures(results, 5_000_000).values()
    return found


def test_a_picture_has_its_points_and_code(planted_results, monkeypatch):
    found = drawn(planted_results, monkeypatch, figure_with_points())
    data = json.loads(found.data)
    assert data["size"] == [504, 72]
    [[columns, rows]] = data["points"]
    assert (columns, len(rows), data["total"]) == (["word"], 200, 200)
    assert found.code.split("\n")[2:4] == [
        f"results = mc.study.open({planted_results.file.name!r})",
        "figure = mc.figures.patterns(results, 'cells')",
    ]
    assert found.heading(7) == "Figure 7 (4 in the paper). Words."


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (Figure(), "extra is a Figure; give a list of matplotlib figures"),
        (3, "extra is a int; give a list of matplotlib figures"),
        ([Figure(), "a.png"], r"extra\[1\] is a str, not a matplotlib figure; give figures alone"),
        ([Figure().add_subplot()], r"extra\[0\] is a Axes, .*; give its figure, ax.figure"),
    ],
)
def test_other_things_than_figures_are_refused_before_anything_is_drawn(
    planted_results, extra, message, tmp_path
):
    with pytest.raises(TypeError, match=message):
        write(planted_results, tmp_path / "page.html", extra=extra)
    assert list(tmp_path.iterdir()) == []


def test_the_citation_is_that_of_the_repository(planted_results, monkeypatch):
    monkeypatch.setattr(_all, "FIGURES", {})
    shown = page(planted_results)
    bibtex = shown[shown.index("@article") : shown.index("</code>", shown.index("@article"))]
    facts = (Path(planted.__file__).parents[1] / "CITATION.cff").read_text(encoding="utf-8")
    for name in ("title", "journal", "year", "volume", "start", "doi"):
        for value in re.findall(rf"^ +{name}: (.+)$", facts, re.MULTILINE):
            assert f"{{{value}}}" in bibtex
    for family in re.findall(r"family-names: (.+)", facts)[1:]:
        assert f"{family}, " in bibtex

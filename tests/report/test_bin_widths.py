"""What is concluded at each bin width, in a sentence, a table and JSON, on page and in text."""

from dataclasses import replace

import planted_study as planted
import pytest
from planted_comparison import GROUPS, compared

from microcolumn.figures import available_figures, bin_widths as figure
from microcolumn.figures.conditions import by_bin_width
from microcolumn.report import report_dict
from microcolumn.report._bin_widths import BinWidths, bin_widths
from microcolumn.report.text import bin_width_lines, report_text
from microcolumn.study import Plan, Results

BETTER, WORSE = compared(GROUPS), compared({"Ising": 12.0, "RBM 25": 10.0})
UNSURE = compared(GROUPS, scatter=40.0)
UNTESTED = compared({"Ising": 10.0})


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The planted study at two widths, a third with other splits, and nothing at a fourth."""
    first = replace(planted.PLAN.experiments[0], name="40 ms", bin_width=0.04)
    more = (replace(first, name="10 ms", bin_width=0.01), replace(first, name="5 ms", n_splits=3))
    later = replace(first, name="80 ms", bin_width=0.08)
    plan = Plan(planted.PLAN.sources, (first, *more, later))
    path = tmp_path_factory.mktemp("widths") / "study.db"
    written = planted.write(
        path, plan, keep=lambda job: job.kind == "test" and job.experiment != "80 ms"
    )
    return Results(written)


@pytest.mark.parametrize(
    ("comparisons", "said"),
    [
        ((BETTER, BETTER), "The conclusion is the same at all bin widths: models with groups are"),
        ((BETTER, WORSE), "The conclusion depends on the bin width: models with groups are better"),
        ((BETTER, UNSURE), "No bin width contradicts another, but not all decide: models with"),
        ((UNSURE, UNSURE), "decides whether groups matter: undecided at 10 ms and 33.3333333 ms."),
        ((UNTESTED, UNSURE), "matter: not tested at 10 ms; undecided at 33.3333333 ms."),
    ],
)
def test_a_sentence_says_whether_the_conclusion_is_the_same(comparisons, said):
    sentence = BinWidths("A", dict(zip((0.010, 1 / 30), comparisons, strict=True))).sentence
    assert said in sentence


def test_the_best_model_is_named_at_each_width_or_once():
    alike, other = ({0.01: BETTER, 0.02: each} for each in (UNSURE, WORSE))
    assert BinWidths("A", alike).sentence.endswith("The best model is RBM 25 at all of them.")
    ends = "The best model is RBM 25 at 10 ms; Ising at 20 ms."
    assert BinWidths("A", other).sentence.endswith(ends)


def test_a_model_without_a_score_and_a_comparison_without_groups_are_dashes():
    rows = {row[0]: row[1:] for row in BinWidths("A", {0.01: BETTER, 0.02: UNTESTED}).table.rows}
    assert rows["RBM 25"][1] == rows["groups beyond pairs"][1] == rows["95 % interval"][1] == "-"
    none = replace(UNTESTED, models=())
    assert BinWidths("A", {0.01: none, 0.02: none}).as_dict()["widths"][0]["best"] is None


def test_experiments_that_differ_in_their_bin_width_alone_are_put_side_by_side(results):
    [found] = bin_widths(results)
    assert list(found.comparisons) == [0.01, 0.04]  # another number of splits is another question
    header, rows = found.table.header, {row[0]: row[1:] for row in found.table.rows}
    assert header == ("bits/s", "10 ms", "40 ms")
    for width, each in found.comparisons.items():
        one = results.comparison("cells", experiment=f"{width * 1e3:g} ms")
        assert each == one
        shown = rows["RBM 5"][header.index(f"{width * 1e3:g} ms") - 1]
        score = one.scores["RBM 5"]
        assert shown == f"{score.bits_per_second:.2f} ± {score.stderr:.2f}"
    assert by_bin_width(results, results.tested()[-1]).keys() == {0.04}


def test_text_json_and_page_have_it(results):
    [told] = report_dict(results)["answer"]["bin_widths"]
    assert [each["bin_width_s"] for each in told["widths"]] == [0.01, 0.04]
    assert [each["verdict"] for each in told["widths"]] == ["groups", "groups"]
    contrast = results.comparison("cells", experiment="40 ms").groups
    assert told["widths"][1]["interval"] == pytest.approx(list(contrast.interval))
    text = report_text(results)
    assert "Does it depend on the bin width?" in text
    assert "\nBin width\n=========\n" in text
    assert "by bin width, cells" in [line.text for line in bin_width_lines(results, 80)]
    assert ("bin_widths", "cells") in [each[:2] for each in available_figures(results)]
    drawn = figure(results)
    assert len(drawn.axes) == 2
    assert "(b) The best model with groups minus" in drawn.caption


def test_a_study_of_one_width_says_nothing_of_it(planted_results):
    assert bin_widths(planted_results) == []
    assert "bin width?" not in report_text(planted_results)
    assert "bin_widths" not in [each.name for each in available_figures(planted_results)]

"""What a reader must know first: that a study is a quick look, and which data are simulated."""

from dataclasses import replace

import planted_study as planted
import pytest

from microcolumn.report import page, report_dict, report_text
from microcolumn.report._notices import quick_look
from microcolumn.study import Plan, Results


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """The planted study as if it were a quick look at a longer one."""
    first, _ = planted.PLAN.experiments
    source = replace(planted.SOURCE, minutes=60)
    large = replace(first, n_splits=10, n_hidden=(25,), l1="auto", max_steps=200_000)
    whole = Plan((source,), (large,))
    plan = Plan((planted.SOURCE,), (replace(first, max_words=500),), whole)
    path = tmp_path_factory.mktemp("quick") / "study.db"
    return Results(planted.write(path, plan, keep=lambda job: job.kind == "test"))


def test_report_page_and_json_begin_with_it(quick, tmp_path):
    small, remedy = quick_look(quick)
    beginning = f"{small}. R{remedy[1:]}."
    after_the_title = " ".join(report_text(quick).split("\n\n", maxsplit=1)[1].split())
    assert after_the_title.startswith(beginning)
    assert report_dict(quick)["answer"]["quick_look"] == {"small": small, "remedy": remedy}
    html = page(Results(planted.write(tmp_path / "study.db", quick.plan, keep=lambda job: False)))
    assert html.index("A quick look, not for publication") < html.index("<h1>")

"""What a reader must know first: that a study is a quick look, and which data are simulated."""

from dataclasses import replace

import planted_study as planted
import pytest

from microcolumn.report import answer_text, page, report_dict, report_text
from microcolumn.report._notices import quick_look, simulated
from microcolumn.study import Plan, Results
from microcolumn.study._store import Store


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
    for text in (report_text(quick), answer_text(quick)):
        after_the_title = " ".join(text.split("\n\n", maxsplit=1)[1].split())
        assert after_the_title.startswith(beginning)
    assert report_dict(quick)["answer"]["quick_look"] == {"small": small, "remedy": remedy}
    html = page(Results(planted.write(tmp_path / "study.db", quick.plan, keep=lambda job: False)))
    assert html.index("A quick look, not for publication") < html.index('class="opening"')


def test_simulated_recordings_are_named(planted_results, tmp_path):
    assert simulated(planted_results) == "Simulated: cells"
    path = planted.write(tmp_path / "study.db", keep=lambda job: False)
    with Store.create(path) as store, store.lock():
        [row] = store.rows("recordings")
        store.write_recording(row | {"source": "simulated microcolumn, seed 0"})
    assert "do well by construction" in simulated(Results(path))
    with Store.create(path) as store, store.lock():
        store.write_recording(row | {"simulated": 0})
    results = Results(path)
    assert simulated(results) == ""
    assert results.label("cells") == "cells"
    assert "(simulated)" not in report_text(results)

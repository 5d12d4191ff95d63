"""The demonstration's study and figure, on a plan small enough for tests."""

import numpy as np
import pytest
from small_study import small_plan

from microcolumn import demonstration
from microcolumn.study import Plan, run


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "study.db"
    return run(small_plan(n_splits=1), path, n_jobs=1)


def test_the_figure_shows_scores_couplings_and_live_hidden_units(results):
    bars, couplings, hidden = demonstration.comparison_figure(results, "A").axes[:3]
    models = results.comparison("A").models
    names = [label.get_text() for label in bars.get_xticklabels()]
    assert [bar.get_height() for bar in bars.patches] == [m.bits_per_second for m in models]
    assert len(names) == len(models) == 3
    [drawn] = couplings.images
    np.testing.assert_array_equal(drawn.get_array(), results.model("A", "Ising").J_)
    [drawn] = hidden.images
    assert drawn.get_array().shape == (5, results.model("A", "RBM").n_live_hidden_)


def test_the_quick_and_the_whole_demonstration_keep_apart(tmp_path, monkeypatch):
    asked = {}

    def note(plan, store, **options):
        asked[store.name] = plan, options
        return "results"

    monkeypatch.setattr(demonstration, "run_study", note)
    monkeypatch.setattr(demonstration, "comparison_figure", lambda results, name: name)
    for full in (False, True):
        found = demonstration.run(tmp_path, full=full, n_jobs=3, command="demo")
        assert found == ("results", "B4")
    options = {"n_jobs": 3, "command": "demo"}
    assert asked == {
        "quick.db": (Plan.paper().quick(), options),
        "paper.db": (Plan.paper(), options),
    }

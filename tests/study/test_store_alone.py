"""A page is a function of the store: without the recording it is the same, byte for byte."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from small_study import recording

from microcolumn.figures import available_figures
from microcolumn.report import page, report_dict, report_text
from microcolumn.study import Plan, Results, run

pytestmark = pytest.mark.integration


def everything(path):
    """Page, in which all figures and their captions are, report and JSON."""
    return (
        page(Results(path), progress=False),
        report_text(Results(path)),
        json.dumps(report_dict(Results(path)), allow_nan=False),
    )


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """Single bins and windows of a recording in a file."""
    file = tmp_path_factory.mktemp("data") / "session.npz"
    recording(n_units=4, minutes=0.5).save(file)
    models = ("Ising", "RBM", "SemiRBM", "BernoulliMixture")
    settings = {"n_splits": 1, "l1": [1e-3, 4e-3], "n_hidden": 2, "models": models}
    single = Plan.of(file, **settings)
    [experiment] = single.experiments
    windows = replace(experiment, name="windows", windows=(1, 2), split_by="blocks")
    return Plan(single.sources, (experiment, windows))


def test_the_page_figures_and_report_need_the_store_alone(plan, tmp_path):
    store = tmp_path / "study.db"
    run(plan, store, n_jobs=1)
    before = everything(store)
    [source] = plan.sources
    Path(source.file).unlink()
    moved = tmp_path / "another place" / store.name
    moved.parent.mkdir()
    store.rename(moved)
    after = everything(moved)
    assert after == before
    drawn = {each.name for each in available_figures(Results(moved))}
    assert set(re.findall(r'id="figure-([a-z]+)', after[0])) == drawn
    assert drawn > {"opening", "ranking", "gains", "moments", "data", "parameters", "assemblies"}

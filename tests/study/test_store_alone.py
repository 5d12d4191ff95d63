"""A page is a function of the store: without the recording it is the same, byte for byte."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from small_study import recording

from microcolumn.figures import draw_all
from microcolumn.report import page, report_dict, report_text
from microcolumn.study import Plan, Results, run


def everything(path, folder):
    """Page, report, JSON, and every figure as SVG and its caption."""
    folder.mkdir()
    figures = {}
    for wanted, figure in draw_all(Results(path), progress=False):
        assert not isinstance(figure, str), figure
        file = folder / f"{wanted.number}.svg"
        figure.savefig(file)
        figures[wanted.number] = file.read_bytes(), figure.caption
    return (
        page(Results(path), progress=False),
        report_text(Results(path)),
        json.dumps(report_dict(Results(path)), allow_nan=False),
        figures,
    )


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """Single bins and windows of a recording in a file."""
    file = tmp_path_factory.mktemp("data") / "session.npz"
    recording(n_units=4, minutes=0.5).save(file)
    settings = {"n_splits": 1, "l1": [1e-3, 4e-3], "n_hidden": 2}
    single = Plan.of(file, **settings)
    [experiment] = single.experiments
    windows = replace(experiment, name="windows", windows=(1, 2), split_by="blocks")
    return Plan(single.sources, (experiment, windows))


def test_the_page_figures_and_report_need_the_store_alone(plan, tmp_path):
    store = tmp_path / "study.db"
    run(plan, store, n_jobs=1)
    before = everything(store, tmp_path / "before")
    [source] = plan.sources
    Path(source.file).unlink()
    moved = tmp_path / "another place" / "copy.db"
    moved.parent.mkdir()
    store.rename(moved)
    after = everything(moved, tmp_path / "after")
    assert after == before
    assert set(after[-1]) == {"1", "2", "3", "4", "5", "6", "S1"}

from dataclasses import replace

import planted_study as planted
import pytest

from microcolumn.report._cautions import cautions
from microcolumn.study._plan import Plan
from microcolumn.study._results import Results
from microcolumn.study._sources import Source
from microcolumn.study._store import Store

INSTANTANEOUS = Plan(planted.PLAN.sources, planted.PLAN.experiments[:1])


def test_what_did_not_converge_and_choices_at_the_edge_are_told(tmp_path):
    found = cautions(Results(planted.write(tmp_path / "study.db")))
    edge = "the largest penalty of the grid, 0.004, was chosen in"
    assert found == [
        f"cells, instantaneous, Ising: {edge} 4 of 4 tests; extend the grid",
        "cells, instantaneous, RBM 5: the fit has not converged in 1 of 4 tests",
        f"cells, spatiotemporal, Ising: {edge} 12 of 12 tests (T = 1, 2, 3); extend the grid",
        "cells, spatiotemporal, RBM: the fit has not converged in 3 of 12 tests (T = 1, 2, 3)",
    ]


@pytest.mark.parametrize(
    ("penalties", "chosen", "told"),
    [
        ((1e-3, 4e-3), 1e-3, ["the smallest penalty of the grid, 0.001, was chosen in 4 of 4"]),
        ((0.0, 4e-3), 0.0, []),  # nothing is below
        ((0.0, 1e-3, 4e-3), 1e-3, []),
        ((4e-3,), 4e-3, []),  # no choice was made
    ],
)
def test_only_an_end_of_the_grid_that_can_be_moved_is_told(
    tmp_path, monkeypatch, penalties, chosen, told
):
    experiment = replace(INSTANTANEOUS.experiments[0], l1=penalties, models=("Ising",))
    monkeypatch.setattr(planted, "chosen_l1", lambda model, split: chosen)
    plan = Plan(INSTANTANEOUS.sources, (experiment,))
    found = cautions(Results(planted.write(tmp_path / "study.db", plan=plan)))
    assert len(found) == len(told)
    assert all(sentence in text for sentence, text in zip(told, found, strict=True))


def test_a_normaliser_that_has_not_converged_is_told(tmp_path):
    def unsure(job, rows):
        for row in rows.get("scores", []):
            row["converged"] = row["model"] != "SemiRBM 5" or job.split > 1

    path = planted.write(tmp_path / "study.db", plan=INSTANTANEOUS, change=unsure)
    sentence = "cells, instantaneous, SemiRBM 5: the normaliser has not converged in 2 of 4 tests"
    assert sentence in cautions(Results(path))


def test_windows_that_share_bins_between_parts_are_told(tmp_path):
    spatiotemporal = planted.PLAN.experiments[1]
    leaking = "cells, spatiotemporal: windows were dealt singly"
    for split_by in ("words", "blocks"):
        plan = Plan(planted.PLAN.sources, (replace(spatiotemporal, split_by=split_by),))
        found = cautions(Results(planted.write(tmp_path / f"{split_by}.db", plan=plan)))
        assert any(text.startswith(leaking) for text in found) == (split_by == "words")
    by_words = Plan(planted.PLAN.sources, (replace(spatiotemporal, split_by="words", window=1),))
    found = cautions(Results(planted.write(tmp_path / "bins.db", plan=by_words)))
    assert not any(text.startswith(leaking) for text in found)


def test_an_unfinished_study_says_what_is_left(tmp_path):
    sources = (*INSTANTANEOUS.sources, Source("later", preset="T6"))
    plan = Plan(sources, (replace(INSTANTANEOUS.experiments[0], recordings=("cells", "later")),))
    path = planted.write(tmp_path / "study.db", plan=INSTANTANEOUS, keep=lambda j: j.kind == "fit")
    found = cautions(Results(path, plan))
    assert found[0] == "not read yet: later; run the study further"
    assert found[1] == "64 of 76 jobs are not done; run the study further"


def test_failed_jobs_and_mixed_environments_are_told(tmp_path, monkeypatch):
    path = planted.write(
        tmp_path / "study.db", plan=INSTANTANEOUS, keep=lambda job: job.kind != "structure"
    )
    monkeypatch.setattr(planted, "ENVIRONMENT", planted.ENVIRONMENT | {"numpy": "2.2.0"})
    planted.write(path, plan=INSTANTANEOUS, keep=lambda job: job.split > 0)
    digests = Results(path).index.digests
    [job] = [
        job
        for job in digests
        if job.kind == "structure" and job.split == 0 and job.model.model == "Ising"
    ]
    with Store.create(path) as store, store.lock():
        store.fail(digests[job], str(job), "MemoryError: no memory", "...")
    found = cautions(Results(path))
    assert f"1 jobs failed, first {job}: MemoryError: no memory" in found
    assert (
        "results come from 2 environments, which differ in numpy; "
        "the last digits may depend on them" in found
    )

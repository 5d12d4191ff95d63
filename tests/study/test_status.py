"""How far a study is, from its store alone and at once; a bar where somebody sees it."""

import os
import subprocess
import sys

import planted_study as planted

from microcolumn.study import progress, status
from microcolumn.study.store import Store


def test_jobs_are_counted_by_kind(tmp_path):
    path = planted.write(tmp_path / "study.db", keep=lambda job: job.kind == "fit")
    found = status(path)
    assert not found.running
    assert not found.complete
    once = {"describe": 2, "test": 16, "patterns": 4, "anneal": 4, "assemblies": 5}
    each = {"fit": 36, "predict": 36, "structure": 36}
    assert found.planned == once | each
    assert found.done == found.planned | dict.fromkeys(
        ("test", "patterns", "anneal", "predict", "structure", "assemblies"), 0
    )
    first, *lines = str(found).splitlines()
    assert first.endswith("38 of 139 jobs done, run again to go on")
    assert len({line.index(" of ") for line in lines}) == 1  # in columns
    planted.write(path)
    assert status(path).complete


def test_a_store_that_no_run_has_used_has_nothing_planned(tmp_path):
    Store.create(tmp_path / "study.db").close()
    assert "0 of 0 jobs done, nothing is planned yet" in str(status(tmp_path / "study.db"))


def test_jobs_of_an_earlier_plan_and_failures_are_told(tmp_path):
    path = planted.write(tmp_path / "study.db")
    planted.write(path, plan=planted.more_splits(planted.PLAN, 2))
    with Store.create(path) as store, store.lock():
        planned = store.rows("planned")
        store.fail(planned[-1]["digest"], "structure, cells", "ValueError: no", "...")
        found = status(path)
    assert found.running
    assert found.runner.startswith(f"process {os.getpid()} ")
    assert found.n_other == 67
    assert found.failures == (("structure, cells", "ValueError: no"),)


def test_a_store_is_read_without_the_numerical_libraries(tmp_path):
    path = planted.write(tmp_path / "study.db", keep=lambda job: False)
    program = (
        "import sys; from microcolumn.study import status; "
        f"print(status({str(path)!r}).planned['fit']); "
        "print({name.partition('.')[0] for name in sys.modules} "
        "& {'numpy', 'scipy', 'numba', 'sklearn', 'joblib', 'tqdm', 'matplotlib'})"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert told.stdout.split() == ["36", "set()"]


def test_a_log_gets_a_line_every_few_seconds_with_what_is_known(monkeypatch, capsys):
    monkeypatch.setattr(progress, "_LOGGED_S", 0.0)
    monkeypatch.setattr(progress, "_TICK_S", 0.01)
    with progress.Progress(40, 20, progress=True) as shown:
        shown.advance(left=61.0, known="RBM leads Ising by 0.30 ± 0.10 bits/s after 1 split")
        said = ""
        while "leads" not in said:
            said += capsys.readouterr().err
    assert said.splitlines()[-1] == (
        "21 of 40 jobs done, 0:00 so far, about 61 s left; RBM leads Ising by 0.30 ± 0.10 bits/s "
        "after 1 split"
    )
    with progress.Progress(1):  # nobody asked for it
        pass
    assert capsys.readouterr().err == ""

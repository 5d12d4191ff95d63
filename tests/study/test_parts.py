"""Part files: whole, of a known job, and in the store the same bits as after a run."""

import math
import re

import numpy as np
import pytest
from small_study import results_of
from stored import JOB

import microcolumn
from microcolumn.study import _parts as parts
from microcolumn.study._parts import collect, part_path, write_part
from microcolumn.study.store import Store
from microcolumn.study.submission import parts_folder

ROW = JOB | {
    "environment": {"microcolumn": microcolumn.__version__},
    "finished": "2026-01-01 00:00:00+00:00",
    "seconds": np.float64(0.1),
    "warnings": ("it did not converge",),
}
FIT = {
    "l1": np.float64(1e-3),
    "value": 0.1 + 0.2,
    "optimality": math.inf,
    "converged": np.bool_(True),
    "n_iter": np.int64(12),
    "tried": [{"settings": {"n": 1}, "validation_bits_per_second": math.nan}],
    "file": bytes(range(256)),
}
ROWS = {"fits": [FIT, FIT | {"l1": 2e-3, "value": math.nan, "file": None}]}


def job(number=0):
    return ROW | {"settings": {"number": number}}


def name(number=0):
    return f"{number:032x}"


def part(number=0):
    made = Store.in_memory()
    made.finish(name(number), job(number), ROWS)
    return made


def failed(error, trace):
    made = Store.in_memory()
    made.fail(name(), "job 0", error, trace)
    return made


@pytest.fixture
def path(tmp_path):
    """A store with a folder for its parts."""
    store = tmp_path / "study.db"
    Store.create(store).close()
    parts_folder(store).mkdir()
    return store


def put(path, *numbers):
    for number in numbers:
        write_part(parts_folder(path), name(number), part(number))


def test_merged_parts_are_the_bits_that_a_run_would_have_stored(path, tmp_path):
    put(path, 0, 1)
    assert collect(path).merged == 2
    with Store.create(tmp_path / "run.db") as store:
        for number in (1, 0):
            store.finish(name(number), job(number), ROWS)
    assert results_of(path) == results_of(tmp_path / "run.db")
    assert collect(path) == parts.MergeResult(0, 0, ())  # there is nothing left to do


def test_a_part_that_was_merged_stays_until_the_plan_is_done(path):
    with Store.create(path) as store:
        planned = [ROW | {"digest": name(n), "model": None} for n in range(2)]
        names = ("digest", "kind", "recording", "experiment", "window", "split", "model")
        store.write_study([{name: row[name] for name in names} for row in planned])
    put(path, 0)
    collect(path)
    assert part_path(parts_folder(path), name(0)).exists()  # later jobs may start from it
    put(path, 1)
    collect(path)
    assert list(parts_folder(path).iterdir()) == []


def test_a_failure_is_kept_with_its_trace_and_gives_way_to_a_result(path):
    write_part(parts_folder(path), name(), failed("ValueError: no", "line 1\nline 2"))
    assert collect(path) == parts.MergeResult(0, 1, ())
    assert collect(path) == parts.MergeResult(0, 0, ())  # it is told once
    with Store.open(path) as store:
        [failure] = store.rows("failures")
    assert (failure["job"], failure["error"]) == ("job 0", "ValueError: no")
    assert failure["traceback"] == "line 1\nline 2"
    put(path, 0)
    assert collect(path).merged == 1
    with Store.open(path) as store:
        assert store.rows("failures") == []


def test_a_part_that_is_not_whole_is_set_aside(path):
    file = part_path(parts_folder(path), name())
    put(path, 0)
    whole = file.read_bytes()
    for content in (whole[: len(whole) // 2], whole[100:], b"", b"\n", b"\xff" * 100):
        file.write_bytes(content)
        found = collect(path)
        [sentence] = found.sentences
        assert re.fullmatch(
            f"{file} was not merged, because .+; it is kept as {name()}.refused, and its "
            "job has to be done again",
            sentence,
        )
        assert found.merged == found.failed == 0
    with Store.open(path) as store:
        assert store.finished() == set()


def test_a_part_under_the_name_of_another_job_is_refused(path):
    folder = parts_folder(path)
    put(path, 0)
    part_path(folder, name(0)).rename(part_path(folder, name(1)))
    [sentence] = collect(path).sentences
    assert "its name is not that of the job in it" in sentence

"""What a run computes and keeps, and what it says of other data, plans, versions and full disks."""

import importlib
import json

import pytest
from small_study import recording, results_of, small_plan, when_finished

import microcolumn
from microcolumn.objectives import l1_grid, largest_l1
from microcolumn.recording import Recording
from microcolumn.study import _compute as work
from microcolumn.study._compute import split_words
from microcolumn.study._results import Results
from microcolumn.study._run import run
from microcolumn.study._workers import StudyError
from microcolumn.study.plan import Plan
from microcolumn.study.store import Store, StoreError

engine = importlib.import_module("microcolumn.study._run")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished study; tests only read it."""
    path = tmp_path_factory.mktemp("finished") / "study.db"
    run(small_plan(), path, n_jobs=1, command="study run plan.toml")
    return path


@pytest.fixture
def performed(monkeypatch):
    """Jobs that runs of this process did, in order."""
    jobs = []

    def execute(task):
        jobs.append(task.job)
        return work.execute(task)

    monkeypatch.setattr(engine, "execute", execute)
    return jobs


def failing(monkeypatch, kind, *, if_):
    """Let jobs of a kind fail for which ``if_(job)``."""
    does = work._WORK[kind]

    def fail(task):
        if if_(task.job):
            raise ZeroDivisionError("float division by zero")
        return does(task)

    monkeypatch.setitem(work._WORK, kind, fail)


def rows(path, table, **equal):
    with Store.open(path) as store:
        return store.rows(table, **equal)


def test_a_run_gives_results_and_notes_what_was_run(finished):
    assert isinstance(run(small_plan(), finished, n_jobs=1, command="again"), Results)
    study = {row["key"]: row["value"] for row in rows(finished, "study")}
    assert json.loads(study["plan"]) == small_plan().as_dict()
    assert study["microcolumn"] == microcolumn.__version__
    assert study["command"] == "again"


def test_a_recording_is_described(finished):
    [row] = rows(finished, "recordings")
    data = recording()
    assert (row["n_units"], row["n_spikes"], row["duration_s"]) == (5, data.n_spikes, 60.0)
    units = row["units"]
    assert [unit["id"] for unit in units] == ["u0", "u1", "u2", "u3", "u4"]
    assert [unit["layer"] for unit in units] == ["2/3", "2/3", "5", "5", "5"]
    assert [unit["rate_hz"] for unit in units] == [train.size / 60.0 for train in data.trains]
    words = data.bin(0.020)
    survey = row["survey"]["0.02"]
    assert (survey["n_bins"], survey["n_distinct"]) == (3000, len(words))


def test_penalties_are_made_for_the_words_of_each_split(path):
    results = run(small_plan(l1="auto"), path, n_jobs=1)
    data = recording().bin(0.020)
    for split in (0, 1):
        train, validation, _ = split_words(data, small_plan().experiments[0], 1, split)
        grid = set(l1_grid(largest_l1(train)))
        for name in ("Ising", "RBM 3", "SemiRBM 3"):
            tried = results.normalisers("A", name, split=split)
            # With hidden units the grid ends where the score has turned.
            assert grid <= set(tried) if name == "Ising" else grid & set(tried)
            scores = {l1: row["validation_bits_per_second"] for l1, row in tried.items()}
            chosen = results.model("A", name, split=split)
            assert scores[chosen.l1] >= max(scores.values()) - 0.1  # or they are ties
            found = microcolumn.score(chosen, validation).bits_per_second
            assert scores[chosen.l1] == pytest.approx(found)


def test_every_job_says_what_it_saw_and_with_what_it_was_done(finished):
    [data] = rows(finished, "recordings")
    versions = {row["id"]: row["versions"] for row in rows(finished, "environments")}
    jobs = rows(finished, "jobs")
    assert len(jobs) == 2 * (3 + 1 + 3 + 3) + 3 + 2
    for row in jobs:
        assert row["fingerprint"] == data["fingerprint"]
        assert row["split"] == row["settings"]["experiment"].get("random_state")
        assert row["seconds"] > 0
        assert versions[row["environment"]]["microcolumn"] == microcolumn.__version__


def test_a_finished_study_is_not_computed_again(finished, performed):
    before = when_finished(finished)
    run(small_plan(), finished, n_jobs=1)
    assert performed == []
    assert when_finished(finished) == before


def test_more_splits_are_explained_and_only_they_are_computed(path, performed, capsys):
    """And what is of all splits; that of the earlier splits is kept."""
    run(small_plan(), path, n_jobs=1)
    before = when_finished(path)
    performed.clear()
    capsys.readouterr()
    run(small_plan(n_splits=3), path, n_jobs=1)
    told = capsys.readouterr().err.splitlines()
    assert told[:2] == ["the plan changed:", "  instantaneous: n_splits was 2, is 3"]
    assert {(job.split, job.kind == "assemblies") for job in performed} == {
        (2, False),
        (None, True),
    }
    assert len(performed) == 12
    assert before.items() <= when_finished(path).items()
    fresh = path.with_name("fresh.db")
    run(small_plan(n_splits=3), fresh, n_jobs=1)
    kept = results_of(path)
    for table, found in results_of(fresh).items():
        assert set(found) <= set(kept[table])
        assert table in ("jobs", "assemblies") or found == kept[table]


def test_fewer_models_use_what_is_there_but_are_compared_anew(path, performed):
    run(small_plan(n_splits=1), path, n_jobs=1)
    performed.clear()
    run(small_plan(n_splits=1, models=("Ising", "RBM")), path, n_jobs=1)
    assert [job.kind for job in performed] == ["test", "patterns"]


def test_data_that_changed_are_refused_and_the_store_is_left_alone(path):
    run(small_plan(n_splits=1, models="Ising"), path, n_jobs=1)
    before = results_of(path)
    trains = [train[1:] for train in recording().trains]
    other = Recording(trains, recording().units, recording().epochs)
    with pytest.raises(ValueError, match="recording 'A' is not the one that") as caught:
        run(Plan.of({"new": recording(seed=1), "A": other}), path, n_jobs=1)
    message = str(caught.value)
    assert f"it had {recording().n_spikes:,} spikes of 5 units" in message
    assert f"now it has {other.n_spikes:,} of 5" in message
    assert "restore it or the options it was read with, or state another store=" in message
    assert results_of(path) == before


def test_a_copy_of_a_recording_is_refused_before_there_is_a_store(path, tmp_path):
    recording().save(tmp_path / "a.npz")
    recording().save(tmp_path / "copy.npz")
    plan = Plan.of({"a": tmp_path / "a.npz", "b": tmp_path / "copy.npz"})
    with pytest.raises(ValueError, match=r"^recordings 'a' and 'b' hold the same spikes, .*twice"):
        run(plan, path, n_jobs=1)
    assert not path.exists()


def test_a_store_of_another_version_is_refused_and_left_alone(path):
    run(small_plan(n_splits=1, models="Ising"), path, n_jobs=1)
    with Store.create(path) as store:
        store.write_study(microcolumn="0.0.1")
    before = results_of(path)
    more = Plan.of({"B": recording(seed=1)}, n_splits=1, models="Ising")
    with pytest.raises(StoreError, match=r"made by microcolumn 0\.0\.1 and this is ") as caught:
        run(more, path, n_jobs=1)
    assert "use that version or a new store" in str(caught.value)
    assert results_of(path) == before


def test_a_job_that_fails_is_told_kept_and_tried_again(path, monkeypatch, finished):
    failing(monkeypatch, "predict", if_=lambda job: job.split == 1 and job.model.model == "RBM")
    with pytest.raises(StudyError) as caught:
        run(small_plan(), path, n_jobs=1)
    assert str(caught.value) == (
        "1 of 25 jobs failed, the first with ZeroDivisionError: float division by zero (predict, "
        f"A, instantaneous, window 1, RBM 3, split 1); what was finished is in {path}: run again "
        "to retry"
    )
    assert len(when_finished(path)) == 24
    [failure] = rows(path, "failures")
    assert failure["job"] == "predict, A, instantaneous, window 1, RBM 3, split 1"
    assert failure["error"] == "ZeroDivisionError: float division by zero"
    assert 'raise ZeroDivisionError("float division by zero")' in failure["traceback"]
    assert failure["digest"] not in when_finished(path)

    monkeypatch.undo()
    run(small_plan(), path, n_jobs=1)
    assert results_of(path) == results_of(finished)


def test_what_needs_a_failed_job_waits_and_all_else_is_done(path, monkeypatch, finished):
    failing(monkeypatch, "fit", if_=lambda job: job.split == 0 and job.model.model == "Ising")
    with pytest.raises(StudyError, match=r"1 of 25 jobs failed, .*\(fit, A"):
        run(small_plan(), path, n_jobs=1)
    done = {(row["kind"], row["model"]) for row in rows(path, "jobs", split=0)}
    assert done == {(kind, "RBM 3") for kind in ("fit", "predict", "structure")}
    assert len(rows(path, "jobs", split=1)) == 10

    monkeypatch.undo()
    run(small_plan(), path, n_jobs=1)
    assert results_of(path) == results_of(finished)


def test_a_disk_that_fills_up_is_told_and_the_run_goes_on_when_there_is_space(
    path, monkeypatch, finished
):
    create = Store.create

    def on_a_small_disk(place):
        store = create(place)
        store._connection.execute("PRAGMA max_page_count = 60")
        return store

    monkeypatch.setattr(Store, "create", on_a_small_disk)
    with pytest.raises((StoreError, StudyError), match=r"the disk that holds .* is full") as caught:
        run(small_plan(), path, n_jobs=1)
    assert "the jobs that had finished are kept: free some space and run" in str(caught.value)
    kept = when_finished(path)
    assert 0 < len(kept) < 23

    monkeypatch.undo()
    run(small_plan(), path, n_jobs=1)
    assert kept.items() <= when_finished(path).items()
    assert results_of(path) == results_of(finished)

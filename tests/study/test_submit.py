"""A study in shares, as tasks of a cluster do them, here one after the other in this process."""

import importlib
from dataclasses import replace

import pytest
from small_study import recording, results_of, small_plan

from microcolumn.study import collect, run, run_array_task, status, submit
from microcolumn.study._experiment import PAPER_MODELS
from microcolumn.study.plan import Plan
from microcolumn.study.store import Store
from microcolumn.study.submission import Submission, next_folder, parts_folder

N_JOBS = 15

shares = importlib.import_module("microcolumn.study._submit")


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """15 jobs in three stages on a recording that is a file, since a task must find it."""
    file = tmp_path_factory.mktemp("data") / "A.npz"
    recording().save(file)
    settings = {"l1": (1e-3, 4e-3), "n_hidden": 3, "n_splits": 1}
    return Plan.of({"A": file}, models=PAPER_MODELS, **settings)


@pytest.fixture(scope="module")
def alone(plan, tmp_path_factory):
    path = tmp_path_factory.mktemp("alone") / "study.db"
    run(plan, path, n_jobs=1)
    return path


def written(plan, path, array=2):
    """A submission that no scheduler was given."""
    submit(plan, path, slurm=False, array=array)
    return Submission.load(next_folder(path).with_name(str(int(next_folder(path).name) - 1)))


def work(submission, lost=()):
    """Do all tasks but those lost, stage by stage; how many jobs failed."""
    return sum(
        run_array_task(submission.folder, stage, task)
        for stage, tasks in enumerate(submission.stages, 1)
        for task in range(len(tasks))
        if (stage, task) not in lost
    )


def digests(submission):
    return {digest for stage in submission.stages for task in stage for digest in task}


def finished(path):
    with Store.open(path) as store:
        return store.finished()


def test_shares_give_the_bits_of_a_run(plan, path, alone):
    submission = written(plan, path)
    assert [len(tasks) for tasks in submission.stages] == [2, 2, 2]
    assert len(digests(submission)) == N_JOBS
    assert work(submission) == 0
    assert finished(path) == set()  # tasks do not touch the store
    assert collect(path).merged == N_JOBS
    assert results_of(path) == results_of(alone)


def test_what_was_lost_is_done_by_the_next_submission(plan, path, alone, monkeypatch):
    submission = written(plan, path)
    _interrupted_after_one_job(monkeypatch, submission)
    work(submission, lost={(1, 1), (2, 1)})
    kept = collect(path).merged
    assert 0 < kept < 7
    again = written(plan, path, array=1)
    assert len(digests(again)) == N_JOBS - kept
    assert digests(again).isdisjoint(finished(path))
    # The fits that were merged are still there for jobs that start from them, also if one goes.
    for part in list(parts_folder(path).glob("*.part"))[:3]:
        part.write_bytes(b"damaged")
    again = written(plan, path, array=3)
    work(again)
    collect(path)
    assert results_of(path) == results_of(alone)


def _interrupted_after_one_job(monkeypatch, submission):
    """Have a task of the first stage killed while it does its second job, and start it again."""
    done = []
    execute = shares.execute

    def interrupted(task):
        if done:
            raise KeyboardInterrupt
        done.append(task.digest)
        return execute(task)

    monkeypatch.setattr(shares, "execute", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_array_task(submission.folder, 1, 0)
    monkeypatch.undo()
    assert [file.stem for file in submission.folder.parent.glob("*.part")] == done


def test_a_job_that_fails_is_stored_as_a_failure_and_its_heirs_wait(
    plan, path, monkeypatch, capsys
):
    from microcolumn.study import _compute as compute

    submission = written(plan, path, array=1)
    monkeypatch.setitem(compute._WORK, "fit", lambda task: 1 / 0)
    assert work(submission) == 2  # of Ising and RBM
    assert "left, because a job that it starts from is not done" in capsys.readouterr().err
    assert collect(path).failed == 2
    found = status(path)
    assert found.failures[0][1] == "ZeroDivisionError: division by zero"
    assert found.done["describe"] == 1
    monkeypatch.undo()
    assert work(submission) == 0  # the same share again
    assert collect(path).merged == N_JOBS - 1


def test_a_recording_that_is_not_the_one_submitted_fails_its_jobs(plan, path, tmp_path):
    moved = tmp_path / "moved.npz"
    recording().save(moved)
    [source] = plan.sources
    submission = written(replace(plan, sources=(replace(source, file=str(moved)),)), path, array=1)
    moved.unlink()
    assert run_array_task(submission.folder, 1, 0) == 3
    collect(path)
    assert "does not exist" in status(path).failures[0][1]
    recording(seed=1).save(moved)
    assert run_array_task(submission.folder, 1, 0) == 3
    collect(path)
    assert "is not what it was when the study was submitted" in status(path).failures[0][1]


def test_recordings_in_memory_cannot_be_submitted(path):
    with pytest.raises(
        ValueError, match="recording A is in memory, where no other machine sees it"
    ):
        submit(small_plan(), path)
    assert not path.exists()


def test_a_run_goes_on_where_tasks_have_been(plan, path, alone, capsys):
    submission = written(plan, path)
    run_array_task(submission.folder, 1, 0)
    n_jobs = len(submission.stages[0][0])
    run(plan, path, n_jobs=1)
    assert f"{n_jobs} of {N_JOBS} jobs are in {path} already" in capsys.readouterr().err
    assert results_of(path) == results_of(alone)
    assert not list(parts_folder(path).glob("*.part"))


def test_tasks_of_another_version_are_refused(plan, path, monkeypatch):
    submission = written(plan, path)
    monkeypatch.setattr(shares, "__version__", "99.0")
    with pytest.raises(ValueError, match=r"was submitted by microcolumn .* and this is 99\.0"):
        run_array_task(submission.folder, 1, 0)

"""Killed, interrupted or robbed of a worker, a run loses nothing and leaves nothing behind."""

import importlib
import os
import random
import signal
import time
from contextlib import suppress

import psutil
import pytest
from small_study import results_of, running, small_plan, when_finished

from microcolumn.study._run import run
from microcolumn.study._workers import StudyError

pytestmark = pytest.mark.integration

engine = importlib.import_module("microcolumn.study._run")


def offspring(pid):
    """Processes of a run: its workers, and those that clean up behind them."""
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def has_ended(process):
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def wait_until(condition, seconds=30.0):
    """Whether a condition came true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def killed_and_resumed(path, n_jobs, most_kills, longest_s, rng):
    """Kill a study again and again until a run gets to its end; how often that took.

    After each kill, what had been finished is unchanged, the next run starts none of it again, and
    no worker is left. The run after the last of ``most_kills`` is left alone.
    """
    n_kills, kept = 0, {}
    while True:
        started = path.with_name(f"started {n_kills}")
        process = running(path, n_jobs, started)
        if n_kills < most_kills:
            process.join(longest_s * rng.random() ** 2)  # more often early than late
        else:
            process.join()
        workers = offspring(process.pid)
        process.kill()
        process.join()
        now = when_finished(path)
        assert kept.items() <= now.items()
        assert started_in(started).isdisjoint(kept)
        assert wait_until(lambda ended=workers: all(map(has_ended, ended)))
        if process.exitcode == 0:
            return n_kills
        assert process.exitcode == -signal.SIGKILL
        n_kills, kept = n_kills + 1, now


def started_in(file):
    """Digests of the jobs that a run started, none of them twice."""
    digests = file.read_text().split() if file.exists() else []
    assert len(digests) == len(set(digests))
    return set(digests)


@pytest.mark.parametrize(("n_jobs", "longest_s", "n_wanted"), [(1, 1.5, 16), (2, 4.0, 3)])
def test_a_study_killed_at_random_instants_ends_with_the_same_bits(
    tmp_path, alone, n_jobs, longest_s, n_wanted
):
    seed = 20140731
    print("seed of the instants:", seed)
    rng = random.Random(seed)
    n_kills = n_studies = 0
    while n_kills < n_wanted:
        n_studies += 1
        path = tmp_path / str(n_studies) / "study.db"
        path.parent.mkdir()
        n_kills += killed_and_resumed(path, n_jobs, n_wanted - n_kills, longest_s, rng)
        assert results_of(path) == alone


def test_a_lost_worker_ends_the_run_with_a_sentence_and_the_next_one_finishes(
    path, alone, monkeypatch
):
    keep = engine.Prepared.keep

    def keep_and_kill(self, outcome, store):
        keep(self, outcome, store)
        if len(store.finished()) == 3:
            workers = [p for p in offspring(os.getpid()) if "LokyProcess" in "".join(p.cmdline())]
            for worker in workers:
                with suppress(psutil.NoSuchProcess):  # one may be left from an earlier run, ending
                    worker.kill()

    monkeypatch.setattr(engine.Prepared, "keep", keep_and_kill)
    with pytest.raises(StudyError) as caught:
        run(small_plan(), path, n_jobs=2)
    message = str(caught.value)
    assert message.startswith("the jobs ended early: 2 processes on this machine failed with ")
    assert f"what was finished is in {path}: run again to go on" in message
    assert "\n" not in message
    monkeypatch.undo()
    kept = when_finished(path)
    assert 3 <= len(kept) < 35
    run(small_plan(), path, n_jobs=2)
    assert kept.items() <= when_finished(path).items()
    assert results_of(path) == alone

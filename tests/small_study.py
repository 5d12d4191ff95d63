"""A study of seconds for tests of runs, and all that a store says but when and where."""

import os
import sqlite3
from contextlib import closing
from functools import cache
from multiprocessing import get_context

import numpy as np
from joblib.externals.loky import get_reusable_executor

from microcolumn.recording import Recording
from microcolumn.study._experiment import PAPER_MODELS
from microcolumn.study._run import run
from microcolumn.study.plan import Plan
from microcolumn.units import Units

#: Columns that differ between two runs of the same plan, and tables about a run as such.
_OCCASIONS = {"seconds", "finished", "environment", "happened", "traceback", "checksum"}
_ABOUT_RUNS = {"study", "environments"}


@cache
def recording(n_units=5, minutes=1.0, seed=0):
    """Units that fire at 5 Hz, more often while the network is up, in two layers."""
    rng = np.random.default_rng(seed)
    n_bins = int(minutes * 60 / 0.020)
    up = rng.random(n_bins) < 0.2
    fired = rng.random((n_units, n_bins)) < np.where(up, 0.35, 0.05)
    trains = [np.flatnonzero(row) * 0.020 + 0.005 for row in fired]
    layers = ["2/3" if n < n_units // 2 else "5" for n in range(n_units)]
    units = Units([f"u{n}" for n in range(n_units)], layer=layers)
    return Recording(trains, units, epochs=[[0.0, n_bins * 0.020]])


def small_plan(data=None, **settings):
    """Two splits, two strengths of l1 and three hidden units: 25 jobs."""
    few = {"n_splits": 2, "n_hidden": 3, "l1": (1e-3, 4e-3), "models": PAPER_MODELS}
    return Plan.of({"A": recording() if data is None else data}, **few | settings)


def results_of(path):
    """Rows of every table by its name, as SQLite has them, without times and hosts."""
    found = {}
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        for (table,) in tables.fetchall():
            if table in _ABOUT_RUNS:
                continue
            about = connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
            columns = ", ".join(name for (name,) in about if name not in _OCCASIONS)
            rows = connection.execute(f"SELECT {columns} FROM {table}").fetchall()
            found[table] = sorted(rows, key=repr)
    return found


def when_finished(path):
    """When each job was finished and how long it took, by digest; empty where no store is yet."""
    if not path.exists():
        return {}
    # For writing: a run that was killed while it made the store left what must be rolled back.
    with closing(sqlite3.connect(path, timeout=30)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'jobs'").fetchone():
            return {}
        rows = connection.execute("SELECT digest, finished, seconds FROM jobs")
        return {digest: (finished, seconds) for digest, finished, seconds in rows}


def running(path, n_jobs, started=None):
    """A process that runs the small study; it notes down the jobs that it starts.

    It is forked from one that has imported the package, so that little time passes before work
    begins, and leads a group of processes, as a command in a terminal does.
    """
    context = get_context("forkserver")
    context.set_forkserver_preload(["microcolumn.study._run", "small_study"])
    process = context.Process(target=_run, args=(path, n_jobs, started))
    process.start()
    return process


def _run(path, n_jobs, started):
    os.setsid()
    if started is not None:
        _note_started_jobs(started)
    run(small_plan(), path, n_jobs=n_jobs)
    # multiprocessing would wait for idle workers before Python, at its end, tells them to go.
    get_reusable_executor(reuse=True).shutdown()


def _note_started_jobs(file):
    import importlib

    engine = importlib.import_module("microcolumn.study._run")
    task_of = engine.Prepared.task

    def noted(self, name, *rest):
        with file.open("a") as log:
            log.write(f"{name}\n")
        return task_of(self, name, *rest)

    engine.Prepared.task = noted

"""The bits of a study of 200 jobs on SLURM, whose tasks are killed at random, and of a local run.

    python benchmarks/slurm_kills.py [--kills 30] [--seed 0]

Starts a SLURM of one node, as ``tests/cluster.py`` does, submits a study of eight small recordings,
kills tasks in the middle of their work by scancel or kill -9, and submits again what is missing,
until all is done. Needs root and Debian's slurmctld, slurmd, slurm-client and munge.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from cluster import asked, running_slurm, why_not
from small_study import recording, results_of

from microcolumn.study import Plan, collect, run, status, submit

#: Tasks of a stage.
ARRAY = 10


def plan_in(folder: Path) -> Plan:
    """25 jobs on each of eight recordings of five units and one minute."""
    files = {}
    for seed in range(8):
        files[f"R{seed}"] = folder / f"R{seed}.npz"
        recording(seed=seed).save(files[f"R{seed}"])
    models = ("Ising", "RBM", "SemiRBM")
    settings = {"objectives": "mpf", "l1": (1e-3, 4e-3), "n_hidden": 3, "n_splits": 2}
    return Plan.of(files, models=models, **settings)


def kill_one(store: Path, rng: random.Random) -> bool:
    """Kill a task that runs, in one of two ways; whether there was one."""
    lines = asked("squeue", "--noheader", "--array", "--states=R", "--format=%F_%K %j").split("\n")
    tasks = [
        name for name, _, job in (line.partition(" ") for line in lines) if "collect" not in job
    ]
    if not (tasks := [name for name in tasks if name]):
        return False
    if rng.random() < 0.5:
        asked("scancel", "--signal=KILL", "--full", rng.choice(tasks), check=False)
        return True
    at_work = [
        p for p in psutil.process_iter(["cmdline"]) if is_task(p.info["cmdline"] or [], store)
    ]
    if at_work:
        victim = rng.choice(at_work)
        os.kill(victim.pid, signal.SIGKILL)
    return bool(at_work)


def is_task(command: list[str], store: Path) -> bool:
    return "work" in command and any(str(store) in word for word in command)


def submitted(plan: Plan, store: Path, rng: random.Random, n_kills: int) -> int:
    """Submit what is missing, kill at most so many tasks, and wait for the rest; tasks killed."""
    done = submit(plan, store, array=ARRAY)
    killed = 0
    while asked("squeue", "--noheader"):
        time.sleep(rng.uniform(1.0, 12.0))
        if killed < n_kills:
            killed += kill_one(store, rng)
    merged = collect(store)
    counts = status(store)
    left = sum(counts.planned.values()) - sum(counts.done.values())
    print(f"{done.n_jobs} jobs for {done.n_tasks} tasks, {killed} tasks killed, {left} jobs left")
    assert not merged.sentences, merged.sentences
    return killed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    asked_for = parser.parse_args()
    if why_not():
        sys.exit(why_not())
    rng, started = random.Random(asked_for.seed), time.monotonic()
    with TemporaryDirectory() as scratch, running_slurm():
        folder = Path(scratch)
        store, plan, n_kills, n_submissions = folder / "slurm.db", plan_in(folder), 0, 0
        while not (store.exists() and status(store).complete):
            n_kills += submitted(plan, store, rng, asked_for.kills - n_kills)
            n_submissions += 1
        wall_s = time.monotonic() - started
        run(plan, folder / "local.db", n_jobs=2)
        same = results_of(store) == results_of(folder / "local.db")
        n_jobs = sum(status(store).planned.values())
    print(f"{n_jobs} jobs, {n_submissions} submissions, {n_kills} tasks killed, {wall_s:.0f} s")
    print(f"the same bits as a local run: {same}")
    sys.exit(not same)


if __name__ == "__main__":
    main()

"""The paper's instantaneous protocol as a study: wall time, core time, and what came out.

    python benchmarks/study.py                   # 3 recordings x 3 models x 7 l1 x 10 splits
    python benchmarks/study.py --quick           # the same made small
    python benchmarks/study.py --splits 1        # a tenth of it, to compare two versions
    python benchmarks/study.py --store paper.db  # keep the results; an interrupted run goes on

Core time is processor time of this process and all its workers, the user's and the system's. The
share of each kind of job is of the seconds that the store has for them, so it covers earlier runs
into the same store too. The bar is 30 minutes on 2 cores for the whole protocol, including all
partition functions.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from machine import print_machine

from microcolumn.report import report_text
from microcolumn.study._run import run
from microcolumn.study.plan import INSTANTANEOUS, Plan
from microcolumn.study.store import Store


def instantaneous(n_splits: int) -> Plan:
    """The protocol of docs/method.md, section 7, without its spatiotemporal half."""
    return replace(Plan.paper(), experiments=(replace(INSTANTANEOUS, n_splits=n_splits),))


def core_time_s() -> float:
    """Processor time of this process and of those it started that have ended, seconds."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def print_shares(store: Path) -> None:
    """Jobs and their time by kind, and how many normalisers are exact or converged."""
    with Store.open(store) as opened:
        jobs = opened.rows("jobs", columns=("kind", "seconds"))
        normalisers = opened.rows("normalisers", columns=("method", "converged"))
    seconds: dict[str, list[float]] = defaultdict(list)
    for row in jobs:
        seconds[row["kind"]].append(row["seconds"])
    whole = sum(row["seconds"] for row in jobs)
    print("kind            jobs    seconds    share   longest job")
    for kind, each in sorted(seconds.items(), key=lambda entry: -sum(entry[1])):
        share = sum(each) / whole
        print(f"{kind:12s} {len(each):7,d} {sum(each):10.1f} {share:8.1%} {max(each):10.1f} s")
    exact = sum(row["method"] == "exact" for row in normalisers)
    reliable = sum(row["converged"] for row in normalisers)
    print(f"{len(normalisers)} normalisers: {exact} exact, {reliable} exact or converged")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the same protocol made small")
    parser.add_argument("--store", type=Path, help="where to keep the results")
    parser.add_argument("--jobs", type=int, help="jobs at once; by default one per core")
    parser.add_argument("--splits", type=int, default=10, help="splits of each recording")
    arguments = parser.parse_args()
    plan = instantaneous(arguments.splits)
    plan = plan.quick() if arguments.quick else plan
    print_machine()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        store = arguments.store or folder / "study.db"
        if store.exists():
            with Store.open(store) as opened:
                print(f"{len(opened.finished()):,} jobs were finished before")
        started, before = time.perf_counter(), core_time_s()
        results = run(plan, store, n_jobs=arguments.jobs, command="benchmarks/study.py")
        wall_s = time.perf_counter() - started
        stop_workers()
        core_s = core_time_s() - before
        print(f"wall time {wall_s / 60:.2f} min, core time {core_s / 60:.2f} min", end="")
        print(f" ({core_s / wall_s:.2f} cores busy)")
        print_shares(store)
        print()
        print(report_text(results))


def stop_workers() -> None:
    """End the idle workers, whose time counts only when they have ended."""
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor(reuse=True).shutdown(wait=True)


if __name__ == "__main__":
    main()

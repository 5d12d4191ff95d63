"""Jobs for tests of a study's store: what a job holds can be told from its number."""

import sqlite3
import subprocess
import sys
from pathlib import Path

JOB = {
    "kind": "fit",
    "recording": "B4",
    "experiment": "instantaneous",
    "lags": 1,
    "split": 0,
    "settings": "{}",
    "fingerprint": "f0",
    "environment": {"python": "3.11", "numpy": "2.1"},
}

_WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from stored import put
from microcolumn.study.store import Store
path, first, last = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
with Store.create(path) as store:
    for number in range(first, last):
        put(store, number, size=20000)
        print(number, flush=True)
"""


def put(store, number, size=3000):
    """Finish a job with two fits, whose models are ``size`` times the byte of its number."""
    model = bytes([number % 251]) * size
    fits = [{"penalty": penalty, "model": model} for penalty in (0.0, 1.0)]
    store.finish(f"job {number:06d}", JOB | {"split": number}, {"fits": fits})


def check_whole(store, numbers):
    """Every job among ``numbers`` is there with both of its fits, and no other is."""
    digests = {f"job {number:06d}": number for number in numbers}
    assert store.finished() == set(digests)
    fits = store.rows("fits")
    assert [(row["job"], row["penalty"]) for row in fits] == [
        (digest, penalty) for digest in sorted(digests) for penalty in (0.0, 1.0)
    ]
    assert all(set(row["model"]) == {digests[row["job"]] % 251} for row in fits)


def check_integrity(path):
    """SQLite's own thorough check, by a connection of its own."""
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def writing_process(path, first, last):
    """A process that finishes jobs first, ..., last - 1 and prints each number once it is kept."""
    command = [sys.executable, "-c", _WRITER, str(Path(__file__).parent), str(path)]
    return subprocess.Popen([*command, str(first), str(last)], stdout=subprocess.PIPE, text=True)

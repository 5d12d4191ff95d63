"""Jobs for tests of a study's store: what a job holds can be told from its number."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

from microcolumn.study.store import Store

JOB = {
    "kind": "fit",
    "recording": "B4",
    "experiment": "instantaneous",
    "window": 1,
    "split": 0,
    "settings": {},
    "fingerprint": "f0",
    "environment": {"python": "3.11", "numpy": "2.1"},
}

# Reads statements and runs each in a process of its own, forked from one that has imported the
# store already: a test that needs fifty processes need not wait for fifty interpreters.
_NURSERY = """
import json, os, sys, traceback
sys.path.insert(0, sys.argv[1])
from stored import check_whole, put, put_many
from microcolumn.study.store import Store, StoreError
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        print(os.getpid(), flush=True)
        try:
            exec(json.loads(line))
        except BaseException:
            traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(child, 0)
    print("over", flush=True)
"""


class Nursery:
    """Runs Python statements in processes that may be killed or give up their rights."""

    def __init__(self):
        self._server = subprocess.Popen(
            [sys.executable, "-c", _NURSERY, str(Path(__file__).parent)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._server.communicate()

    def start(self, statement):
        """Begin a statement; the process's number."""
        self._server.stdin.write(json.dumps(statement) + "\n")
        self._server.stdin.flush()
        return int(self._server.stdout.readline())

    def line(self):
        """The next line that the process prints, without its end."""
        return self._server.stdout.readline().rstrip("\n")

    def rest(self):
        """All other lines until it ends, or is killed."""
        return list(iter(self.line, "over"))

    def run(self, statement):
        """What a statement prints."""
        self.start(statement)
        return "\n".join(self.rest())


def put_many(path, first, last, size=20000):
    """Finish jobs first, ..., last - 1 and print each number once it is kept."""
    with Store.create(path) as store:
        for number in range(first, last):
            put(store, number, size)
            os.write(1, f"{number}\n".encode())  # whole or not at all, which print is not


def put(store, number, size=3000):
    """Finish a job with two fits, whose models are ``size`` times the byte of its number."""
    model = bytes([number % 251]) * size
    fits = [{"l1": l1, "file": model} for l1 in (0.0, 1.0)]
    store.finish(f"job {number:06d}", JOB | {"split": number}, {"fits": fits})


def check_whole(store, numbers):
    """Every job among ``numbers`` is there with both of its fits, and no other is."""
    digests = {f"job {number:06d}": number for number in numbers}
    assert store.finished() == set(digests)
    fits = store.rows("fits")
    assert [(row["job"], row["l1"]) for row in fits] == [
        (digest, l1) for digest in sorted(digests) for l1 in (0.0, 1.0)
    ]
    assert all(set(row["file"]) == {digests[row["job"]] % 251} for row in fits)


def check_integrity(path):
    """SQLite's own thorough check, by a connection of its own."""
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()

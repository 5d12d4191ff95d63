"""Kills, power cuts, full disks and folders without permission: nothing finished is lost."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from stored import Nursery, check_integrity, check_whole, put

from microcolumn.study.store import Store

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork"),
]

PAGE = 4096
N_JOBS = 12


@pytest.fixture(scope="module")
def nursery():
    with Nursery() as nursery:
        yield nursery


def test_a_killed_run_has_lost_nothing_that_it_said_was_finished(path, nursery):
    """40 kills at random instants, some while the store is being made; the run always goes on."""
    random = np.random.default_rng(0)
    kept = 0
    for _ in range(40):
        process = nursery.start(f"put_many({str(path)!r}, {kept}, 100_000)")
        # For some jobs to be finished, then for a part of one more.
        reported = [nursery.line() for _ in range(random.integers(3))]
        time.sleep(random.uniform(0.0, 0.004))
        os.kill(process, signal.SIGKILL)
        reported += nursery.rest()
        assert reported == [str(number) for number in range(kept, kept + len(reported))]
        least = kept + len(reported)
        with Store.create(path) as store:
            kept = len(store.finished())
            check_whole(store, range(kept))
        check_integrity(path)
        assert kept - least in (0, 1)  # one may have been kept and not yet been reported
    assert kept > 20


def test_a_store_is_read_from_a_second_process_while_a_run_writes(path, nursery):
    process = nursery.start(f"put_many({str(path)!r}, 0, 100_000)")
    for _ in range(20):
        number = int(nursery.line())
        with Store.open(path) as store:
            assert store.finished() >= {f"job {k:06d}" for k in range(number + 1)}
            assert len(store.rows("fits", job=f"job {number:06d}")) == 2
    os.kill(process, signal.SIGKILL)
    nursery.rest()


def test_two_processes_write_to_one_store_without_loss(path, nursery):
    """Runs exclude each other by a lock; the store does not rely on it."""
    with Nursery() as another:
        nursery.start(f"put_many({str(path)!r}, 0, 40)")
        another.start(f"put_many({str(path)!r}, 100, 140)")
        assert nursery.rest() == [str(number) for number in range(40)]
        assert another.rest() == [str(number) for number in range(100, 140)]
    check_integrity(path)
    with Store.open(path) as store:
        check_whole(store, [*range(40), *range(100, 140)])


def test_a_finished_job_is_flushed_to_the_disk(path):
    with Store.create(path) as store:
        ask = store._connection.execute
        assert ask("PRAGMA synchronous").fetchone() == (3,)  # EXTRA: each commit is flushed
        assert ask("PRAGMA fullfsync").fetchone() == (1,)


@pytest.fixture(scope="module")
def cut(tmp_path_factory):
    """A store before a transaction, and (file, journal) in the middle of it."""
    path = tmp_path_factory.mktemp("cut") / "study.db"
    with Store.create(path) as store:
        for number in range(N_JOBS):
            put(store, number)
        before = path.read_bytes()
        store._connection.execute("PRAGMA cache_size = 2")  # pages reach the file before the end
        with suppress(KeyboardInterrupt), store._transaction() as connection:
            connection.execute("UPDATE fits SET file = zeroblob(9000)")
            during, journal = path.read_bytes(), Path(f"{path}-journal").read_bytes()
            raise KeyboardInterrupt
    assert path.read_bytes() == before != during
    return before, during, journal


def check_after(folder, main, journal):
    """All jobs are there in a store left so by a power cut, and the run goes on."""
    path = folder / "study.db"
    path.write_bytes(main)
    Path(f"{path}-journal").write_bytes(journal)
    with Store.create(path) as store:
        check_whole(store, range(N_JOBS))
        put(store, N_JOBS)
        check_whole(store, range(N_JOBS + 1))
    check_integrity(path)
    path.unlink()


def test_a_journal_cut_anywhere_loses_no_job(cut, tmp_path):
    """The file itself is not touched before the journal is on the disk."""
    before, _, journal = cut
    for place in np.linspace(0, len(journal), 60).astype(int):
        check_after(tmp_path, before, journal[:place])


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0, 1))
def test_a_cut_while_pages_are_written_loses_no_job(cut, tmp_path_factory, seed, share):
    """Any of the pages may have reached the file; the journal is complete."""
    before, during, journal = cut
    size = max(len(before), len(during))
    written = np.random.default_rng(seed).random(size // PAGE) < share
    main, during = bytearray(before.ljust(size, b"\0")), during.ljust(size, b"\0")
    for page in np.flatnonzero(written):
        main[page * PAGE : (page + 1) * PAGE] = during[page * PAGE : (page + 1) * PAGE]
    check_after(tmp_path_factory.mktemp("written"), bytes(main), journal)


LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
"""


def fill(nursery, path, before=""):
    """Write jobs until it fails; the number of jobs that were finished, and what was said."""
    statement = f"""{before}
try:
    put_many({str(path)!r}, 0, 1000, size=3000)
except StoreError as error:
    print(error)
"""
    *reported, message = nursery.run(statement).splitlines()
    assert reported == [str(number) for number in range(len(reported))]
    assert len(reported) > 1
    assert str(path) in message
    assert "the jobs that had finished are kept" in message
    return len(reported)


def test_a_limit_on_the_size_of_files_loses_no_finished_job(path, nursery):
    n_jobs = fill(nursery, path, LIMITED)
    with Store.create(path) as store:
        check_whole(store, range(n_jobs))
        put(store, n_jobs)
    check_integrity(path)


def test_a_disk_that_is_really_full_loses_no_finished_job(tmp_path, nursery):
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    if not shutil.which("mount") or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        n_jobs = fill(nursery, disk / "study.db")
        with Store.open(disk / "study.db") as store:
            check_whole(store, range(n_jobs))
        for file in disk.iterdir():
            shutil.copy(file, tmp_path)
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    with Store.create(tmp_path / "study.db") as store:
        check_whole(store, range(n_jobs))
        put(store, n_jobs)
    check_integrity(tmp_path / "study.db")


# Permissions, which do not bind an administrator: another process gives its rights up first


@pytest.fixture
def shelf():
    """A folder that anyone can reach; pytest's own are for their owner alone."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@pytest.fixture
def unprivileged(nursery):
    """Run a statement as a user who owns nothing, or as oneself where one is no administrator."""

    def run(path, statement):
        return nursery.run(f"""
import os
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
path = {str(path)!r}
try:
    {statement}
except StoreError as error:
    print(error)
""")

    return run


READ = "with Store.open(path) as store: check_whole(store, range(3)); print('read')"


def shelved(shelf, mode=0o444):
    path = shelf / "study.db"
    with Store.create(path) as store:
        for number in range(3):
            put(store, number)
    path.chmod(mode)
    shelf.chmod(0o555)
    return path


def test_a_store_in_a_read_only_folder_is_read(shelf, unprivileged):
    path = shelved(shelf)
    assert unprivileged(path, READ) == "read"
    assert unprivileged(path, "print(Store.is_running(path))") == "False"
    assert list(shelf.iterdir()) == [path]


def test_a_running_store_in_a_read_only_folder_is_read(shelf, unprivileged):
    path = shelf / "study.db"
    with Store.create(path) as store, store.lock():
        for number in range(3):
            put(store, number)
        shelf.chmod(0o555)
        assert unprivileged(path, READ) == "read"
        assert unprivileged(path, "print(Store.is_running(path))") == "True"

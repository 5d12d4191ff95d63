"""Kills, power cuts, full disks and folders without permission: nothing finished is lost."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from stored import check_integrity, check_whole, put, writing_process

from microcolumn.study.store import Store, StoreError

PAGE = 4096
N_JOBS = 12


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.db"


# Kills


def test_a_killed_run_has_lost_nothing_that_it_said_was_finished(path):
    """25 kills at random instants, some in the very first one; then the run goes on."""
    random = np.random.default_rng(0)
    kept = 0
    for kill in range(25):
        process = writing_process(path, kept, 100_000)
        with process:
            # Wait for some jobs, then for a part of one more.
            reported = [process.stdout.readline() for _ in range(random.integers(4))]
            delay = random.uniform(0.0, 0.15 if kill < 5 else 0.01)
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(delay)
            process.kill()
            reported += process.stdout.read().splitlines()
        if not path.exists() or not path.stat().st_size:
            continue
        least = kept + len(reported)
        with Store.create(path) as store:
            kept = len(store.finished())
            check_whole(store, range(kept))
        check_integrity(path)
        assert kept - least in (0, 1)  # one may have been kept and not yet been reported
    assert kept > 20


def test_a_store_is_read_from_a_second_process_while_a_run_writes(path):
    process = writing_process(path, 0, 100_000)
    with process:
        seen = []
        for _ in range(20):
            number = int(process.stdout.readline())
            with Store.open(path) as store:
                seen.append(len(store.finished()))
                assert store.finished("fit") >= {f"job {k:06d}" for k in range(number + 1)}
        process.kill()
    assert seen == sorted(seen)


# Power cuts


@pytest.fixture(scope="module")
def cut(tmp_path_factory):
    """A store before, (file, file ahead) during, and after its jobs reached the main file."""
    path = tmp_path_factory.mktemp("cut") / "study.db"
    store = Store.create(path)
    store._connection.execute("PRAGMA wal_autocheckpoint = 0")
    before = path.read_bytes()
    for number in range(N_JOBS):
        put(store, number)
    ahead = Path(f"{path}-wal").read_bytes()
    assert path.read_bytes() == before
    store.close()
    return before, ahead, path.read_bytes()


def jobs_after(folder, main, ahead):
    """The number of jobs in a store left so by a power cut; they are whole, and the first ones."""
    path = folder / "study.db"
    path.write_bytes(main)
    Path(f"{path}-wal").write_bytes(ahead)
    with Store.create(path) as store:
        n_jobs = len(store.finished())
        check_whole(store, range(n_jobs))
        put(store, n_jobs)  # the run goes on
        check_whole(store, range(n_jobs + 1))
    check_integrity(path)
    path.unlink()
    return n_jobs


def test_a_file_ahead_cut_anywhere_gives_the_first_jobs_whole(cut, tmp_path):
    before, ahead, _ = cut
    places = np.unique(np.linspace(0, len(ahead), 120).astype(int))
    kept = [jobs_after(tmp_path, before, ahead[:place]) for place in places]
    assert kept == sorted(kept)
    assert set(kept) == set(range(N_JOBS + 1))


@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_a_torn_write_ahead_gives_the_first_jobs_whole(cut, tmp_path_factory, data):
    """The sectors of the last write reach the disk in any order, or as rubbish."""
    before, ahead, _ = cut
    place = data.draw(st.integers(0, len(ahead) - 1))
    rubbish = data.draw(st.binary(min_size=1, max_size=600))
    torn = bytearray(ahead)
    torn[place : place + len(rubbish)] = rubbish
    assert 0 <= jobs_after(tmp_path_factory.mktemp("torn"), before, bytes(torn)) <= N_JOBS


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0, 1))
def test_a_cut_while_jobs_move_to_the_main_file_loses_none(cut, tmp_path_factory, seed, share):
    """Any of the pages may have reached the main file; the file ahead is still complete."""
    before, ahead, after = cut
    moved = np.random.default_rng(seed).random(len(after) // PAGE) < share
    main = bytearray(before.ljust(len(after), b"\0"))
    for page in np.flatnonzero(moved):
        main[page * PAGE : (page + 1) * PAGE] = after[page * PAGE : (page + 1) * PAGE]
    assert jobs_after(tmp_path_factory.mktemp("moved"), bytes(main), ahead) == N_JOBS


# Full disks


def test_a_full_store_says_so_keeps_what_it_has_and_goes_on_when_there_is_room(path):
    with Store.create(path) as store:
        put(store, 0)
        store._connection.execute("PRAGMA max_page_count = 60")
        with pytest.raises(StoreError, match=r"disk that holds .* is full .* are kept") as caught:
            put(store, 1, size=200_000)
        assert str(path) in str(caught.value)
        check_whole(store, [0])
        store._connection.execute("PRAGMA max_page_count = 1000000")
        put(store, 1)
        check_whole(store, [0, 1])
    check_integrity(path)


FULL = """
import resource, sys
sys.path.insert(0, sys.argv[1])
from stored import put
from microcolumn.study.store import Store, StoreError
with Store.create(sys.argv[2]) as store:
    put(store, 0)
    number = 1
    if sys.argv[3:]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
    try:
        for number in range(1, 1000):
            put(store, number)
    except StoreError as error:
        print(number, error)
"""


def fill(path, *limit):
    """Run a process that writes until it cannot; the jobs it finished, and what it said."""
    command = [sys.executable, "-c", FULL, str(Path(__file__).parents[1]), str(path), *limit]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    number, _, message = result.stdout.strip().partition(" ")
    return int(number), message


@pytest.mark.skipif(sys.platform == "win32", reason="files have no size limit there")
def test_a_limit_on_the_size_of_files_loses_no_finished_job(path):
    n_jobs, message = fill(path, "300000")
    assert n_jobs > 1
    assert str(path) in message
    assert "the jobs that had finished are kept" in message
    with Store.create(path) as store:
        check_whole(store, range(n_jobs))
        put(store, n_jobs)
    check_integrity(path)


def test_a_disk_that_is_really_full_loses_no_finished_job(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    if not shutil.which("mount") or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        n_jobs, message = fill(disk / "study.db")
        assert n_jobs > 1
        assert "the jobs that had finished are kept" in message
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

UNPRIVILEGED = """
import os, sys
sys.path.insert(0, sys.argv[1])
from stored import check_whole, put
from microcolumn.study.store import Store, StoreError
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
path = sys.argv[2]
try:
    exec(sys.argv[3])
except StoreError as error:
    print(error)
"""


@pytest.fixture
def shelf():
    """A folder that anyone can reach; pytest's own are for their owner alone."""
    if not hasattr(os, "setuid"):
        pytest.skip("the system has no such permissions")
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def without_rights(path, statement):
    command = [sys.executable, "-c", UNPRIVILEGED, str(Path(__file__).parents[1]), str(path)]
    result = subprocess.run([*command, statement], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


READ = "with Store.open(path) as store: check_whole(store, range(3)); print('read')"


def shelved(shelf, mode=0o444):
    path = shelf / "study.db"
    with Store.create(path) as store:
        for number in range(3):
            put(store, number)
    path.chmod(mode)
    shelf.chmod(0o555)
    return path


def test_a_store_in_a_read_only_folder_is_read(shelf):
    path = shelved(shelf)
    assert without_rights(path, READ) == "read"
    assert without_rights(path, "print(Store.is_running(path))") == "False"
    assert list(shelf.iterdir()) == [path]


@pytest.mark.parametrize("mode", [0o444, 0o666])
def test_a_store_in_a_read_only_folder_is_not_run(shelf, mode):
    path = shelved(shelf, mode)
    before = path.read_bytes()
    message = without_rights(path, "Store.create(path)")
    assert message.startswith(f"{path} cannot be ")
    assert "folder" in message
    assert path.read_bytes() == before


def test_no_store_is_made_in_a_read_only_folder(shelf):
    shelf.chmod(0o555)
    message = without_rights(shelf / "study.db", "Store.create(path)")
    assert message.startswith(f"{shelf / 'study.db'} cannot be opened")
    assert list(shelf.iterdir()) == []


def test_a_store_that_may_not_be_read_is_named(shelf):
    path = shelved(shelf, 0o600)
    if os.getuid():
        path.chmod(0)
    assert without_rights(path, READ).startswith(f"{path} cannot be opened")


def test_a_running_store_in_a_read_only_folder_is_read(shelf):
    path = shelf / "study.db"
    with Store.create(path) as store, store.lock():
        for number in range(3):
            put(store, number)
        shelf.chmod(0o555)
        assert without_rights(path, READ) == "read"
        assert without_rights(path, "print(Store.is_running(path))") == "True"


def test_the_remains_of_a_killed_run_in_a_read_only_folder_are_explained(shelf, cut):
    before, ahead, _ = cut
    path = shelf / "study.db"
    path.write_bytes(before)
    Path(f"{path}-wal").write_bytes(ahead)
    shelf.chmod(0o555)
    message = without_rights(path, READ)
    assert f"its latest jobs are in {path}-wal; copy both files" in message

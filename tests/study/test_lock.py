import os
import signal
import threading
import time

import pytest
from stored import Nursery

from microcolumn.study import store as stores
from microcolumn.study.store import Store, StoreError, lock_path

HOLD = """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, {{signal.SIGUSR1}})
with Store.create({path!r}) as store, store.lock():
    print("locked", flush=True)
    signal.sigwait({{signal.SIGUSR1}})
"""


@pytest.fixture
def impatient(monkeypatch):
    """For tests in which the lock is refused, so that they need not wait for that."""
    monkeypatch.setattr(stores, "_PATIENCE", 0.2)


class Holder:
    """Another process that holds the lock until it is told to end or is killed."""

    def __init__(self, nursery, path):
        self._nursery = nursery
        self.pid = nursery.start(HOLD.format(path=str(path)))
        assert nursery.line() == "locked"

    def stop(self, how):
        os.kill(self.pid, how)
        assert self._nursery.rest() == []
        self.pid = None


@pytest.fixture(scope="module")
def nursery():
    if not hasattr(os, "fork"):
        pytest.skip("the system cannot fork")
    with Nursery() as nursery:
        yield nursery


@pytest.fixture
def holder(nursery, path):
    holder = Holder(nursery, path)
    yield holder
    if holder.pid is not None:
        holder.stop(signal.SIGKILL)


@pytest.mark.usefixtures("impatient")
def test_a_second_run_is_refused_with_the_name_of_the_first(path, holder):
    with Store.create(path) as store, pytest.raises(StoreError) as caught, store.lock():
        pass
    message = str(caught.value)
    assert f"another run (process {holder.pid} on " in message
    assert f"is working on {path}; wait for it or use another store" in message


def test_the_lock_goes_with_a_killed_process(path, holder):
    assert Store.is_running(path)
    assert lock_path(path).exists()
    holder.stop(signal.SIGKILL)
    assert not Store.is_running(path)
    assert not lock_path(path).exists()
    with Store.create(path) as store, store.lock():
        assert store.read_study()["runner"].startswith(f"process {os.getpid()} ")


def test_the_lock_is_released_at_the_end_of_a_run(path, holder):
    holder.stop(signal.SIGUSR1)
    assert not lock_path(path).exists()
    assert not Store.is_running(path)
    with Store.open(path) as store:
        assert "runner" not in store.read_study()


def test_whoever_waits_for_a_lock_whose_file_is_removed_holds_the_next_one_alone(path, monkeypatch):
    """Threads take the lock in turn, each of which removes the file that others have opened."""
    monkeypatch.setattr(stores, "_PATIENCE", 60.0)
    inside, most = [], []

    def run():
        with Store.create(path) as store:
            for _ in range(10):
                with store.lock():
                    inside.append(1)
                    most.append(len(inside))
                    time.sleep(0.001)
                    inside.pop()

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 30


def test_an_error_within_the_run_releases_the_lock(path):
    with Store.create(path) as store:
        with pytest.raises(KeyboardInterrupt), store.lock():
            raise KeyboardInterrupt
        assert not Store.is_running(path)
        assert "runner" not in store.read_study()


def test_a_store_that_never_ran_is_not_running_and_asking_leaves_no_file(path, tmp_path):
    assert not Store.is_running(path)
    assert list(tmp_path.iterdir()) == []


def test_asking_whether_it_runs_never_refuses_a_run_that_starts(path):
    """A run takes the lock again and again while two threads ask without pause."""
    stop = threading.Event()
    answers = set()

    def ask():
        while not stop.is_set():
            answers.add(Store.is_running(path))

    with Store.create(path) as store:
        threads = [threading.Thread(target=ask) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(20):
                with store.lock():
                    assert Store.is_running(path)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
    assert True in answers

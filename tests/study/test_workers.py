"""The same study on processes, on Dask clusters, and on workers that are not there."""

import importlib
import json
import os
import re
import signal
import threading
import time
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from types import SimpleNamespace

import pytest
from processes import python
from small_study import recording, results_of, small_plan

from microcolumn.io.sandbox import ctrl_c_held_back
from microcolumn.study import _workers as workers
from microcolumn.study._run import run
from microcolumn.study._workers import Workers, workers_at
from microcolumn.study.store import Store

engine = importlib.import_module("microcolumn.study._run")


@contextmanager
def dask(command, *options):
    """A process of Dask's command line, ended with the block."""
    quiet = os.environ | {"DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "error"}
    module = f"distributed.cli.dask_{command}"
    with python("-m", module, "--no-dashboard", *options, env=quiet) as process:
        try:
            yield process
        finally:
            process.terminate()
            process.wait()


@contextmanager
def scheduler(folder):
    """Address of a scheduler and the option with which workers find it."""
    file = folder / "scheduler.json"
    options = ("--scheduler-file", str(file))
    with dask("scheduler", "--host", "127.0.0.1", "--port", "0", *options):
        while not file.exists() or not file.read_text().endswith("}"):
            time.sleep(0.05)
        yield json.loads(file.read_text())["address"], options


@contextmanager
def worker(folder, options, n_threads=1):
    place = ("--local-directory", str(folder), "--no-nanny", "--death-timeout", "60")
    with dask("worker", *options, *place, "--nthreads", str(n_threads)) as process:
        yield process


def wait_for_workers(address, count):
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(count, timeout=60)


@pytest.mark.integration
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_any_number_of_processes_gives_the_same_bits(tmp_path, alone, n_jobs):
    run(small_plan(), tmp_path / "study.db", n_jobs=n_jobs)
    assert results_of(tmp_path / "study.db") == alone


@pytest.mark.integration
def test_annealed_normalisers_too_are_the_same_bits(tmp_path):
    """Windows of 40 bits, which no exact sum can cover."""
    settings = {"n_splits": 1, "windows": 4, "models": "Ising", "l1": 4e-3}
    plan = small_plan(recording(n_units=10, minutes=0.5), **settings)
    run(plan, tmp_path / "alone.db", n_jobs=1)
    run(plan, tmp_path / "two.db", n_jobs=2)
    with Store.open(tmp_path / "two.db") as store:
        assert [row["method"] for row in store.rows("normalisers")] == ["ais"]
    assert results_of(tmp_path / "two.db") == results_of(tmp_path / "alone.db")


@pytest.mark.integration
def test_a_cluster_gives_the_same_bits_even_if_all_workers_are_killed(tmp_path, alone, monkeypatch):
    """First two workers of one thread each; then these die, and one of two threads comes."""
    with scheduler(tmp_path) as (address, options), ExitStack() as stack:
        victims = [stack.enter_context(worker(tmp_path, options)) for _ in range(2)]
        wait_for_workers(address, 2)
        run(small_plan(), tmp_path / "whole.db", scheduler=address)
        assert results_of(tmp_path / "whole.db") == alone

        def help_when_asked(sentence, file):
            printed.append(sentence)
            if len(printed) == 1:
                stack.enter_context(worker(tmp_path, options, n_threads=2))

        printed = []
        monkeypatch.setattr(workers.tqdm, "write", help_when_asked)
        monkeypatch.setattr(workers, "_NO_WORKER", 0.5)
        freeze_and_kill(victims, monkeypatch)
        run(small_plan(), tmp_path / "robbed.db", scheduler=address)
        # The run needed jobs that they had been given, and did not end before their death.
        assert [victim.poll() for victim in victims] == [-signal.SIGKILL] * 2
        assert results_of(tmp_path / "robbed.db") == alone
    who = f"the workers of {address}"
    assert printed == [
        f"none of {who} is ready (gone, not there yet, or paused for lack of memory); the run goes "
        "on when one is",
        f"{who} are ready; the run goes on",
    ]


def taking(tasks):
    """Gives one task after the other, and then None."""
    return partial(next, iter(tasks), None)


def test_a_result_that_is_lost_with_its_worker_is_waited_for_again(monkeypatch):
    """Done, but not fetched when its worker was killed: Dask then does the task once more."""

    class LostOnce:
        n_asked = 0

        def result(self, timeout):
            self.n_asked += 1
            if self.n_asked == 1:
                raise TimeoutError
            return "kept"

    client = SimpleNamespace(
        nthreads=lambda: {"one": 1}, submit=lambda *_, **__: LostOnce(), as_current=nullcontext
    )
    monkeypatch.setattr("distributed.wait", lambda futures, **_: (set(futures), set()))
    at_hand = Workers(1, 1, "a cluster", client)
    assert list(at_hand._from_dask(str, taking([1, 2, 3]))) == ["kept"] * 3


def freeze_and_kill(victims, monkeypatch):
    """Have processes stopped when a run has its first result, and killed a second later."""
    keep = engine.Prepared.keep

    def keep_and_kill(self, outcome, store):
        keep(self, outcome, store)
        if len(store.finished()) == 1:
            for victim in victims:
                victim.send_signal(signal.SIGSTOP)
                threading.Timer(1.0, victim.kill).start()

    monkeypatch.setattr(engine.Prepared, "keep", keep_and_kill)


def test_a_single_worker_of_a_cluster_does_the_jobs_itself():
    """Not the process that waits for them, which may be on a login node."""
    from distributed import Client, LocalCluster

    place = {"n_workers": 1, "threads_per_worker": 1, "processes": False}
    with (
        LocalCluster(**place, dashboard_address=None) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        at_hand = Workers(1, 1, "one worker", client)
        found = set(at_hand.results(lambda _: threading.get_ident(), taking(range(3))))
    assert found
    assert threading.get_ident() not in found


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(workers, "_PATIENCE", 0.5)


@pytest.mark.usefixtures("impatient")
def test_a_scheduler_that_does_not_answer_is_named_with_what_to_do(tmp_path):
    with pytest.raises(ValueError, match="no Dask scheduler answers") as caught:
        run(small_plan(), tmp_path / "study.db", scheduler="tcp://127.0.0.1:9")
    message = str(caught.value)
    assert "tcp://127.0.0.1:9" in message
    assert "start one with 'dask scheduler'" in message
    assert "\n" not in message


@pytest.mark.usefixtures("impatient")
def test_a_scheduler_without_workers_is_named_with_what_to_do(tmp_path):
    with scheduler(tmp_path) as (address, _):
        expected = f"the Dask scheduler at {address} has no workers; start some with 'dask worker"
        with pytest.raises(ValueError, match=re.escape(expected)), workers_at(None, address):
            pass


@pytest.mark.parametrize(
    ("n_jobs", "error", "message"),
    [
        (0, ValueError, "n_jobs is 0; it must be at least 1"),
        (-1, ValueError, "n_jobs is -1; it must be at least 1"),
        (1.5, (TypeError, ValueError), "n_jobs"),
        ("two", (TypeError, ValueError), "n_jobs"),
    ],
)
def test_a_number_of_processes_that_is_none_is_refused(n_jobs, error, message):
    with pytest.raises(error, match=message), workers_at(n_jobs, None):
        pass


def test_workers_do_not_hear_ctrl_c_from_their_birth_and_the_run_does():
    held_back = partial(signal.pthread_sigmask, signal.SIG_BLOCK)  # and no more than these
    found = list(Workers(2, 1, "").results(held_back, taking([(), ()])))
    assert found == [{signal.SIGINT}] * 2
    assert held_back(()) == set()


def test_ctrl_c_is_not_lost_while_workers_start():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    reached = []

    def struck():
        with ctrl_c_held_back():
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
            reached.append("the end of the block")

    try:
        with pytest.raises(KeyboardInterrupt):
            struck()
    finally:
        signal.signal(signal.SIGINT, before)
    assert reached == ["the end of the block"]

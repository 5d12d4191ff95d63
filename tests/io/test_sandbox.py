"""A reader that crashes, hangs or takes too much memory does no harm to this process."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import psutil
import pytest
import written
from processes import python

import microcolumn as mc
from microcolumn.errors import BadFile
from microcolumn.io import sandbox as _sandbox
from microcolumn.io._session import Session
from microcolumn.io.failures import as_bad_file
from microcolumn.io.sandbox import Sandbox, load_sandboxed

# Readers here are lambdas and closures, which are sent to the worker by value.


@pytest.fixture
def nwb_file(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return written.write_nwb(written.small_recording(), tmp_path / "a.nwb")


@pytest.fixture
def sandbox(monkeypatch):
    """The sandbox of this process, with a worker of its own for one test."""
    made = Sandbox()
    monkeypatch.setitem(_sandbox._sandboxes, os.getpid(), made)
    yield made
    made.stop()


def _read(path):
    return mc.read(path, depth_reference="surface")


def _n_spikes(path):
    return _read(path).n_spikes


def _worker():
    """Process id of the worker."""
    return load_sandboxed(lambda path: os.getpid(), Path(__file__), ())


def test_the_worker_is_another_process_that_stays_for_the_next_file(nwb_file, sandbox):
    _read(nwb_file)
    first = _worker()
    _read(nwb_file)
    assert _worker() == first != os.getpid()


def test_a_crash_is_one_sentence_and_the_next_file_is_read(nwb_file, sandbox):
    with pytest.raises(BadFile, match="crashed or did not finish; it is damaged"):
        load_sandboxed(lambda path: os.kill(os.getpid(), signal.SIGSEGV), nwb_file, ())
    assert _read(nwb_file).n_spikes == 230


def test_reading_that_takes_too_long_is_one_sentence(nwb_file, sandbox):
    def endless(path):
        import resource

        used = int(time.process_time()) + 1
        assert used + 10 < resource.getrlimit(resource.RLIMIT_CPU)[0] < used + 20
        resource.setrlimit(resource.RLIMIT_CPU, (used, resource.RLIM_INFINITY))
        while True:
            pass

    with pytest.raises(BadFile, match="crashed or did not finish; it is damaged"):
        load_sandboxed(endless, nwb_file, ())


def test_reading_that_waits_too_long_is_one_sentence_and_leaves_no_worker(
    nwb_file, sandbox, monkeypatch
):
    worker = _worker()
    monkeypatch.setattr(_sandbox, "_WAIT_SECONDS", 0.5)
    with pytest.raises(BadFile, match=r"given up after \d+ s; copy it to a disk"):
        load_sandboxed(lambda path: time.sleep(600), nwb_file, ())
    assert _has_ended(worker)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is not limited here")
def test_memory_beyond_what_the_file_can_need_is_one_sentence(tmp_path, sandbox):
    def hungry(path):
        with as_bad_file("a test", None):
            return Session(["a"], [np.ones(1 << 29)])

    (tmp_path / "small").write_bytes(bytes(100))
    with pytest.raises(BadFile, match="takes more memory than a file of this size"):
        load_sandboxed(hungry, tmp_path / "small", ())


def test_an_interrupt_ends_the_reading_and_leaves_no_worker(nwb_file):
    code = f"""
import time, os
from pathlib import Path
from microcolumn.io.sandbox import load_sandboxed
def slow(path):
    Path({str(nwb_file)!r} + ".pid").write_text(str(os.getpid()))
    time.sleep(600)
load_sandboxed(slow, Path({str(nwb_file)!r}), ())
"""
    with python("-c", code, stderr=subprocess.PIPE, text=True) as process:
        worker = _when_written(Path(f"{nwb_file}.pid"))
        assert os.getpgid(worker) != os.getpgid(process.pid)  # Ctrl-C reaches the first alone
        process.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in process.communicate(timeout=60)[1]
    assert _has_ended(worker)


def test_a_worker_ends_with_a_parent_that_is_killed_even_within_a_librarys_code(nwb_file):
    code = f"""
import ctypes, os
from pathlib import Path
from microcolumn.io.sandbox import load_sandboxed
def stuck(path):
    Path({str(nwb_file)!r} + ".pid").write_text(str(os.getpid()))
    ctypes.PyDLL(None).sleep(600)  # no thread of Python runs meanwhile
load_sandboxed(stuck, Path({str(nwb_file)!r}), ())
"""
    with python("-c", code):
        worker = _when_written(Path(f"{nwb_file}.pid"))
    assert _has_ended(worker)


def test_a_script_needs_no_guard_and_leaves_no_worker(nwb_file, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"""
import json, os
from pathlib import Path
import microcolumn as mc
recording = mc.read({str(nwb_file)!r}, depth_reference="surface")
from microcolumn.io.sandbox import load_sandboxed
print(json.dumps([recording.n_spikes, load_sandboxed(lambda _: os.getpid(), Path.cwd(), ())]))
""")
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    n_spikes, worker = json.loads(run.stdout)
    assert n_spikes == 230
    assert run.stderr == ""
    assert _has_ended(worker)


def _when_written(path):
    for _ in range(600):
        if path.exists() and path.read_text():
            return int(path.read_text())
        time.sleep(0.1)
    return pytest.fail("the worker did not start")


def _has_ended(pid):
    for _ in range(100):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.1)
    return False


def test_threads_get_the_answers_to_their_own_questions(tmp_path):
    paths = []
    for n_units in (3, 5, 7, 9):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            recording = written.small_recording(n_units=n_units)
            paths.append(written.write_nwb(recording, tmp_path / f"{n_units}.nwb"))
    with ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(lambda path: _read(path).n_units, paths * 3))
    assert counts == [3, 5, 7, 9] * 3


@pytest.mark.parametrize("daemon", [True, False])
def test_a_forked_process_reads_for_itself(daemon, nwb_file):
    _read(nwb_file)
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    process = context.Process(
        target=lambda: answers.put([_n_spikes(nwb_file), _n_spikes(nwb_file)]), daemon=daemon
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of forking with threads, which is the point
        process.start()
    assert answers.get(timeout=60) == [230, 230]
    process.join(timeout=60)
    assert process.exitcode == 0
    assert _n_spikes(nwb_file) == 230


def test_a_worker_that_died_between_two_files_is_no_fault_of_the_next(nwb_file, sandbox):
    _read(nwb_file)
    os.kill(_worker(), signal.SIGKILL)
    assert _read(nwb_file).n_spikes == 230


def test_modules_of_the_current_folder_are_not_run(nwb_file, tmp_path, monkeypatch, sandbox):
    for name in ("h5py", "numpy", "joblib"):
        (tmp_path / f"{name}.py").write_text("open('trap', 'w').close()")
    monkeypatch.chdir(tmp_path)
    assert _read(nwb_file).n_spikes == 230
    assert not (tmp_path / "trap").exists()


def test_no_filter_of_hdf5_is_loaded_from_a_folder_of_plugins(nwb_file, sandbox):
    def loading(path):
        return os.environ["HDF5_PLUGIN_PRELOAD"], os.environ["NUMCODECS_ALLOW_UNSAFE_PICKLE_DECODE"]

    assert load_sandboxed(loading, nwb_file, ()) == ("::", "0")

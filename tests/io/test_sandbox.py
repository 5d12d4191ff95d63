"""A reader that crashes, hangs on to memory or is missing does no harm to us."""

import multiprocessing
import os
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import written

import microcolumn as mc
from microcolumn.io import READERS, apart
from microcolumn.io._failures import BadFileError

CRASHING = """
import os
def load(path):
    os.kill(os.getpid(), 11)
"""
HUNGRY = """
import numpy
def load(path):
    return numpy.ones(1 << 29)
"""

ENDLESS = """
from microcolumn.io import apart
apart._SECONDS = 1
def load(path):
    while True:
        pass
"""


@pytest.fixture
def nwb_file(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return written.write_nwb(written.small_recording(), tmp_path / "a.nwb")


@pytest.fixture
def reader(tmp_path, monkeypatch):
    """Installs a reader of the given source in the process apart, and gives its name."""

    def install(source):
        (tmp_path / "sitecustomize.py").write_text(
            "import sys, types\n"
            f"module = types.ModuleType('microcolumn.io.planted')\nexec({source!r}, vars(module))\n"
            "sys.modules['microcolumn.io.planted'] = module\n"
            "import microcolumn.io as io\n"
            "io.READERS['planted'] = io.Reader('planted', apart='numpy')\n"
        )
        apart.stop()
        monkeypatch.setattr(apart, "_PATHS", [str(tmp_path), *apart._PATHS])
        return "planted"

    yield install
    apart.stop()


def test_the_process_stays_for_the_next_file(nwb_file):
    mc.read(nwb_file, depth_reference="surface")
    first = apart._process.pid
    mc.read(nwb_file, depth_reference="surface")
    assert apart._process.pid == first != os.getpid()
    assert "pynwb" in READERS["nwb"].apart


def test_a_crash_is_one_sentence_and_the_next_file_is_read(reader, nwb_file):
    with pytest.raises(BadFileError, match="crashed over it or came to no end; it is damaged"):
        apart.load_apart(reader(CRASHING), nwb_file, {})
    assert mc.read(nwb_file, depth_reference="surface").n_spikes == 230


def test_a_reader_that_comes_to_no_end_is_one_sentence(reader, nwb_file):
    with pytest.raises(BadFileError, match="or came to no end; it is damaged"):
        apart.load_apart(reader(ENDLESS), nwb_file, {})


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is not limited here")
def test_memory_beyond_what_the_file_can_need_is_one_sentence(reader, tmp_path):
    (tmp_path / "small").write_bytes(bytes(100))
    with pytest.raises(BadFileError, match="takes more memory than a file of this size"):
        apart.load_apart(reader(HUNGRY), tmp_path / "small", {})


def test_an_interrupted_question_leaves_no_old_answer(nwb_file, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(apart, "_ask", interrupted)
        with pytest.raises(KeyboardInterrupt):
            mc.read(nwb_file, depth_reference="surface")
    assert apart._process is None
    assert mc.read(nwb_file, depth_reference="surface").n_spikes == 230


def test_a_file_that_is_wrong_is_the_readers_own_sentence(tmp_path):
    path = tmp_path / "a.nwb"
    path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(ValueError, match=r"a.nwb: it cannot be read as NWB"):
        mc.read(path)


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


def test_a_forked_process_reads_for_itself(nwb_file):
    _read(nwb_file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of forking with threads, which is the point
        with multiprocessing.get_context("fork").Pool(2) as pool:
            counts = pool.map_async(_n_spikes, [nwb_file] * 4).get(timeout=60)
    assert counts == [230] * 4
    assert _read(nwb_file).n_spikes == 230


def test_a_process_that_died_between_two_files_is_no_fault_of_the_next(nwb_file):
    _read(nwb_file)
    apart._process.kill()
    apart._process.wait()
    assert _read(nwb_file).n_spikes == 230


def test_an_interrupt_of_other_work_does_not_reach_the_process(nwb_file):
    _read(nwb_file)
    assert os.getpgid(apart._process.pid) != os.getpgrp()


def test_modules_of_the_current_folder_are_not_run(nwb_file, tmp_path, monkeypatch):
    (tmp_path / "h5py.py").write_text("open('trap', 'w').close()")
    monkeypatch.chdir(tmp_path)
    apart.stop()
    assert _read(nwb_file).n_spikes == 230
    assert not (tmp_path / "trap").exists()


def test_what_python_is_told_to_find_is_found_there_too(tmp_path, monkeypatch, nwb_file):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "elsewhere"))
    (tmp_path / "elsewhere" / "sitecustomize.py").write_text("open('seen', 'w').close()")
    monkeypatch.chdir(tmp_path)
    apart.stop()
    _read(nwb_file)
    assert (tmp_path / "seen").exists()


def test_a_process_that_cannot_start_is_no_fault_of_the_file(monkeypatch, nwb_file):
    apart.stop()
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(OSError, match="cannot be started as a second process"):
        _read(nwb_file)


def _read(path):
    return mc.read(path, depth_reference="surface")


def _n_spikes(path):
    return _read(path).n_spikes

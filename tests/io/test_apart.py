"""A reader that crashes, hangs on to memory or is missing does no harm to us."""

import os
import warnings
from pathlib import Path

import pytest
import written

import microcolumn as mc
from microcolumn.io import READERS, apart
from microcolumn.io.failures import BadFileError

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

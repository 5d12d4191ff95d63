"""Recordings come from other libraries and go to files through a subpackage they do not import."""

import subprocess
import sys

import microcolumn as mc
from microcolumn import conversions

FRESH = """
import sys
from microcolumn.recording import Recording
assert not any(name.startswith("microcolumn.io") for name in sys.modules)
Recording([[0.1, 0.2]]).save(sys.argv[1])
try:
    Recording.from_neo(3)
except TypeError as error:
    print(error)
"""


def test_a_recording_is_saved_and_converted_in_a_fresh_interpreter(tmp_path):
    path = tmp_path / "a.npz"
    run = subprocess.run(
        [sys.executable, "-c", FRESH, path], check=True, capture_output=True, text=True
    )
    assert "pass a neo.Block" in run.stdout
    assert mc.read(path).trains[0].tolist() == [0.1, 0.2]


def test_conversions_are_the_functions_of_io():
    for name in ("from_neo", "from_pynapple", "from_spikeinterface", "save"):
        assert conversions.conversion(name) is getattr(mc.io, name)

"""Examples in docstrings print what they say; they may use a session and a study in a folder."""

import doctest
import importlib
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot

import microcolumn as mc

SOURCES = Path(mc.__file__).parent
MODULES = [
    ".".join(path.relative_to(SOURCES.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(SOURCES.rglob("*.py"))
    if ">>> " in path.read_text()
]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def _study(path):
    import planted_study

    planted_study.write(path)


def _field_potentials(path):
    """Potentials of 16 contacts with a sink at 730 µm after each of 60 flashes."""
    import pynwb
    from planted_lfp import Sink, planted_lfp

    depths = np.arange(100.0, 1700.0, 100.0)
    potentials_mv, flashes_s = planted_lfp([Sink(730.0, 0.040)], depths)
    file = pynwb.NWBFile("flashes", "id", datetime(2020, 1, 1, tzinfo=UTC))
    group = file.create_electrode_group("shank", "a shank", "V1", file.create_device("probe"))
    file.add_electrode_column("depth_um", "µm along the probe")
    for depth in depths:
        file.add_electrode(group=group, location="V1", depth_um=depth)
    contacts = file.create_electrode_table_region(list(range(depths.size)), "all contacts")
    sampling = {"rate": 1000.0, "starting_time": 2.0, "electrodes": contacts}
    series = pynwb.ecephys.ElectricalSeries(name="lfp", data=1e-3 * potentials_mv, **sampling)
    potentials = pynwb.ecephys.LFP()
    file.create_processing_module("ecephys", "processed").add(potentials)
    potentials.add_electrical_series(series)
    table = pynwb.epoch.TimeIntervals(name="flashes", description="when the screen lit up")
    for time in flashes_s:
        table.add_row(start_time=time, stop_time=time + 0.1)
    file.add_time_intervals(table)
    with pynwb.NWBHDF5IO(str(path), "w") as io:
        io.write(file)


#: Files that examples open.
_FILES = {
    "session.npz": lambda path: mc.simulate.microcolumn(n_units=6, minutes=1).save(path),
    "study.db": _study,
    "lfp.nwb": _field_potentials,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where examples run, with the files that they open."""
    folder = tmp_path_factory.mktemp("examples")
    for file, write in _FILES.items():
        write(folder / file)
    return folder


@pytest.mark.parametrize("name", MODULES)
def test_examples_print_what_they_say(name, folder, monkeypatch):
    monkeypatch.chdir(folder)
    module = importlib.import_module(name)
    found = doctest.testmod(module, optionflags=FLAGS, extraglobs={"mc": mc, "np": np})
    pyplot.close("all")
    assert not found.failed

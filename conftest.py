"""What examples in docstrings may use: the package, and a folder with a session and a study."""

from datetime import UTC, datetime

import numpy as np
import pytest
from _pytest.doctest import DoctestItem

import microcolumn as mc


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


#: Files that examples open, written when the first of them names one.
_FILES = {
    "session.npz": lambda path: mc.simulate.microcolumn(n_units=6, minutes=1).save(path),
    "study.db": _study,
    "lfp.nwb": _field_potentials,
}


@pytest.fixture(scope="session")
def example_folder(tmp_path_factory):
    """Where examples run."""
    return tmp_path_factory.mktemp("examples")


@pytest.fixture(autouse=True)
def examples(request, monkeypatch, doctest_namespace):
    """Run examples in that folder; they draw, and leave no figure open."""
    if not isinstance(request.node, DoctestItem):
        yield
        return
    folder = request.getfixturevalue("example_folder")
    for name, write in _FILES.items():
        if name in request.node.dtest.docstring and not (folder / name).exists():
            write(folder / name)
    monkeypatch.chdir(folder)
    doctest_namespace.update(mc=mc, np=np)
    yield
    from matplotlib import pyplot

    pyplot.close("all")

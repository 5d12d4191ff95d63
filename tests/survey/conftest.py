"""Recordings beside the repository as spike times."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from microcolumn.recording import Recording

RECORDINGS = Path(__file__).parents[2].parent / "shared" / "data"


@pytest.fixture(scope="session")
def recorded_trains():
    def load(name):
        path = RECORDINGS / f"{name}.npz"
        if not path.exists():
            pytest.skip(f"the recording {name} is not beside the repository")
        with np.load(path, allow_pickle=False) as file:
            times, units = file["spike_times"], file["spike_units"]
            trains = [np.sort(times[units == n]) for n in range(file["unit_ids"].size)]
            return Recording(trains, epochs=[[0.0, float(file["duration_s"])]])

    return load

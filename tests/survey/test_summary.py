import json

import numpy as np
import pytest
import written

import microcolumn as mc
from microcolumn.survey._summary import summarise


@pytest.fixture(scope="module")
def summary():
    return summarise(written.small_recording())


def test_the_page_names_units_layers_depths_rates_epochs_width_and_warnings(summary):
    page = str(summary)
    assert "5 units, 230 spikes in 20.000 s of 1 epoch" in page
    assert "depth: µm below the cortical surface, larger is deeper" in page
    assert "0.000 to 20.000 s" in page
    assert "bin width: 20 ms suggested" in page
    assert "unit '14'" in page  # which is silent
    [line] = [line for line in page.splitlines() if line.startswith("IV ")]
    assert line.split() == ["IV", "2", "450", "to", "1500", "1.50", "(0.00", "to", "3.00)"]
    [line] = [line for line in page.splitlines() if line.startswith("13 ")]
    assert line.split() == ["13", "II/III", "mua", "1150", "yes", "60", "3.00"]


def test_the_dictionary_holds_the_same_and_survives_json(summary):
    told = json.loads(json.dumps(summary.as_dict(), allow_nan=False))
    assert told["n_units"] == 5
    assert told["n_spikes"] == told["n_spikes_in_epochs"] == 230
    assert sum(unit["n_spikes_in_epochs"] for unit in told["units"]) == 230
    assert told["units"][1] == {
        "id": "11",
        "layer": "IV",
        "depth_um": 450.0,
        "quality": "mua",
        "multiunit": True,
        "n_spikes_in_epochs": 60,
        "rate_hz": 3.0,
    }
    assert told["epochs"] == [{"start_s": 0.0, "stop_s": 20.0, "label": None}]
    binning = told["binning"]
    assert binning["n_binned"] + binning["n_in_tails"] + binning["n_outside"] == 230
    assert told["suggested_bin_width_s"] == summary.bin_width.width_s


def test_depths_without_a_meaning_are_a_warning():
    units = mc.Units("a", [100.0], depth_reference="unstated")
    [*_, warning] = summarise(mc.Recording([[0.1, 0.5]], units)).warnings
    assert warning.startswith("depths have no stated zero and direction; state")


def test_spikes_outside_the_epochs_are_not_counted():
    told = summarise(mc.Recording([[0.1, 0.5, 7.0]], epochs=[[0.0, 1.0]])).as_dict()
    assert told["n_spikes"] == 3
    assert told["n_spikes_in_epochs"] == told["units"][0]["n_spikes_in_epochs"] == 2


def test_a_recording_shorter_than_a_bin_is_summarised_with_a_warning():
    summary = summarise(mc.Recording([[0.001]]))
    assert summary.binning is None
    assert summary.as_dict()["binning"] is None
    assert "no epoch is long enough for a bin of the suggested width" in str(summary)


def test_a_recording_without_epochs_is_summarised():
    summary = summarise(mc.Recording([[1.0]], epochs=np.empty((0, 2))))
    assert summary.binning is None


def test_rates_too_low_for_seconds_are_a_warning():
    slow = mc.Recording([np.arange(0.0, 90_000.0, 200.0)])
    assert any(
        "check that spike times and epochs are in seconds" in w for w in summarise(slow).warnings
    )

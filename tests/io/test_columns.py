import numpy as np
import pytest

from microcolumn.io._columns import depth_reference_of, places_of, probes_of, quality_of


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"quality": ["Good", "MUA"]}, ["Good", "MUA"]),
        ({"quality": ["a", "b"], "ibl_quality_score": [1.0, 0.0]}, ["a", "b"]),
        ({"KSLabel": ["good", "mua"]}, ["good", "mua"]),
        ({"kilosort2_label": ["good", np.nan]}, ["good", ""]),
        ({"ks2_label": ["noise", "mua"], "label": [1.0, 1 / 3]}, ["noise", "mua"]),
        ({"ks2_label": ["mua", "good"], "label": [1.0, 2 / 3]}, ["good", "failed"]),
        ({"ibl_quality_score": [1.0, 0.67]}, ["good", "failed"]),
        ({"ibl_quality_score": [np.nan, 0.33], "ks2_label": ["good", "good"]}, ["good", "failed"]),
        ({"phy_annotations": [0, 1]}, ["noise", "mua"]),
        ({"clusters._phy_annotation": [2.0, 3.0]}, ["good", "unsorted"]),
        ({"decoder_label": ["sua", "noise"], "default_qc": [False, True]}, ["failed", "noise"]),
        ({"default_qc": ["True", "False"]}, ["good", "failed"]),
        ({"label": ["good", "mua"]}, ["good", "mua"]),
    ],
)
def test_quality_is_what_the_columns_say_together(columns, expected):
    assert quality_of(columns)[0] == expected


@pytest.mark.parametrize("label", [["cell 1", "cell 2"], [0, 1], [3, 7], ["", ""]])
def test_a_label_that_is_no_verdict_is_none(label):
    assert quality_of({"label": label}) == (None, [])


@pytest.mark.parametrize(
    ("columns", "place"),
    [
        ({"brain_area": ["VISp4", "CA1"]}, ("brain_area", ["VISp", "CA1"], ["IV", ""])),
        ({"area": ["VISp4", "CA1"]}, ("area", ["VISp4", "CA1"], None)),
        ({"location": ["unknown", "V1"]}, ("location", ["", "V1"], None)),
        ({"atlas_id": [-821, 382.0]}, ("atlas_id", ["VISp", "CA1"], ["II/III", ""])),
        (
            {"beryl_location": ["VISp", "CA1"], "electrodes.location": ["VISp5", "CA1"]},
            ("electrodes.location", ["VISp", "CA1"], ["V", ""]),
        ),
        (
            {"clusters.brainLocationAcronyms_ccf_2017": ["MOs1", "root"]},
            ("clusters.brainLocationAcronyms_ccf_2017", ["MOs", "root"], ["I", ""]),
        ),
        (
            {"channels.brainLocationIds_ccf_2017": [33, np.nan]},
            ("channels.brainLocationIds_ccf_2017", ["VISp", ""], ["VI", ""]),
        ),
    ],
)
def test_the_first_column_with_layers_places_the_units(columns, place):
    assert places_of(columns) == place


def test_probes_are_text_whatever_they_are_in_the_file():
    assert probes_of({"clusters.probes": [0.0, 1.0]}) == ["0", "1"]
    assert probes_of({"probe_id": [7, 8], "probe_name": ["A", "B"]}) == ["A", "B"]
    assert probes_of({"electrodes.probe_id": [7, 8]}) == ["7", "8"]
    assert probes_of({"snr": [1, 2]}) is None


def test_some_names_of_depths_tell_what_they_are_measured_from():
    assert depth_reference_of("Cluster_Depths") == "tip"
    assert depth_reference_of("electrodes.probe_vertical_position") == "tip"
    assert depth_reference_of("depth") is None
    assert depth_reference_of("electrodes.rel_y") is None

"""Files of public archives read whole: depth, layer, area, probe, quality and multiunits."""

from functools import cache

import planted_archives
import pytest

from microcolumn.io import read

pytest.importorskip("pynwb")

# PyNWB warns about its own schemas while files are written
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Recording of a planted archive, which is written once and read once without options."""
    folder = tmp_path_factory.mktemp("archives")

    @cache
    def path(name):
        return getattr(planted_archives, name)(folder / f"{name}.nwb")

    @cache
    def plain(name):
        return read(path(name))

    return lambda name, **options: read(path(name), **options) if options else plain(name)


def test_visual_coding_has_heights_areas_and_quality_and_says_that_it_has_no_layers(archive):
    recording = archive("visual_coding")
    units = recording.units
    assert units.ids == ("900", "901", "903", "905")  # noise is left out
    assert units.depth_reference == "tip"
    assert units.depth_um.tolist() == [20.0, 40.0, 20.0, 60.0]
    assert units.area == ("VISp", "VISp", "CA1", "LP")
    assert units.probe == ("probeA", "probeA", "probeB", "probeB")
    assert units.layer is None
    assert units.quality == ("good",) * 4
    notes = "; ".join(recording.notes)
    assert "areas come from column 'electrodes.location', which names no layers" in notes
    assert "are above the tip of the probe" in notes
    assert "units of quality 'noise' left out: 2" in notes


def test_openscope_has_layers_of_isocortex_alone(archive):
    units = archive("openscope", quality=("good", "noise")).units
    assert units.area == ("VISp", "VISp", "VISp", "CA1", "VISam", "VISam")
    assert units.layer == ("VI", "V", "II/III", "", "VI", "I")
    assert units.depth_um.tolist() == [20.0, 40.0, 60.0, 20.0, 40.0, 60.0]


def test_ibl_places_units_by_their_peak_and_judges_by_score_and_label(archive):
    recording = archive("ibl")
    units = recording.units
    assert units.ids == ("900", "901", "902", "903", "905")
    assert (units.depth_reference, units.depth_um.tolist()) == (
        "tip",
        [23.0, 203.0, 383.0, 23.0, 383.0],
    )
    assert units.area == ("VISp", "VISp", "VISp", "Field CA1", "Field CA1")
    assert units.layer == ("VI", "V", "II/III", "", "")
    assert units.probe == ("Probe00",) * 3 + ("Probe01",) * 2
    assert units.quality == ("good", "failed", "good", "mua", "failed")
    assert units.multiunit.tolist() == [False, False, False, True, False]
    assert recording.epochs.labels == ("task", "passive")
    told = "quality comes from columns 'ibl_quality_score' and 'kilosort2_label': 2 good, 2 failed"
    assert any(note.startswith(told) for note in recording.notes)


def test_old_ibl_files_have_all_of_it_on_the_units(archive):
    units = archive("ibl_old").units
    assert units.depth_um.tolist() == [40.0, 600.0, 2000.0, 40.0, 2000.0]
    assert units.depth_reference == "tip"
    assert units.area == ("VISp", "VISp", "VISp", "CA1", "PIR1")
    assert units.layer == ("VI", "V", "I", "", "")
    assert units.quality == ("good", "mua", "failed", "good", "good")
    assert units.probe == ("probe00",) * 3 + ("probe01",) * 2


def test_steinmetz_has_depths_of_one_column_and_peaks_counted_from_1(archive):
    recording = archive("steinmetz")
    units = recording.units
    assert units.ids == ("900", "901", "902", "903", "905")  # annotation 0 is noise
    assert units.depth_um.tolist() == [50.0, 200.0, 590.0, 10.0, 590.0]
    assert units.depth_reference == "tip"
    assert units.area == ("VISp", "VISp", "CA1", "MOs", "MOs")
    assert units.probe == ("Probe1",) * 3 + ("Probe2",) * 2
    assert units.quality == ("good", "mua", "unsorted", "good", "unsorted")
    assert units.multiunit.tolist() == [False, True, False, False, False]


def test_an_area_and_a_probe_select_units_as_they_are_written(archive):
    recording = archive("openscope")
    assert recording.select(area="VISp").units.ids == ("900", "901")
    assert recording.select(probe=["probeB"]).units.ids == ("903", "905")
    with pytest.raises(ValueError, match="no unit has area 'visp'; there is 'VISp', 'CA1'"):
        recording.select(area="visp")


@pytest.mark.parametrize("name", ["steinmetz", "visual_coding"])
def test_spontaneous_is_a_table_of_both(archive, name):
    recording = archive(name, epochs="spontaneous")
    assert set(recording.epochs.labels) == {"spontaneous"}
    invalid = 0.5 * (name == "visual_coding")
    assert recording.duration_s == pytest.approx(8.0 - invalid, abs=1e-6)


def test_tables_of_intervals_are_offered_by_name_without_rows_that_have_no_end(archive):
    offered = archive("ibl").intervals
    assert {name: [*each] for name, each in offered.items()} == {"trials": [(1.0, 2.0)]}
    assert list(archive("visual_coding").intervals) == [
        "flashes_presentations",
        "natural_movie_one_presentations",
        "spontaneous_presentations",
    ]
    with pytest.raises(ValueError, match="no epoch is labelled 'dark'; labels here: none; tables"):
        archive("steinmetz", epochs="dark")


def test_visual_behavior_reads_as_visual_coding_does(archive):
    units = archive("visual_behavior").units
    assert (units.depth_reference, units.layer) == ("tip", None)
    assert units.area == ("VISl", "VISl", "grey", "grey")


def test_aind_has_two_verdicts_of_which_one_can_only_lower(archive):
    units = archive("aind", depth_reference="tip").units
    assert units.quality == ("good", "failed", "mua", "good")
    assert units.probe == ("ProbeA",) * 3 + ("ProbeB",)
    assert units.area is None

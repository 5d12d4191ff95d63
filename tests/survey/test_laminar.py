import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from planted_lfp import Sink, planted_lfp

from microcolumn import Units
from microcolumn.io import LFP
from microcolumn.layers import layer_labels
from microcolumn.survey.laminar import SinkSearch, layers_from_flashes

pytest.importorskip("elephant")

EVEN = np.arange(100.0, 1700.0, 100.0)
LATER_DEEPER_LARGER = Sink(1300.0, 0.060, size=2.5)


def mapped(sinks, depths=EVEN, *, reference="surface", zero_um=0.0, seed=0, noise_mv=0.02, **more):
    """Map of planted sinks; with the reference "tip", ``zero_um`` is the depth of the tip."""
    lfp, flashes = planted_lfp(sinks, depths, seed=seed, noise_mv=noise_mv)
    stated = zero_um - depths if reference == "tip" else depths - zero_um
    return layers_from_flashes(LFP(lfp, 1000.0, stated, reference, start_s=2.0), flashes, **more)


@settings(deadline=None, max_examples=25)
@given(st.floats(400.0, 1200.0), st.floats(0.030, 0.080), st.integers(0, 1000))
def test_a_planted_sink_is_found_within_half_a_spacing_and_few_milliseconds(depth, onset, seed):
    found = mapped([Sink(depth, onset)], seed=seed)
    assert abs(found.centre_um - depth) < 50.0
    # The planted sink is at half of its height 3 ms after its onset.
    assert 0.0 <= found.latency_s - onset < 0.007
    assert found.top_um < depth < found.bottom_um
    # A Gaussian of 90 µm, smoothed by 50 µm and by contacts 100 µm apart.
    assert 170.0 < found.bottom_um - found.top_um < 300.0


@pytest.mark.parametrize(
    "depths",
    [
        EVEN,
        np.arange(0.0, 1760.0, 20.0),
        np.delete(EVEN, 5),
        np.sort(np.random.default_rng(1).uniform(100.0, 1700.0, 20)),
    ],
    ids=["even", "dense", "one missing", "irregular"],
)
def test_a_later_deeper_larger_sink_does_not_win_on_any_probe(depths):
    found = mapped([Sink(730.0, 0.040), LATER_DEEPER_LARGER], depths)
    assert abs(found.centre_um - 730.0) < 0.5 * np.diff(depths).mean()
    assert found.latency_s == pytest.approx(0.043, abs=0.003)
    second = found.sinks[1]
    assert second.depth_um == pytest.approx(1300.0, abs=50.0)
    assert second.onset_s == pytest.approx(0.063, abs=0.003)
    assert second.size > found.sinks[0].size


def test_a_larger_sink_that_follows_next_to_it_does_not_pull_the_centre_away():
    found = mapped([Sink(730.0, 0.040), Sink(950.0, 0.052, size=2.0)])
    assert abs(found.centre_um - 730.0) < 50.0


def test_a_small_early_sink_is_no_large_sink_unless_asked():
    sinks = [Sink(400.0, 0.030, size=0.25), Sink(900.0, 0.045, size=1.5)]
    assert mapped(sinks, noise_mv=0.002).centre_um == pytest.approx(900.0, abs=50.0)
    found = mapped(sinks, noise_mv=0.002, min_share=0.05)
    assert found.centre_um == pytest.approx(400.0, abs=50.0)


def test_the_order_of_channels_does_not_matter():
    lfp, flashes = planted_lfp([Sink(730.0, 0.040)], EVEN)
    plain = layers_from_flashes(LFP(lfp, 1000.0, EVEN, "surface", start_s=2.0), flashes)
    flipped = LFP(lfp[:, ::-1], 1000.0, EVEN[::-1], "surface", start_s=2.0)
    again = layers_from_flashes(flipped, flashes)
    np.testing.assert_array_equal(again.csd, plain.csd)
    assert again.boundaries == plain.boundaries


@pytest.mark.parametrize("depths", [EVEN, np.delete(EVEN, 3)], ids=["even", "one missing"])
def test_heights_above_the_tip_give_the_same_layers(depths):
    sinks = [Sink(730.0, 0.040), LATER_DEEPER_LARGER]
    below, above = mapped(sinks, depths), mapped(sinks, depths, reference="tip", zero_um=1800.0)
    np.testing.assert_allclose(above.csd, below.csd, atol=1e-9)
    for name, limits in below.boundaries.items():
        np.testing.assert_allclose(1800.0 - np.array(above.boundaries[name]), limits)
    assert above.label(1800.0 - depths) == below.label(depths)


def test_labels_follow_the_boundaries_and_are_empty_outside_and_where_unknown():
    found = mapped([Sink(730.0, 0.040)])
    assert found.label([-1.0, 0.0, found.top_um - 1, found.top_um, found.bottom_um, np.nan]) == (
        "",
        "II/III",
        "II/III",
        "IV",
        "V/VI",
        "",
    )
    assert found.label(730.0) == ("IV",)
    assert list(found.boundaries) == ["II/III", "IV", "V/VI"]


def test_units_get_the_layers_of_their_depths():
    found = mapped([Sink(730.0, 0.040)])
    units = Units("abcd", [300.0, 720.0, np.nan, 1500.0], depth_reference="surface")
    assert found.assign(units).layer == ("II/III", "IV", "", "V/VI")
    assert layer_labels(found.layers, units) == ("II/III", "IV", "", "V/VI")


def test_a_person_can_correct_the_centre_or_the_limits():
    found = mapped([Sink(730.0, 0.040)])
    moved = found.corrected(centre_um=found.centre_um + 100.0)
    assert moved.boundaries["IV"] == pytest.approx((found.top_um + 100.0, found.bottom_um + 100.0))
    limits = found.corrected(top_um=500.0, bottom_um=900.0)
    assert limits.boundaries == {
        "II/III": (0.0, 500.0),
        "IV": (500.0, 900.0),
        "V/VI": (900.0, 1700),
    }
    assert "set by hand from 500 to 900 µm" in limits.notes[-1]
    assert limits.sinks == found.sinks
    with pytest.raises(ValueError, match=r"layer IV from 900 to 500 µm .* is out of order"):
        found.corrected(top_um=900.0, bottom_um=500.0)
    with pytest.raises(ValueError, match="out of order"):
        found.corrected(centre_um=np.nan)
    with pytest.raises(TypeError, match="centre_um is '7'"):
        found.corrected(centre_um="7")


def test_layer_iv_has_the_thickness_asked_for():
    found = mapped([Sink(730.0, 0.040)], layer_iv_thickness_um=300.0)
    assert found.top_um == pytest.approx(found.centre_um - 150.0)
    assert found.bottom_um == pytest.approx(found.centre_um + 150.0)
    for thickness in (-1.0, 5000.0, np.nan):
        with pytest.raises(ValueError, match="layer_iv_thickness_um is"):
            mapped([Sink(730.0, 0.040)], layer_iv_thickness_um=thickness)


def test_sinks_outside_the_cortex_are_ignored():
    sinks = [Sink(1300.0, 0.030), Sink(600.0, 0.050)]
    assert mapped(sinks).centre_um == pytest.approx(1300.0, abs=50.0)
    found = mapped(sinks, cortex_um=(50.0, 1000.0))
    assert found.centre_um == pytest.approx(600.0, abs=50.0)
    assert found.label([1200.0, 900.0]) == ("", "V/VI")
    from_tip = mapped(sinks, reference="tip", zero_um=1700.0, cortex_um=(1650.0, 700.0))
    assert from_tip.centre_um == pytest.approx(1100.0, abs=50.0)


def test_a_sink_at_the_end_of_the_probe_is_doubted():
    found = mapped([Sink(1600.0, 0.040)])
    assert any("end of the probe" in note for note in found.notes)


def test_a_sink_that_was_there_before_the_search_is_doubted():
    found = mapped([Sink(730.0, 0.010)])
    assert any("when the search began" in note for note in found.notes)
    earlier = mapped([Sink(730.0, 0.010)], search_s=(0.005, 0.1))
    assert not any("when the search began" in note for note in earlier.notes)
    assert earlier.latency_s == pytest.approx(0.013, abs=0.003)


def test_no_layer_is_found_in_noise():
    for seed in range(10):
        with pytest.raises(
            ValueError, match=r"no sink between 20 and 100 ms .* reaches 5 standard"
        ):
            mapped([], seed=seed)


def test_a_response_without_noise_is_found_and_silence_is_an_error():
    found = mapped([Sink(730.0, 0.040)], noise_mv=0.0)
    assert abs(found.centre_um - 730.0) < 20.0
    assert found.sinks[0].n_sd > 1e6
    with pytest.raises(ValueError, match="no sink"):
        mapped([], noise_mv=0.0)


def test_more_flashes_raise_the_confidence():
    lfp, flashes = planted_lfp([Sink(730.0, 0.040)], EVEN)
    recording = LFP(lfp, 1000.0, EVEN, "surface", start_s=2.0)
    few, many = (layers_from_flashes(recording, flashes[:n], min_sd=2.0) for n in (10, 60))
    assert many.sinks[0].n_sd > 1.5 * few.sinks[0].n_sd
    assert (few.n_flashes, many.n_flashes) == (10, 60)


TIME_S = np.arange(-50, 200) / 1000.0
DEPTHS = np.arange(0.0, 1000.0, 100.0)


def search(*stretches, noise=0.01):
    """Currents that are (size) in row (row) from (start) to (stop) ms, and half of it beside."""
    csd = np.zeros((DEPTHS.size, TIME_S.size))
    for row, start, stop, size in stretches:
        csd[row, 50 + start : 50 + stop] += size
        csd[[row - 1, row + 1], 50 + start : 50 + stop] += 0.5 * size
    return SinkSearch(TIME_S, DEPTHS, 1.0, csd, np.full(DEPTHS.size, noise), 1000.0)


def found(*stretches, **more):
    sinks = search(*stretches, **more).sinks((0.02, 0.1), 0.3, 5.0)
    return [(round(sink.depth_um, -1), round(1e3 * sink.onset_s)) for sink in sinks]


LAYER_IV = (7, 45, 80, -1.0)


def test_sinks_come_in_the_order_of_their_onsets_with_size_and_certainty():
    sinks = search(LAYER_IV, (3, 60, 90, -2.0)).sinks((0.02, 0.1), 0.3, 5.0)
    assert [sink.depth_um for sink in sinks] == pytest.approx([700.0, 300.0], abs=5.0)
    assert [sink.onset_s for sink in sinks] == [0.045, 0.060]
    assert [sink.size for sink in sinks] == pytest.approx([1.0, 2.0], rel=1e-2)
    assert [sink.n_sd for sink in sinks] == pytest.approx([100.0, 200.0], rel=1e-2)


@pytest.mark.parametrize(
    "more",
    [
        [(3, 30, 90, 2.0)],
        [(3, 30, 90, -0.2)],
        [(3, 2, 18, -2.0), (3, 101, 150, -2.0)],
        [(3, 30, 32, -1.0)],
        [(3, 30, 34, -1.0), (3, 34, 60, 1.0)],
        [(7, 85, 95, -1.0), (6, 85, 95, -1.0)],
    ],
    ids=["a source", "small", "outside the search", "noise of 2 ms", "an artefact", "again"],
)
def test_what_is_no_sink_of_its_own_is_left_out(more):
    assert found(LAYER_IV, *more) == [(700, 45)]


def test_sinks_last_3_ms_and_where_they_run_into_each_other_the_first_has_the_centre():
    assert found(LAYER_IV, (3, 30, 33, -1.0)) == [(300, 30), (700, 45)]
    assert found((4, 40, 80, -1.0), (5, 52, 80, -1.2), (6, 60, 80, -1.2)) == [(400, 40)]


def test_the_extent_ends_at_half_the_size():
    planted = search(LAYER_IV)
    (sink,) = planted.sinks((0.02, 0.1), 0.3, 5.0)
    (top, bottom), notes = planted.extent(sink, None, np.array([-100.0, 1000.0]))
    assert top == pytest.approx(600.0, abs=2.0)
    assert bottom == pytest.approx(800.0, abs=2.0)
    assert notes == []


def test_a_noise_too_large_for_the_sink_is_said_with_the_strongest_found():
    with pytest.raises(ValueError, match=r"at 45 ms and a depth of 700 µm, reaches 3\.3\)"):
        found(LAYER_IV, noise=0.3)

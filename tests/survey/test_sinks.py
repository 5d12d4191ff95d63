import numpy as np
import pytest

from microcolumn.survey._sinks import SinkSearch

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


def test_sources_small_sinks_and_sinks_outside_the_search_are_none():
    assert found(LAYER_IV, (3, 30, 90, 2.0)) == [(700, 45)]
    assert found(LAYER_IV, (3, 30, 90, -0.2)) == [(700, 45)]
    assert found(LAYER_IV, (3, 2, 18, -2.0), (3, 101, 150, -2.0)) == [(700, 45)]


def test_a_dip_of_two_milliseconds_is_noise():
    assert found(LAYER_IV, (3, 30, 32, -1.0)) == [(700, 45)]
    assert found(LAYER_IV, (3, 30, 33, -1.0)) == [(300, 30), (700, 45)]


def test_a_dip_that_turns_into_a_source_is_an_artefact():
    assert found(LAYER_IV, (3, 30, 34, -1.0), (3, 34, 60, 1.0)) == [(700, 45)]


def test_a_sink_that_comes_again_at_its_place_is_one_sink():
    assert found(LAYER_IV, (7, 85, 95, -1.0), (6, 85, 95, -1.0)) == [(700, 45)]


def test_sinks_that_run_into_each_other_are_one_whose_centre_is_where_it_began():
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

import numpy as np
import pytest
from planted_lfp import Sink, planted_lfp

from microcolumn.io import LFP
from microcolumn.survey.laminar import layers_from_flashes

EVEN = np.arange(100.0, 1700.0, 100.0)


def test_stretches_are_samples_times_gain_plus_offset():
    samples = np.arange(30, dtype=np.int16).reshape(10, 3)
    lfp = LFP(samples, 500.0, [0.0, 1.0, 2.0], "surface", gain_mv=[1.0, 0.5, 2.0], offset_mv=1.0)
    np.testing.assert_array_equal(lfp.stretch(1, 3), [[4.0, 3.0, 11.0], [7.0, 4.5, 17.0]])
    assert (lfp.n_samples, lfp.n_channels) == (10, 3)


def test_taking_channels_takes_their_samples_depths_and_gains_and_can_be_repeated():
    samples = np.arange(30).reshape(10, 3)
    lfp = LFP(samples, 500.0, [5.0, 6.0, 7.0], "tip", gain_mv=[1.0, 10.0, 100.0])
    taken = lfp.take([2, 0])
    np.testing.assert_array_equal(taken.stretch(0, 2), [[200.0, 0.0], [500.0, 3.0]])
    np.testing.assert_array_equal(taken.depth_um, [7.0, 5.0])
    np.testing.assert_array_equal(taken.take([1]).stretch(0, 2), [[0.0], [3.0]])
    assert taken.take([1]).depth_reference == "tip"


def test_a_neo_signal_in_any_unit_gives_the_same_map_as_its_array():
    pytest.importorskip("elephant")
    neo = pytest.importorskip("neo")
    pq = pytest.importorskip("quantities")
    lfp, flashes = planted_lfp([Sink(730.0, 0.040)], EVEN)
    signal = neo.AnalogSignal(1e3 * lfp * pq.uV, sampling_rate=1.0 * pq.kHz, t_start=2000 * pq.ms)
    plain = layers_from_flashes(LFP(lfp, 1000.0, EVEN, "surface", start_s=2.0), flashes)
    through_neo = layers_from_flashes(LFP.from_neo(signal, EVEN, "surface"), flashes)
    np.testing.assert_allclose(through_neo.csd, plain.csd, atol=1e-12)
    assert through_neo.boundaries == plain.boundaries
    assert through_neo.latency_s == plain.latency_s

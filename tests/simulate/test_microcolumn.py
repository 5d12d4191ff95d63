import numpy as np
import pytest

import microcolumn as mc
from microcolumn.simulate import _column as anatomy, microcolumn
from microcolumn.simulate._spikes import _ar1, _volleys


@pytest.fixture(scope="module")
def recording():
    return mc.simulate.microcolumn(n_units=20, minutes=30, seed=0, movie_minutes=0.5)


@pytest.fixture(scope="module")
def multiunits():
    return mc.simulate.microcolumn(n_units=12, minutes=10, seed=0, multiunit=True)


def test_the_same_seed_gives_the_same_recording_and_another_seed_another():
    first, second, other = (mc.simulate.microcolumn(8, 2, seed=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.spike_times, second.spike_times)
    np.testing.assert_array_equal(first.offsets, second.offsets)
    np.testing.assert_array_equal(first.truth.gains, second.truth.gains)
    assert first.truth.synapses == second.truth.synapses
    assert first.n_spikes != other.n_spikes


def test_a_longer_recording_has_the_same_units(recording):
    shorter = mc.simulate.microcolumn(n_units=20, minutes=1, seed=0, movie_minutes=0.5)
    np.testing.assert_array_equal(shorter.truth.gains, recording.truth.gains)
    np.testing.assert_array_equal(shorter.units.depth_um, recording.units.depth_um)


def test_spikes_lie_on_a_clock_of_30_khz_distinct_and_within_the_recording(recording, multiunits):
    for simulated in (recording, multiunits):
        for train in simulated.trains:
            samples = np.rint(train * 30_000).astype(np.int64)
            np.testing.assert_array_equal(samples / 30_000, train)
            assert np.all(np.diff(samples) > 0)
            assert samples[0] >= 0
            assert train[-1] < simulated.duration_s


def test_the_table_says_where_units_are_and_what_they_are(recording, multiunits):
    units = recording.units
    assert recording.n_units == len(units) == 20
    assert recording.duration_s == 1800
    assert units.depth_reference == "surface"
    assert set(units.quality) == {"good"}
    assert not units.multiunit.any()
    assert list(units.layer) == sorted(units.layer)  # from the surface down
    assert np.all(np.diff(units.depth_um) > 0)
    assert set(multiunits.units.quality) == {"mua"}
    assert multiunits.units.multiunit.all()


def test_single_units_respect_their_refractory_period_and_multiunits_do_not(recording, multiunits):
    assert np.all(recording.truth.cells == 1)
    for train, dead_ms in zip(recording.trains, recording.truth.refractory_ms, strict=True):
        shortest_ms = np.diff(train).min() * 1000
        assert dead_ms - 1e-6 < shortest_ms < dead_ms + 3
    assert multiunits.truth.cells.min() >= 2
    shortest_ms = np.array([np.diff(train).min() * 1000 for train in multiunits.trains])
    assert np.all(shortest_ms < multiunits.truth.refractory_ms)


def test_every_unit_listens_to_its_own_layer_and_a_few_to_another(recording):
    truth, layer = recording.truth, np.array(recording.units.layer)
    guests = set()
    for name in anatomy.LAYERS:
        members = truth.members(f"{name} volleys")
        assert set(np.flatnonzero(layer == name)) <= set(members)
        guests |= {n for n in members if layer[n] != name}
        np.testing.assert_array_equal(truth.members(f"{name} slow"), np.flatnonzero(layer == name))
    assert len(guests) == 2
    assert truth.members("column slow").size == 20


def test_groups_are_the_units_that_listen_to_the_same_volleys(recording):
    names = [drive.name for drive in recording.truth.drives]
    for layer, units in recording.groups.items():
        listens = recording.truth.gains[:, names.index(f"{layer} volleys")] != 0
        assert units == tuple(np.array(recording.units.ids)[listens])
    assert list(recording.groups) == list(anatomy.LAYERS)
    assert microcolumn(n_units=12, minutes=0.1, coupled=False).groups == {}


def test_synapses_join_different_units_mostly_of_one_layer():
    truths = [mc.simulate.microcolumn(20, 0.1, seed=seed) for seed in range(4)]
    synapses = [(run, synapse) for run in truths for synapse in run.truth.synapses]
    assert len(synapses) >= 30
    assert all(synapse.source != synapse.target for _, synapse in synapses)
    assert {synapse.delay_ms for _, synapse in synapses} == {1, 2, 3, 4}
    local = [run.units.layer[s.source] == run.units.layer[s.target] for run, s in synapses]
    assert 0.6 < np.mean(local) < 0.95
    assert 0.1 < np.mean([synapse.strength < 0 for _, synapse in synapses]) < 0.5


def test_spikes_follow_excitatory_synapses_by_milliseconds():
    follow, precede = 0, 0
    for seed in range(3):
        run = mc.simulate.microcolumn(20, 20, seed=seed)
        for source, target, delay_ms, strength in run.truth.synapses:
            if strength > 0:
                delay_s = delay_ms / 1000
                before, after = run.trains[source], run.trains[target]
                follow += pairs_within(before, after, delay_s, delay_s + 0.003)
                precede += pairs_within(before, after, -delay_s - 0.003, -delay_s)
    assert follow - precede > 5 * np.sqrt(follow + precede)


def pairs_within(before, after, low_s, high_s):
    """Number of pairs of spikes with ``after - before`` in a range."""
    edges = np.searchsorted(after, [before + low_s, before + high_s])
    return (edges[1] - edges[0]).sum()


def test_the_movie_moves_rates_the_same_way_in_every_showing(recording):
    truth = recording.truth
    assert truth.movie_s == 30
    np.testing.assert_array_equal(truth.repeat_starts_s, 30.0 * np.arange(60))
    words = recording.bin(0.1).expand().astype(float)  # 300 bins per showing
    by_showing = words.reshape(60, 300, 20)
    even, odd = by_showing[::2].mean(axis=0), by_showing[1::2].mean(axis=0)
    shifted = np.roll(odd, 150, axis=0)
    same = [np.corrcoef(even[:, n], odd[:, n])[0, 1] for n in range(20)]
    other = [np.corrcoef(even[:, n], shifted[:, n])[0, 1] for n in range(20)]
    assert np.mean(same) > 0.1
    assert abs(np.mean(other)) < 0.05


def test_slow_drives_have_unit_variance_from_the_start_and_the_stated_memory():
    rng = np.random.default_rng(1)
    runs = np.array([_ar1(50, 0.5, rng) for _ in range(4000)])
    np.testing.assert_allclose(runs.var(axis=0), 1.0, atol=0.12)
    assert (runs[:, 1:] * runs[:, :-1]).mean() == pytest.approx(np.exp(-0.5), abs=0.02)


def test_volleys_are_rare_brief_and_of_one_layer():
    volleys = _volleys(1_000_000, np.random.default_rng(0))
    present = volleys > 0.05
    assert np.all(present.mean(axis=0) < 0.05)
    starts = np.count_nonzero(np.diff(present.astype(int), axis=0) == 1, axis=0)
    np.testing.assert_allclose(starts, 270, rtol=0.25)
    assert np.all(np.abs(np.corrcoef(volleys.T)[np.triu_indices(3, 1)]) < 0.02)


def test_one_unit_and_one_second_are_enough():
    run = mc.simulate.microcolumn(1, minutes=1 / 60)
    assert run.bin(0.020).n_bins == 50
    assert run.truth.synapses == ()

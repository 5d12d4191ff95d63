import math

import numpy as np
import pytest
from scipy import stats

from microcolumn.kernels.loops.spiking import intensities, spike


def at_rest(n_cells, rng):
    return (
        np.zeros(1, dtype=np.int64),
        rng.standard_exponential(n_cells),
        np.full(n_cells, -1e9),
        np.zeros(n_cells),
        np.zeros((8, n_cells)),
        math.exp(-1 / 3),
    )


def spikes_of(base, volleys, volley_gains, cells, synapses, first_target, seed, n_blocks=1):
    """Cell and sample of each spike; the block is run through ``n_blocks`` times in a row."""
    rng = np.random.default_rng(seed)
    state = at_rest(base.shape[1], rng)
    out = np.empty((volleys.shape[0] * base.shape[1], 2), dtype=np.int64)
    found = []
    for _ in range(n_blocks):
        n = spike(base, volleys, volley_gains, cells, synapses, first_target, state, rng, out)
        found.append(out[:n].copy())
    return np.concatenate(found)


def alone(rate_per_ms, dead=2.0, burst=0.0, n_steps=200_000, seed=0):
    """Samples of one cell of constant intensity without recovery or input."""
    found = spikes_of(
        np.full((n_steps // 5, 1), rate_per_ms),
        np.zeros((n_steps, 1), dtype=np.float32),
        np.zeros((1, 1)),
        np.array([[np.inf], [dead], [1e-9], [burst], [3.0]]),
        np.zeros((0, 3)),
        np.zeros(2, dtype=np.int64),
        seed,
    )
    return found[:, 1]


def defined(base, volleys, volley_gains, cells, synapses, sources, seed):
    """The definition step by step, with inputs summed over all past spikes instead of a queue."""
    rng = np.random.default_rng(seed)
    n_cells, steps_per_frame = base.shape[1], volleys.shape[0] // base.shape[0]
    left = rng.standard_exponential(n_cells)
    times = [[] for _ in range(n_cells)]
    for now in range(volleys.shape[0]):
        for n in range(n_cells):
            log_factor = float(volley_gains[n] @ volleys[now].astype(float))
            for source, (target, delay, strength) in zip(sources, synapses, strict=True):
                if target == n:
                    since = [now - (math.floor(t) + delay) for t in times[source]]
                    log_factor += sum(strength * math.exp(-s / 3) for s in since if s >= 0)
            intensity = base[now // steps_per_frame, n] * math.exp(log_factor)
            largest, dead, recovery, burst, decay = cells[:, n]
            intensity = 1 / (1 / intensity + 1 / largest)
            age = now - times[n][-1] if times[n] else 1e9
            if age < dead:
                intensity = 0.0
            elif age < 30:
                intensity *= 1 - math.exp(-(age - dead) / recovery)
                intensity += burst * math.exp(-(age - dead) / decay)
            if intensity >= left[n]:
                times[n].append(math.floor((now + left[n] / intensity) * 30) / 30)
                left[n] = rng.standard_exponential()
            else:
                left[n] -= intensity
    return times


def test_the_kernel_agrees_with_its_definition():
    rng = np.random.default_rng(1)
    n_cells, n_steps = 4, 3000
    base = rng.uniform(0.001, 0.03, size=(n_steps // 5, n_cells))
    volleys = np.where(rng.random((n_steps, 2)) < 0.1, rng.random((n_steps, 2)), 0)
    volleys = volleys.astype(np.float32)
    volley_gains = rng.uniform(0, 3, size=(n_cells, 2))
    cells = np.stack(
        [
            np.full(n_cells, 0.1),
            rng.uniform(1.5, 3, n_cells),
            np.full(n_cells, 2.0),
            [0, 0.1, 0.2, 0],
            np.full(n_cells, 3),
        ]
    )
    sources, synapses = [0, 0, 2], np.array([[1.0, 1, 2.0], [2, 4, -2.0], [3, 3, 1.5]])
    first_target = np.array([0, 2, 2, 3, 3])
    found = spikes_of(base, volleys, volley_gains, cells, synapses, first_target, seed=7)
    expected = defined(base, volleys, volley_gains, cells, synapses, sources, seed=7)
    assert len(found) > 150
    for n in range(n_cells):
        np.testing.assert_array_equal(
            found[found[:, 0] == n, 1], np.rint(np.array(expected[n]) * 30)
        )


def test_two_blocks_are_one_long_block():
    rng = np.random.default_rng(2)
    base = np.tile(rng.uniform(0.01, 0.05, size=(40, 3)), (2, 1))
    still = np.zeros((400, 1), dtype=np.float32)
    common = (np.zeros((3, 1)), np.full((5, 3), 2.0), np.array([[1.0, 4, 3.0]]))
    first_target = np.array([0, 1, 1, 1])
    once = spikes_of(base, still, *common, first_target, seed=3)
    twice = spikes_of(base[:40], still[:200], *common, first_target, seed=3, n_blocks=2)
    np.testing.assert_array_equal(once, twice)
    assert (once[:, 1] > 200 * 30).any()


def test_without_drives_intervals_are_a_dead_time_and_an_exponential():
    dead, rate = 2.0, 0.05
    intervals_ms = np.diff(alone(rate, dead)) / 30
    # The dead time ends with the step it ends in, up to 1 ms later.
    assert intervals_ms.min() >= dead
    assert stats.kstest(intervals_ms[intervals_ms > 4] - 4, "expon", (0, 1 / rate)).pvalue > 0.01
    assert intervals_ms.mean() == pytest.approx(dead + 0.5 + 1 / rate, rel=0.02)


def test_bursts_are_as_frequent_as_their_integrated_intensity_says():
    intervals_ms = np.diff(alone(0.0005, burst=0.1, n_steps=2_000_000)) / 30
    # Steps see the decaying intensity (3 ms) at their beginning, uniformly within the first ms.
    factor = np.mean(np.exp(-np.linspace(0, 1, 1001) / 3)) / (1 - math.exp(-1 / 3))
    expected = 1 - math.exp(-0.1 * factor)
    assert np.mean(intervals_ms < 25) == pytest.approx(expected + 0.01, abs=0.03)


def test_intensities_are_exponentials_of_the_summed_log():
    rng = np.random.default_rng(4)
    level, gains = rng.normal(size=3), rng.normal(size=(3, 2))
    drives, movie = rng.normal(size=(2, 20)), rng.normal(size=(7, 3))
    out = np.empty((20, 3))
    intensities(level, gains, drives, movie, 5, 4, out)
    knots = np.arange(5, 12)
    response = [
        np.interp(5 + np.arange(20) / 4, knots, movie[knots % 7, cell]) for cell in range(3)
    ]
    expected = np.exp(level + drives.T @ gains.T + np.array(response).T)
    np.testing.assert_allclose(out, expected, rtol=1e-12)

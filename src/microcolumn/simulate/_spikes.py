"""Spikes of a simulated column: its drives over time, the movie, and the cells that respond."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..kernels.loops.spiking import SAMPLES_PER_MS, intensities, spike
from ..validation import Floats
from ._column import LAYERS, VOLLEY_S, Truth

#: Samples per second of the clock that spike times lie on.
CLOCK_HZ = round(1000 * SAMPLES_PER_MS)
#: Steps are 1 ms; drives other than volleys change every frame; responses to the movie are
#: piecewise linear between knots.
_FRAME_MS, KNOT_MS, _BLOCK_MS = 5, 50, 10_000
#: Volleys per second and layer; their sizes are gamma distributed with mean 1 and this shape.
_VOLLEYS_HZ, _SIZE_SHAPE = 0.27, 6.0
#: Standard deviation of a cell's log intensity due to the movie unless asked, and its time
#: constant (s).
MOVIE_SPREAD, _MOVIE_S = 0.35, 0.2
#: Intensity (per ms) of a unit that drives and inputs approach but do not exceed: 200 Hz.
_LARGEST_PER_MS = 0.2
#: Length of the simulations that calibrate, and their number.
_STRETCH_S, _ROUNDS = 240.0, 5
_BIN_S = 0.020
#: Initial intensity of bursting (per ms).
_FIRST_BURST = 0.08
#: Recovery after the absolute refractory period and decay of the tendency to burst (ms), decay
#: of synaptic inputs (ms), and the longest delay they can have.
_RECOVERY_MS, _BURST_MS, _INPUT_MS, _QUEUE_MS = 2.0, 3.0, 3.0, 8


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells of a column, several per multiunit."""

    unit: NDArray[np.intp]  # unit of each cell
    synapses: Floats  # rows (target cell, delay in ms, strength), ordered by source cell
    first_target: NDArray[np.int64]  # row at which the synapses of each source begin
    movie: Floats  # response to the movie, (n_knots, n_cells)


def draw_cells(
    truth: Truth,
    rng: np.random.Generator,
    movie_spread: float = MOVIE_SPREAD,
    movie_shared: float = 0.0,
) -> Cells:
    """Draw the cells of each unit, those that each synapse connects, and responses to the movie.

    ``movie_spread`` is the standard deviation of a cell's log intensity due to the movie, and
    ``movie_shared`` the share of its variance that all cells have in common.
    """
    unit = np.repeat(np.arange(truth.cells.size), truth.cells)
    first_cell = np.cumsum(truth.cells) - truth.cells
    ends = np.array([synapse[:2] for synapse in truth.synapses], dtype=np.intp).reshape(-1, 2)
    source, target = (first_cell[ends] + rng.integers(truth.cells[ends])).T
    order = np.argsort(source, kind="stable")
    rows = np.array([(0.0, s.delay_ms, s.strength) for s in truth.synapses]).reshape(-1, 3)
    rows[:, 0] = target
    first_target = np.searchsorted(source[order], np.arange(unit.size + 1)).astype(np.int64)
    n_knots = round(truth.movie_s * 1000 / KNOT_MS)
    step = KNOT_MS / 1000 / _MOVIE_S
    own = np.stack([_ar1(n_knots, step, rng) for _ in unit], axis=1)
    common = _ar1(n_knots, step, rng)[:, None]
    movie = movie_spread * (math.sqrt(1 - movie_shared) * own + math.sqrt(movie_shared) * common)
    return Cells(unit, rows[order], first_target, movie)


def draw_trains(
    truth: Truth,
    cells: Cells,
    level: Floats,
    burst: float,
    duration_s: float,
    rng: np.random.Generator,
) -> list[NDArray[np.int64]]:
    """Spikes of each unit in samples of the clock, distinct and increasing.

    ``level`` (n_units,) is the log intensity (per ms) of each cell of a unit without drives,
    ``burst`` the intensity (per ms) of firing again right after the refractory period.
    """
    n_blocks = math.ceil(duration_s * 1000 / _BLOCK_MS)
    frames, n_layers, n_cells = _BLOCK_MS // _FRAME_MS, len(LAYERS), cells.unit.size
    steps = [_FRAME_MS / 1000 / drive.time_s for drive in truth.drives[n_layers:]]
    slow = np.stack([_ar1(n_blocks * frames, step, rng) for step in steps])
    volleys = _volleys(n_blocks * _BLOCK_MS, rng)
    gains, cell_level = truth.gains[cells.unit], level[cells.unit]
    volley_gains, slow_gains = gains[:, :n_layers].copy(), gains[:, n_layers:].copy()
    habits = np.empty((5, n_cells))
    habits[0] = _LARGEST_PER_MS / truth.cells[cells.unit]
    habits[1] = truth.refractory_ms[cells.unit]
    habits[2], habits[3], habits[4] = _RECOVERY_MS, burst, _BURST_MS
    # Cells that have been silent for long.
    state = (
        np.zeros(1, dtype=np.int64),
        rng.standard_exponential(n_cells),
        np.full(n_cells, -1e9),
        np.zeros(n_cells),
        np.zeros((_QUEUE_MS, n_cells)),
        math.exp(-1 / _INPUT_MS),
    )
    base = np.empty((frames, n_cells))
    spikes = np.empty((_BLOCK_MS * n_cells, 2), dtype=np.int64)
    blocks = []
    for block in range(n_blocks):
        drives = slow[:, block * frames : (block + 1) * frames]
        first_knot = block * (_BLOCK_MS // KNOT_MS)
        intensities(
            cell_level, slow_gains, drives, cells.movie, first_knot, KNOT_MS // _FRAME_MS, base
        )
        now = volleys[block * _BLOCK_MS : (block + 1) * _BLOCK_MS]
        n_spikes = spike(
            base, now, volley_gains, habits, cells.synapses, cells.first_target, state, rng, spikes
        )
        blocks.append(spikes[:n_spikes].copy())
    cell, sample = np.concatenate(blocks).T
    unit, inside = cells.unit[cell], sample < duration_s * CLOCK_HZ
    # Spikes of two cells of a unit in one sample count once.
    return [np.unique(sample[inside & (unit == n)]) for n in range(truth.cells.size)]


def _ar1(n: int, step: float, rng: np.random.Generator) -> Floats:
    """Stationary Gaussian AR(1) process of unit variance with correlation exp(-step) per step."""
    from scipy.signal import lfilter  # slow to import, and whoever reads a plan simulates nothing

    keep = math.exp(-step)
    noise = rng.standard_normal(n)
    noise[1:] *= math.sqrt(1 - keep * keep)
    return lfilter([1.0], [1.0, -keep], noise)


def _volleys(n_steps: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Volleys of each layer at Poisson times, shape (n_steps, n_layers); 1 is an average peak."""
    sd_ms = VOLLEY_S * 1000
    offsets = np.arange(-math.ceil(3 * sd_ms), math.ceil(3 * sd_ms) + 1)
    shape = np.exp(-0.5 * (offsets / sd_ms) ** 2)
    volleys = np.zeros((n_steps, len(LAYERS)), dtype=np.float32)
    for layer in range(len(LAYERS)):
        n_events = rng.poisson(_VOLLEYS_HZ * n_steps / 1000)
        when = rng.integers(0, n_steps, size=n_events)
        size = rng.gamma(_SIZE_SHAPE, 1 / _SIZE_SHAPE, size=n_events)
        steps = when[:, None] + offsets
        inside = (steps >= 0) & (steps < n_steps)
        np.add.at(volleys[:, layer], steps[inside], (size[:, None] * shape)[inside])
    return volleys


def calibrate(
    truth: Truth,
    cells: Cells,
    relative_rate: Floats,
    single: float,
    multiple: float,
    seed: np.random.SeedSequence,
) -> tuple[Floats, float]:
    """Find the level of each unit and the bursting of all, as `draw_trains` takes them.

    A unit's share of active bins is nearly proportional to its intensity, and the share of active
    bins with more than one spike to the bursting, with little effect on each other. So each round
    of this fixed-point iteration simulates a few minutes, always with the same random numbers, and
    multiplies each intensity by target over found. The sampling error of those minutes remains.

    ``single`` and ``multiple`` are the target shares of 20 ms bins with exactly one spike and with
    more, over all units.
    """
    wanted = (single + multiple) * relative_rate
    level = np.log(0.5 * wanted / (1000 * _BIN_S * truth.cells))
    burst = _FIRST_BURST
    n_bins, n_samples = round(_STRETCH_S / _BIN_S), round(CLOCK_HZ * _BIN_S)
    for _ in range(_ROUNDS):
        rng = np.random.default_rng(seed)
        trains = draw_trains(truth, cells, level, burst, _STRETCH_S, rng)
        counts = np.stack([np.bincount(t // n_samples, minlength=n_bins) for t in trains])
        # The added half bin keeps the step of a silent unit finite.
        active = ((counts > 0).sum(axis=1) + 0.5) / (n_bins + 0.5)
        level += np.log(wanted / active)
        several = ((counts > 1).sum() + 0.5) / ((counts > 0).sum() + 0.5)
        burst *= multiple / (single + multiple) / several
    return level, burst

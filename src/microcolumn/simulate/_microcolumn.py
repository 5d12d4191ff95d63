"""Recordings of a simulated cortical microcolumn, with what is true about it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..epochs import Epochs
from ..recording import Recording
from ..units import Units
from ..validation import real_number, whole_number
from ._calibration import calibrate
from ._column import LAYERS, Column, draw_column
from ._spikes import CLOCK_HZ, KNOT_MS, draw_cells, draw_trains
from ._truth import Truth

#: Shares of 20 ms bins with exactly one spike and with more, over all units (Köster et al. 2014).
SINGLE_FRACTION, MULTIPLE_FRACTION = 0.024, 0.009


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class Microcolumn(Recording):
    """A simulated recording together with its truth.

    ``take``, ``select`` and ``restrict`` give a plain :class:`Recording`: the truth numbers all
    units of the column.

    Attributes
    ----------
    truth : Truth
        Who shares which drive, who acts on whom, when the movie was shown.
    """

    truth: Truth

    def __init__(
        self, trains: Iterable[ArrayLike], units: Units, epochs: Epochs, truth: Truth, source: str
    ) -> None:
        Recording.__init__(self, trains, units, epochs, source=source)
        object.__setattr__(self, "truth", truth)


def microcolumn(
    n_units: int = 23,
    minutes: float = 60.0,
    seed: int = 0,
    *,
    multiunit: bool = False,
    movie_minutes: float = 10.0,
) -> Microcolumn:
    """Simulate spikes of units in all layers of a column while a movie is shown again and again.

    Cells are point processes. The log of a cell's intensity is the sum of

    - a level of its own; over units, the shares of active bins are log-normal;
    - volleys of its layer: brief drives (Gaussian in time, 6.5 ms) at Poisson times, one in four
      seconds and layer, of random size, that reach all units of a layer by gains of their own. One
      unit in ten listens to another layer's volleys as well;
    - drives of its layer that rise and fall within 80 ms and within 0.7 s, and a weak one of the
      whole column (1.5 s): Gaussian processes with exponential autocorrelation;
    - its response to the movie, smooth (0.2 s), the same in every showing, its own;
    - synaptic inputs, 1 to 4 ms after a spike of their source and 3 ms long: one synapse per two
      units, four in five within a layer, three in ten inhibitory.

    It saturates at 200 Hz. An absolute (1.5 to 3 ms) and a relative (2 ms) refractory period follow
    each spike, then for some milliseconds an additional intensity: bursts. A multiunit is the sum
    of two to four cells that share their unit's gains and its 200 Hz. Intensities are constant for
    1 ms; spikes are exact given them and lie on a clock of 30 kHz, so that formats that count
    samples keep them unchanged. The recording is a single epoch: windows may reach from one
    showing of the movie into the next, since nothing but the movie begins anew there, and
    ``truth.repeat_starts_s`` says when that is.

    Levels and bursting are calibrated for every seed so that over all units 2.4 % of 20 ms bins
    hold one spike and 0.9 % more, as in the recordings of Köster et al. (2014, PLoS Computational
    Biology 10, e1003684), see :func:`~microcolumn.simulate._calibration.calibrate`.

    What was chosen to obtain what:

    - The width of volleys makes central peaks of correlograms 20 ms wide at half height.
    - Number and gain of volleys set the correlations of binary words: 0.03 to 0.05 in the mean over
      pairs, about 0.1 within a layer, nearly 0 between layers. Those of cortex are mostly positive
      and small, the more so in short windows (Cohen & Kohn 2011, Nature Neuroscience 14; for cat
      primary visual cortex Schulz et al. 2015, Journal of Neurophysiology 114), and precise ones
      are typical of pairs within a layer ("Spatial range and laminar structures of neuronal
      correlations in the cat primary visual cortex", 2014, PubMed 25252337).
    - Few strong volleys rather than many weak ones make words with many active units stand out.
      This is what pairs of units describe less well than hidden units do: fitted by minimum
      probability flow, RBM lead Ising models by one to two bits/s, about a tenth of what these gain
      over rates. With ten times as many volleys, made weaker to keep the correlations, the lead
      was 0.3 bits/s; Gaussian drives favour pairs.
    - Drives belong to layers, so that hidden units do.

    So a comparison of models on these words tests the code and says nothing about cortex. No
    member of the fitted family is true: drives are graded, outlast bins and are cut by their edges.

    Parameters
    ----------
    n_units : int
        Number of units, spread evenly over depth.
    minutes : float
        Length of the recording.
    seed : int
        The same seed gives the same recording, bit for bit.
    multiunit : bool
        Whether units are multiunits.
    movie_minutes : float
        Length of the movie, to the nearest 50 ms; it is repeated to the end of the recording.

    Returns
    -------
    Microcolumn
        With depths (µm below the surface), layers ``"II/III"``, ``"IV"``, ``"V/VI"`` and ``truth``.

    Examples
    --------
    >>> recording = microcolumn(n_units=6, minutes=5, seed=1)
    >>> recording.bin(0.020).n_bins, recording.units.layer
    (15000, ('II/III', 'II/III', 'IV', 'IV', 'V/VI', 'V/VI'))
    >>> recording.truth.gains.shape
    (6, 10)
    """
    n_units = whole_number("n_units", n_units)
    if n_units < 1:
        raise ValueError(f"n_units is {n_units}; simulate at least 1 unit")
    if whole_number("seed", seed) < 0:
        raise ValueError(f"seed is {seed}; pass a whole number from 0 on")
    duration_s = 60 * _positive("minutes", minutes, 0.0)
    n_knots = round(60_000 / KNOT_MS * _positive("movie_minutes", movie_minutes, 0.001))
    movie_s = n_knots * KNOT_MS / 1000
    anatomy, stretch, spikes = np.random.SeedSequence(seed).spawn(3)
    rng = np.random.default_rng(anatomy)
    column = draw_column(n_units, multiunit, rng)
    cells = draw_cells(column, movie_s, rng)
    level, burst = calibrate(column, cells, SINGLE_FRACTION, MULTIPLE_FRACTION, stretch)
    trains = draw_trains(column, cells, level, burst, duration_s, np.random.default_rng(spikes))
    truth = Truth(
        drives=column.drives,
        gains=column.gains,
        synapses=column.synapses,
        cells=column.cells,
        refractory_ms=column.refractory_ms,
        movie_s=movie_s,
        repeat_starts_s=np.arange(0.0, duration_s, movie_s),
    )
    return Microcolumn(
        [train / CLOCK_HZ for train in trains],
        _units(column, multiunit),
        Epochs([[0.0, duration_s]]),
        truth,
        f"simulated microcolumn, seed {seed}",
    )


def _positive(name: str, value: float, least: float) -> float:
    number = real_number(name, value, "give a number of minutes")
    if not (math.isfinite(number) and number > least):
        raise ValueError(f"{name} is {value}; it must be a number above {least:g}")
    return number


def _units(column: Column, multiunit: bool) -> Units:
    n_units = column.layer.size
    return Units(
        [str(n) for n in range(n_units)],
        depth_um=column.depth_um,
        layer=[LAYERS[n] for n in column.layer],
        depth_reference="surface",
        quality=["mua" if multiunit else "good"] * n_units,
        multiunit=np.full(n_units, multiunit),
    )

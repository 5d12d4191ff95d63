"""Recordings of a simulated cortical microcolumn together with their truth."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..epochs import Epochs
from ..errors import BadArgument
from ..recording import Recording
from ..units import Units
from ..validation import one_of, positive_number, real_number, whole_number
from ._column import VOLLEY_S, Truth, draw_column
from ._spikes import CLOCK_HZ, KNOT_MS, MOVIE_SPREAD, calibrate, draw_cells, draw_trains

#: What the source of a simulated recording begins with.
SOURCE = "simulated microcolumn"
#: Shares of 20 ms bins with exactly one spike and with more, over all units (Köster et al. 2014).
SINGLE_FRACTION, MULTIPLE_FRACTION = 0.024, 0.009
#: Seconds that are simulated at most.
_LONGEST_S = 86_400.0


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class Microcolumn(Recording):
    """A simulated recording together with its ``truth``.

    ``take``, ``select`` and ``restrict`` give a plain :class:`Recording`, since the truth refers to
    all units of the column.
    """

    truth: Truth

    def __init__(
        self, trains: Iterable[ArrayLike], units: Units, epochs: Epochs, truth: Truth, source: str
    ) -> None:
        Recording.__init__(self, trains, units, epochs, source=source, simulated=True)
        object.__setattr__(self, "truth", truth)

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """Names of the units that share volleys, two or more, by the layer of these.

        Examples
        --------
        >>> microcolumn(n_units=6, minutes=1).groups
        {'II/III': ('0', '1'), 'IV': ('2', '3'), 'V/VI': ('2', '4', '5')}
        """
        volleys = (drive for drive in self.truth.drives if drive.time_s == VOLLEY_S)
        members = {drive.layer: self.truth.members(drive.name) for drive in volleys}
        ids = {layer: tuple(self.units.ids[n] for n in each) for layer, each in members.items()}
        return {layer: names for layer, names in ids.items() if len(names) > 1}


def microcolumn(
    n_units: int = 23,
    minutes: float = 60.0,
    seed: int = 0,
    *,
    multiunit: bool = False,
    movie_minutes: float = 10.0,
    movie_spread: float = MOVIE_SPREAD,
    movie_shared: float = 0.0,
    coupled: bool = True,
) -> Microcolumn:
    """Simulate spikes of units in all layers of a column while a movie is repeated.

    Neurons are point processes that share volleys and slower drives within their layer, act on each
    other through synapses, respond to the movie, and have refractory periods and bursts. For every
    seed 2.4 % of 20 ms bins hold one spike and 0.9 % more, as in Köster et al. (2014). No model of
    the fitted family is true. docs/simulation.md has the details and the reasons.

    The recording is one epoch; ``truth.repeats`` says when each showing of the movie starts.

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
        Length of the movie, to the nearest 50 ms.
    movie_spread : float
        Standard deviation of a cell's log intensity due to the movie.
    movie_shared : float
        Share of that variance that all cells have in common, from 0 to 1; the rest is each cell's
        own.
    coupled : bool
        Without, units have no common drives and no synapses: given the movie they are independent.

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
    n_units, seed = whole_number("n_units", n_units, 1), whole_number("seed", seed, 0)
    above = "it must be a number above {}"
    duration_s = 60 * positive_number("minutes", minutes, above.format(0))
    if duration_s > _LONGEST_S:
        raise BadArgument("minutes", f"is {minutes:g}", f"give at most a day, {_LONGEST_S / 60:g}")
    movie = positive_number("movie_minutes", movie_minutes, above.format(0.001), above=0.001)
    n_knots = round(60_000 / KNOT_MS * movie)
    movie_s = n_knots * KNOT_MS / 1000
    anatomy, stretch, spikes = np.random.SeedSequence(seed).spawn(3)
    rng = np.random.default_rng(anatomy)
    spread = _within("movie_spread", movie_spread, 5.0)
    shared = _within("movie_shared", movie_shared, 1.0)
    units, truth, relative_rate = draw_column(n_units, multiunit, movie_s, duration_s, rng)
    if not coupled:
        truth = replace(truth, gains=np.zeros_like(truth.gains), synapses=())
    cells = draw_cells(truth, rng, spread, shared)
    shares = SINGLE_FRACTION, MULTIPLE_FRACTION
    level, burst = calibrate(truth, cells, relative_rate, *shares, stretch)
    trains = draw_trains(truth, cells, level, burst, duration_s, np.random.default_rng(spikes))
    seconds = [train / CLOCK_HZ for train in trains]
    epochs = Epochs([[0.0, duration_s]])
    return Microcolumn(seconds, units, epochs, truth, f"{SOURCE}, seed {seed}")


def _within(name: str, value: float, most: float) -> float:
    number = real_number(name, value, f"give a number from 0 to {most:g}")
    if not 0.0 <= number <= most:
        raise BadArgument(name, f"is {value}", f"it must lie between 0 and {most:g}")
    return number


class Preset(NamedTuple):
    """Settings of :func:`microcolumn` that match one recording in size.

    >>> PRESETS["B4"].n_units
    23
    """

    n_units: int
    multiunit: bool
    minutes: float


#: The recordings by their names in the paper (docs/method.md, section 7).
PRESETS = MappingProxyType(
    {
        "B4": Preset(n_units=23, multiunit=False, minutes=60.0),
        "T6": Preset(n_units=36, multiunit=False, minutes=60.0),
        "B4MU": Preset(n_units=28, multiunit=True, minutes=60.0),
    }
)


def preset(name: str, seed: int = 0, minutes: float | None = None) -> Microcolumn:
    """Simulate a recording of the size of one of the paper's.

    Sizes and the shares of active bins are the paper's; the rest is as in :func:`microcolumn`.
    Different presets have nothing in common, also with the same seed.

    Parameters
    ----------
    name : str
        ``"B4"`` (23 single units), ``"T6"`` (36 single units) or ``"B4MU"`` (28 multiunits); 60
        minutes each.
    seed : int
        The same seed gives the same recording, bit for bit.
    minutes : float, optional
        Another length.

    Examples
    --------
    >>> PRESETS["T6"]
    Preset(n_units=36, multiunit=False, minutes=60.0)
    """
    one_of("preset", name, PRESETS)
    settings = PRESETS[name] if minutes is None else PRESETS[name]._replace(minutes=minutes)
    # Every preset takes its own seeds of all.
    own_seed = len(PRESETS) * whole_number("seed", seed, 0) + [*PRESETS].index(name)
    return microcolumn(seed=own_seed, **settings._asdict())

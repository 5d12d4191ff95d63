"""A simulated column: depths, common drives and synapses, which are the truth of a recording."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..repeats import Repeats
from ..units import Units
from ..validation import Floats, one_of

#: Depth below the surface (µm) at which each layer begins, and where the probe ends.
LAYER_TOPS_UM = {"II/III": 100.0, "IV": 650.0, "V/VI": 1000.0}
DEEPEST_UM = 1600.0
LAYERS = tuple(LAYER_TOPS_UM)

#: Standard deviation (s) of a volley's time course in log intensity. Intensities themselves
#: differ in shape; the correlogram of two cells has a central peak 20 ms wide at half height.
VOLLEY_S = 0.0065
#: Time constants (s) of the drives that rise and fall with a layer or with the column.
MEDIUM_S, SLOW_S, COLUMN_S = 0.08, 0.7, 1.5
#: Log intensity per unit of each kind of drive, before each unit's own factor.
VOLLEY_GAIN, MEDIUM_GAIN, SLOW_GAIN, COLUMN_GAIN = 7.0, 0.25, 0.3, 0.15
#: Each unit's factors on these gains are uniform in this range.
_GAIN_RANGE = (0.6, 1.4)
#: Share of units that also listen to another layer's volleys, and the factor on their gain.
_CROSS_LAYER_SHARE, _CROSS_LAYER_FACTOR = 0.1, 0.7
#: Synapses per unit, the share of them within a layer, and the share that inhibits.
_SYNAPSES_PER_UNIT, _LOCAL_SHARE, _INHIBITORY_SHARE = 0.5, 0.8, 0.3
_EXCITATION, _INHIBITION = (1.5, 3.0), (-3.0, -1.0)
_LONGEST_DELAY_MS = 4
#: Absolute refractory periods (ms) lie between these.
_REFRACTORY_MS = (1.5, 3.0)
#: Cells of a multiunit, at least and at most.
_CELLS_OF_MULTIUNIT = (2, 4)
#: Standard deviation over units of the log of the share of active bins (Buzsáki & Mizuseki 2014,
#: Nature Reviews Neuroscience 15: firing rates of cortical cells are log-normal).
_RATE_SPREAD = 0.5


class Drive(NamedTuple):
    """One common drive, by :class:`Truth`.

    ``layer`` is the layer it belongs to, or ``""`` for the drive of the whole column. ``time_s`` is
    the standard deviation of a volley's time course for volleys, and the time constant of the
    autocorrelation for the others.
    """

    name: str
    layer: str
    time_s: float


class Synapse(NamedTuple):
    """A direct connection between the units at two positions of the unit table, by :class:`Truth`.

    ``strength`` is the change of the target's log intensity, ``delay_ms`` after a spike of the
    source; positive excites, negative inhibits.
    """

    source: int
    target: int
    delay_ms: int
    strength: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Truth:
    """The mechanism behind a simulated recording.

    Parameters
    ----------
    drives : tuple of Drive
        The common drives.
    gains : ndarray, shape (n_units, n_drives)
        Change of a unit's log intensity per unit of a drive; zero where it does not listen.
    synapses : tuple of Synapse
        Direct connections.
    cells : ndarray of int64, shape (n_units,)
        Cells whose spikes make up each unit; 1 for single units. All cells of a unit share its
        gains and its refractory period.
    refractory_ms : ndarray, shape (n_units,)
        Absolute refractory period of each unit's cells.
    movie_s : float
        Length of the movie, seconds.
    repeat_starts_s : ndarray, shape (n_repeats,)
        When each showing of the movie begins, seconds; the last may be cut short.

    Examples
    --------
    >>> import microcolumn as mc
    >>> truth = mc.simulate.microcolumn(n_units=6, minutes=1, seed=0).truth
    >>> truth
    Truth(6 units, 10 drives, 3 synapses, movie of 600 s)
    >>> truth.drives[0]
    Drive(name='II/III volleys', layer='II/III', time_s=0.0065)
    >>> truth.members("IV volleys")
    array([2, 3])
    """

    drives: tuple[Drive, ...]
    gains: Floats
    synapses: tuple[Synapse, ...]
    cells: NDArray[np.int64]
    refractory_ms: Floats
    movie_s: float
    repeat_starts_s: Floats

    def __post_init__(self) -> None:
        for array in (self.gains, self.cells, self.refractory_ms, self.repeat_starts_s):
            array.flags.writeable = False

    def __repr__(self) -> str:
        return (
            f"Truth({self.cells.size} units, {len(self.drives)} drives, "
            f"{len(self.synapses)} synapses, movie of {self.movie_s:g} s)"
        )

    @property
    def repeats(self) -> Repeats:
        """When the movie was shown."""
        return Repeats(self.repeat_starts_s, self.movie_s)

    def members(self, drive: str) -> NDArray[np.intp]:
        """Positions of the units that listen to the drive of this name."""
        names = [known.name for known in self.drives]
        return np.flatnonzero(self.gains[:, names.index(one_of("drive", drive, names))])


def draw_column(
    n_units: int, multiunit: bool, movie_s: float, duration_s: float, rng: np.random.Generator
) -> tuple[Units, Truth, Floats]:
    """Draw units spread evenly over depth, their truth, and their relative rates of mean 1."""
    tops = np.array(list(LAYER_TOPS_UM.values()))
    spread = (np.arange(n_units) + rng.uniform(0.1, 0.9, size=n_units)) / n_units
    depth_um = tops[0] + spread * (DEEPEST_UM - tops[0])
    layer = np.searchsorted(tops, depth_um, side="right") - 1
    fewest, most = _CELLS_OF_MULTIUNIT if multiunit else (1, 1)
    relative_rate = np.exp(_RATE_SPREAD * rng.standard_normal(n_units))
    truth = Truth(
        drives=_drives(),
        gains=_gains(layer, rng),
        synapses=_synapses(layer, rng),
        cells=rng.integers(fewest, most, size=n_units, endpoint=True),
        refractory_ms=rng.uniform(*_REFRACTORY_MS, size=n_units),
        movie_s=movie_s,
        repeat_starts_s=np.arange(0.0, duration_s, movie_s),
    )
    units = Units(
        list(map(str, range(n_units))),
        depth_um=depth_um,
        layer=[LAYERS[n] for n in layer],
        depth_reference="surface",
        quality=["mua" if multiunit else "good"] * n_units,
        multiunit=np.full(n_units, multiunit),
    )
    return units, truth, relative_rate / relative_rate.mean()


def _drives() -> tuple[Drive, ...]:
    """Drives of the layers, volleys first, then the drive of the column."""
    kinds = {"volleys": VOLLEY_S, "medium": MEDIUM_S, "slow": SLOW_S}
    of_layers = [Drive(f"{name} {kind}", name, s) for kind, s in kinds.items() for name in LAYERS]
    return (*of_layers, Drive("column slow", "", COLUMN_S))


def _gains(layer: NDArray[np.intp], rng: np.random.Generator) -> Floats:
    """Gains of the drives in the order of :func:`_drives`, shape (n_units, n_drives)."""
    n_units, n_layers = layer.size, len(LAYERS)
    at_home = layer[:, None] == np.arange(n_layers)
    listens = at_home.astype(float)
    guests = rng.permutation(n_units)[: round(_CROSS_LAYER_SHARE * n_units)]
    abroad = (layer[guests] + rng.integers(1, n_layers, size=guests.size)) % n_layers
    listens[guests, abroad] = _CROSS_LAYER_FACTOR
    of_column = np.full((n_units, 1), COLUMN_GAIN)
    of_layers = VOLLEY_GAIN * listens, MEDIUM_GAIN * at_home, SLOW_GAIN * at_home
    gains = np.hstack((*of_layers, of_column))
    return gains * rng.uniform(*_GAIN_RANGE, size=gains.shape)


def _synapses(layer: NDArray[np.intp], rng: np.random.Generator) -> tuple[Synapse, ...]:
    synapses = []
    for source in rng.integers(0, layer.size, size=round(_SYNAPSES_PER_UNIT * layer.size)).tolist():
        local = layer == layer[source]
        near, far = np.flatnonzero(local), np.flatnonzero(~local)
        near = near[near != source]
        reachable = near if rng.random() < _LOCAL_SHARE else far
        if reachable.size == 0:
            continue
        inhibits = rng.random() < _INHIBITORY_SHARE
        strength = rng.uniform(*(_INHIBITION if inhibits else _EXCITATION))
        delay_ms = int(rng.integers(1, _LONGEST_DELAY_MS, endpoint=True))
        synapses.append(Synapse(source, int(rng.choice(reachable)), delay_ms, float(strength)))
    return tuple(synapses)

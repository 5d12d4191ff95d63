"""The truth about a simulated column: which units share a drive, and which act on which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..repeats import Repeats
from ..validation import Floats


class Drive(NamedTuple):
    """One common drive.

    ``layer`` is the layer it belongs to, or ``""`` for the drive of the whole column. ``time_s`` is
    the standard deviation of a volley's time course for volleys, and the time constant of the
    autocorrelation for the others.
    """

    name: str
    layer: str
    time_s: float


class Synapse(NamedTuple):
    """A direct connection between the units at two positions of the unit table.

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
    >>> truth.shared("IV volleys").shape
    (6, 6)
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
        if drive not in names:
            raise ValueError(f"there is no drive {drive!r}; choose one of {', '.join(names)}")
        return np.flatnonzero(self.gains[:, names.index(drive)])

    def shared(self, drive: str) -> NDArray[np.bool_]:
        """Whether two different units both listen to a drive, shape (n_units, n_units)."""
        listens = np.isin(np.arange(self.gains.shape[0]), self.members(drive))
        both: NDArray[np.bool_] = np.outer(listens, listens)
        np.fill_diagonal(both, False)
        return both

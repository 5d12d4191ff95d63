"""Recording: spike times of sorted units, the table of the units, and the recorded epochs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .binning import Binning, bin_trains, check_length, checked_trains, count_trains
from .epochs import HALF_NANOSECOND, Epochs, as_epochs, named_epochs, names_epochs
from .errors import BadArgument, BadInput, advice
from .formatting import counted, duration
from .notebook import card, facts, units_tables
from .units import Units
from .validation import Floats, check_positions, real_number, texts
from .words import Words, checked_bin_width

#: Seconds that any clock may run before the first spike.
_CLOCK_S = 60.0


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Recording:
    """Spike trains of sorted units (docs/method.md, section 1).

    Made by :func:`microcolumn.read`, by a simulation, or from arrays.

    Parameters
    ----------
    trains : iterable of array_like
        Spike times of each unit in seconds: finite and in order; before 0 where epochs are stated.
    units : Units, optional
        Names, depths, layers, areas and quality; by default units are numbered.
    epochs : Epochs or array_like of shape (n_epochs, 2), optional
        Stretches in which the units were observed, seconds. By default from 0 to the last spike,
        or from the first spike if that comes after more than a minute and after more time than
        all spikes span.
    source : str
        Where the recording comes from.
    notes : iterable of str
        What was done to the data before.
    resolution_s : float
        Width of the bins the times were recorded in; 0 if spike times are exact.
    simulated : bool
        Whether the spikes come from a simulation; parts and saved copies of it say so too.
    intervals : mapping of str to Epochs, optional
        Other stretches of time by name, such as tables of trials or stimuli, to choose from with
        :meth:`restrict`. They are not saved.

    Attributes
    ----------
    spike_times : ndarray of float64, shape (n_spikes,)
        All trains one after another, seconds.
    offsets : ndarray of int64, shape (n_units + 1,)
        Where each unit's train begins and ends in ``spike_times``.

    Examples
    --------
    >>> recording = Recording([[0.001, 0.045], [0.021, 0.022]], epochs=[[0.0, 0.06]])
    >>> recording
    Recording(2 units, 4 spikes in 0.06 s, mean rate 33.3 Hz)
    >>> recording.bin(0.020).expand()
    array([[1, 0],
           [0, 1],
           [1, 0]], dtype=uint8)
    """

    spike_times: Floats
    offsets: NDArray[np.int64]
    units: Units
    epochs: Epochs
    source: str
    notes: tuple[str, ...]
    resolution_s: float
    simulated: bool
    intervals: dict[str, Epochs]

    def __init__(
        self,
        trains: Iterable[ArrayLike],
        units: Units | None = None,
        epochs: Epochs | ArrayLike | None = None,
        *,
        source: str = "",
        notes: Iterable[str] = (),
        resolution_s: float = 0.0,
        simulated: bool = False,
        intervals: Mapping[str, Epochs] | None = None,
    ) -> None:
        ids = None if units is None else units.ids
        checked = checked_trains(trains, ids, before_zero=epochs is not None)
        table = Units.numbered(len(checked)) if units is None else units
        width = real_number("resolution_s", resolution_s, "give seconds")
        if not 0 <= width < np.inf:
            raise BadArgument("resolution_s", f"is {width}", "give seconds, 0 if exact")
        stretches = _checked_epochs(epochs, checked)
        check_length(checked, stretches.duration_s)
        self._set(
            trains=checked,
            units=table,
            epochs=stretches,
            source=str(source),
            notes=tuple(map(str, notes)),
            resolution_s=width,
            simulated=bool(simulated),
            intervals=dict(intervals or {}),
        )

    def _set(self, **fields: Any) -> None:
        if "trains" in fields:
            trains = fields.pop("trains")
            times = np.concatenate(trains)
            times.flags.writeable = False
            sizes = [train.size for train in trains]
            offsets = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
            fields |= {"spike_times": times, "offsets": offsets}
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_pynapple(cls, group: Any, **options: Any) -> Recording:
        """Recording of a pynapple ``TsGroup``; see :func:`microcolumn.io.from_pynapple`."""
        return cast(Recording, _from_io("from_pynapple")(group, **options))

    @classmethod
    def from_neo(cls, trains: Any, **options: Any) -> Recording:
        """Recording of Neo spike trains; see :func:`microcolumn.io.from_neo`."""
        return cast(Recording, _from_io("from_neo")(trains, **options))

    @classmethod
    def from_spikeinterface(cls, sorting: Any, **options: Any) -> Recording:
        """Recording of a sorting; see :func:`microcolumn.io.from_spikeinterface`."""
        return cast(Recording, _from_io("from_spikeinterface")(sorting, **options))

    @property
    def n_units(self) -> int:
        """Number of units."""
        return len(self.units)

    @property
    def n_spikes(self) -> int:
        """Number of spikes of all units, in epochs or not."""
        return int(self.spike_times.size)

    @property
    def duration_s(self) -> float:
        """Recorded time in seconds: all epochs together."""
        return self.epochs.duration_s

    @property
    def trains(self) -> tuple[Floats, ...]:
        """Spike times of each unit, seconds."""
        return tuple(np.split(self.spike_times, self.offsets[1:-1]))

    @property
    def rates_hz(self) -> Floats:
        """Spikes per second of each unit within the epochs, shape (n_units,)."""
        return self.spike_counts / max(self.duration_s, 2 * HALF_NANOSECOND)

    @property
    def spike_counts(self) -> NDArray[np.int64]:
        """Spikes of each unit within the epochs, shape (n_units,)."""
        inside = np.concatenate(([0], np.cumsum(self.epochs.locate(self.spike_times) >= 0)))
        return np.diff(inside[self.offsets])

    def __repr__(self) -> str:
        units, rate = counted(self.n_units, "unit"), f"{self.rates_hz.mean():.1f} Hz"
        about = f"{units}, {self.n_spikes:,} spikes in {self.duration_s:g} s, mean rate {rate}"
        return f"{type(self).__name__}({about}{', simulated' * self.simulated})"

    def _repr_html_(self) -> str:
        n_epochs = len(self.epochs)
        about = {
            "source": self.source,
            "simulated": "yes" * self.simulated,
            "recorded": duration(self.duration_s) + f" in {n_epochs:,} epochs" * (n_epochs > 1),
            "intervals": ", ".join(self.intervals),
            "probes": ", ".join(dict.fromkeys(filter(None, self.units.probe or ()))),
            "multiunits": str(self.units.multiunit.sum() or ""),
            "notes": "; ".join(self.notes),
        }
        return card(repr(self), facts(about), units_tables(self.units, "rate, Hz", self.rates_hz))

    def bin(self, bin_width: float = 0.020) -> Words:
        """Words of the recording: which units spike in each bin of ``bin_width`` seconds."""
        return self.binning(bin_width).words

    def binning(self, bin_width: float = 0.020) -> Binning:
        """Words of the recording in bins of ``bin_width`` seconds, and an account of its spikes.

        It has the shares of bins with one spike and with more, and where each spike went.
        """
        return bin_trains(self.trains, self.units, self.epochs, self._fitting_width(bin_width))

    def count(self, bin_width: float = 0.020) -> NDArray[np.int64]:
        """Spikes of each unit in each bin of :meth:`bin`, shape (n_bins, n_units).

        Examples
        --------
        >>> recording = Recording([[0.001, 0.045], [0.021, 0.022]], epochs=[[0.0, 0.06]])
        >>> recording.count(0.020)
        array([[1, 0],
               [0, 2],
               [1, 0]])
        """
        return count_trains(self.trains, self.epochs, self._fitting_width(bin_width))

    def _fitting_width(self, bin_width: float) -> float:
        """A width in seconds of which no bin cuts one of those the times were recorded in."""
        width = checked_bin_width(bin_width)
        if self.resolution_s > 0:
            ratio = width / self.resolution_s
            if round(ratio) < 1 or abs(ratio - round(ratio)) > 1e-6 * ratio:
                problem = f"is {width:g} s but the recording has bins of {self.resolution_s:.10g} s"
                raise BadArgument("bin_width", problem, "use a whole multiple of that")
            steps = self.epochs.starts / self.resolution_s
            off = np.flatnonzero(np.abs(steps - np.rint(steps)) > 1e-6)
            if off.size:
                starts = f"epoch {off[0]} starts at {self.epochs.starts[off[0]]:g} s"
                problem = f"{starts}, between the recording's own bins of {self.resolution_s:g} s"
                raise BadInput(problem, "start it on one")
        return width

    def save(self, path: str | Path) -> None:
        """Write an NPZ file for :func:`microcolumn.read`; see :func:`microcolumn.io.save`."""
        _from_io("save")(self, path)

    def take(self, positions: Iterable[int]) -> Recording:
        """Recording of the units at ``positions``, in that order."""
        chosen = check_positions("positions", positions, self.n_units)
        trains = self.trains
        return self._like(trains=[trains[n] for n in chosen], units=self.units.take(chosen))

    def select(
        self,
        *,
        ids: Iterable[str] | None = None,
        layer: str | Iterable[str] | None = None,
        area: str | Iterable[str] | None = None,
        probe: str | Iterable[str] | None = None,
        quality: str | Iterable[str] | None = None,
        multiunit: bool | None = None,
        min_rate_hz: float | None = None,
        max_rate_hz: float | None = None,
    ) -> Recording:
        """Recording of the units that meet every stated condition, in the order they have here.

        Parameters
        ----------
        ids, layer, area, probe, quality : str or iterable of str, optional
            Names, layers, brain areas, probes and qualities to keep, as they are written.
        multiunit : bool, optional
            Keep multiunits (True) or single units (False).
        min_rate_hz, max_rate_hz : float, optional
            Keep units whose rate within the epochs lies in this range, ends included.
        """
        keep = np.ones(self.n_units, dtype=bool)
        labels = {"ids": ids, "layer": layer, "area": area, "probe": probe, "quality": quality}
        for name, wanted in labels.items():
            if wanted is not None:
                keep &= _among(name, getattr(self.units, name), wanted)
        if multiunit is not None:
            keep &= self.units.multiunit == multiunit
        rates = self.rates_hz
        if min_rate_hz is not None:
            keep &= rates >= real_number("min_rate_hz", min_rate_hz, "give Hz")
        if max_rate_hz is not None:
            keep &= rates <= real_number("max_rate_hz", max_rate_hz, "give Hz")
        if not keep.any():
            raise BadInput(f"no unit of {self.n_units} meets all conditions", "relax one of them")
        return self.take(np.flatnonzero(keep))

    def restrict(self, epochs: str | list[str] | Epochs | ArrayLike) -> Recording:
        """Recording of the parts of the given epochs that were recorded.

        Parameters
        ----------
        epochs : str, list of str, Epochs or array_like of shape (n_epochs, 2)
            Epochs in seconds, or names of some: a label of this recording's epochs, one of its
            ``intervals`` (``"spontaneous"`` also stands for ``"spontaneous_presentations"``), or a
            label in any of these. The time of several names is put together.

        Notes
        -----
        A spike on the end of an epoch lies in it, so that two parts that meet there both have it.
        """
        if names_epochs(epochs):
            wanted = named_epochs(epochs, self.epochs, self.intervals)
        else:
            wanted = as_epochs(epochs)
        shared = wanted.intersect(self.epochs)
        if not shared.duration_s > 0:
            covered = ", ".join(f"{start:g}-{stop:g} s" for start, stop in list(self.epochs)[:5])
            raise BadInput("nothing was recorded in these epochs", f"it covers {covered}")
        trains = [train[shared.locate(train) >= 0] for train in self.trains]
        return self._like(trains=trains, epochs=shared)

    def to_pynapple(self) -> Any:
        """The units as a pynapple ``TsGroup``, with their table as metadata.

        Its time support are the epochs. Keys are the ids where all are whole numbers, else
        positions; the metadata column ``id`` has the ids.

        Examples
        --------
        >>> recording = Recording([[0.1, 0.4], [0.2]], Units(["a", "b"], layer=["IV", "V"]))
        >>> group = recording.to_pynapple()
        >>> group[0].t.tolist(), group.get_info("layer").tolist()
        ([0.1, 0.4], ['IV', 'V'])
        """
        return _from_io("to_pynapple")(self)

    def with_units(self, units: Units) -> Recording:
        """The same spikes with another table of the units."""
        if len(units) != self.n_units:
            raise BadInput(f"the table has {len(units)} units for {self.n_units}", "pass one each")
        return self._like(units=units)

    def with_notes(self, notes: Iterable[str]) -> Recording:
        """The same recording with further notes on what was done to the data."""
        return self._like(notes=(*self.notes, *notes))

    def _like(self, **changed: Any) -> Recording:
        """A recording with some fields changed, without the check that times are in seconds.

        The check would refuse a rarely firing unit of a recording of several days.
        """
        like = object.__new__(Recording)
        like._set(**{name: getattr(self, name) for name in Recording.__annotations__} | changed)
        return like


def most_active(recording: Recording, n_units: int) -> list[int]:
    """Positions of the units with the most spikes within epochs, increasing."""
    by_activity = np.argsort(-recording.spike_counts, kind="stable")
    return sorted(by_activity[:n_units].tolist())


def _from_io(name: str) -> Any:
    """A function of the readers, which are loaded when one is called: they need recordings."""
    return getattr(import_module(f"{__package__}.io"), name)


def _among(name: str, column: tuple[str, ...] | None, entries: str | Iterable[str]) -> Any:
    """Mask of the units whose entry is wanted; a label that no unit has is an error."""
    labels = [entries] if isinstance(entries, str | bytes) else entries
    names = set(texts(name, labels, "pass a list of names"))
    if column is None:
        remedy = advice("state it with {layers}") if name == "layer" else f"leave {name}= out"
        raise BadInput(f"units have no {name} here", remedy)
    missing = sorted(names - set(column))
    if missing:
        known = ", ".join(map(repr, list(dict.fromkeys(column))[:10]))
        raise BadInput(f"no unit has {name} {missing[0]!r}", f"there is {known}")
    return np.array([label in names for label in column])


def _checked_epochs(epochs: Epochs | ArrayLike | None, trains: Sequence[Floats]) -> Epochs:
    if epochs is not None:
        return as_epochs(epochs)
    spiking = [train for train in trains if train.size]
    if not spiking:
        problem = "there is no spike and no epoch, so it is not known how long was recorded"
        raise BadInput(problem, advice("pass {epochs}"))
    first, last = min(train[0] for train in spiking), max(train[-1] for train in spiking)
    # A clock that ran for longer than all spikes span is not that of the recording.
    start = 0.0 if first <= max(last - first, _CLOCK_S) or first == last else first
    return Epochs([[start, last]])

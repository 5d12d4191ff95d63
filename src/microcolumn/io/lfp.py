"""The local field potential of a linear probe, read only where it is needed, and flash times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..binary import Floats, listed, real_array, real_number, whole_number
from ..units import DEPTH_REFERENCES

#: Columns of an electrodes table that hold positions along the probe, in µm, by convention.
_DEPTH_COLUMNS = ("depth_um", "depth", "rel_y", "probe_vertical_position")


@dataclass(frozen=True, eq=False)
class LFP:
    """Local field potential of a linear probe.

    The samples may lie in memory or in a file: only the stretches asked for are read and turned
    into mV. An LFP from a file keeps it open; use it in a ``with`` block, or `close` it.

    Parameters
    ----------
    samples : array_like, shape (n_samples, n_channels)
        Potentials, anything that can be sliced along its first axis.
    sampling_rate_hz : float
        Samples per second.
    depth_um : array_like, shape (n_channels,)
        Depth of each channel's contact in µm.
    depth_reference : {"surface", "tip", "layer IV"}
        What depths are measured from, as for `microcolumn.Units`: larger is deeper, save above
        the tip.
    start_s : float
        Time of the first sample, on the clock of the flashes.
    gain_mv, offset_mv : float or array_like, shape (n_channels,)
        A sample times the gain plus the offset is its potential in mV.
    source : str
        What errors call the signal.

    Examples
    --------
    >>> lfp = LFP(np.zeros((1000, 3)), 1000.0, [100.0, 200.0, 300.0], "surface")
    >>> lfp.n_channels, lfp.stretch(10, 12).shape
    (3, (2, 3))
    """

    samples: Any
    sampling_rate_hz: float
    depth_um: Floats
    depth_reference: str
    start_s: float = 0.0
    gain_mv: Floats = field(default_factory=lambda: np.array(1.0))
    offset_mv: Floats = field(default_factory=lambda: np.array(0.0))
    source: str = "the LFP"
    _channels: tuple[int, ...] | None = None
    _file: Any = None

    def __post_init__(self) -> None:
        if not hasattr(self.samples, "shape"):
            remedy = "pass one row per sample and one column per channel"
            object.__setattr__(self, "samples", real_array("samples", self.samples, remedy))
        shape = tuple(self.samples.shape)
        if len(shape) != 2:
            raise ValueError(
                f"{self.source} has shape {shape}; it needs one row per sample and one column "
                "per channel"
            )
        rate = real_number("sampling_rate_hz", self.sampling_rate_hz, "pass samples per second")
        start = real_number("start_s", self.start_s, "pass the time of the first sample in s")
        if not (np.isfinite(rate) and rate > 0.0 and np.isfinite(start)):
            raise ValueError(
                f"{self.source} starts at {start} s with {rate} samples per second; "
                "state a finite start and a positive rate"
            )
        _check_reference(self.depth_reference, self.source)
        n_channels = shape[1] if self._channels is None else len(self._channels)
        depths = real_array("depth_um", self.depth_um, "pass one depth in µm per channel")
        if depths.shape != (n_channels,):
            raise ValueError(
                f"depth_um has shape {depths.shape} for the {n_channels} channels of "
                f"{self.source}; it needs one depth per channel"
            )
        if not np.isfinite(depths).all():
            place = int(np.flatnonzero(~np.isfinite(depths))[0])
            raise ValueError(
                f"depth_um[{place}] of {self.source} is {depths[place]}; state its depth or "
                "leave the channel out"
            )
        object.__setattr__(self, "depth_um", depths)
        for name in ("gain_mv", "offset_mv"):
            values = real_array(name, getattr(self, name), "pass one number per channel")
            object.__setattr__(self, name, np.broadcast_to(values, (n_channels,)))

    @property
    def n_samples(self) -> int:
        """Samples of each channel."""
        return int(self.samples.shape[0])

    @property
    def n_channels(self) -> int:
        """Channels, in the order of ``depth_um``."""
        return int(self.depth_um.size)

    def stretch(self, first: int, stop: int) -> Floats:
        """Potentials in mV of samples ``first:stop``, shape (stop - first, n_channels)."""
        raw = np.asarray(self.samples[first:stop], dtype=np.float64)
        if self._channels is not None:
            raw = raw[:, list(self._channels)]
        return np.asarray(raw * self.gain_mv + self.offset_mv, dtype=np.float64)

    def take(self, channels: Iterable[int]) -> LFP:
        """The LFP of the channels at these positions, for example without broken ones."""
        chosen = [
            whole_number(f"channels[{place}]", channel)
            for place, channel in enumerate(
                listed("channels", channels, "pass a list of positions of channels")
            )
        ]
        for place, channel in enumerate(chosen):
            if not 0 <= channel < self.n_channels:
                raise IndexError(
                    f"channels[{place}] is {channel}; positions of the {self.n_channels} "
                    f"channels of {self.source} run from 0 to {self.n_channels - 1}"
                )
        held = range(self.n_channels) if self._channels is None else self._channels
        return replace(
            self,
            depth_um=self.depth_um[chosen],
            gain_mv=self.gain_mv[chosen],
            offset_mv=self.offset_mv[chosen],
            _channels=tuple(held[channel] for channel in chosen),
        )

    def close(self) -> None:
        """Close the file, if there is one; stretches can no longer be read."""
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def from_neo(signal: Any, depth_um: ArrayLike, depth_reference: str) -> LFP:
    """The LFP in a ``neo.AnalogSignal``, whose samples are not copied.

    Parameters
    ----------
    signal : neo.AnalogSignal, shape (n_samples, n_channels)
        Any unit of potential.
    depth_um, depth_reference
        As for `LFP`.
    """
    try:
        import neo
        import quantities as pq
    except ModuleNotFoundError as error:
        raise ImportError(
            f"Neo signals need {error.name}; install it with: pip install 'microcolumn[neo]'"
        ) from None
    if not isinstance(signal, neo.AnalogSignal):
        raise TypeError(
            f"signal is of type {type(signal).__name__}; pass a neo.AnalogSignal "
            "(load() turns a proxy into one)"
        )
    try:
        gain_mv = float((1.0 * signal.units).rescale(pq.mV).magnitude)
    except ValueError:
        raise ValueError(
            f"the AnalogSignal is in {signal.units.dimensionality}, which is no potential; "
            "pass one in V, mV or µV"
        ) from None
    return LFP(
        signal.magnitude,
        float(signal.sampling_rate.rescale(pq.Hz).magnitude),
        np.asarray(depth_um),
        depth_reference,
        start_s=float(signal.t_start.rescale(pq.s).magnitude),
        gain_mv=np.array(gain_mv),
        source=f"the AnalogSignal {signal.name!r}" if signal.name else "the AnalogSignal",
    )


def read_lfp(
    path: str | Path,
    *,
    depth_reference: str,
    series: str | None = None,
    depth_column: str | None = None,
    group: str | None = None,
) -> LFP:
    """Open an ``ElectricalSeries`` of an NWB file (HDF5 or Zarr).

    Parameters
    ----------
    path : str or Path
        The NWB file.
    depth_reference : {"surface", "tip", "layer IV"}
        What the depths of the contacts are measured from; files do not say.
    series : str, optional
        Name of the series; needed where the file holds several.
    depth_column : str, optional
        Column of the electrodes table with the depths in µm; needed where not exactly one of
        ``depth_um``, ``depth``, ``rel_y`` and ``probe_vertical_position`` is there.
    group : str, optional
        Name of the electrode group (the probe or shank); needed where the series spans several.

    Returns
    -------
    LFP
        Keeps the file open, so use it in a ``with`` block; times are those of the file.
    """
    _check_reference(depth_reference, f"the LFP of {path}")
    file, io = _opened(path)
    try:
        found = _series(file, series, path)
        where = f"series {found.name!r} of {path}"
        electrodes = found.electrodes.to_dataframe()
        n_channels = found.data.shape[1] if len(found.data.shape) == 2 else 1
        if len(electrodes) != n_channels:
            raise ValueError(
                f"{where} has {n_channels} channels and {len(electrodes)} electrodes; "
                "repair the file so that they agree"
            )
        rate, start = _sampling(found, where)
        scale = 1.0 if found.channel_conversion is None else np.array(found.channel_conversion)
        lfp = LFP(
            found.data,
            rate,
            electrodes[_depth_column(electrodes, depth_column, where)].to_numpy(),
            depth_reference,
            start_s=start,
            # NWB: volts = data * conversion * channel_conversion + offset.
            gain_mv=np.asarray(1e3 * found.conversion * scale),
            offset_mv=np.array(1e3 * found.offset),
            source=where,
            _file=io,
        )
        return lfp.take(_channels_of_group(electrodes, group, where))
    except Exception:
        io.close()
        raise


def read_flashes(
    path: str | Path,
    table: str,
    *,
    column: str = "start_time",
    where: Mapping[str, object] | None = None,
) -> Floats:
    """Flash times in seconds from a table of intervals of an NWB file.

    Parameters
    ----------
    path : str or Path
        The NWB file.
    table : str
        Name of the ``TimeIntervals`` table.
    column : str
        Column with the times.
    where : mapping of str to value, optional
        Only rows that hold these values in these columns, such as ``{"stimulus": "flash"}``.

    Returns
    -------
    ndarray, shape (n_flashes,)
        In the order of the table.
    """
    file, io = _opened(path)
    try:
        tables = file.intervals or {}
        if table not in tables:
            raise ValueError(f"{path} has no table of intervals {table!r}; it has {_names(tables)}")
        rows = tables[table].to_dataframe()
        for name in (column, *(where or {})):
            if name not in rows:
                raise ValueError(
                    f"table {table!r} of {path} has no column {name!r}; it has {_names(rows)}"
                )
        for name, value in (where or {}).items():
            rows = rows[rows[name] == value]
        return real_array(f"column {column!r} of {path}", rows[column], "pick a column of times")
    finally:
        io.close()


def _check_reference(reference: str, source: str) -> None:
    if reference == "unstated" or reference not in DEPTH_REFERENCES:
        raise ValueError(
            f"depth_reference of {source} is {reference!r}; state what depths are measured from: "
            '"surface" (larger is deeper), "tip" (larger is more superficial) or "layer IV"'
        )


def _opened(path: str | Path) -> tuple[Any, Any]:
    """The NWB file's contents and what closes it."""
    if not Path(path).exists():
        raise FileNotFoundError(f"{path} does not exist; check the path")
    try:
        import pynwb
    except ModuleNotFoundError:
        raise ImportError(
            "reading NWB needs pynwb; install it with: pip install 'microcolumn[nwb]'"
        ) from None
    try:
        file = pynwb.read_nwb(str(path))
    except Exception as error:  # A damaged file can end in any exception of h5py, zarr or hdmf.
        reason = " ".join(str(error).split())[:200]
        raise ValueError(
            f"{path} cannot be read as NWB ({type(error).__name__}: {reason}); "
            "check that it is whole"
        ) from None
    return file, file.read_io


def _series(file: Any, name: str | None, path: str | Path) -> Any:
    """The one electrical series of that name, wherever it stands in the file."""
    found = [item for item in file.objects.values() if item.neurodata_type == "ElectricalSeries"]
    chosen = [item for item in found if name in (None, item.name)]
    if len(chosen) == 1:
        return chosen[0]
    in_lfp = [item for item in chosen if item.parent.neurodata_type == "LFP"]
    if len(in_lfp) == 1:  # Beside raw data, the container named LFP says which is meant.
        return in_lfp[0]
    problem = "no electrical series" if not found else f"{len(chosen)} electrical series"
    wanted = "" if name is None else f" {name!r}"
    raise ValueError(
        f"{path} has {problem}{wanted}; pick one with series= from "
        f"{_names([item.name for item in found])}"
    )


def _sampling(series: Any, where: str) -> tuple[float, float]:
    """Samples per second and time of the first sample, which must be evenly spaced."""
    if series.rate is not None:
        return float(series.rate), float(series.starting_time)
    times = np.asarray(series.timestamps, dtype=np.float64)
    if times.size < 2 or not np.isfinite(times).all() or times[-1] <= times[0]:
        raise ValueError(
            f"{where} has no increasing finite timestamps; repair them or state a rate"
        )
    period = (times[-1] - times[0]) / (times.size - 1)
    off = np.abs(times - (times[0] + period * np.arange(times.size)))
    # Corrected clocks wander a little; latencies are read to a few milliseconds.
    if off.max() > max(0.5 * period, 1e-3):
        worst = int(np.argmax(np.abs(np.diff(times) - period)))
        raise ValueError(
            f"timestamps of {where} are uneven, worst after sample {worst} at {times[worst]} s; "
            "pass the stretch with the flashes as an array"
        )
    return 1.0 / period, float(times[0])


def _depth_column(electrodes: Any, column: str | None, where: str) -> str:
    known = [name for name in _DEPTH_COLUMNS if name in electrodes]
    if column is None and len(known) == 1:
        return known[0]
    if column is None or column not in electrodes:
        problem = "depth_column is not stated" if column is None else f"no column {column!r}"
        raise ValueError(
            f"{problem} for the electrodes of {where}; name the column that holds depths in µm, "
            f"from {_names(electrodes)}"
        )
    return column


def _channels_of_group(electrodes: Any, group: str | None, where: str) -> list[int]:
    names = electrodes["group_name"].tolist()
    if group is None and len(set(names)) == 1:
        group = names[0]
    if group not in names:
        problem = f"spans {len(set(names))} groups" if group is None else f"has no group {group!r}"
        raise ValueError(
            f"{where} {problem} of electrodes; pick one with group= from {_names(names)}"
        )
    return [place for place, name in enumerate(names) if name == group]


def _names(names: Iterable[object]) -> str:
    """Distinct names for a sentence, at most a dozen."""
    distinct = [repr(str(name)) for name in dict.fromkeys(names)]
    more = f" and {len(distinct) - 12} more" if len(distinct) > 12 else ""
    return (", ".join(distinct[:12]) or "none") + more

"""The local field potential of a linear probe, from arrays, Neo or a file that stays open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..errors import BadArgument, BadInput
from ..units import check_depth_reference
from ..validation import (
    Floats,
    check_positions,
    expect,
    positive_number,
    real_array,
    real_number,
    real_vector,
)
from .failures import as_bad_file


@dataclass(frozen=True, eq=False)
class LFP:
    """Local field potential of a linear probe.

    The samples may be in memory or in a file: only requested stretches are read and converted to
    mV. An LFP from a file keeps it open; use it in a ``with`` block, or `close` it.

    Parameters
    ----------
    samples : array_like, shape (n_samples, n_channels)
        Potentials, anything that can be sliced along its first axis.
    sampling_rate_hz : float
        Samples per second.
    depth_um : array_like, shape (n_channels,)
        Depth of each channel's contact in µm; NaN if unknown.
    depth_reference : {"surface", "tip", "layer IV"}
        What depths are measured from, as for `microcolumn.Units`: larger is deeper, except above
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
        remedy = "pass one row per sample and one column per channel"
        if not hasattr(self.samples, "shape"):
            object.__setattr__(self, "samples", real_array("samples", self.samples, remedy))
        shape = tuple(self.samples.shape)
        if len(shape) != 2:
            raise BadInput(f"{self.source} has shape {shape}", remedy)
        positive_number("sampling_rate_hz", self.sampling_rate_hz, "pass samples per second")
        start = real_number("start_s", self.start_s, "pass the time of the first sample in s")
        if not np.isfinite(start):
            raise BadArgument("start_s", f"is {start}", "state a finite start")
        check_depth_reference(self.depth_reference, self.source)
        n_channels = shape[1] if self._channels is None else len(self._channels)
        depths = real_vector("depth_um", self.depth_um, n_channels, "channel")
        object.__setattr__(self, "depth_um", depths)
        for name in ("gain_mv", "offset_mv"):
            values = real_array(name, getattr(self, name), "pass one number per channel")
            object.__setattr__(self, name, np.broadcast_to(values, (n_channels,)))

    @classmethod
    def from_neo(cls, signal: Any, depth_um: ArrayLike, depth_reference: str) -> LFP:
        """The LFP in a ``neo.AnalogSignal``, whose samples are not copied.

        Parameters
        ----------
        signal : neo.AnalogSignal, shape (n_samples, n_channels)
            Any unit of potential.
        depth_um, depth_reference
            As for the class.
        """
        with as_bad_file("a Neo signal", "neo"):
            import neo
            import quantities as pq
        expect(
            "signal", signal, neo.AnalogSignal, "a neo.AnalogSignal (load() turns a proxy into one)"
        )
        try:
            gain_mv = float((1.0 * signal.units).rescale(pq.mV).magnitude)
        except ValueError:
            problem = f"the AnalogSignal is in {signal.units.dimensionality}, which is no potential"
            raise BadInput(problem, "pass one in V, mV or µV") from None
        return cls(
            signal.magnitude,
            float(signal.sampling_rate.rescale(pq.Hz).magnitude),
            np.asarray(depth_um),
            depth_reference,
            start_s=float(signal.t_start.rescale(pq.s).magnitude),
            gain_mv=np.array(gain_mv),
            source=f"the AnalogSignal {signal.name!r}" if signal.name else "the AnalogSignal",
        )

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
        try:
            raw = np.asarray(self.samples[first:stop], dtype=np.float64)
        except Exception as error:  # Of a file's library: a damaged chunk, a closed file.
            problem = f"samples {first} to {stop} of {self.source} cannot be read ({error})"
            raise BadInput(problem, "the file may be damaged or closed") from None
        if self._channels is not None:
            raw = raw[:, list(self._channels)]
        return np.asarray(raw * self.gain_mv + self.offset_mv, dtype=np.float64)

    def take(self, channels: Iterable[int]) -> LFP:
        """The LFP of the channels at these positions, for example without broken ones."""
        chosen = check_positions("channels", channels, self.n_channels, "channel")
        held = range(self.n_channels) if self._channels is None else self._channels
        names = ("depth_um", "gain_mv", "offset_mv")
        kept: dict[str, Any] = {name: getattr(self, name)[chosen] for name in names}
        return replace(self, **kept, _channels=tuple(held[channel] for channel in chosen))

    def close(self) -> None:
        """Close the file, if there is one; stretches can no longer be read."""
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

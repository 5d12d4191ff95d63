"""What headers of NeuroExplorer and Plexon files claim, checked against the file.

Neo reads the part of a claimed stretch that is in the file, so that a file cut short would lose
spikes silently.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

from .._failures import BadFileError

_AGAIN = "; the file is damaged or cut short: export or copy it again"

#: NeuroExplorer: bytes before the headers of variables, and of each of these.
_NEX_HEADER, _NEX_VARIABLE = 544, 208
#: Plexon: bytes of the header, of that of a spike, event and signal channel, and of a data block.
_PLX_HEADER, _PLX_CHANNELS, _PLX_BLOCK = 7504, (1020, 296, 296), 16
#: Plexon: where the header counts spikes, by channel and unit, and how many such counts it has.
_PLX_COUNTS, _N_PLX_COUNTS = 256, 650


def check_header(path: Path, reader: str) -> None:
    """Refuse a file for Neo's NeuroExplorer or Plexon reader that lacks what its header claims."""
    if reader not in _CHECKS:
        return
    magic, check = _CHECKS[reader]
    content = np.memmap(path, dtype=np.uint8, mode="r").data
    found = bytes(content[:4])
    if found != magic:
        raise BadFileError(
            f"it begins with {found!r}, not with the {magic!r} of files for Neo's {reader}; it is "
            "damaged or of another format: export or copy it again, or name its reader with io="
        )
    check(content)


def _check_nex(content: memoryview) -> None:
    size = len(content)
    if size < _NEX_HEADER:
        raise BadFileError(f"its header is incomplete{_AGAIN}")
    rate, begin, end, n_variables = struct.unpack_from("<d3i", content, 264)
    if not 0 < rate < np.inf or begin > end:
        raise BadFileError(f"it claims {rate} ticks per second from {begin} to {end}{_AGAIN}")
    if not 0 <= n_variables <= (size - _NEX_HEADER) // _NEX_VARIABLE:
        raise BadFileError(f"it claims {n_variables:,} variables in {size:,} bytes{_AGAIN}")
    for at in range(_NEX_HEADER, _NEX_HEADER + n_variables * _NEX_VARIABLE, _NEX_VARIABLE):
        kind, _, name, start, n = struct.unpack_from("<2i64sIi", content, at)
        (n_samples,) = struct.unpack_from("<i", content, at + 128)
        # Neurons, events, intervals, waveforms, population vectors (weights), signals, markers.
        n_bytes = {0: 4 * n, 1: 4 * n, 2: 8 * n, 6: 4 * n}.get(kind, 0)
        if kind == 3:
            n_bytes = n * (4 + 2 * n_samples)
        elif kind == 5:
            n_bytes = 8 * n + 2 * n_samples
        if min(n, n_samples) < 0 or start + n_bytes > size:
            shown = name.split(b"\0")[0].decode("latin-1")
            raise BadFileError(
                f"variable {shown!r} claims {n:,} entries from byte {start:,} on in {size:,} bytes"
                f"{_AGAIN}"
            )


def _check_plx(content: memoryview) -> None:
    size = len(content)
    if size < _PLX_HEADER:
        raise BadFileError(f"its header is incomplete{_AGAIN}")
    rate, *n_channels = struct.unpack_from("<4i", content, 136)
    headers = _PLX_HEADER + int(np.dot(n_channels, _PLX_CHANNELS))
    if rate <= 0 or min(n_channels) < 0 or headers > size:
        raise BadFileError(
            f"it claims {rate} ticks per second and {n_channels} channels in {size:,} bytes{_AGAIN}"
        )
    n_spikes, at = 0, headers
    while at < size:
        if at + _PLX_BLOCK > size:
            raise BadFileError(f"the data block at byte {at:,} is incomplete{_AGAIN}")
        kind, n_waveforms, n_samples = struct.unpack_from("<H10x2H", content, at)
        if kind not in (1, 4, 5):
            raise BadFileError(f"the data block at byte {at:,} is of unknown type {kind}{_AGAIN}")
        n_spikes += kind == 1
        at += _PLX_BLOCK + 2 * n_waveforms * n_samples
    # The header counts the first four units of 130 channels, so that there may be more.
    claimed = sum(struct.unpack_from(f"<{_N_PLX_COUNTS}i", content, _PLX_COUNTS))
    if at > size or claimed > n_spikes:
        raise BadFileError(
            f"its header counts {claimed:,} spikes and {n_spikes:,} are there, the last data "
            f"ending at byte {at:,} of {size:,}{_AGAIN}"
        )
    if not n_spikes:
        raise BadFileError("there is no spike in it; check that spikes were sorted and exported")


#: First bytes that Neo's readers do not look at, and what is checked behind them.
_CHECKS = {"NeuroExplorerIO": (b"NEX1", _check_nex), "PlexonIO": (b"PLEX", _check_plx)}

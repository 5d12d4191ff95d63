"""T-files as MClust writes them."""

from __future__ import annotations

import numpy as np

HEADER = (
    b"%%BEGINHEADER\n% Program: matlab\n% Date: 05-Aug-2022\n% T-file\n% Output from MClust\n"
    b"% Time of spiking stored in timestamps (tenths of msecs)\n"
    b"% as unsigned integer (big-endian): uint32\n%%ENDHEADER\n"
)


def write_t(path, times_s, *, bits=32, header=HEADER, per_second=1e4):
    ticks = np.round(np.asarray(times_s) * per_second).astype(f">u{bits // 8}")
    path.write_bytes(header + ticks.tobytes())
    return path


def write_mclust(recording, folder, bits=32, extension=".t"):
    """A folder with one file per unit that has spikes: MClust writes no others."""
    folder.mkdir()
    for name, train in zip(recording.units.ids, recording.trains, strict=True):
        if train.size:
            write_t(folder / f"TT1_{name}{extension}", train, bits=bits)
    return folder

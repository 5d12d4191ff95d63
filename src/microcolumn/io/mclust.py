"""T-files of MClust: one file of timestamps per unit.

A header of text, then unsigned integers with the highest byte first (Redish, MClust 4.4,
``WriteTfiles.m``). Files called ``.t``, ``.t32`` and ``.t64`` count tenths of milliseconds and say
so in the header; ``.raw32`` and ``.raw64`` count whatever the spike sorting counted. An underscore,
as in ``._t``, marks units that the experimenter finds questionable.
"""

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import BadFile, damaged
from ..validation import Floats
from ._clocks import ticks_per_second
from ._containment import file_inside
from ._session import Session

#: What follows the name of a unit.
_EXTENSION = re.compile(r"\.(?P<mark>_?)(t|(t|(?P<raw>raw))(?P<bits>32|64))", re.IGNORECASE)
_BEGIN, _END = b"%%BEGINHEADER", b"%%ENDHEADER"
#: More bytes than any header has.
_HEADER_BYTES = 1 << 16
_TENTHS = "0.1 ms"
_STATED = re.compile(rb"tenths? of (a )?m(illi)?sec|0\.1 ?ms", re.IGNORECASE)


def load(
    path: Path, *, time_unit: str | None = None, sampling_rate: float | None = None
) -> Session:
    """Units of a folder of T-files, or the one of a file; each is known by the file's name.

    Parameters
    ----------
    path : Path
        The folder or file.
    time_unit : {"0.1 ms", "s", "ms", "us", "ns", "samples"}, optional
        Unit of the timestamps; required where no header states it.
    sampling_rate : float, optional
        Samples per second, for timestamps in samples.

    Returns
    -------
    Session
        With a column ``quality``, ``"good"`` or ``"questionable"``, and a note, if some files are
        marked.
    """
    files = [file_inside(file, path) for file in t_files(path)] if path.is_dir() else [path]
    if not files:
        raise BadFile("it has no T-file of MClust (.t, .t32, .t64)", "name another folder")
    ids: dict[str, Path] = {}
    for file in files:
        other = ids.setdefault(file.stem, file)
        if other != file:
            raise BadFile(f"{other.name} and {file.name} are the same unit", "leave one there")
    trains = [_train(file, time_unit, sampling_rate) for file in files]
    quality = ["questionable" if _match(file)["mark"] else "good" for file in files]
    if "questionable" not in quality:
        return Session(list(ids), trains)
    marked = f"{quality.count('questionable')} of {len(files)}"
    note = f"units marked as questionable (._t): {marked}; keep quality 'good' to leave them out"
    return Session(list(ids), trains, {"quality": quality}, notes=(note,))


def t_files(path: Path) -> list[Path]:
    """T-files of a folder, or the file if it is one, by their names."""
    files = path.iterdir() if path.is_dir() else [path]
    return sorted(file for file in files if _EXTENSION.fullmatch(file.suffix))


def _match(path: Path) -> re.Match[str]:
    match = _EXTENSION.fullmatch(path.suffix)
    if match is None:
        problem = f"its name ends in {path.suffix!r}, which does not say how it counts"
        raise BadFile(problem, "T-files of MClust end in .t, .t32, .t64, .raw32 or .raw64")
    return match


def _train(path: Path, time_unit: str | None, sampling_rate: float | None) -> Floats:
    """Spike times of a file in seconds, in the order of the file."""
    with path.open("rb") as file:
        head = file.read(_HEADER_BYTES)
    start = _header_end(head, path.name)
    kind = _match(path)
    if time_unit is None:
        # Some versions write the header of T-files into raw ones too.
        if kind["raw"] or not _STATED.search(head[:start]):
            remedy = f"pass time_unit, which is {_TENTHS!r} in T-files of MClust itself"
            raise BadFile(f"{path.name} does not say what its timestamps count", remedy)
        time_unit = _TENTHS
    per_second = ticks_per_second(time_unit, sampling_rate)
    return _ticks(path, start, kind["bits"]).astype(np.float64) / per_second


def _header_end(head: bytes, name: str) -> int:
    """Where the timestamps begin."""
    if not head.startswith(_BEGIN):
        return 0
    line_end = head.find(b"\n", head.find(_END))
    if _END not in head or line_end < 0:
        raise damaged(f"the header of {name} has no end")
    return line_end + 1


def _ticks(path: Path, start: int, bits: str | None) -> NDArray[np.unsignedinteger]:
    """Timestamps of a file, of 64 bits where its name or else its content says so."""
    n_bytes = path.stat().st_size - start
    words = np.fromfile(path, ">u4", offset=start)
    wide = bits == "64" if bits else _are_wide(words)
    if n_bytes % (8 if wide else 4):
        raise damaged(f"{path.name} ends in the middle of a timestamp")
    return words.view(">u8") if wide else words


def _are_wide(words: NDArray[np.unsignedinteger]) -> bool:
    """Whether words of 32 bits are halves of timestamps: then every other one is the same.

    A unit does not spike at the same moment again, so that no three spikes of 32 bits look alike.
    """
    high = words[::2]
    if words.size % 2 or not high.size or np.any(high != high[0]):
        return False
    return bool(high[0] == 0 or high.size > 1)

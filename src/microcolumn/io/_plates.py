"""Plates with several wells: each is a recording of its own. Spike lists of Axion's AxIS.

A spike list has what was recorded in its first two columns, beside the first spikes, then columns
``Time (s)``, ``Electrode`` and ``Amplitude(mV)``; some end with a table that begins with ``Well
Information``. An electrode such as ``A1_11`` names its well.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from ..errors import BadFile, advice, name_list
from ._tables import is_blank, plain_name

#: Names of the columns of wells and of electrodes, as `plain_name` writes them.
WELL_NAMES = ("well", "well_label", "well_id", "well_name")
ELECTRODE_NAMES = ("electrode", "channel_label")
_COLUMNS = ["", "time_s", "electrode"]
_END = "well information"
_STRETCH = "actual file section run"
_FROM_0 = re.compile(r"(?:[0.]+[hms])* *to *(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?")


def is_spike_list(header: Sequence[str]) -> bool:
    """Whether a table is a spike list of AxIS, by its first line."""
    return list(map(plain_name, header[1:4])) == _COLUMNS


class SpikeList:
    """Rows of a spike list under the columns of ``header``.

    Once all are read, ``duration_s`` is how long was recorded, if the file says that it begins
    with the recording.
    """

    header = ("time_s", "electrode", "well")

    def __init__(self, n_fields: int, rows: Iterable[list[str]]) -> None:
        self._n_fields, self._rows = n_fields, rows
        self.duration_s: float | None = None

    def __iter__(self) -> Iterator[list[str]]:
        for line, row in enumerate(self._rows, start=2):
            about = row[0].strip().lower() if row else ""
            if about.startswith(_END):
                return
            if is_blank(row):
                continue
            if len(row) < self._n_fields:
                problem = f"line {line} has {len(row)} fields, the first {self._n_fields}"
                raise BadFile(problem, "export it again")
            if about == _STRETCH:
                self.duration_s = _duration(row[1])
            # An entry of the first two columns may have commas of its own.
            spike = [entry.strip() for entry in row[2 - self._n_fields :]]
            if any(spike):
                yield [*spike[:2], spike[1].partition("_")[0]]


def _duration(text: str) -> float | None:
    """Seconds of a stretch such as ``0s to 18m2s``; None unless it begins at 0."""
    stretch = _FROM_0.fullmatch(text.strip())
    parts = zip(stretch.groups("0"), (3600.0, 60.0, 1.0), strict=True) if stretch else ()
    return sum(float(part) * scale for part, scale in parts) or None


def check_well(wells: Iterable[str], chosen: str | None) -> list[str]:
    """Refuse several wells of which none is ``chosen``, or another; a note on those left out."""
    there = sorted(wells)
    if chosen is None and len(there) > 1:
        problem = f"it holds {len(there)} wells, each a recording of its own: {name_list(there)}"
        raise BadFile(problem, advice("choose one with {well}", well=there[0]))
    if chosen is not None and chosen not in there:
        if not there:
            raise BadFile("no column or electrode names a well", advice("leave {well} out"))
        raise BadFile(f"there is no well {chosen!r}", f"choose from {name_list(there)}")
    others = [well for well in there if well != chosen]
    return [f"well {chosen} alone; left out: {name_list(others)}"] * bool(chosen and others)

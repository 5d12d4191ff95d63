"""Sessions of Buzcode and CellExplorer: ``*.spikes.cellinfo.mat`` and two files beside it.

Fields are those of cellexplorer.org, "Data structure and format" (Petersen et al., Neuron 109:3594,
2021).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..epochs import Epochs
from ..validation import Floats
from ._failures import BadFileError, naming
from ._inside import file_inside
from ._session import Session
from .matlab import _entries, _opened, load as load_matlab
from .matlab.variable import NUMERIC, Variable

Fields = Mapping[str, Variable]

_SUFFIX = ".spikes.cellinfo.mat"
#: Tags of CellExplorer that judge a unit, the one that counts first; in lower case.
_TAGS = ("noise", "mua", "bad", "good")


def load(path: Path) -> Session:
    """Units of a session, and what CellExplorer tells of them.

    Spike times are ``spikes.times``, in seconds; units are known by their ``UID``. All fields of
    ``spikes`` and of ``cell_metrics`` with one entry per unit are columns. The area is
    ``brainRegion`` of ``cell_metrics``, else ``region`` of ``spikes``; the quality is the tag Good,
    Bad, Mua or Noise. ``session`` tells how long was recorded, and its epochs are intervals.

    Parameters
    ----------
    path : Path
        The file, or the folder of a session that has one.
    """
    file = _spikes_file(path)
    session = load_matlab(file, variable="spikes.times")
    columns = dict(session.columns)
    with _beside(file, "cell_metrics.cellinfo", "cell_metrics") as metrics:
        for name, held in metrics.items():
            entries = _entries(held, len(session.ids))
            if entries is not None:
                columns.setdefault(name, entries)
        quality = _quality(metrics, session.ids)
    region = columns.get("brainRegion", columns.get("region"))
    if region is not None:
        columns["brain_region"] = region
    if quality is not None:
        columns["quality"] = quality
    with _beside(file, "session", "session") as about:
        epochs, notes = _epochs(about, session.trains)
        intervals = _intervals(about)
    return replace(
        session,
        columns=columns,
        epochs=epochs,
        notes=(*session.notes, *notes),
        intervals=intervals,
    )


def spikes_files(folder: Path) -> list[Path]:
    """Files of spikes in a folder."""
    return sorted(folder.glob(f"*{_SUFFIX}"))


def is_cellinfo(path: Path) -> bool:
    """Whether a file is named as Buzcode and CellExplorer name those of spikes."""
    return path.name.endswith(_SUFFIX)


def _spikes_file(path: Path) -> Path:
    if not path.is_dir():
        return path
    found = spikes_files(path)
    if len(found) != 1:
        raise BadFileError(f"it has {len(found)} files *{_SUFFIX}; name the one to read")
    return file_inside(found[0], path)


@contextmanager
def _beside(file: Path, ending: str, name: str) -> Iterator[Fields]:
    """Fields of a struct in a file of the same session; none if there is no such file."""
    path = file.with_name(f"{file.name.removesuffix(_SUFFIX)}.{ending}.mat")
    if not is_cellinfo(file) or not (path.is_symlink() or path.exists()):
        yield {}
        return
    with naming(path.name), _opened(file_inside(path, file.parent)) as variables:
        yield _fields({held.name: held for held in variables}, name)


def _fields(fields: Fields, name: str) -> Fields:
    """Fields of a struct; none where there is no such struct."""
    held = fields.get(name)
    return held.read() if held is not None and held.kind == "struct" else {}


def _numbers(held: Variable | None) -> Floats:
    """All numbers of a variable; none where it is something else, or is not there."""
    if held is None or held.kind not in NUMERIC or held.is_empty:
        return np.zeros(0)
    return np.asarray(held.read(), dtype=np.float64).ravel()


def _quality(metrics: Fields, ids: Sequence[str]) -> list[str] | None:
    """Verdict on each unit by its tags, which list the ``UID`` of units; None without tags."""
    tags = {name.lower(): held for name, held in _fields(metrics, "tags").items()}
    verdicts: dict[str, str] = {}
    for tag in (tag for tag in _TAGS if tag in tags):
        for number in _numbers(tags[tag]).tolist():
            verdicts.setdefault(f"{number:g}", tag)
    return [verdicts.get(name, "") for name in ids] if verdicts else None


def _epochs(about: Fields, trains: Sequence[Any]) -> tuple[Epochs | None, list[str]]:
    """From 0 to the end of the recording, None if it is not stated; and notes."""
    duration = _numbers(_fields(about, "general").get("duration"))
    if duration.size != 1 or not 0 < duration[0] < np.inf:
        return None, []
    last = max((float(np.max(train)) for train in trains if np.size(train)), default=0.0)
    if last <= duration[0]:
        return Epochs([[0.0, duration[0]]]), []
    return None, [
        f"session.general.duration is {duration[0]:g} s, before the last spike at {last:g} s, and "
        "does not tell how long was recorded"
    ]


def _intervals(about: Fields) -> dict[str, Epochs]:
    """Epochs of the session by name, those without a start and a stop left out."""
    held = about.get("epochs")
    cells = held.read() if held is not None and held.kind == "cell" else []
    rows: dict[str, list[Floats]] = {}
    for cell in cells:
        fields = cell.read() if cell.kind == "struct" else {}
        name = fields.get("name")
        text = "".join(name.read()) if name is not None and name.kind == "char" else ""
        sides = [_numbers(fields.get(side)) for side in ("startTime", "stopTime")]
        edges = np.concatenate(sides)
        if text and edges.size == 2 and np.isfinite(edges).all() and edges[0] < edges[1]:
            rows.setdefault(text, []).append(edges)
    return {text: Epochs.joined(np.array(edges)) for text, edges in rows.items()}

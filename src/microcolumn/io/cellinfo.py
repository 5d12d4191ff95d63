"""Sessions of Buzcode and CellExplorer: ``*.spikes.cellinfo.mat`` and two files beside it.

Fields are those of cellexplorer.org, "Data structure and format" (Petersen et al., Neuron 109:3594,
2021). Each file is read in the sandbox by itself: the folder of a session holds raw data too, by
whose size the sandbox would allow anything.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..epochs import Epochs
from ..errors import BadFile, within
from ..validation import Floats
from ._clocks import whole_epoch
from ._containment import file_inside
from ._readers import READERS
from ._session import Session
from .matlab import entries_of, load as load_matlab
from .matlab.variables import Variable, opened
from .sandbox import read_checked

Fields = Mapping[str, Variable]

#: How Buzcode and CellExplorer name files of spikes.
SPIKES_SUFFIX = ".spikes.cellinfo.mat"
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
    session: Session = _sandboxed(partial(load_matlab, variable="spikes.times"), file)
    beside = partial(_beside, file)
    metrics = beside("cell_metrics.cellinfo", partial(_metrics, ids=session.ids)) or {}
    columns = {**metrics, **session.columns}
    region = columns.get("brainRegion", columns.get("region"))
    if region is not None:
        columns["brain_region"] = region
    duration, intervals = beside("session", _about) or (None, {})
    epochs, notes = whole_epoch(duration, session.trains, "the session")
    all_notes = (*session.notes, *notes)
    return replace(session, columns=columns, epochs=epochs, notes=all_notes, intervals=intervals)


def _spikes_file(path: Path) -> Path:
    if not path.is_dir():
        return path
    candidates = sorted(path.glob(f"*{SPIKES_SUFFIX}"))
    if len(candidates) != 1:
        raise BadFile(f"it has {len(candidates)} files *{SPIKES_SUFFIX}", "name the one to read")
    return file_inside(candidates[0], path)


def _beside(file: Path, ending: str, read: Callable[[Path], Any]) -> Any:
    """What ``read`` finds in another file of the same session; None if there is no such file."""
    path = file.with_name(f"{file.name.removesuffix(SPIKES_SUFFIX)}.{ending}.mat")
    if not (file.name.endswith(SPIKES_SUFFIX) and (path.is_symlink() or path.exists())):
        return None
    return _sandboxed(read, file_inside(path, file.parent))


def _sandboxed(read: Callable[[Path], Any], path: Path) -> Any:
    with within(path.name):
        return read_checked(read, path, READERS["matlab"]._replace(title=path.name))


def _metrics(path: Path, ids: Sequence[str]) -> dict[str, Sequence[Any]]:
    """Fields of ``cell_metrics`` with one entry per unit, and the quality."""
    with opened(path) as variables:
        fields = _struct({held.name: held for held in variables}, "cell_metrics")
        columns = {name: entries_of(held, len(ids)) for name, held in fields.items()}
        columns["quality"] = _quality(_struct(fields, "tags"), ids)
    return {name: column for name, column in columns.items() if column is not None}


def _about(path: Path) -> tuple[float | None, dict[str, Epochs]]:
    """Seconds that a session lasted, None if it is not stated, and its epochs by name."""
    with opened(path) as variables:
        fields = _struct({held.name: held for held in variables}, "session")
        duration = _numbers(_struct(fields, "general"), "duration")
        return duration.item() if duration.size == 1 else None, _intervals(fields.get("epochs"))


def _struct(fields: Fields, name: str) -> Fields:
    """Fields of a struct; none where there is no such struct."""
    held = fields.get(name)
    return held.read() if held is not None and held.kind == "struct" else {}


def _numbers(fields: Fields, name: str) -> Floats:
    """All numbers of a field; none where it holds something else, or is not there."""
    return fields[name].numbers().astype(np.float64) if name in fields else np.zeros(0)


def _quality(tags: Fields, ids: Sequence[str]) -> list[str] | None:
    """Verdict on each unit by its tags, which list the ``UID`` of units; None without tags."""
    by_name = {name.lower(): held for name, held in tags.items()}
    verdicts: dict[str, str] = {}
    for tag in _TAGS:
        for number in _numbers(by_name, tag).tolist():
            verdicts.setdefault(f"{number:g}", tag)
    return [verdicts.get(name, "") for name in ids] if verdicts else None


def _intervals(variable: Variable | None) -> dict[str, Epochs]:
    """Epochs of the session by name, those without a start and a stop left out."""
    rows: dict[str, list[Floats]] = {}
    for cell in variable.read() if variable is not None and variable.kind == "cell" else []:
        fields = cell.read() if cell.kind == "struct" else {}
        text = fields["name"].text() if "name" in fields else ""
        edges = np.concatenate([_numbers(fields, side) for side in ("startTime", "stopTime")])
        if text and edges.size == 2 and np.isfinite(edges).all() and edges[0] < edges[1]:
            rows.setdefault(text, []).append(edges)
    return {text: Epochs.joined(np.array(edges)) for text, edges in rows.items()}

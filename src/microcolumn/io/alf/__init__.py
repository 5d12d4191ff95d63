"""ALF folders, as the International Brain Laboratory and Steinmetz et al. (2019) publish them."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .._failures import BadFileError, name_list
from .._session import Session
from .folders import Sorting, sortings
from .intervals import named_intervals
from .units import ProbeUnits, probe_units


def load(path: Path, *, probe: str | None = None) -> Session:
    """Units of a session, of a probe or of a spike sorting in ALF.

    Units are the clusters that have spikes, known by their numbers; where a session has several
    folders of probes, the name of the probe comes before. Depths are µm above the tip of the probe.
    Quality is phy's annotation, or comes from ``clusters.metrics``. Area and layer are those of the
    peak channel in the Allen atlas. Of each file the newest revision is read. Intervals are
    ``trials``, ``spontaneous`` and others by their names.

    Parameters
    ----------
    path : Path
        Folder of a session, its ``alf`` folder, or that of a probe, a sorter or a revision.
    probe : str, optional
        Read this probe alone, for example ``"probe00"``.
    """
    found, notes = sortings(path)
    if not found:
        raise BadFileError("it has no spikes.times.npy; name the folder of a session or a probe")
    several = len(found) > 1
    if any(sorting.probe == probe for sorting in found):  # spares reading the others
        found = [sorting for sorting in found if sorting.probe == probe]
    parts = {sorting: probe_units(sorting) for sorting in found}
    if probe is not None:
        parts = _of_probe(parts, probe)
    for sorting, part in parts.items():
        revisions = Counter(sorting.collection.revisions.values())
        read = [f"files read in revision {label}: {n}" for label, n in sorted(revisions.items())]
        notes += [f"{sorting.probe}: {note}" if several else note for note in (*read, *part.notes)]
    columns = _joined(list(parts.values()))
    intervals, unknown = named_intervals(path)
    depths = "depths" if "depths" in columns else None
    return Session(
        ids=[
            f"{sorting.probe} {number}" if several else str(number)
            for sorting, part in parts.items()
            for number in part.numbers
        ],
        trains=[train for part in parts.values() for train in part.trains],
        columns=columns,
        depth_column=depths,
        depth_reference=depths and "tip",
        notes=(*notes, *unknown),
        intervals=intervals,
    )


def _of_probe(parts: dict[Sorting, ProbeUnits], probe: str) -> dict[Sorting, ProbeUnits]:
    """The units of one probe; they have its name where one folder holds several probes."""
    chosen = {sorting: part.of_probe(probe) for sorting, part in parts.items()}
    if not any(part.numbers for part in chosen.values()):
        names = {name for part in parts.values() for name in part.columns.get("probe", [])}
        known = name_list(map(repr, sorted(names)))
        raise BadFileError(f"there is no unit of probe {probe!r}; probes here: {known}")
    return chosen


def _joined(parts: Sequence[ProbeUnits]) -> dict[str, list[Any]]:
    """Columns of all probes; entries that a probe does not have are None."""
    names = dict.fromkeys(name for part in parts for name in part.columns)
    return {
        name: [
            entry for part in parts for entry in part.columns.get(name, [None] * len(part.numbers))
        ]
        for name in names
    }

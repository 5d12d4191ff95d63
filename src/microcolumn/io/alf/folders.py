"""Files of an ALF folder: where those of each probe lie, their newest revisions, and their tables.

ALF is the naming scheme of the International Brain Laboratory (Open Neurophysiology Environment,
IBL et al., Nature Methods 20:403, 2023): a file is called ``[_namespace_]object.attribute[.uuid]
.extension`` and lies in ``[alf/][probe/][sorter/][#revision#/]``.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any, cast

from ...errors import within
from .._containment import file_inside
from .._readers import READERS
from .._tables import check_fields, open_table
from ..parquet import entries, is_plain, opened
from ..sandbox import read_checked

Columns = dict[str, Sequence[Any]]

_NAME = re.compile(
    r"(?:_[A-Za-z0-9]+_)?(?P<object>[A-Za-z]\w*)\.(?P<attribute>\w+)"
    r"(?:\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?\.(?P<extension>npy|tsv|csv|pqt)"
)
_REVISION = re.compile(r"#(?P<label>[^#]+)#")
_PROBE = re.compile(r"probe_?[0-9]+\w*")
#: Formats in which one revision may have the same content, the one that is read first.
_EXTENSIONS = ("npy", "tsv", "csv", "pqt")
#: Folders of spike sorters inside that of a probe, the preferred one first.
_SORTERS = {"iblsorter": 0, "pykilosort": 1, "ks2": 2}


@dataclass(frozen=True, slots=True)
class Collection:
    """The files of one folder and of its revisions."""

    folder: Path  # in which revisions lie
    home: Path  # that no file may lie outside of
    #: The newest file of each object and attribute, ``files["spikes", "times"]``.
    files: dict[tuple[str, str], Path] = field(default_factory=dict)
    #: Labels of the revisions that files come from, for those that come from one.
    revisions: dict[tuple[str, str], str] = field(default_factory=dict)

    def file(self, name: str, attribute: str) -> Path | None:
        """The file of an object's attribute, None if there is none."""
        path = self.files.get((name, attribute))
        return None if path is None else file_inside(path, self.home)

    def of(self, name: str) -> Iterator[tuple[str, Path]]:
        """Attributes and files of an object."""
        for its, attribute in sorted(self.files):
            path = self.file(its, attribute) if its == name else None
            if path is not None:
                yield attribute, path


@dataclass(frozen=True, slots=True, eq=False)
class Sorting:
    """Spikes of one probe, or of all where one folder holds them together (``probe`` is None)."""

    probe: str | None
    sorter: str
    collection: Collection


def is_alf(path: Path) -> bool:
    """Whether a folder holds spikes in ALF."""
    return any(True for _ in _sortings(path))


def session_folders(path: Path) -> list[Path]:
    """Folders that may describe a whole session: the named one and ``alf`` above."""
    base = path / "alf" if (path / "alf").is_dir() else path
    whole = base.absolute()
    above = (folder for folder in whole.parents[:4] if folder.name == "alf")
    return [base, *list(above)[:1]]


def sortings(path: Path) -> tuple[list[Sorting], list[str]]:
    """Spikes of each probe below ``path``, with the preferred sorter of each; and notes."""
    by_probe: dict[str | None, list[Sorting]] = {}
    for each in _sortings(path):
        by_probe.setdefault(each.probe, []).append(each)
    notes, chosen = [], []
    for _, candidates in sorted(by_probe.items(), key=lambda item: str(item[0])):
        first, *others = sorted(
            candidates, key=lambda each: (_SORTERS.get(each.sorter, 3), each.sorter)
        )
        chosen.append(first)
        if others:
            names = ", ".join(map(_title, others))
            notes.append(f"{_title(first)} is read; name the folder to read {names}")
    if len(chosen) > 1 and None in by_probe:
        chosen = [sorting for sorting in chosen if sorting.probe is not None]
        notes.append("spikes outside the folders of probes are not read; name their folder")
    return chosen, notes


def collection(folder: Path, home: Path) -> Collection:
    """Files of a folder and its revisions, which are newer; up to ``folder`` if it is one."""
    named = _REVISION.fullmatch(folder.name)
    limit = named["label"] if named else None
    base = folder.parent if named else folder
    made = Collection(base, home)
    folders = {"": base}
    for path in _listed(base):
        revision = _REVISION.fullmatch(path.name)
        if revision and path.is_dir() and (limit is None or revision["label"] <= limit):
            folders[revision["label"]] = path
    for label in sorted(folders, reverse=True):  # the first of a name stays: the newest
        names = [(path, _NAME.fullmatch(path.name)) for path in _listed(folders[label])]
        files = [(_EXTENSIONS.index(name["extension"]), path, name) for path, name in names if name]
        for _, path, name in sorted(files, key=itemgetter(0)):
            key = name["object"], name["attribute"]
            if made.files.setdefault(key, path) == path and label:
                made.revisions[key] = label
    return made


def _sortings(path: Path) -> Iterator[Sorting]:
    """All sortings in a session's folder, its ``alf``, that of a probe, a sorter or a revision."""
    home = path.parent if _REVISION.fullmatch(path.name) else path
    base = path / "alf" if (path / "alf").is_dir() else path
    inside, probe = _folders(base), _probe_above(base)
    places = [(probe, "", base)]
    if probe is not None or any(folder.name in _SORTERS for folder in inside):
        places += [(probe, folder.name, folder) for folder in inside]
    else:
        for folder in inside:
            of_sorters = [(folder.name, each.name, each) for each in _folders(folder)]
            places += [(folder.name, "", folder), *of_sorters]
    for name, sorter, folder in places:
        files = collection(folder, home)
        if ("spikes", "times") in files.files:
            yield Sorting(name, sorter, files)


def _folders(path: Path) -> list[Path]:
    """Folders inside one, without revisions."""
    inside = (each for each in _listed(path) if each.is_dir())
    return [each for each in inside if _REVISION.fullmatch(each.name) is None]


def _listed(folder: Path) -> list[Path]:
    """What is in a folder, in order; nothing where one may not look."""
    try:
        return sorted(folder.iterdir())
    except PermissionError:
        return []


def _probe_above(folder: Path) -> str | None:
    """Name of the probe whose folder, or a part of it, this is; None if it is none."""
    whole = folder.absolute()
    for above in (whole, *whole.parents[:2]):
        if above.name == "alf":
            return None
        if above.parent.name == "alf" or _PROBE.fullmatch(above.name):
            return above.name
    return None


def _title(sorting: Sorting) -> str:
    names = [name for name in (sorting.probe, sorting.sorter) if name]
    return "/".join(names) or "the folder's own sorting"


def columns_of(path: Path) -> Columns:
    """Columns of a table by name; entries of a text table are text."""
    if path.suffix == ".pqt":
        reader = READERS["parquet"]._replace(title=path.name, extra="alf")
        return cast("Columns", read_checked(_parquet, path, reader))
    with open_table(path, path.name) as (header, rows):
        lines = [row or [""] for row in rows]  # an empty line is an empty entry of one column
    while lines and not any(lines[-1]):
        lines.pop()
    with within(path.name):
        check_fields(lines, len(header), first_line=2)
    return {name: [row[n].strip() for row in lines] for n, name in enumerate(header)}


def _parquet(path: Path) -> Any:
    with opened(path) as (schema, batches):
        columns: dict[str, list[Any]] = {c.name: [] for c in schema if is_plain(c.type)}
        for batch in batches:
            for name, column in columns.items():
                column += entries(batch.column(name))
        return columns

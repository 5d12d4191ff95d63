"""A recording is read from the file or folder that was named, and from nothing else.

HDF5 and Zarr can send a reader to other files: by external storage, external links, virtual
datasets, links between folders, symbolic links. A file from a stranger could so show what only the
user may read, or wait for ever. Zarr can also store pickles, which run code when decoded. Readers
that find files by themselves, in a folder or beside the named one, open those that lie inside.
"""

import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from ..errors import BadFile, damaged
from ._remote import Remote

_ONE_FILE = "only what it holds itself is read: export it again, with all data in one file"
HDF5 = b"\x89HDF\r\n\x1a\n"
_SPECIAL = {stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket"}
#: Files of Zarr that hold metadata.
_METADATA = (".zarray", ".zattrs", ".zmetadata", "zarr.json")
#: How hdmf-zarr marks columns of references, which it pickles and which are not decoded here.
_REFERENCES = ("object", "region")


def check_kind(path: Path) -> None:
    """Refuse what is not there or empty, and what may never end, also as a member of a folder."""
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist; check the path")
    if path.is_file() and path.stat().st_size == 0:
        raise BadFile("it is empty", "export or copy it again")
    for file in (path, *(_members(path) if path.is_dir() else ())):
        try:
            kind = stat.S_IFMT(file.stat().st_mode)
        except OSError:  # a symbolic link to nothing, which whoever needs the file will name
            continue
        if kind not in (stat.S_IFREG, stat.S_IFDIR):
            name = "it" if file == path else str(file.relative_to(path))
            problem = f"{name} is {_SPECIAL.get(kind, 'a device')}, which holds no recording"
            raise BadFile(problem, "name a file or a folder of files")


def check_contained(path: Path) -> None:
    """Refuse an HDF5 file or a folder of Zarr that would have other files read, or run code."""
    if path.is_dir():
        if any((path / name).exists() for name in (".zgroup", *_METADATA)):
            _check_zarr(path)
    elif is_hdf5(path):
        _check_hdf5(path)


def is_hdf5(path: Path | Remote) -> bool:
    """Whether a file is HDF5, whose signature may follow a block of the user's."""
    size, place = path.stat().st_size, 0
    with path.open("rb") as file:
        while place < size:
            file.seek(place)
            if file.read(len(HDF5)) == HDF5:
                return True
            place = max(512, 2 * place)
    return False


def _members(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        yield from (Path(parent, name) for name in (*folders, *files))


def is_inside(path: Path, home: Path) -> bool:
    """Whether a file or folder lies in ``home`` after links are followed."""
    return path.resolve().is_relative_to(home.resolve())


def check_inside(path: Path, home: Path) -> None:
    """Refuse a file or folder that lies outside of ``home`` after links are followed."""
    if not is_inside(path, home):
        name = os.path.relpath(path, home)
        raise BadFile(f"{name} is a link that leads out of the folder", "copy the file in")


def file_inside(path: Path, home: Path) -> Path:
    """A file, once it is certain that it is one and lies in ``home``."""
    check_inside(path, home)
    if not path.is_file():
        raise BadFile(f"{path.name} is no file", "export or copy it again")
    return path


def files_inside(home: Path, *patterns: str) -> list[Path]:
    """Files of a folder whose names match the patterns, each checked as by `file_inside`."""
    return [file_inside(path, home) for name in patterns for path in sorted(home.glob(name))]


def _check_hdf5(path: Path) -> None:
    import h5py
    from h5py import h5d, h5l, h5o

    def check(name: bytes, info: Any) -> None:
        if info.type == h5o.TYPE_DATASET:
            check_dataset(h5d.open(file.id, name), name)

    own = (h5l.TYPE_HARD, h5l.TYPE_SOFT)
    with h5py.File(path, "r") as file:
        # It returns the first name for which the function does not return None.
        link = file.id.links.visit(lambda name, info: None if info.type in own else name, info=True)
        if link is not None:
            target = file.get(link, getlink=True)
            where = f" to {target.filename!r:.100}" if hasattr(target, "filename") else ""
            raise BadFile(f"/{_readable(link)} is a link{where} that leaves the file", _ONE_FILE)
        h5o.visit(file.id, check, info=True)


def check_dataset(dataset: Any, name: bytes = b"") -> None:
    """Refuse a dataset of HDF5 whose values lie in another file."""
    from h5py import h5d

    made = dataset.get_create_plist()
    others = []
    if made.get_external_count():
        others = [made.get_external(0)[0].decode(errors="replace")]
    elif made.get_layout() == h5d.VIRTUAL:
        sources = [made.get_virtual_filename(n) for n in range(made.get_virtual_count())]
        others = [source for source in sources if source != "."]
    if others:
        where = f"/{_readable(name)}" if name else "a dataset"
        raise BadFile(f"{where} has its values in another file, {others[0]!r:.100}", _ONE_FILE)


@contextmanager
def containing(path: Path) -> Iterator[None]:
    """Check each dataset that is opened meanwhile, and refuse pickles whatever their place.

    A reference may lead to a dataset that no link does. It is for a process that reads one file at
    a time and nothing else.
    """
    from unittest import mock  # which replaces an attribute for a while

    with ExitStack() as stack:
        if path.is_dir():
            with suppress(ImportError):
                from numcodecs.pickles import Pickle

                stack.enter_context(mock.patch.object(Pickle, "decode", _refuse_pickle))
        elif is_hdf5(path):
            with suppress(ImportError):
                import h5py

                init = _checked_init(h5py.Dataset.__init__, path)
                stack.enter_context(mock.patch.object(h5py.Dataset, "__init__", init))
        yield


def _checked_init(init: Callable[..., None], path: Path) -> Callable[..., None]:
    from h5py import h5f

    def checked(self: Any, bind: Any, *others: Any, **named: Any) -> None:
        check_dataset(bind)
        if Path(os.fsdecode(h5f.get_name(bind))).resolve() != path.resolve():
            raise BadFile("it leads to another file", _ONE_FILE)
        init(self, bind, *others, **named)

    return checked


def _refuse_pickle(what: Any, *_: Any, **__: Any) -> None:
    name = what if isinstance(what, Path) else "it"
    raise BadFile(f"{name} is pickled, which could run code", "save numbers or text")


def _readable(name: bytes) -> str:
    return ascii(name.decode(errors="replace"))[1:-1][:100]


def _check_zarr(path: Path) -> None:
    root, nodes = path.resolve(), _nodes(path)
    for name, content in nodes.items():
        attributes = nodes.get(name.with_name(".zattrs"))
        if name.name == ".zarray" and _holds_references(content, attributes):
            content |= {"filters": None}
        for entry in _objects(content):
            if any("pickle" in str(entry.get(key)).lower() for key in ("id", "name")):
                _refuse_pickle(name.parent)
            source = entry.get("source")
            if isinstance(source, str) and "path" in entry and (root / source).resolve() != root:
                raise BadFile(f"{name.parent} leads to another folder, {source!r:.100}", _ONE_FILE)


def _nodes(path: Path) -> dict[Path, Any]:
    """All metadata of a folder by name, with the copies that ``.zmetadata`` has of them."""
    nodes: dict[Path, Any] = {}
    for file in _members(path):
        name = file.relative_to(path)
        if file.is_symlink():
            check_inside(file, path)
        if file.name == ".zmetadata":
            content = _read_json(file, name)
            copies = content.get("metadata") if isinstance(content, dict) else content
            nodes |= {name / key: node for key, node in dict(copies or {}).items()}
        elif file.name in _METADATA:
            nodes[name] = _read_json(file, name)
    return nodes


def _holds_references(array: Any, attributes: Any) -> bool:
    """Whether an array is a column of references, the one thing that hdmf-zarr pickles."""
    if not (isinstance(array, dict) and isinstance(attributes, dict)):
        return False
    kind = attributes.get("zarr_dtype")
    return array.get("dtype") == "|O" and (kind in _REFERENCES or isinstance(kind, list))


def _objects(content: Any) -> Iterator[dict[str, Any]]:
    """All objects within JSON."""
    left = [content]
    while left:
        entry = left.pop()
        if isinstance(entry, dict):
            yield entry
            left += entry.values()
        elif isinstance(entry, list):
            left += entry


def _read_json(file: Path, name: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError, OSError):
        raise damaged(f"{name} is not JSON") from None

"""LINDI: NWB files described in JSON, whose values lie in files behind URLs.

What a description leads to is checked before any of it is opened: a stranger's could name a file of
this machine, or have a pickle decoded.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from ._containment import json_objects
from ._failures import BadFileError, damaged
from ._remote import Remote, is_url

ENDING = ".lindi.json"
#: Bytes that a description may have.
_MOST = 1 << 28


class Described(Remote):
    """A file that is described in JSON, as large as all that the description leads to."""

    def __init__(self, place: str, content: bytes) -> None:
        self.references = _checked(content)
        size = sum(
            entry[2] for entry in self.references["refs"].values() if isinstance(entry, list)
        )
        super().__init__(place, size + len(content), content)

    def __reduce__(self) -> tuple[Any, ...]:
        return Described, (self.url, self._head)

    def h5py_file(self) -> Any:
        """What stands for an `h5py.File`."""
        from lindi import LindiH5pyFile

        return LindiH5pyFile.from_reference_file_system(self.references, mode="r")


def described(place: Path | Remote) -> Described:
    """The file that a description leads to, once it is known to lead to URLs alone."""
    size = place.stat().st_size
    if size > _MOST:
        raise BadFileError(f"it has {size:,} bytes; descriptions of files have {_MOST:,} at most")
    content = place.read_bytes() if isinstance(place, Path) else bytes(place.read(size))
    return Described(str(place), content)


def _checked(content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        raise damaged("it is not JSON") from None
    references = found.get("refs") if isinstance(found, dict) else None
    if not isinstance(references, dict):
        raise BadFileError("it has no references, so that it is no LINDI file; export it again")
    templates = found.get("templates") or {}
    for key, entry in references.items():
        if isinstance(entry, list) and not _is_metadata(key):
            _check_part(key, entry, templates)
        elif isinstance(entry, str | dict):
            _check_metadata(key, entry)
        else:
            raise damaged(f"{key!r:.80} refers to nothing")
    return dict(found)


def _check_part(key: str, entry: list[Any], templates: Any) -> None:
    """Refuse a part of another file unless it is behind a URL."""
    if len(entry) != 3 or not isinstance(entry[0], str) or not isinstance(templates, dict):
        raise damaged(f"{key!r:.80} refers to nothing")
    if not all(isinstance(number, int) and number >= 0 for number in entry[1:]):
        raise damaged(f"{key!r:.80} refers to bytes {entry[1]!r:.20} and {entry[2]!r:.20} long")
    place = re.sub(r"{{(.*?)}}", lambda name: str(templates.get(name[1].strip(), "")), entry[0])
    _check_place(key, place)


def _check_metadata(key: str, entry: str | dict[str, Any]) -> None:
    """Refuse metadata with a pickle, or that lead to a file of this machine."""
    if not _is_metadata(key):
        return
    try:
        content = json.loads(entry) if isinstance(entry, str) else entry
    except (ValueError, RecursionError):
        raise damaged(f"{key!r:.80} is not JSON") from None
    for found in json_objects(content):
        if "pickle" in str(found.get("id")).lower():
            raise BadFileError(
                f"{key!r:.80} is pickled, which could run code when opened; save numbers or text"
            )
        link = found.get("_EXTERNAL_ARRAY_LINK")
        if link is not None:
            _check_place(key, link.get("url") if isinstance(link, dict) else None)


def _is_metadata(key: str) -> bool:
    return key.rpartition("/")[2].startswith((".z", "zarr.json"))


def _check_place(key: str, place: Any) -> None:
    if not (is_url(place) and place.lower().startswith(("http://", "https://"))):
        raise BadFileError(
            f"{key!r:.80} leads to {place!r:.100}, which is no address of the web and is not opened"
        )

"""NumPy files from unknown sources: the header is checked before any data are read."""

from __future__ import annotations

import math
import sys
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ._failures import BadFileError, damaged
from ._limits import check_claim

Number = TypeVar("Number", bound=np.generic)

#: Bytes in which the header of any array of ours ends.
_HEADER_BYTES = 1 << 14


class PickledArrayError(BadFileError):
    """An array of Python objects: unpickling one from an unknown source can run any code."""


def load_array(path: Path, *, mapped: bool = False) -> NDArray[Any]:
    """Array of a ``.npy`` file; nothing is unpickled, and no more allocated than the file holds.

    A ``mapped`` array stays in the file, and only the values that are used are read.
    """
    with path.open("rb") as file:
        end = _end(file.read(_HEADER_BYTES), path.name)
    check_claim(path, end, path.name, compressed=False)
    array = np.load(path, mmap_mode="r" if mapped else None, allow_pickle=False)
    return _with_possible_text(array, path.name)


def load_archive(path: Path) -> tuple[dict[str, NDArray[Any]], list[str]]:
    """Arrays of an ``.npz`` file by name, and the names of pickled arrays, which stay closed."""
    arrays, pickled = {}, []
    try:
        with zipfile.ZipFile(path) as archive:
            members = [name for name in archive.namelist() if name.endswith(".npy")]
            total = sum(archive.getinfo(name).file_size for name in members)
            check_claim(path, total, "the archive")
            for name in members:
                try:
                    arrays[name.removesuffix(".npy")] = _member(archive, name)
                except PickledArrayError:
                    pickled.append(name.removesuffix(".npy"))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        raise BadFileError(
            f"it is no intact archive of arrays ({error}); export or copy it again"
        ) from None
    return arrays, pickled


def _member(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    size = archive.getinfo(name).file_size
    with archive.open(name) as file:
        end = _end(file.read(_HEADER_BYTES), name)
    if end != size:
        raise damaged(f"{name} claims {end:,} bytes but has {size:,}")
    array = npy.read_array(BytesIO(archive.read(name)), allow_pickle=False)
    return _with_possible_text(array, name)


def _with_possible_text(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Refuse characters that do not exist; Python accepts them and fails when they are used."""
    if array.dtype.kind == "U":
        codes = np.frombuffer(array.tobytes(), np.dtype("u4").newbyteorder(array.dtype.byteorder))
        if codes.max(initial=0) > sys.maxunicode:
            raise damaged(
                f"{name} holds text with a character {codes.max():#x}, which does not exist"
            )
    return array


def _end(head: bytes, name: str) -> int:
    """Bytes of header and data together, as the first bytes of an array state them."""
    file = BytesIO(head)
    try:
        version = npy.read_magic(file)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read(file)
    except Exception as error:  # NumPy evaluates the header and lets anything through
        reason = str(error).partition("\n")[0]
        raise BadFileError(
            f"{name} is no NumPy array ({reason:.100}); export or copy it again"
        ) from None
    if dtype.hasobject:
        raise PickledArrayError(
            f"{name} holds Python objects, which could run code when opened; save numbers or text"
        )
    if dtype.itemsize == 0 or any(length < 0 for length in shape):
        raise damaged(f"{name} has shape {shape} and dtype {dtype}")
    return file.tell() + math.prod(shape) * dtype.itemsize


def flat_numbers(array: NDArray[Any], name: str, *, whole: bool = False) -> NDArray[Any]:
    """An array of shape (n,) or (n, 1) as (n,), once it is certain that it holds real numbers."""
    kinds = "iu" if whole else "iuf"
    flat = array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array
    if flat.ndim != 1 or flat.dtype.kind not in kinds:
        raise BadFileError(
            f"{name} has shape {array.shape} and dtype {array.dtype}; it needs one "
            f"{'whole ' * whole}number per entry"
        )
    return flat


def check_same_length(first: str, a: NDArray[Any], second: str, b: NDArray[Any]) -> None:
    """Refuse two arrays, each with its name, of different lengths."""
    if len(a) != len(b):
        raise BadFileError(
            f"{first} has {len(a)} entries but {second} has {len(b)}; "
            "they must belong to the same export"
        )


def split_by_unit(
    values: NDArray[Number], index: NDArray[Any], n_units: int
) -> list[NDArray[Number]]:
    """Values of each unit's spikes in their order here; ``index`` is the unit of each spike."""
    if n_units == 0:
        return []
    # NumPy sorts 16-bit integers by radix, ten times faster than wider ones
    keys = index.astype(np.uint16) if n_units <= 1 << 16 else index
    order = np.argsort(keys, kind="stable")
    ends = np.cumsum(np.bincount(index.astype(np.int64), minlength=n_units))
    return np.split(values[order], ends[:-1])

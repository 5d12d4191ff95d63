"""NumPy files from unknown sources: the header is checked before any data are read."""

import math
import sys
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ..errors import BadFile, damaged
from .failures import ARRAYS, COUNTS, check_claim

Number = TypeVar("Number", bound=np.generic)

#: Bytes in which the header of any array of ours ends.
_HEADER_BYTES = 1 << 14


class PickledArrayError(BadFile):
    """An array of Python objects: unpickling one from an unknown source can run any code."""


def load_array(path: Path, *, mapped: bool = False) -> NDArray[Any]:
    """Array of a ``.npy`` file, not unpickled; of a ``mapped`` one only what is used is read."""
    with path.open("rb") as file:
        end, _ = _end(file.read(_HEADER_BYTES), path.name)
    check_claim(path, end, path.name, compressed=False)
    array = np.load(path, mmap_mode="r" if mapped else None, allow_pickle=False)
    return _with_possible_text(array, path.name)


class Archive(Mapping[str, NDArray[Any]]):
    """Arrays of an ``.npz`` file by name; each is read when it is first asked for.

    The sizes of those that are read may not sum to more than a file of this size can hold.
    ``shapes`` has the shape of each array, from its header. Arrays of Python objects, by name
    ``pickled``, stay closed, since a pickle can run any code.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read: dict[str, NDArray[Any]] = {}
        self._n_bytes = 0
        self.shapes: dict[str, tuple[int, ...]] = {}
        pickled = []
        with _opened(path) as archive:
            for member in archive.infolist():
                if member.filename.endswith(".npy"):
                    name = member.filename.removesuffix(".npy")
                    try:
                        with archive.open(member) as file:
                            end, shape = _end(file.read(_HEADER_BYTES), member.filename)
                    except PickledArrayError:
                        pickled.append(name)
                        continue
                    if end != member.file_size:
                        problem = f"claims {end:,} bytes but has {member.file_size:,}"
                        raise damaged(f"{member.filename} {problem}")
                    self.shapes[name] = shape
        self.pickled = tuple(pickled)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self.shapes:
            raise KeyError(name)
        if name not in self._read:
            with _opened(self._path) as archive:
                self._n_bytes += archive.getinfo(f"{name}.npy").file_size
                is_matrix = len(self.shapes[name]) == 2 and min(self.shapes[name]) > 1
                most = COUNTS if is_matrix else ARRAYS
                check_claim(self._path, self._n_bytes, name, most=most)
                with archive.open(f"{name}.npy") as file:
                    array = npy.read_array(file, allow_pickle=False)
            self._read[name] = _with_possible_text(array, f"{name}.npy")
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.shapes)

    def __len__(self) -> int:
        return len(self.shapes)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """An archive; what is wrong with it is one sentence."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, zlib.error, RuntimeError, OSError, EOFError) as e:
        raise damaged(f"it is no intact archive ({e})") from None


def _with_possible_text(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Refuse characters that do not exist; Python accepts them and fails when they are used."""
    if array.dtype.kind == "U":
        codes = np.frombuffer(array.tobytes(), np.dtype("u4").newbyteorder(array.dtype.byteorder))
        if codes.max(initial=0) > sys.maxunicode:
            raise damaged(f"{name} holds text with an impossible character {codes.max():#x}")
    return array


def _end(head: bytes, name: str) -> tuple[int, tuple[int, ...]]:
    """Bytes of header and data together, and the shape, as an array's first bytes state them."""
    file = BytesIO(head)
    try:
        version = npy.read_magic(file)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read(file)
    except Exception as error:  # NumPy evaluates the header and lets anything through
        reason = str(error).partition("\n")[0]
        raise damaged(f"{name} is no NumPy array ({reason:.100})") from None
    if dtype.hasobject:
        problem = f"{name} holds Python objects, which could run code when opened"
        raise PickledArrayError(problem, "save numbers or text")
    if dtype.itemsize == 0 or any(length < 0 for length in shape):
        raise damaged(f"{name} has shape {shape} and dtype {dtype}")
    return file.tell() + math.prod(shape) * dtype.itemsize, shape


def flattened(array: NDArray[Any]) -> NDArray[Any]:
    """An array of shape (n, 1) or (1, n) as (n,); others as they are."""
    return array.reshape(-1) if array.ndim == 2 and 1 in array.shape else array


def flat_numbers(array: NDArray[Any], name: str, *, whole: bool = False) -> NDArray[Any]:
    """An array of one axis as (n,), once it is certain that it holds real numbers."""
    flat = flattened(array)
    fits = flat.ndim == 1 and flat.dtype.kind in ("iu" if whole else "iuf")
    check_array(name, array, fits, f"one {'whole ' * whole}number per entry")
    return flat


def mismatched(problem: str) -> BadFile:
    """The error about two arrays that do not fit each other."""
    return BadFile(problem, "they must belong to the same export")


def check_array(name: str, array: NDArray[Any], fits: bool, needed: str) -> None:
    """Refuse an array whose shape or type does not fit; ``needed`` says which would."""
    if not fits:
        problem = f"{name} has shape {array.shape} and dtype {array.dtype}"
        raise BadFile(problem, f"it needs {needed}")


def check_index(name: str, index: NDArray[Any], n: int, of: str) -> None:
    """Refuse positions, one per spike, outside of the ``n`` entries of ``of``."""
    for bad in np.flatnonzero((index < 0) | (index >= n))[:1]:
        problem = f"entry {bad} of {name} is {index[bad]}, but there are {n} {of}, counted from 0"
        raise mismatched(problem)


def check_same_length(first: str, a: NDArray[Any], second: str, b: NDArray[Any]) -> None:
    """Refuse two arrays, each with its name, of different lengths."""
    if len(a) != len(b):
        raise mismatched(f"{first} has {len(a)} entries but {second} has {len(b)}")


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

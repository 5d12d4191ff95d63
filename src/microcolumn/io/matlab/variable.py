"""A variable of a MATLAB file, of whichever version: known by class and size, read when asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._failures import BadFileError

#: Classes whose content is an array of numbers.
NUMERIC = {"double", "single", "logical"} | {
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}

#: Rows, columns and values of some entries of a matrix.
Entries = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
#: Bytes that are looked at at a time in a matrix that is mostly zeros.
PIECE = 1 << 23


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable, a field of a struct, or what is in a cell.

    Attributes
    ----------
    name : str
        As MATLAB would write it: ``spikes``, ``spikes.times``, ``spikes{3}``.
    kind : str
        Class in MATLAB's words, but ``"sparse"`` for sparse matrices and ``"complex"`` for
        complex numbers of any class.
    shape : tuple of int
        Size in MATLAB's order of axes.
    read : callable
        Gives the content: an array of numbers (``NUMERIC``), a `scipy.sparse.coo_array`
        (``sparse``), a list of str with one entry per row (``char``), a list of `Variable` in
        MATLAB's order (``cell``), or a dict of them by field (``struct``; the fields of an array
        of structs are cells with one entry per struct).
    in_pieces : callable, optional
        Gives what is not zero in a matrix of numbers piece by piece, for those that may be too
        large to be in memory as a whole.
    """

    name: str
    kind: str
    shape: tuple[int, ...]
    read: Callable[[], Any]
    in_pieces: Callable[[], Iterator[Entries]] | None = None

    def __str__(self) -> str:
        size = "x".join(map(str, self.shape))
        return f"{self.name} ({size} {self.kind})" if size else f"{self.name} ({self.kind})"

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it."""
        return 0 in self.shape

    @property
    def is_vector(self) -> bool:
        """Whether at most one of its sizes differs from 1."""
        return sum(size != 1 for size in self.shape) <= 1

    def entries(self) -> Iterator[Entries]:
        """What is not zero in a matrix, in pieces and in any order."""
        if self.in_pieces is not None:
            yield from self.in_pieces()
            return
        matrix = self.read()
        if isinstance(matrix, sparse.coo_array):
            matrix.sum_duplicates()
            rows, columns = matrix.coords
            yield rows, columns, matrix.data
        else:
            places = np.nonzero(matrix)
            yield places[0], places[1], matrix[places]


def checked_name(name: str) -> str:
    """The name of a variable or field, if it is text that a sentence can hold."""
    if not name.isprintable():
        raise BadFileError(
            f"a variable is called {name!r:.40}, which is no name; "
            "the file is damaged: export or copy it again"
        )
    return name


def unreadable(name: str, kind: str) -> Callable[[], Any]:
    """Reading of what only MATLAB can open (objects, tables, strings), or of complex numbers."""

    def read() -> Any:
        if kind == "complex":
            raise BadFileError(f"{name} holds complex numbers; save real ones")
        raise BadFileError(
            f"{name} is a MATLAB {kind}, which no other program opens; in MATLAB, save a cell "
            "array with one vector of spike times per unit"
        )

    return read


def text_rows(characters: Sequence[str], shape: tuple[int, ...], name: str) -> list[str]:
    """Rows of a char matrix whose characters come column by column, without trailing blanks."""
    n_rows = shape[0]
    if not characters:  # Blank rows take no bytes in the file, so that their number proves nothing.
        return [""] if n_rows == 1 else []
    if len(characters) != np.prod(shape, dtype=object):
        raise BadFileError(
            f"{name} has {len(characters)} characters for its size "
            f"{'x'.join(map(str, shape))}; it is damaged: export or copy it again"
        )
    return ["".join(characters[row::n_rows]).rstrip(" \0") for row in range(n_rows)]


def columns_of(starts: NDArray[Any], n_values: int, name: str) -> NDArray[np.int64]:
    """Column of each value of a sparse matrix, from where its columns start and the last ends."""
    ends = starts.astype(np.int64)
    if not ends.size or ends[0] != 0 or ends[-1] > n_values or (np.diff(ends) < 0).any():
        raise _outside(name)
    return np.repeat(np.arange(ends.size - 1), np.diff(ends))


def sparse_matrix(
    values: NDArray[Any],
    rows: NDArray[Any],
    columns: NDArray[Any],
    shape: tuple[int, ...],
    name: str,
) -> sparse.coo_array:
    """A sparse matrix whose indices, from 0, are known to lie in it.

    ``values`` and ``rows`` may be longer than ``columns``, which says how many there are.
    """
    places = np.array([rows[: columns.size], columns], dtype=np.int64)
    if places.size and ((places < 0).any() or (places.max(axis=1) >= shape[:2]).any()):
        raise _outside(name)
    native = values[: columns.size].astype(values.dtype.newbyteorder("="))
    return sparse.coo_array((native, tuple(places)), shape=shape[:2])


def _outside(name: str) -> BadFileError:
    return BadFileError(
        f"the sparse matrix {name} has indices outside of it; "
        "it is damaged: export or copy it again"
    )

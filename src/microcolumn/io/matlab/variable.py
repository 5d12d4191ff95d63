"""A variable of a MATLAB file of any version: its class and size, and how to read its content."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from .._counts import Entries, Numbers
from .._failures import BadFileError, damaged

#: Classes whose content is an array of numbers.
NUMERIC = {"double", "single", "logical"} | {
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable, a field of a struct, or what is in a cell."""

    #: As MATLAB writes it: ``spikes``, ``spikes.times``, ``spikes{3}``.
    name: str
    #: MATLAB's class, except ``"sparse"`` for sparse matrices and ``"complex"`` for any complex.
    kind: str
    #: Size in MATLAB's order of axes.
    shape: tuple[int, ...]
    #: Gives the content: an array of numbers (``NUMERIC``), a `scipy.sparse.coo_array`
    #: (``sparse``), a list of str, one per row (``char``), a list of `Variable` (``cell``), or a
    #: dict of them (``struct``; the fields of an array of structs are cells).
    read: Callable[[], Any]
    #: Gives the nonzero entries of a matrix piece by piece, if it may not fit into memory.
    in_pieces: Callable[[], Iterator[Entries]] | None = None

    def __post_init__(self) -> None:
        if not (self.name + self.kind).isprintable():
            raise damaged(f"a variable is called {self.name!r:.40}, which is no name")

    def __str__(self) -> str:
        size = "x".join(map(str, self.shape))
        return f"{self.name} ({size} {self.kind})" if size else f"{self.name} ({self.kind})"

    @property
    def is_empty(self) -> bool:
        """Whether it has no entry."""
        return 0 in self.shape

    @property
    def is_vector(self) -> bool:
        """Whether at most one of its sizes differs from 1."""
        return sum(size != 1 for size in self.shape) <= 1

    def entries(self) -> Iterator[Entries]:
        """Nonzero entries of a matrix, in pieces and in any order."""
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


def unreadable(name: str, kind: str, shape: tuple[int, ...] = ()) -> Variable:
    """A variable that only MATLAB opens (an object, a table, a string), or complex numbers."""
    problem = "holds complex numbers; save real ones"
    if kind != "complex":
        problem = f"is a MATLAB {kind}, which no other program opens; save a cell array of times"

    def read() -> Any:
        raise BadFileError(f"{name} {problem}")

    return Variable(name, kind, shape, read)


def sparse_matrix(
    name: str, shape: tuple[int, int], values: Numbers, rows: Numbers, starts: Numbers
) -> sparse.coo_array:
    """A sparse matrix from its compressed columns, once all indices are known to be valid."""
    n_values = min(rows.size, values.size)
    native = values[:n_values].astype(values.dtype.newbyteorder("="))
    places = rows[:n_values].astype(np.int64), starts.astype(np.int64)
    try:
        matrix = sparse.csc_array((native, *places), shape=shape)
        matrix.check_format(full_check=True)
    except ValueError as error:
        raise damaged(f"the sparse matrix {name} has invalid indices ({error})") from None
    return matrix.tocoo()

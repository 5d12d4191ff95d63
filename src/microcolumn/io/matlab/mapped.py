"""Times and units of all spikes in MATLAB variables that the user names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._failures import BadFileError
from .._mapping import Arrays, mapped_session
from .._session import Session
from .variable import NUMERIC, Variable


def mapped(
    variables: Sequence[Variable], times: str | None, units: str | None, per_second: float
) -> Session:
    """Session of variables or fields of structs with the time and the unit of each spike.

    Or ``times`` is a pattern such as ``unit_*`` of variables with the times of one unit each.
    """
    found = {held.name: held for held in vectors_in(variables)}
    if units is None and times in found and found[times].kind == "cell":
        raise BadFileError(
            f"{found[times]} may hold one vector of times per unit; name it with "
            f"variable={times!r} instead"
        )
    arrays = Arrays(list(found), lambda name: _values(found[name]), ".", "variables")
    return mapped_session(arrays, times, units, per_second)


def vectors_in(variables: Sequence[Variable]) -> Iterator[Variable]:
    """Variables and fields that may hold one number or text per spike."""
    for held in variables:
        if held.kind == "struct":
            yield from vectors_in(list(held.read().values()))
        elif held.kind == "char" or (
            (held.kind in NUMERIC or held.kind == "cell") and (held.is_empty or held.is_vector)
        ):
            yield held


def _values(held: Variable) -> NDArray[Any]:
    """Numbers of a variable, or the text in each of its rows or cells."""
    if held.kind in NUMERIC:
        return np.zeros(0) if held.is_empty else np.asarray(held.read()).ravel()
    if held.kind == "char":
        return np.array(held.read(), dtype=np.str_)
    texts = []
    for cell in held.read():
        if cell.kind != "char" or cell.shape[0] > 1:
            raise BadFileError(
                f"{cell} is no text, so that {held.name} does not name units; one vector of times "
                "per cell is read with variable= alone"
            )
        texts.append("".join(cell.read()))
    return np.array(texts, dtype=np.str_)

"""Which variables of a MATLAB file hold the spikes, by their likeliness or as the user says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._counts import are_counts
from .._failures import BadFileError, name_list
from .._mapping import Arrays, mapped_session, offer
from .._session import Session
from .variable import NUMERIC, Variable

Fields = Mapping[str, Variable]

#: Names of spike times, the likeliest first; in lower case.
_TIMES = ("times", "spike_times", "spiketimes", "timestamps", "spikes", "spiketrains", "ts")


def choose(variables: Sequence[Variable], name: str | None) -> tuple[Fields, Variable, list[str]]:
    """The variable with spikes, all variables and fields next to it by name, and notes.

    The caller may have named it, ``"spikes"`` or ``"spikes.times"``.
    """
    by_name = {held.name: held for held in variables}
    if name is None:
        chosen = _likeliest(variables)
        notes = [f"spikes are those of variable {chosen}"]
    else:
        chosen, notes = _checked(_named(by_name, name)), []
    top = by_name[chosen.name.partition(".")[0]]
    return {**by_name, **(top.read() if top.kind == "struct" else {})}, chosen, notes


def _named(by_name: Fields, name: str) -> Variable:
    top, _, field = name.partition(".")
    if top not in by_name:
        raise BadFileError(f"there is no variable {name!r}; it holds {name_list(by_name.values())}")
    if by_name[top].kind != "struct":
        return by_name[top]
    fields = by_name[top].read()
    chosen = fields.get(field) if field else _field_with_times(fields)
    if chosen is None:
        raise BadFileError(
            f"no field of {top} holds spikes under that name; name one with variable=: "
            f"{name_list(fields.values())}"
        )
    return chosen


def _likeliest(variables: Sequence[Variable]) -> Variable:
    """The only variable that may hold spikes.

    Cells come before matrices, usual names before others, matrices of counts before others.
    """
    found = []
    for held in variables:
        if held.kind == "struct":
            field = _field_with_times(held.read())
            found += [] if field is None else [field]
        elif _may_hold_spikes(held):
            found.append(held)
    cells = [held for held in found if held.kind == "cell"]
    likely = [held for held in cells if _has_usual_name(held)] or cells
    if not likely:
        likely = [held for held in found if len(found) == 1 or _holds_counts(held)]
    if len(likely) != 1:
        problem = "several variables may hold" if likely else "no variable holds"
        remedy = f"name one with variable=: {name_list(likely or variables)}"
        vectors = [] if likely else list(vectors_in(variables))
        if vectors:
            others = [held for held in variables if held not in vectors and held.kind != "struct"]
            names = [held.name for held in vectors]
            remedy = f"name one with variable=, or {offer(names, 'variables', others + vectors)}"
        raise BadFileError(
            f"{problem} spikes as one vector of times per cell or as a matrix of counts; {remedy}"
        )
    return likely[0]


def _holds_counts(held: Variable) -> bool:
    if held.kind == "sparse":
        return True
    return all(are_counts(values).all() for *_, values in held.entries())


def _field_with_times(fields: Fields) -> Variable | None:
    by_name = {name.lower(): held for name, held in fields.items()}
    candidates = (by_name[name] for name in _TIMES if name in by_name)
    return next((held for held in candidates if _may_hold_spikes(held)), None)


def _has_usual_name(held: Variable) -> bool:
    return held.name.lower().rpartition(".")[2] in _TIMES


def _may_hold_spikes(held: Variable) -> bool:
    if held.is_empty:
        return held.kind == "cell" and _has_usual_name(held)
    if held.kind == "cell":
        return held.is_vector and all(
            cell.kind in NUMERIC and (cell.is_empty or cell.is_vector) for cell in held.read()
        )
    is_matrix = len(held.shape) == 2 and min(held.shape) > 1
    return is_matrix and held.name.lower() != "epochs" and held.kind in {"sparse", *NUMERIC}


def _checked(chosen: Variable) -> Variable:
    """The variable that the caller named, if spikes can be in it."""
    if chosen.kind == "cell" or chosen.in_pieces is not None:
        return chosen
    chosen.read()  # names complex numbers and what only MATLAB opens
    if chosen.kind == "sparse" or (chosen.kind in NUMERIC and len(chosen.shape) == 2):
        return chosen
    raise BadFileError(
        f"{chosen} is neither a cell array of spike times nor a matrix of counts; "
        "name another with variable="
    )


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

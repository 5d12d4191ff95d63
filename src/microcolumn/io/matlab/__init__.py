"""MATLAB files of any version: a cell array of spike times, or a matrix of spike counts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...epochs import Epochs
from ...errors import BadFile, Setting, advice, name_list, within
from ...trials import trials_in_time
from ...units import DEPTH_REFERENCES
from .._clocks import ticks_per_second
from .._counts import are_counts, checked_width, matrix_session
from .._mapping import Arrays, mapped_session, offer, refuse
from .._session import Session
from .variables import NUMERIC, Variable, opened

Fields = Mapping[str, Variable]

#: Names of spike times, the likeliest first; in lower case.
_TIMES = ("times", "spike_times", "spiketimes", "timestamps", "spikes", "spiketrains", "ts")
_IDS = ("unit_ids", "ids", "uid", "unit_id", "id")
_NO_COLUMNS = ("duration_s", "duration", "epochs", "depth_reference")
#: Names of the width of bins in seconds; in lower case.
_BIN_WIDTHS = ("bin_width", "binwidth", "bin_size", "binsize", "dt")


def load(
    path: Path,
    *,
    times: str | None = None,
    units: str | None = None,
    variable: str | None = None,
    time_unit: str | None = None,
    sampling_rate: float | None = None,
    bin_width: float | None = None,
    units_in: str | None = None,
    dims: str | None = None,
    threshold: float | None = None,
) -> Session:
    """Spike trains, and what else the file says about each unit.

    Parameters
    ----------
    path : Path
        The file. Spike times are in a cell array with one vector per unit: a variable, a field of
        a struct (``spikes.times``), or a field of an array of structs. Or they are counts: a
        dense or sparse matrix with one column (or row) per unit, whose longer axis is time, or an
        array of trials, each of which is an epoch.
    times, units : str, optional
        Variables or fields of structs with the time and the unit of each spike, such as
        ``"spikes.times"``. Without ``units``, ``times`` is a pattern such as ``"unit_*"`` of
        variables with the times of one unit each.
    variable : str, optional
        Which variable, ``"spikes"`` or ``"spikes.times"``; required if several may be meant.
    bin_width : float, optional
        Seconds per bin of a count matrix; the file's ``bin_width`` or ``dt`` by default.
    dims : str, optional
        Axes of an array of trials in their order, such as ``"units bins trials"``.
    time_unit, sampling_rate, units_in, threshold
        As for :func:`microcolumn.read`.

    Returns
    -------
    Session
        Other variables with one entry per unit, such as ``depth`` and ``layer``, are its columns.
        ``unit_ids`` or ``UID`` name the units; without them units are numbered from 1 as MATLAB
        counts: unit ``"1"`` is ``spikes{1}``. ``duration`` or rows of start and stop in
        ``epochs``, in the unit of spike times, or ``duration_s`` state when units were observed;
        ``depth_reference`` states what depths are measured from.
    """
    per_second = ticks_per_second(time_unit or "s", sampling_rate)
    with opened(path) as variables:
        if times is not None or units is not None:
            what = "times and units that are named"
            refuse(what, variable=variable, bin_width=bin_width, dims=dims)
            refuse(what, units_in=units_in, threshold=threshold)
            return mapped(variables, times, units, per_second)
        fields, chosen, notes = choose(variables, variable)
        if chosen.kind == "cell":
            what = f"{chosen}, which holds spike times"
            refuse(what, bin_width=bin_width, units_in=units_in, dims=dims, threshold=threshold)
            session = Session([], _trains(chosen, per_second))
        else:
            refuse(f"{chosen}, which holds spike counts", time_unit=time_unit)
            width, width_notes = _bin_width_of(fields, chosen, bin_width)
            notes += width_notes
            if len(chosen.shape) == 3:
                refuse(f"{chosen}, whose axes are stated by dims", units_in=units_in)
                session = _trials_session(path, chosen, width, dims, threshold)
            else:
                refuse(f"{chosen}, which has no axis of trials", dims=dims)
                shape, entries = chosen.shape, chosen.entries()
                session = matrix_session(
                    path, shape, entries, width, units_in, title=str(chosen), threshold=threshold
                )
        columns = _columns(fields, chosen, len(session.trains))
        of_file = None if dims else _epochs(fields, per_second)
        epochs = of_file or session.epochs
        reference = fields["depth_reference"].text() if "depth_reference" in fields else ""
    column = next((name for name in columns if name.lower() in _IDS), None)
    ids = range(1, len(session.trains) + 1) if column is None else columns.pop(column)
    return replace(
        session,
        ids=list(map(str, ids)),
        columns=columns,
        epochs=epochs,
        notes=(*notes, *session.notes),
        depth_reference=reference if reference in DEPTH_REFERENCES else None,
    )


def _bin_width_of(
    fields: Fields, variable: Variable, stated: float | None
) -> tuple[float, list[str]]:
    """Seconds per bin, stated by the caller or else by the file, and a note if they differ."""
    widths = (held for name, held in fields.items() if name.lower() in _BIN_WIDTHS)
    by_name = {str(held): held.numbers().tolist() for held in widths if set(held.shape) == {1}}
    where, [of_file] = next(((name, n) for name, n in by_name.items() if n), ("bin_width", [None]))
    if stated is not None:
        width = checked_width(float(stated))
        note = f"bins of {width:g} s as stated; {where} of the file: {of_file}"
        return width, [note] * (of_file not in (None, width))
    if of_file is not None:
        return checked_width(of_file, where), []
    if min(variable.shape) <= 1:
        remedy = advice("name a cell array of spike times or a matrix of counts with {variable}")
        raise BadFile(f"{variable} is one vector of numbers", remedy)
    problem = "a matrix of counts does not state its bins"
    raise BadFile(problem, advice("pass {bin_width} in seconds"))


def _trials_session(
    path: Path, variable: Variable, width: float, dims: str | None, threshold: float | None
) -> Session:
    """Session of counts with an axis of trials, which follow each other as epochs."""
    if dims is None:
        remedy = advice("state them with {dims}", dims="units bins trials")
        raise BadFile(f"the order of the axes of {variable} is not known", remedy)
    title = str(variable)
    matrix, starts = trials_in_time(variable.read(), dims, title)
    rows, columns = np.nonzero(matrix)
    entries = [(rows, columns, matrix[rows, columns])]
    session = matrix_session(
        path, matrix.shape, entries, width, "columns", title=title, threshold=threshold
    )
    edges = np.append(starts, len(matrix)) * width
    note = f"{title} holds {len(starts)} trials, which follow each other as epochs"
    epochs = Epochs(np.column_stack((edges[:-1], edges[1:])))
    return replace(session, epochs=epochs, notes=(*session.notes, note))


def _trains(variable: Variable, per_second: float) -> list[NDArray[np.float64]]:
    """Spike times of each cell in seconds."""
    if variable.is_empty:
        remedy = "check that spikes were sorted and exported, or name another with {variable}"
        raise BadFile(f"{variable} has no cells, thus no units", advice(remedy))
    if not variable.is_vector:
        problem = f"{variable} has several rows and columns of cells, perhaps trials"
        raise BadFile(problem, "save one vector of spike times per unit")
    trains = []
    for cell in variable.read():
        if not cell.is_series:
            raise BadFile(f"{cell} is not a vector of spike times", "save one per unit")
        trains.append(cell.numbers().astype(np.float64) / per_second)
    return trains


def _columns(fields: Fields, variable: Variable, n_units: int) -> dict[str, Sequence[Any]]:
    """Variables with one entry per unit."""
    entries = {
        name: entries_of(held, n_units)
        for name, held in fields.items()
        if held.name != variable.name and name.lower() not in _NO_COLUMNS
    }
    return {name: column for name, column in entries.items() if column is not None}


def entries_of(variable: Variable, n_units: int) -> list[Any] | None:
    """One text or number per unit, or None if the variable is something else."""
    if variable.kind == "char" and variable.shape[0] == n_units:
        rows: list[Any] = variable.read()
        return rows if len(rows) == n_units else [""] * n_units
    if not variable.is_vector or int(np.prod(variable.shape, dtype=object)) != n_units:
        return None
    if variable.kind in NUMERIC:
        values = variable.read()
        numbers = values.toarray() if isinstance(values, sparse.coo_array) else values
        # whole numbers without a decimal point
        return [int(x) if float(x).is_integer() else x for x in numbers.ravel().tolist()]
    if variable.kind != "cell":
        return None
    entries: list[Any] = []
    for cell in variable.read():
        one = [""] if cell.is_empty and cell.kind == "char" else entries_of(cell, 1)
        if one is None:
            return None
        entries.extend(one)
    return entries


def _epochs(fields: Fields, per_second: float) -> Epochs | None:
    """When units were observed, if the file states it."""
    by_name = {name.lower(): held for name, held in fields.items() if held.kind in NUMERIC}
    for name, scale in (("epochs", per_second), ("duration_s", 1.0), ("duration", per_second)):
        held = by_name.get(name)
        if held is None or held.shape[1:] != ((2,) if name == "epochs" else (1,)):
            continue
        seconds = np.asarray(held.read(), dtype=np.float64) / scale
        with within(f"{held} is not usable"):
            return Epochs(seconds if name == "epochs" else [[0.0, seconds.item()]])
    return None


def choose(variables: Sequence[Variable], name: str | None) -> tuple[Fields, Variable, list[str]]:
    """The variable with spikes, all variables and fields beside it by name, and notes."""
    by_name = {held.name: held for held in variables}
    if name is None:
        chosen = _likeliest(variables)
        notes = [f"spikes are those of variable {chosen}"]
    else:
        chosen, notes = _named(by_name, name), []
    top = by_name[chosen.name.partition(".")[0]]
    return {**by_name, **(top.read() if top.kind == "struct" else {})}, chosen, notes


def _named(by_name: Fields, name: str) -> Variable:
    top, _, field = name.partition(".")
    if top not in by_name:
        raise BadFile(f"there is no variable {name!r}", f"it holds {name_list(by_name.values())}")
    chosen = by_name[top]
    if chosen.kind == "struct":
        fields: Fields = chosen.read()
        variable = fields.get(field) if field else _field_with_times(fields)
        if variable is None:
            remedy = ("name one with ", Setting("variable"), f": {name_list(fields.values())}")
            raise BadFile(f"no field of {top} holds spikes under that name", remedy)
        chosen = variable
    if chosen.kind != "cell" and chosen.in_pieces is None:
        chosen.read()  # names complex numbers and what only MATLAB opens
        if chosen.kind not in {"sparse", *NUMERIC} or len(chosen.shape) not in (2, 3):
            problem = f"{chosen} is neither a cell array of spike times nor a matrix of counts"
            raise BadFile(problem, advice("name another with {variable}"))
    return chosen


def _likeliest(variables: Sequence[Variable]) -> Variable:
    """The only variable that may hold spikes; cells before matrices, usual names before others."""
    candidates = []
    for held in variables:
        if held.kind == "struct":
            field = _field_with_times(held.read())
            candidates += [] if field is None else [field]
        elif _may_hold_spikes(held):
            candidates.append(held)
    cells = [held for held in candidates if held.kind == "cell"]
    likely = [held for held in cells if _has_usual_name(held)] or cells
    if not likely:
        likely = [held for held in candidates if len(candidates) == 1 or _holds_counts(held)]
    if len(likely) == 1:
        return likely[0]
    raise _unclear(likely, variables)


def _unclear(likely: Sequence[Variable], variables: Sequence[Variable]) -> BadFile:
    """The refusal where several variables may hold spikes, or none does."""
    problem = "several variables may hold" if likely else "no variable holds"
    remedy = ("name one with ", Setting("variable"), f": {name_list(likely or variables)}")
    vectors = [] if likely else list(vectors_in(variables))
    if vectors:
        others = [held for held in variables if held not in vectors and held.kind != "struct"]
        names = [held.name for held in vectors]
        remedy = (*remedy[:2], ", or ", *offer(names, "variables", others + vectors))
    return BadFile(f"{problem} spikes as one vector per cell or as a matrix of counts", remedy)


def _holds_counts(variable: Variable) -> bool:
    entries = () if variable.kind == "sparse" else variable.entries()
    return all(are_counts(values).all() for *_, values in entries)


def _field_with_times(fields: Fields) -> Variable | None:
    by_name = {name.lower(): held for name, held in fields.items()}
    candidates = [by_name[name] for name in _TIMES if name in by_name]
    if candidates or not _are_of_array(fields):
        return next((held for held in candidates if _may_hold_spikes(held)), None)
    vectors = [held for held in fields.values() if _may_hold_spikes(held)]
    trains = [held for held in vectors if any(max(cell.shape) > 1 for cell in held.read())]
    return trains[0] if len(trains) == 1 else None


def _are_of_array(fields: Fields) -> bool:
    """Whether fields are those of an array of structs: cells, as many in each."""
    kinds = {(held.kind, held.shape) for held in fields.values()}
    return len(kinds) == 1 and next(iter(kinds))[0] == "cell"


def _has_usual_name(variable: Variable) -> bool:
    return variable.name.lower().rpartition(".")[2] in _TIMES


def _may_hold_spikes(variable: Variable) -> bool:
    if variable.is_empty:
        return variable.kind == "cell" and _has_usual_name(variable)
    if variable.kind == "cell":
        return variable.is_vector and all(cell.is_series for cell in variable.read())
    is_array = len(variable.shape) in (2, 3) and min(variable.shape) > 1
    return is_array and variable.name.lower() != "epochs" and variable.kind in {"sparse", *NUMERIC}


def mapped(
    variables: Sequence[Variable], times: str | None, units: str | None, per_second: float
) -> Session:
    """Session of named variables or fields with time and unit of each spike, or of a pattern."""
    by_name = {held.name: held for held in vectors_in(variables)}
    if units is None and times in by_name and by_name[times].kind == "cell":
        problem = f"{by_name[times]} may hold one vector of times per unit"
        raise BadFile(problem, advice("name it with {variable} instead", variable=times))
    arrays = Arrays(list(by_name), lambda name: _values(by_name[name]), ".", "variables")
    return mapped_session(arrays, times, units, per_second)


def vectors_in(variables: Sequence[Variable]) -> Iterator[Variable]:
    """Variables and fields that may hold one number or text per spike."""
    for held in variables:
        if held.kind == "struct":
            yield from vectors_in(list(held.read().values()))
        elif held.kind == "char" or held.is_series or (held.kind == "cell" and held.is_vector):
            yield held


def _values(variable: Variable) -> NDArray[Any]:
    """Numbers of a variable, or the text in each of its rows or cells."""
    if variable.kind in NUMERIC:
        return variable.numbers()
    if variable.kind == "char":
        return np.array(variable.read(), dtype=np.str_)
    texts = []
    for cell in variable.read():
        if cell.kind != "char" or cell.shape[0] > 1:
            remedy = advice("one vector of times per cell is read with {variable} alone")
            raise BadFile(f"{cell} is no text, so that {variable.name} does not name units", remedy)
        texts.append(cell.text())
    return np.array(texts, dtype=np.str_)

"""What comes in: the one check of binary matrices, of numbers and of seeds; distinct rows."""

import math
import operator
import re
import sys
from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .errors import BadArgument, BadInput, BadType

Bits = NDArray[np.uint8]
Floats = NDArray[np.float64]

Thing = TypeVar("Thing")

#: Names of an axis of units, in lower case.
_UNIT_AXES = ("unit", "units", "unit_id", "neuron", "neurons", "cell", "cells", "cluster")
#: From here on, columns of which there are more than rows are taken for bins.
_MANY_COLUMNS = 1000
#: Elements that any loop over chunks of rows handles at once, at most.
_MOST_ELEMENTS = 1 << 22
#: What to do with numbers of another type.
_BINARY = "words are binary: pass zeros and ones"
#: What spikes must become to be words, by the name of their type.
_UNBINNED = {
    "Recording": "words: recording.bin(0.020)",
    "IncompleteWords": "words without missing cells; fits and scores alone take others",
    "TsGroup": "words: mc.Recording.from_pynapple(group).bin(0.020)",
}
#: Letters of a value that an error shows as it is.
_LONGEST_SHOWN = 80


def chunks(n_rows: int, n_columns: int, n_elements: int = 1 << 20) -> list[slice]:
    """Slices of consecutive rows with about ``n_elements`` elements each, to bound memory."""
    step = max(1, min(n_elements, _MOST_ELEMENTS) // max(n_columns, 1))
    return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]


def check_binary(X: Any) -> Bits:
    """``X``, shape (n_bins, n_units), as a C-contiguous matrix of zeros and ones.

    It shares memory with an ``X`` of uint8 or bool in this layout. Every way into the package goes
    through here, so that bad input gets the same sentence everywhere: what is wrong, where, and
    what to do. The phrases that scikit-learn's own checks look for are part of the sentences.
    """
    if sparse.issparse(X):
        raise BadType("X", "is a sparse matrix", "words are dense: pass X.toarray()")
    for kind in {each.__name__ for each in type(X).__mro__} & _UNBINNED.keys():
        raise BadType("X", f"is {kind_of(X)}", f"pass {_UNBINNED[kind]}")
    check_unmasked("X", X)
    try:
        array = np.asarray(_bins_first(X))
    except ValueError as error:
        problem = f"cannot be read as a matrix ({_first_clause(error)})"
        raise BadArgument("X", problem, "pass rows of equal length, one per bin") from None
    if array.ndim == 0 and array.dtype.kind == "O" and array.item() is None:
        raise BadArgument("X", "is None", "pass a matrix of one row per bin, one column per unit")
    array = _numbers(array)
    _check_shape(array.shape)
    if array.dtype == np.bool_:
        return np.ascontiguousarray(array).view(np.uint8)
    if array.dtype == np.uint8 and array.max() <= 1:
        return np.ascontiguousarray(array)
    bits = np.empty(array.shape, dtype=np.uint8)
    for rows in chunks(*array.shape):
        part = array[rows]
        ones = part == 1
        good = ones | (part == 0)
        if not good.all():
            row, column = (int(i) for i in np.argwhere(~good)[0])
            value = _bad_value(part[row, column].item())
            raise BadArgument(f"X[{rows.start + row}, {column}]", f"is {value}")
        bits[rows] = ones
    return bits


def dense_bits(X: Any) -> Any:
    """A sparse matrix as a dense one; anything else as it is."""
    if not sparse.issparse(X):
        return X
    given: Any = X
    entries = given.tocoo()
    entries.sum_duplicates()
    if not np.isin(entries.data, (0, 1)).all():
        return entries.toarray()  # the check of dense matrices says which entry is wrong
    bits = np.zeros(entries.shape, dtype=np.uint8)
    bits[entries.row, entries.col] = entries.data
    return bits


def check_orientation(n_bins: int, n_units: int) -> None:
    """Refuse a matrix whose bins seem to be in columns, before its units are paired."""
    if n_units >= _MANY_COLUMNS and n_units > n_bins:
        problem = f"has {n_bins:,} rows and {n_units:,} columns, which looks transposed"
        remedy = "rows are bins: pass X.T, or Words.from_array(X, units=...) if it is meant"
        raise BadArgument("X", problem, remedy)


def check_unmasked(name: str, values: Any) -> None:
    """Refuse masked entries, which would count as if they were not masked."""
    if np.ma.is_masked(values):
        raise BadArgument(name, "has masked entries", "fill them or drop them first")


def _bins_first(X: Any) -> Any:
    """``X`` with its units in columns, where its axes have names as those of xarray do."""
    names: Any = getattr(X, "dims", ())
    return X.T if len(names) == 2 and str(names[0]).lower() in _UNIT_AXES else X


def _numbers(array: NDArray[Any]) -> NDArray[Any]:
    """The array with a real number type, or a sentence about its own type."""
    if array.dtype.kind == "O":
        try:
            return array.astype(np.float64)
        except (TypeError, ValueError) as error:
            problem = f"has dtype object and not all of it is a number ({error})"
            raise BadType("X", problem, _BINARY) from None
    if array.dtype.kind not in "biuf":
        problem = f"X has dtype {array.dtype}, which holds no numbers"
        if array.dtype.kind == "c":
            problem = f"Complex data not supported: X has dtype {array.dtype}"
        raise BadInput(problem, _BINARY)
    return array


def _check_shape(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        kind = f"{len(shape)}D array" if shape else "scalar array"
        problem = f"Expected 2D array, got {kind} instead (shape={shape})"
        remedy = "Reshape your data to bins by units: X.reshape(-1, n_units)"
        if len(shape) == 3:
            remedy = "name its axes: Words.from_array(X, dims='units bins trials')"
        raise BadInput(problem, remedy)
    for size, entry, name in zip(shape, ("sample", "feature"), ("bin", "unit"), strict=True):
        if size == 0:
            problem = f"(shape={shape}) while a minimum of 1 is required"
            raise BadInput(f"Found array with 0 {entry}(s) {problem}", f"pass at least one {name}")


def _bad_value(value: float) -> str:
    """Name a value that is neither 0 nor 1, and what to do about it."""
    if not math.isfinite(value):
        shown = "NaN" if math.isnan(value) else value
        return f"{shown}; words are binary: leave out or repair the bins that hold {shown} first"
    above = 0 if value == int(value) else 0.5
    return f"{value}; words are binary: binarise X first, for example (X > {above})"


def _first_clause(error: Exception) -> str:
    """What NumPy says up to its first full stop, to stand inside a sentence of ours."""
    return str(error).split(". ")[0].rstrip(".")


def described(value: Any) -> str:
    """A value as errors name it: as it is, or by its kind where that would take several lines.

    >>> described("text"), described(np.zeros((3, 8))), described(dict.fromkeys(range(100)))
    ("'text'", 'an array', 'a dict')
    """
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        return "a whole number beyond the range of floats"
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN and "\n" not in text else kind_of(value)


def kind_of(value: Any) -> str:
    """What kind of thing a value is, with its article: ``"a str"``, ``"an RBM"``, ``"None"``.

    >>> kind_of("text"), kind_of(None), kind_of(int), kind_of(np.zeros(2))
    ('a str', 'None', 'the class int', 'an array')
    """
    if value is None:
        return "None"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    kind = "array" if isinstance(value, np.ndarray) else type(value).__name__
    spoken_with_a_vowel = re.match(r"[AEIOaeio]|[FHLMNRSX](?=[A-Z0-9])", kind)  # an L1Choice
    return f"{'an' if spoken_with_a_vowel else 'a'} {kind}"


def expect(name: str, value: Any, kind: type[Thing], remedy: str) -> Thing:
    """What was given, if it is of this type."""
    if not isinstance(value, kind):
        raise BadType(name, f"is {kind_of(value)}", f"pass {remedy}")
    return value


def one_of(name: str, value: Any, options: Iterable[str]) -> str:
    """A text, if it is one of these."""
    listed = list(options)
    if isinstance(value, str) and value in listed:
        return value
    choices = ", ".join(map(repr, listed))
    raise BadArgument(name, f"is {described(value)}", f"choose one of {choices}")


def whole_number(name: str, value: Any, least: int | None = None) -> int:
    """``value`` as an int; truth values are refused, since a mask is not a list of positions."""
    try:
        number = None if isinstance(value, bool | np.bool_) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise BadType(name, f"is {described(value)}", "pass a whole number")
    if least is not None and number < least:
        raise BadArgument(name, f"is {number}", f"it must be at least {least}")
    return number


def proper_share(name: str, value: Any) -> float:
    """``value`` as a share of a whole that is neither nothing nor all of it."""
    share = real_number(name, value, "it must lie between 0 and 1")
    if not 0.0 < share < 1.0:
        raise BadArgument(name, f"is {share}", "it must lie between 0 and 1")
    return share


def real_number(name: str, value: Any, remedy: str) -> float:
    """``value`` as a float, infinite or NaN as it may be; strings and truth values are refused."""
    try:
        if not isinstance(value, bool | np.bool_):
            math.isfinite(value)
            return float(value)
    except (TypeError, OverflowError):
        pass
    raise BadType(name, f"is {described(value)}", remedy)


def positive_number(name: str, value: Any, remedy: str, *, above: float = 0.0) -> float:
    """``value`` as a finite float above 0, or above another number."""
    number = real_number(name, value, remedy)
    if not above < number < math.inf:
        raise BadArgument(name, f"is {value}", remedy)
    return number


def check_entries(name: str, values: NDArray[Any], good: NDArray[np.bool_], remedy: str) -> None:
    """Refuse the first entry of an array that is not good."""
    if not good.all():
        place = tuple(np.argwhere(~good)[0].tolist())
        raise BadArgument(f"{name}[{', '.join(map(str, place))}]", f"is {values[place]}", remedy)


def check_increasing(name: str, values: NDArray[Any], what: str) -> None:
    """Refuse a list in which an entry is not larger than the one before it."""
    wrong = np.flatnonzero(np.diff(values) <= 0)
    if wrong.size:
        n = int(wrong[0]) + 1
        raise BadArgument(f"{name}[{n}]", f"is {values[n]} after {values[n - 1]}", what)


def real_vector(name: str, values: Any, n: int, of: str) -> Floats:
    """A number for each of ``n`` units, bins or whatever ``of`` names."""
    vector = real_array(name, values, f"pass one number per {of}")
    if vector.shape != (n,):
        raise BadArgument(name, f"has shape {vector.shape} for {n} {of}s", f"pass one per {of}")
    return vector


def checked_weights(sample_weight: Any, n_bins: int) -> Floats:
    """A weight for each bin, shape (n_bins,); at least one of them is positive."""
    weights = real_vector("sample_weight", sample_weight, n_bins, "bin")
    good = (weights >= 0) & (weights < np.inf)
    check_entries("sample_weight", weights, good, "weights must be finite and not negative")
    if not weights.any():
        raise BadArgument("sample_weight", "is zero for every bin", "give some a positive weight")
    return weights


def real_array(name: str, values: Any, remedy: str) -> Floats:
    """A C-contiguous copy of ``values`` in double precision, of whatever shape they have."""
    check_unmasked(name, values)
    try:
        array = np.asarray(values)
        if array.dtype.kind != "c":
            return np.array(values, dtype=np.float64, order="C")
        reason = f"dtype {array.dtype}"
    except (TypeError, ValueError) as error:
        reason = _first_clause(error)
    raise BadArgument(name, f"cannot be read as real numbers ({reason})", remedy)


def is_finite_number(text: str) -> bool:
    """Whether a text reads as a number that is neither infinite nor NaN."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def listed(name: str, values: Any, remedy: str) -> list[Any]:
    """The entries of ``values``, which must be iterable."""
    try:
        entries: Iterable[Any] = iter(values)
    except TypeError:
        raise BadType(name, f"is {described(values)}", remedy) from None
    return list(entries)


def texts(name: str, values: Any, remedy: str) -> tuple[str, ...]:
    """The entries of ``values`` as text; bytes are read as UTF-8."""
    entries = listed(name, values, remedy)
    try:
        return tuple(e.decode() if isinstance(e, bytes) else str(e) for e in entries)
    except UnicodeDecodeError:
        raise BadArgument(name, "has bytes that are not UTF-8", "pass text") from None


def check_positions(name: str, values: Any, n: int, of: str = "unit") -> list[int]:
    """``values`` as a list of distinct positions from 0 to ``n - 1``, at least one of them."""
    asked = listed(name, values, "pass a list of positions")
    positions = [whole_number(f"{name}[{k}]", value) for k, value in enumerate(asked)]
    if not positions:
        raise BadArgument(name, "is empty", f"pick at least one {of}")
    seen: set[int] = set()
    for position in positions:
        if not 0 <= position < n:
            remedy = f"positions of {n} {of}s run from 0 to {n - 1}"
            raise BadArgument(name, f"names position {position}", remedy)
        if position in seen:
            raise BadArgument(name, f"names position {position} twice", f"pick each {of} once")
        seen.add(position)
    return positions


def random_generator(random_state: Any) -> np.random.Generator:
    """The generator that ``random_state`` seeds, or the one that it is."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        remedy = "pass a whole number that is not negative, a numpy.random.Generator or None"
        raise BadType("random_state", f"is {random_state!r}", remedy) from None

"""One codec for results: dataclasses, NumPy and NaN to JSON, rows and blobs, and back.

JSON has no NaN: a number that is not finite is null there and NaN again in a dataclass. The JSON
half needs the standard library alone, so that a store can be read at once.
"""

from __future__ import annotations

import dataclasses
import io
import json
import math
import types
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
#: Names that stores keep for fields that have another one by now.
_STORED = {"spurious_mass": "false_mass", "negative_units": "silenced", "dirichlet_gain": "lift"}
#: In a blob's JSON, stands in for an array by its number.
_ARRAY = "array"


def plain(value: Any, array: Callable[[Any], Any] | None = None) -> Any:
    """``value`` in the types of JSON, None for numbers not finite; ``array`` replaces arrays."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = row_of(value)
    if isinstance(value, Mapping):
        return {str(key): plain(entry, array) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry, array) for entry in value]
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy, which have no axes
        return array(value) if array and value.ndim else plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def row_of(value: Any, *left_out: str) -> dict[str, Any]:
    """Fields of a dataclass by name, as columns of a row."""
    names = [f.name for f in dataclasses.fields(value) if f.name not in left_out]
    return {_STORED.get(name, name): getattr(value, name) for name in names}


def renamed_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a store by the names that its fields have by now."""
    now = {old: name for name, old in _STORED.items()}
    return {now.get(name, name): value for name, value in row.items()}


def json_text(value: Any) -> str:
    """Content of a JSON column."""
    return json.dumps(plain(value), allow_nan=False)


def typed(kind: type[T], value: Any) -> T:
    """``value``, as :func:`plain` made it, as a dataclass again, without keys it does not have."""
    return _typed(kind, value)  # type: ignore[no-any-return]


def to_blob(value: Any) -> bytes:
    """A dataclass with arrays as a compressed NPZ file, bit for bit and the same every time."""
    import numpy as np

    arrays: list[Any] = []

    def numbered(array: Any) -> dict[str, int]:
        arrays.append(array)
        return {_ARRAY: len(arrays) - 1}

    text = json.dumps(plain(value, numbered), allow_nan=False)
    file = io.BytesIO()
    np.savez_compressed(file, *arrays, tree=np.frombuffer(text.encode(), dtype=np.uint8))
    return file.getvalue()


def from_blob(kind: type[T], data: bytes) -> T:
    """The dataclass that :func:`to_blob` wrote."""
    import numpy as np

    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    text = arrays.pop("tree").tobytes().decode()

    def with_array(entry: dict[str, Any]) -> Any:
        return arrays[f"arr_{entry[_ARRAY]}"] if list(entry) == [_ARRAY] else entry

    return typed(kind, json.loads(text, object_hook=with_array))


def _typed(kind: Any, value: Any) -> Any:
    origin = get_origin(kind) or kind
    if origin in _MAKERS:
        return _MAKERS[origin](get_args(kind), value)
    if not (dataclasses.is_dataclass(origin) and isinstance(origin, type)):
        return value
    known = [(name, _STORED.get(name, name), of) for name, of in _fields(origin).items()]
    return origin(**{name: _typed(of, value[old]) for name, old, of in known if old in value})


def _optional(kinds: tuple[Any, ...], value: Any) -> Any:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None if type(None) in kinds else math.nan
    return _typed(next(each for each in kinds if each is not type(None)), value)


def _tuple(kinds: tuple[Any, ...], values: Any) -> tuple[Any, ...]:
    entries = kinds[:1] * len(values) if kinds[-1] is Ellipsis else kinds
    return tuple(_typed(each, value) for each, value in zip(entries, values, strict=True))


def _mapping(kinds: tuple[Any, ...], value: Any) -> dict[Any, Any]:
    return {key: _typed(kinds[1], entry) for key, entry in value.items()}


#: What makes values of some types from their arguments and the types of JSON.
_MAKERS: dict[Any, Callable[[tuple[Any, ...], Any], Any]] = {
    float: lambda _, value: math.nan if value is None else value,
    bool: lambda _, value: bool(value),
    **dict.fromkeys((Union, types.UnionType), _optional),
    tuple: _tuple,
    **dict.fromkeys((dict, Mapping), _mapping),
}


@cache
def _fields(kind: type) -> dict[str, Any]:
    """Types of the fields of a dataclass by name; finding them takes longer than a row of them."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}

"""Models written to safetensors files, which :mod:`._files` reads."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import numpy as tensors
from sklearn.utils.validation import check_is_fitted

from ..atomic import atomic_write
from ..errors import BadFile
from ..words_info import WordsInfo

#: Arrays of a file, by name.
Arrays = dict[str, NDArray[Any]]

#: The one entry of a file's metadata. Several would be written in random order.
MARK = "microcolumn-model-1"
DIGEST = "sha256"
#: Names in files of what is a dataclass in a fit; its numbers and texts are kept.
RECORDS = {"certificate": "certificate_", "log_z": "_log_z"}


def to_bytes(model: Any) -> bytes:
    """Settings, parameters and training rates of a model as the content of a safetensors file.

    The same model always gives the same bytes. log Z is not part of them; see
    :meth:`PopulationModel.with_log_partition`.

    >>> mc.models.from_bytes(to_bytes(mc.Ising().fit([[0, 1], [1, 1], [0, 0]]))).b_.shape
    (2,)
    """
    check_is_fitted(model)
    arrays = model._arrays()
    if hasattr(model, "rates_"):
        arrays["rates"] = model.rates_
    header = {
        "model": type(model).__name__,
        "settings": _plain(model.get_params()),
        "fitted": {k: getattr(model, k) for k in model._fitted_numbers if hasattr(model, k)},
    }
    for name, attribute in RECORDS.items():
        if attribute in vars(model):  # without seconds the same fit gives the same file
            numbers = _plain(asdict(getattr(model, attribute)))
            header[name] = {k: v for k, v in numbers.items() if k != "seconds" and v is not None}
    if hasattr(model, "feature_names_in_"):
        header["feature_names"] = model.feature_names_in_.tolist()
    if model.words_info_ is not None:
        header["origin"] = _info_as_dict(model.words_info_)
    text = json.dumps(header | {DIGEST: digest_of(header, arrays)})
    return tensors.save(arrays, metadata={MARK: text})


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model to a file, all or nothing."""
    content = to_bytes(model)
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"the folder {target.parent} does not exist; make it first")
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; add a file name, like model.safetensors")
    with atomic_write(target) as file:
        file.write(content)


def digest_of(header: dict[str, Any], arrays: Arrays) -> str:
    """Fingerprint of all that a file holds: a flipped bit in a number would go unnoticed."""
    digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name, array in sorted(arrays.items()):
        digest.update(json.dumps([name, str(array.dtype), array.shape]).encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def checked_arrays(arrays: Arrays, layouts: Mapping[str, str], sizes: dict[str, int]) -> Arrays:
    """Arrays of a file by name, refused unless they are finite and have their types and shapes.

    A layout is a type and the axes, ``"float64 n n+1 2"``. A letter has one size in all arrays,
    which ``sizes`` knows or takes from the first of them.
    """
    checked: Arrays = {}
    for name, layout in layouts.items():
        array, (kind, *axes) = arrays[name], layout.split()
        check_sound(
            array.dtype == kind and bool(np.isfinite(array).all()),
            f"{name} has values that are not finite or not {kind}",
        )
        parts = [axis.partition("+") for axis in axes]
        for (letter, _, more), length in zip(parts, array.shape, strict=False):
            sizes.setdefault(letter, int(letter) if letter.isdecimal() else length - int(more or 0))
        wanted = tuple(sizes.get(letter, 0) + int(more or 0) for letter, _, more in parts)
        check_sound(array.shape == wanted, f"{name} has shape {array.shape} instead of {wanted}")
        checked[name] = array
    return checked


def check_sound(is_sound: bool | np.bool_, problem: str) -> None:
    """Refuse a file with a ``problem`` unless what it holds is sound."""
    if not is_sound:
        raise BadFile(problem)


def _info_as_dict(info: WordsInfo) -> dict[str, Any]:
    """Contents as JSON holds them, except the window, which is one of the fitted numbers."""
    about = {name: getattr(info, name) for name in ("bin_width", "start_s", "stop_s", "n_bins")}
    columns = ((each.name, getattr(info.units, each.name)) for each in fields(info.units))
    units = {name: np.asarray(v).tolist() for name, v in columns if v is not None}
    if "depth_um" in units:
        units["depth_um"] = [None if np.isnan(depth) else depth for depth in units["depth_um"]]
    return about | {"units": units}


def _plain(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings that JSON holds; a random generator object is not part of a model."""
    plain = {}
    for name, setting in settings.items():
        value = setting.item() if isinstance(setting, np.generic) else setting
        if value is None or isinstance(value, str | int | float | bool):
            plain[name] = value
    return plain

"""Models in safetensors files: arrays and plain text, nothing that could execute."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as to_bytes

from ..parameters import Parameters
from .base import PopulationModel
from .independent import Independent
from .ising import Ising
from .rbm import RBM
from .semi_rbm import SemiRBM

_FORMAT = "microcolumn-model-1"
_CLASSES: dict[str, type[PopulationModel]] = {
    cls.__name__: cls for cls in (Independent, Ising, RBM, SemiRBM)
}
_PARAMETERS = ("b", "J", "W", "c")
_FITTED_NUMBERS = ("objective_", "optimality_", "n_iter_")


def save(model: PopulationModel, path: str | os.PathLike[str]) -> None:
    """Write a model's settings, parameters and training rates, all or nothing."""
    theta = model.parameters_
    arrays = {name: getattr(theta, name) for name in _PARAMETERS}
    if hasattr(model, "rates_"):
        arrays |= {"rates": model.rates_, "kept_words": model._kept_words}
        arrays["frequent_words"], arrays["frequencies"] = model._frequent
    settings = {name: value for name, value in model.get_params().items() if _is_plain(value)}
    header = {
        "format": _FORMAT,
        "model": type(model).__name__,
        "settings": json.dumps(settings),
        "fitted": json.dumps({k: getattr(model, k) for k in _FITTED_NUMBERS if hasattr(model, k)}),
    }
    content = to_bytes({k: v for k, v in arrays.items() if v is not None}, metadata=header)
    target = Path(path)
    # A file under the final name is always whole: write beside it, then rename.
    scratch = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        scratch.write_bytes(content)
        scratch.replace(target)
    finally:
        scratch.unlink(missing_ok=True)


def load(path: str | os.PathLike[str]) -> PopulationModel:
    """Read a model written by its ``save`` method. Nothing in the file is ever executed.

    Parameters
    ----------
    path : path
        A safetensors file.

    Returns
    -------
    Independent, Ising, RBM or SemiRBM
        Ready to score and sample, as it was saved.
    """
    try:
        with safe_open(path, framework="numpy") as file:
            header = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise FileNotFoundError(f"{os.fspath(path)} does not exist; check the path") from None
    except (SafetensorError, OSError, TypeError, KeyError, ValueError) as error:
        raise _foreign(path, f"it cannot be read ({error})") from None
    if header.get("format") != _FORMAT:
        raise _foreign(path, "it does not carry the mark of this format")
    try:
        return _restore(header, arrays)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _foreign(path, f"its content is inconsistent ({error})") from None


def _restore(header: dict[str, str], arrays: dict[str, NDArray[Any]]) -> PopulationModel:
    cls = _CLASSES[header["model"]]
    theta = Parameters(**{name: arrays[name] for name in _PARAMETERS if name in arrays})
    model = cls.from_parameters(theta)
    model.set_params(**json.loads(header["settings"]))
    for name, value in json.loads(header["fitted"]).items():
        if name not in _FITTED_NUMBERS:
            raise ValueError(f"unknown entry {name!r}")
        setattr(model, name, value)
    if "rates" in arrays:
        n_frequent, n_kept = arrays["frequencies"].size, arrays["kept_words"].shape[0]
        model.rates_ = _checked(arrays, "rates", (theta.n_units,))
        model._kept_words = _checked(arrays, "kept_words", (n_kept, theta.n_units))
        model._frequent = (
            _checked(arrays, "frequent_words", (n_frequent, theta.n_units)),
            _checked(arrays, "frequencies", (n_frequent,)),
        )
    return model


def _checked(arrays: dict[str, NDArray[Any]], name: str, shape: tuple[int, ...]) -> NDArray[Any]:
    array = arrays[name]
    if array.shape != shape or not np.isfinite(array).all():
        raise ValueError(f"{name} has shape {array.shape} or values that do not fit the model")
    return array


def _is_plain(value: Any) -> bool:
    """Whether JSON holds the value; a random generator object is not part of a model."""
    return value is None or isinstance(value, str | int | float | bool)


def _foreign(path: str | os.PathLike[str], reason: str) -> ValueError:
    return ValueError(
        f"{os.fspath(path)} is not a microcolumn model: {reason}; "
        "pass a file written by the save method of a model"
    )

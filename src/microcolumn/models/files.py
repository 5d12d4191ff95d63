"""Models in safetensors files: arrays and plain text, nothing that could execute."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as to_bytes

from ..parameters import Parameters
from ..words import check_binary
from .base import PopulationModel
from .independent import Independent
from .ising import Ising
from .penalised import PenalisedModel
from .rbm import RBM
from .semi_rbm import SemiRBM

#: The one entry of a file's metadata. Several would be written in random order.
_MARK = "microcolumn-model-1"
_CLASSES: dict[str, type[PopulationModel]] = {
    cls.__name__: cls for cls in (Independent, Ising, RBM, SemiRBM)
}
_PARAMETERS = ("b", "J", "W", "c")
_FITTED_NUMBERS = ("objective_", "optimality_", "n_iter_")
_DIGEST = "sha256"


def save(model: PopulationModel, path: str | os.PathLike[str]) -> None:
    """Write a model's settings, parameters and training rates, all or nothing."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"the folder {target.parent} does not exist; make it first")
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; add a file name, like model.safetensors")
    arrays = {name: getattr(model.parameters_, name) for name in _PARAMETERS}
    if hasattr(model, "rates_"):
        arrays |= {"rates": model.rates_, "kept_words": model._kept_words}
        arrays["frequent_words"], arrays["frequencies"] = model._frequent
    arrays = {name: array for name, array in arrays.items() if array is not None}
    header = {
        "model": type(model).__name__,
        "settings": _plain(model.get_params()),
        "fitted": {k: getattr(model, k) for k in _FITTED_NUMBERS if hasattr(model, k)},
    }
    if hasattr(model, "feature_names_in_"):
        header["feature_names"] = model.feature_names_in_.tolist()
    text = json.dumps(header | {_DIGEST: _digest(header, arrays)})
    content = to_bytes(arrays, metadata={_MARK: text})
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
    if Path(path).is_dir():
        raise _foreign(path, "it is a folder")
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise FileNotFoundError(f"{os.fspath(path)} does not exist; check the path") from None
    except (SafetensorError, OSError, TypeError, KeyError, ValueError, AttributeError) as error:
        raise _foreign(path, f"it cannot be read ({error})") from None
    if _MARK not in metadata:
        raise _foreign(path, "it does not carry the mark of this format")
    try:
        header = json.loads(metadata[_MARK])
        is_verbatim = json.dumps(header) == metadata[_MARK]
        if header.pop(_DIGEST) != _digest(header, arrays) or not is_verbatim:
            raise ValueError("it was changed or damaged after it was written")
        return _restore(header, arrays)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise _foreign(path, f"its content is inconsistent ({error})") from None


def _digest(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> str:
    """Fingerprint of all that a file holds: a flipped bit in a number would go unnoticed."""
    digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name, array in sorted(arrays.items()):
        digest.update(json.dumps([name, str(array.dtype), array.shape]).encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _restore(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> PopulationModel:
    cls = _CLASSES[header["model"]]
    theta = Parameters(**{name: _floats(arrays, name) for name in _PARAMETERS if name in arrays})
    model = cls.from_parameters(theta)
    model.set_params(**header["settings"])
    if isinstance(model, PenalisedModel):
        model._check_settings([model.l1])
    for name, value in header["fitted"].items():
        if name not in _FITTED_NUMBERS or not isinstance(value, int | float):
            raise ValueError(f"{name!r} is {value!r}")
        setattr(model, name, value)
    if "feature_names" in header:
        names = np.array(header["feature_names"], dtype=object)
        model.feature_names_in_ = _shaped("feature_names", names, (theta.n_units,))
    if "rates" in arrays:
        frequencies, frequent, kept = (
            _floats(arrays, "frequencies"),
            check_binary(arrays["frequent_words"]),
            check_binary(arrays["kept_words"]),
        )
        model.rates_ = _shaped("rates", _floats(arrays, "rates"), (theta.n_units,))
        model._kept_words = _shaped("kept_words", kept, (kept.shape[0], theta.n_units))
        model._frequent = (
            _shaped("frequent_words", frequent, (frequent.shape[0], theta.n_units)),
            _shaped("frequencies", frequencies, (frequent.shape[0],)),
        )
    return model


def _floats(arrays: dict[str, NDArray[Any]], name: str) -> NDArray[np.float64]:
    array = arrays[name]
    if array.dtype != np.float64 or not np.isfinite(array).all():
        raise ValueError(f"{name} has values that are not finite or not {np.dtype(np.float64)}")
    return array


def _shaped(name: str, array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape} instead of {shape}")
    return array


def _plain(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings that JSON holds; a random generator object is not part of a model."""
    plain = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in settings.items()
    }
    return {
        name: value
        for name, value in plain.items()
        if value is None or isinstance(value, str | int | float | bool)
    }


def _foreign(path: str | os.PathLike[str], reason: str) -> ValueError:
    return ValueError(
        f"{os.fspath(path)} is not a microcolumn model: {reason}; "
        "pass a file written by the save method of a model"
    )

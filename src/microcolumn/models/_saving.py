"""Models written to safetensors files, which :mod:`._files` reads."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import numpy as tensors
from sklearn.utils.validation import check_is_fitted

from ..atomic import atomic_write
from ..errors import BadFile
from ..origin import Origin
from ..partition import LogPartition
from ..validation import Floats

#: Arrays of a file, by name.
Arrays = dict[str, NDArray[Any]]

#: The one entry of a file's metadata. Several would be written in random order.
MARK = "microcolumn-model-1"
DIGEST = "sha256"


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
    if "certificate_" in vars(model):
        found = asdict(model.certificate_)
        header["certificate"] = {name: v for name, v in found.items() if v is not None}
    if hasattr(model, "feature_names_in_"):
        header["feature_names"] = model.feature_names_in_.tolist()
    if model.origin_ is not None:
        header["origin"] = _origin_as_dict(model.origin_)
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


def floats(arrays: Arrays, name: str, shape: tuple[int, ...] | None = None) -> NDArray[np.float64]:
    """An array of a file, refused unless it has finite doubles and this shape, if it is known."""
    array = arrays[name]
    if array.dtype != np.float64 or not np.isfinite(array).all():
        raise BadFile(f"{name} has values that are not finite or not {np.dtype(np.float64)}")
    return array if shape is None else shaped(name, array, shape)


def shaped(name: str, array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """An array of a file, refused unless it has this shape."""
    if array.shape != shape:
        raise BadFile(f"{name} has shape {array.shape} instead of {shape}")
    return array


def _origin_as_dict(origin: Origin) -> dict[str, Any]:
    """Contents as JSON holds them, except the window, which is one of the fitted numbers."""
    units, depths = origin.units, None
    if units.depth_um is not None:
        depths = [None if np.isnan(depth) else depth for depth in units.depth_um.tolist()]
    return {
        "bin_width": origin.bin_width,
        "start_s": origin.start_s,
        "stop_s": origin.stop_s,
        "n_bins": origin.n_bins,
        "units": {
            "ids": units.ids,
            "depth_um": depths,
            "layer": units.layer,
            "depth_reference": units.depth_reference,
            "quality": units.quality,
            "multiunit": units.multiunit.tolist(),
            **{name: labels for name in ("area", "probe") if (labels := getattr(units, name))},
        },
    }


def _plain(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings that JSON holds; a random generator object is not part of a model."""
    plain = {}
    for name, setting in settings.items():
        value = setting.item() if isinstance(setting, np.generic) else setting
        if value is None or isinstance(value, str | int | float | bool):
            plain[name] = value
    return plain


def normaliser_array(log_z: LogPartition) -> Floats:
    """Value, error, cost and convergence, with what annealing says of itself.

    Seconds are left out, so that the same fit gives the same file.
    """
    numbers = [log_z.value, log_z.stderr, log_z.n_operations, float(log_z.converged)]
    annealed = [
        log_z.effective_sample_size,
        log_z.reverse,
        log_z.reverse_stderr,
        log_z.n_steps,
        log_z.lower_bound,
    ]
    if log_z.method == "ais":
        numbers += [0.0 if number is None else float(number) for number in annealed]
    return np.array(numbers)


def normaliser_of(arrays: Arrays) -> LogPartition:
    """Log Z of a file, or a ValueError that says what is wrong with it."""
    numbers = floats(arrays, "log_z").tolist()
    if len(numbers) not in (4, 9) or numbers[1] < 0.0 or numbers[3] not in (0.0, 1.0):
        raise BadFile(f"log_z is {numbers}")
    value, stderr, n_operations, converged, *annealed = numbers
    first = (n_operations, 0.0, bool(converged))
    if not annealed:
        return LogPartition(value, stderr, "exact", *first, side="visible")
    size, reverse, reverse_stderr, n_steps, lower_bound = annealed
    return LogPartition(
        value,
        stderr,
        "ais",
        *first,
        effective_sample_size=size,
        reverse=reverse,
        reverse_stderr=reverse_stderr,
        n_steps=int(n_steps),
        lower_bound=lower_bound,
    )

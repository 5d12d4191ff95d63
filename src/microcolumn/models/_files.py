"""Models read from safetensors files: arrays and plain text, nothing that could execute."""

import json
import math
import os
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, numpy as tensors, safe_open

from ..errors import BadFile, BadInput
from ..partition import LogPartition
from ..solvers import Certificate
from ..units import Units
from ..validation import expect, real_number, whole_number
from ..words import checked_bin_width
from ..words_info import WordsInfo
from ._base import PopulationModel
from ._saving import DIGEST, MARK, RECORDS, Arrays, check_sound, checked_arrays, digest_of
from ._words_estimator import WordsEstimator
from .penalised import PenalisedModel
from .spec import INDEPENDENT, MODELS, REMOVED, ModelSpec

#: Of the entries of a certificate and of log Z that are not floats.
_TYPES: dict[str, type] = {"converged": bool, "method": str, "side": str}
_TYPES |= dict.fromkeys(("n_moments", "n_rounds", "n_steps"), int)
#: What the safetensors library raises for content that is not in its format.
_UNREADABLE = (SafetensorError, OSError, TypeError, KeyError, ValueError, AttributeError)


def model_class(name: str) -> type[WordsEstimator]:
    """The class of models that has a name, such as ``"RBM"``.

    >>> model_class("RBM").__name__
    'RBM'
    """
    if name not in MODELS:
        raise BadInput(f"{name!r} is no model", f"choose one of {', '.join(MODELS)}")
    from .. import models  # where each name is imported when it is first used

    cls: type[WordsEstimator] = getattr(models, name)
    return cls


def model_named(name: str) -> WordsEstimator:
    """An unfitted model by its name in tables and studies, such as ``"RBM 25"``.

    Without a number, that of the hidden units is to be chosen.

    >>> model_named("RBM 25").n_hidden, model_named("RBM").n_hidden
    (25, 'auto')
    """
    spec = ModelSpec.of(name)
    cls = model_class(spec.model)
    if spec.is_alternative:
        return cls()
    settings: dict[str, Any] = {"n_hidden": spec.n_hidden} if spec.n_hidden else {}
    if hasattr(cls, "n_hidden"):
        settings = {"n_hidden": spec.n_hidden or "auto"}
    if spec.model != INDEPENDENT:
        settings |= {"objective": spec.objective}
    return cls(**settings)


def from_bytes(
    content: bytes, name: str = "this content", log_z: LogPartition | None = None
) -> WordsEstimator:
    """Read a model from what :func:`to_bytes` made. Nothing in it is ever executed.

    It is of the class that was written, as it was. Errors call the content by ``name``. A model of
    the paper's family takes over ``log_z``, that of its parameters; alternatives know their own.

    Examples
    --------
    >>> from_bytes(mc.models.to_bytes(mc.Ising().fit([[0, 1], [1, 1], [0, 0]]))).n_features_in_
    2
    """
    expect(name, content, bytes, "the bytes of a model")
    try:
        # The library hands out read-only views, and no metadata: they stand in the JSON text
        # behind the eight bytes of its length, which it has checked by then.
        arrays = {key: array.copy() for key, array in tensors.load(content).items()}
        length = int.from_bytes(content[:8], "little")
        metadata = json.loads(content[8 : 8 + length]).get("__metadata__", {})
    except _UNREADABLE as error:
        raise _foreign(name, f"it cannot be read ({error})") from None
    model = _model_of(metadata, arrays, name)
    if log_z is None or not isinstance(model, PopulationModel):
        return model
    return model.with_log_partition(log_z)


def load(path: str | os.PathLike[str]) -> WordsEstimator:
    """Read a model written by its ``save`` method. Nothing in the file is ever executed.

    Parameters
    ----------
    path : path
        A safetensors file.

    Returns
    -------
    WordsEstimator
        Of the class that was saved, ready to score and sample.

    Examples
    --------
    >>> mc.Ising().fit([[0, 1], [1, 1], [0, 0]]).save("ising.safetensors")
    >>> load("ising.safetensors").n_features_in_
    2
    """
    name = os.fsdecode(path)
    if Path(path).exists() and not Path(path).is_file():
        raise _foreign(name, "it is a folder" if Path(path).is_dir() else "it is no plain file")
    try:
        # Not through `from_bytes`: a foreign file of many gigabytes is mapped, not read.
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            marked = MARK in metadata
            arrays = {key: file.get_tensor(key) for key in (file.keys() if marked else ())}
    except FileNotFoundError:
        raise FileNotFoundError(f"{name} does not exist; check the path") from None
    except _UNREADABLE as error:
        raise _foreign(name, f"it cannot be read ({error})") from None
    return _model_of(metadata, arrays, name)


def _model_of(metadata: dict[str, str], arrays: Arrays, name: str) -> WordsEstimator:
    """The model that a file's parts describe, if all of them are as they were written."""
    if MARK not in metadata:
        raise _foreign(name, "it does not carry the mark of this format")
    try:
        header = json.loads(metadata[MARK])
        is_verbatim = json.dumps(header) == metadata[MARK]
        is_same = header.pop(DIGEST) == digest_of(header, arrays) and is_verbatim
        check_sound(is_same, "it was changed or damaged after it was written")
        if header["model"] not in REMOVED:
            return _restore(header, arrays)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise _foreign(name, f"its content is inconsistent ({error})") from None
    problem = f"the model {header['model']} {REMOVED[header['model']]}"
    raise _named(name, BadFile(problem, "open it with a version from before"))


def _restore(header: dict[str, Any], arrays: Arrays) -> WordsEstimator:
    cls = model_class(header["model"])
    inner = {name: from_bytes(arrays[name].tobytes()) for name in cls._inner_models}
    model = cls._from_arrays(arrays, header["settings"] | inner)
    n_bits = model.n_features_in_
    _restore_result(model, header)
    if hasattr(model, "window_"):
        window = whole_number("window_", model.window_, least=1)
        check_sound(n_bits % window == 0, f"words of {n_bits} bits do not span {window} bins")
    if hasattr(model, "n_words_"):
        whole_number("n_words_", model.n_words_, least=1)
    if "origin" in header:
        model.words_info_ = _words_info_of(header["origin"], model.window_, n_bits)
    if "feature_names" in header:
        model.feature_names_in_ = np.array(header["feature_names"], dtype=object)
        check_sound(model.feature_names_in_.shape == (n_bits,), "feature_names are not of all bits")
    if "rates" in arrays:
        [model.rates_] = checked_arrays(arrays, {"rates": "float64 n"}, {"n": n_bits}).values()
    return model


def _restore_result(model: WordsEstimator, header: dict[str, Any]) -> None:
    """What the fit said of itself."""
    if isinstance(model, PenalisedModel):
        model._check_settings([model.l1])
    for name, value in header["fitted"].items():
        known = name in model._fitted_numbers and isinstance(value, int | float)
        check_sound(known, f"{name!r} is {value!r}")
        setattr(model, name, value)
    for name, attribute in RECORDS.items():
        if name in header or name in model._required_records:
            setattr(model, attribute, _record(name, header[name]))


def _record(name: str, content: dict[str, Any]) -> Certificate | LogPartition:
    """How far the fit was from its optimum, or its log Z, as far as files keep it."""
    known = {each.name for each in fields(LogPartition if name == "log_z" else Certificate)}
    for entry, value in content.items():
        is_right = entry in known and type(value) is _TYPES.get(entry, float)
        is_right = is_right and (isinstance(value, str) or math.isfinite(value))
        check_sound(is_right, f"{entry!r} of its {name} is {value!r}")
    return LogPartition(seconds=0.0, **content) if name == "log_z" else Certificate(**content)


def _words_info_of(content: dict[str, Any], window: int, n_bits: int) -> WordsInfo:
    table = dict(content["units"])
    if table.get("depth_um") is not None:
        table["depth_um"] = [np.nan if depth is None else depth for depth in table["depth_um"]]
    units = Units(**table)
    all_named = len(units) * window == n_bits
    check_sound(all_named, f"it names {len(units)} units for {n_bits} bits of {window} bins")
    return WordsInfo(
        units=units,
        bin_width=checked_bin_width(content["bin_width"]),
        window=window,
        start_s=real_number("start_s", content["start_s"], "it must be seconds"),
        stop_s=real_number("stop_s", content["stop_s"], "it must be seconds"),
        n_bins=whole_number("n_bins", content["n_bins"]),
    )


def _foreign(name: str, reason: str) -> BadFile:
    """The error about a file that holds no model; ``name`` is that of the file."""
    problem = f"it is not a microcolumn model: {reason}"
    return _named(name, BadFile(problem, "pass a model as its save method writes it"))


def _named(name: str, error: BadFile) -> BadFile:
    error.path, error.places = name, (name,)
    return error

"""Models of how a recorded population of neurons works together.

>>> import microcolumn as mc
>>> words = mc.simulate.microcolumn(n_units=6, minutes=1, seed=0).bin(0.020)
>>> mc.Ising(l1=2e-3).fit(words).J_.shape
(6, 6)
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from . import conversions

if TYPE_CHECKING:
    from . import figures, io, objectives, plot, report, simulate, study, survey
    from .epochs import Epochs
    from .evaluate import (
        Comparison,
        Score,
        calibration,
        compare,
        conditional_gain,
        effective_interactions,
        excess_log_likelihood,
        layer_statistics,
        pattern_statistics,
        predict,
        roc,
        skill,
        synchrony,
    )
    from .io import read
    from .layers import LayerBoundaries
    from .models import RBM, Independent, Ising, SemiRBM, load
    from .parameters import Parameters
    from .partition import LogPartition, log_partition
    from .recording import Recording
    from .survey import correlograms, suggest_bin_width, summarise, suspect_units
    from .units import Units
    from .words import Words

__version__ = "0.1.0"

#: Public names and the module each lives in; imported on first use, so that importing is quick.
_HOMES = {
    "Comparison": "evaluate",
    "Epochs": "epochs",
    "Independent": "models",
    "Ising": "models",
    "LayerBoundaries": "layers",
    "LogPartition": "partition",
    "Parameters": "parameters",
    "RBM": "models",
    "Recording": "recording",
    "Score": "evaluate",
    "SemiRBM": "models",
    "Units": "units",
    "Words": "words",
    "calibration": "evaluate",
    "compare": "evaluate",
    "conditional_gain": "evaluate",
    "correlograms": "survey",
    "effective_interactions": "evaluate",
    "excess_log_likelihood": "evaluate",
    "layer_statistics": "evaluate",
    "load": "models",
    "log_partition": "partition",
    "pattern_statistics": "evaluate",
    "predict": "evaluate",
    "read": "io",
    "roc": "evaluate",
    "skill": "evaluate",
    "suggest_bin_width": "survey",
    "summarise": "survey",
    "suspect_units": "survey",
    "synchrony": "evaluate",
}
_ROOMS = ("figures", "io", "objectives", "plot", "report", "simulate", "study", "survey")

__all__ = [
    "RBM",
    "Comparison",
    "Epochs",
    "Independent",
    "Ising",
    "LayerBoundaries",
    "LogPartition",
    "Parameters",
    "Recording",
    "Score",
    "SemiRBM",
    "Units",
    "Words",
    "calibration",
    "compare",
    "conditional_gain",
    "correlograms",
    "effective_interactions",
    "excess_log_likelihood",
    "figures",
    "io",
    "layer_statistics",
    "load",
    "log_partition",
    "objectives",
    "pattern_statistics",
    "plot",
    "predict",
    "read",
    "report",
    "roc",
    "simulate",
    "skill",
    "study",
    "suggest_bin_width",
    "summarise",
    "survey",
    "suspect_units",
    "synchrony",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f".{name}", __name__)
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


def _conversions() -> ModuleType:
    """The room that makes recordings of other libraries' objects and saves them."""
    from . import io

    return io


conversions.register(_conversions)

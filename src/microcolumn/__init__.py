"""Models of how a recorded population of neurons works together.

>>> import microcolumn as mc
>>> words = mc.simulate.microcolumn(n_units=6, minutes=1, seed=0).bin(0.020)
>>> mc.Ising().fit(words).J_.shape
(6, 6)
"""

from importlib import import_module
from types import ModuleType
from typing import Any

from . import conversions, renamed

__version__ = "0.1.0"

_import, __dir__, __all__ = renamed.attach(
    __name__,
    __file__,
    {
        "excess_log_likelihood": "microcolumn.score",
        "choose": "microcolumn.tune",
        "choose_l1": "microcolumn.tune",
        "fit_best": "microcolumn.tune",
        "Universal": "microcolumn.models.DirichletProcess",
        "lift": "microcolumn.score(model, words, baseline=model.base_)",
    },
)
#: Subpackages whose names used to stand here.
_MOVED_TO = ("evaluate", "models", "survey", "partition")


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used; say where an old one is now."""
    if name not in __all__ and not name.startswith("_"):
        for place in _MOVED_TO:
            if name in import_module(f"{__name__}.{place}").__all__:
                raise AttributeError(f"microcolumn.{name} is microcolumn.{place}.{name} now")
    return _import(name)


def _conversions() -> ModuleType:
    """The subpackage that makes recordings of other libraries' objects and saves them."""
    from . import io

    return io


conversions.register(_conversions)

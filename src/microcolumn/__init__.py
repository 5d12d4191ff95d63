"""Models of how a recorded population of neurons works together.

>>> import microcolumn as mc
>>> words = mc.simulate.microcolumn(n_units=6, minutes=1, seed=0).bin(0.020)
>>> mc.Ising().fit(words).J_.shape
(6, 6)
"""

from types import ModuleType

import lazy_loader

from . import conversions

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

__version__ = "0.1.0"


def _conversions() -> ModuleType:
    """The subpackage that makes recordings of other libraries' objects and saves them."""
    from . import io

    return io


conversions.register(_conversions)

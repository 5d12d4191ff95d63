"""The hot loops, behind one interface: plain arrays in and out, and handles that nobody looks into.

No model, no estimator and no file is known in here.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

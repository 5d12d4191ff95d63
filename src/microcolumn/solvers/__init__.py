"""How objectives are minimised: L1 to exact zeros, starts, and paths of penalties."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""How penalised objectives are minimised: one search, its starts, and paths of L1 strengths."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

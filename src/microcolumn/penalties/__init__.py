"""How parameters are penalised: each penalty knows its value, its subgradient and its zeros."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

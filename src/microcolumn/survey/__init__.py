"""A first look at a recording: how wide to bin it, which units to check, where the layers are."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""What the parameters of a model mean for a word: terms of the energy, and hidden units."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

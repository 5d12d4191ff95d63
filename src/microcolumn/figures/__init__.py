"""Figures of a study, as in the paper: each takes results, returns a figure, and fits nothing.

``mc.figures.likelihood(results)`` returns a matplotlib figure with a caption; ``savefig`` writes
it as PDF, SVG or PNG. What else figures of a study take is told by :class:`Drawing`. Single plots
for notebooks are in :mod:`microcolumn.plot`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

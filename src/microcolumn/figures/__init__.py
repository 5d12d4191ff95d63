"""Figures of a study, as in the paper, drawn from its stored results alone.

``mc.figures.likelihood(results)`` returns a matplotlib figure with a caption; ``savefig`` writes
it as PDF, SVG or PNG. :class:`FigureFunction` lists the other parameters. Single plots for
notebooks are in :mod:`microcolumn.plot`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

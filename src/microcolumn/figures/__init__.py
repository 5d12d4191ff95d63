"""Figures of a study, as in the paper, drawn from its stored results alone.

``mc.figures.ranking(results)`` returns a matplotlib figure with a caption; ``savefig`` writes
it as PDF, SVG or PNG. :class:`FigureFunction` lists the other parameters. Single plots for
notebooks are in :mod:`microcolumn.plot`.
"""

from ..renamed import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__, {"likelihood": "ranking"})

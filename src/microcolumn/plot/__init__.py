"""Plots of models, words and scores, each on one pair of axes: ``mc.plot.couplings(model)``.

All take ``ax=``, draw there or into a new figure, and return the axes. In a figure of your own,
``plt.subplots(..., layout="constrained")`` leaves room for legends and colour bars. Figures of a
study, with captions, are in :mod:`microcolumn.figures`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

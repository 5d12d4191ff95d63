"""Plots of models, words and scores, each on one pair of axes: ``mc.plot.couplings(model)``.

All take ``ax=``, draw there or into a new figure, and return the axes. Whole figures of a study,
with captions, are in :mod:`microcolumn.figures`.
"""

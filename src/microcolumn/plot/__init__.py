"""Plots of models, words and scores, each on one pair of axes: ``mc.plot.couplings(model)``.

What is in the recording?
    ``raster``, ``probe``, ``rates``, ``correlations``, ``correlogram``
Which model is best?
    ``ranking``, ``forest``, ``gain_parts``, ``group_gain``, ``cumulative_gain``,
    ``gain_by_activity``, ``penalties``, ``windows``, ``window_gains``
What do the models say?
    ``couplings``, ``arcs``, ``hidden_units``, ``hidden_map``, ``modes``, ``patterns``, ``moments``,
    ``synchrony``, ``zipf``, ``heat_capacity``
Who fires together, when and in which layer?
    ``groups``, ``assembly``, ``activation``, ``layers``, ``basins``
Do two conditions differ?
    ``contrast``
Can spikes be predicted?
    ``prediction``, ``calibration``, ``gain``
Is the normaliser right?
    ``annealing``, ``annealing_error``

Where several models can be drawn, they are one model, a list, or a dict by name:
``mc.plot.patterns(models, words)``. All take ``ax=``, draw there or into a new figure, and return
the axes; all take ``title=``, and ``color=`` or ``cmap=``. In a figure of your own,
``plt.subplots(..., layout="constrained")`` leaves space for legends and colour bars. Figures of a
study, with captions, are in :mod:`microcolumn.figures`. The gallery, ``docs/gallery.md`` of the
repository, has a picture of each with its code.
"""

from ..renamed import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    __file__,
    {"scores": "ranking", "differences": "ranking", "pattern_ratios": "moments"}
    | {"roc": "calibration"},
)

"""What a fitted model says, and what it is worth on held-out words, by question.

Which model is best?
    ``tune``, ``compare``, ``score``, ``BlockSplit``, ``choose``, ``choose_l1``, ``choose_n_hidden``
Is it good enough?
    ``adequacy``, ``explainable``, ``pattern_statistics``, ``synchrony``
Who is coupled, and who fires together?
    ``intervals``, ``assemblies``, ``refits``, ``layer_statistics``, ``coupling_factors``,
    ``communities``, ``basins``, ``effective_interactions``
Do two conditions differ?
    ``contrast``
How much do words say, and what do correlations take from it?
    ``information``, ``heat_capacity``, ``population_coupling``
Can spikes be predicted?
    ``predict``, ``prediction_gain``, ``roc``, ``calibration``, ``conditional_gain``,
    ``sequence_gain``, ``beyond_stimulus``
"""

from ..renamed import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    __file__,
    {
        "lift": "microcolumn.score(model, words, baseline=model.base_)",
        "skill": "microcolumn.evaluate.prediction_gain",
    },
)

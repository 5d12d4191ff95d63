"""The hot loops, behind one interface: plain arrays in and out, and handles that nobody looks into.

A handle keeps words or chains as its implementation likes them; tables, padding, register widths
and threads stay behind it. No other subpackage imports ``kernels.cpu`` or ``kernels.simd``, so that
a second implementation needs new modules here and the choice between them below, and no change
elsewhere. No model, no estimator and no file is known in here.

=================== ===============================================================================
``ModelArrays``     b, J, W, c, v of a model, None for what it lacks: what all others take
``FlipSums``        flow or pseudolikelihood of weighted words, and its gradient (handle)
``GibbsChains``     chains of collapsed Gibbs sampling along inverse temperatures (handle)
``SparseWords``     log weights and moments of listed words (handle)
``ExactSums``       what exact sums over models of one size share (handle)
``exact_log_z``     log Z by a sum over all words
``exact_moments``   log Z and expectations, from one such sum
``exact_samples``   independent words
``TableArrays``     functions of a few units as tables over their patterns
``PotentialArrays`` potentials of scores of words
``table_chains``    the same chains for sums of functions of a few units
``potential_chains`` and for potentials of scores; both are ``SiteChains`` (handle)
``table_values``    values of such functions for words
``pattern_sums``    summed weight of the words with each pattern of their inputs
``flip_changes``    change of log p~ by flipping each of some bits of words
``newest_log_odds`` log odds of the newest bin of a window given its past
``newest_moments``  log weight and means of the newest bin given its past
=================== ===============================================================================
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""An energy is a sum of terms: log p~(x) = fields + pairs + hidden units + count + a further term.

A term is a class that holds its arrays. It knows what it adds to log p~ of words
(``log_weight``) and its slopes by its arrays, summed over words (``moments``). ``Parameters`` is
the sum of any of them, and all that sums over words, chains, annealing, searches and certificates
ask of it is

===================== =============================================================================
``drop_dead_units()`` without what adds nothing to the distribution, Gaussian units as couplings
``arrays``            b, J, W, c, v for kernels; ``term`` makes chains of its own
``moments``           slopes of log p~, summed over words
``Layout.of``         the same as one flat vector: ``pack``, ``unpack``, ``pack_gradient``
===================== =============================================================================

A further term is a further class, an entry in ``Parameters.terms``, and its place in ``Layout``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

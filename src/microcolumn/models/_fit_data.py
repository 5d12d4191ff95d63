"""What a fit by likelihood needs of data: words, words with missing cells, or moments alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import BadArgument
from ..incomplete import IncompleteWords
from ..objectives import pair_rates
from ..objectives.data_moments import MeanLogWeight
from ..objectives.incomplete_moments import IncompleteMoments, PairMoments
from ..units import Units
from ..validation import Floats, check_entries, real_array, real_vector
from ..words import Words
from ._dichotomized_gaussian import surrogate_of_moments
from ._words_estimator import floored_rates

#: Words that are drawn where only moments are known: chains start there, and search for modes.
_FEWEST_DRAWN, _MOST_DRAWN = 1000, 20_000
#: What rounding may take from pair rates.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class FitData:
    """Words, and what is known of the data beside them.

    Where the data are no complete words, ``words`` are some with about the same rates and pair
    rates: chains start there, and so do searches for parameters.
    """

    words: Words
    floored: Floats  # rates half a count away from never and always, (n_dims,)
    pairs: Floats  # share of the words in which two bits are active, (n_dims, n_dims)
    fixed: NDArray[np.bool_]  # bits that never change, (n_dims,)
    mean_log_weight: MeanLogWeight | None = None  # None: that of the words

    @classmethod
    def of(cls, words: Words) -> Self:
        """Of complete words."""
        # From the bits: rounding may leave the rate of an always active unit below 1.
        fixed = np.asarray(~words.X.any(axis=0) | words.X.all(axis=0))
        return cls(words, floored_rates(words), pair_rates(words), fixed)

    @classmethod
    def of_incomplete(cls, words: IncompleteWords) -> Self:
        """Of words with missing cells, which are summed over all that they may have been."""
        completions = words.completions()
        fixed = np.asarray(~words.X.any(axis=0) | (words.X | words.missing).all(axis=0))
        mean = IncompleteMoments(words, completions)
        pairs = pair_rates(completions.words)
        return cls(completions.words, floored_rates(words), pairs, fixed, mean)

    @classmethod
    def of_moments(
        cls, rates: Any, pairs: Any, n_words: int, bin_width: float, units: Units | None
    ) -> Self:
        """Of rates (n_units,) and pair rates (n_units, n_units) over ``n_words``."""
        p = real_vector("rates", rates, max(np.size(rates), 1), "unit")
        check_entries("rates", p, (p >= 0.0) & (p <= 1.0), "rates per bin lie between 0 and 1")
        both = _checked_pairs(pairs, p)
        floor = 0.5 / (n_words + 1)
        floored = np.clip(p, floor, 1.0 - floor)
        n_drawn = min(max(n_words, _FEWEST_DRAWN), _MOST_DRAWN)
        drawn = surrogate_of_moments(floored, both, n_words, n_drawn)
        table = Units.numbered(p.size) if units is None else units
        words = Words.from_array(drawn, bin_width, table)
        return cls(words, floored, both, (p == 0.0) | (p == 1.0), PairMoments(words, p, both))


def _checked_pairs(pairs: Any, rates: Floats) -> Floats:
    """Pair rates that rates allow, with rates on the diagonal."""
    both = real_array("pair_rates", pairs, "pass numbers")
    if both.shape != (rates.size, rates.size):
        problem = f"has shape {both.shape} for {rates.size} rates"
        raise BadArgument("pair_rates", problem, "pass a square matrix of all units")
    np.fill_diagonal(both, rates)
    lowest = np.maximum(np.add.outer(rates, rates) - 1.0, 0.0) - _ROUNDING
    highest = np.minimum.outer(rates, rates) + _ROUNDING
    np.fill_diagonal(lowest, 0.0)
    possible = (both >= lowest) & (both <= highest)
    remedy = "pass the share of words with both units, at most that with either of them"
    check_entries("pair_rates", both, possible, remedy)
    if not np.allclose(both, both.T, rtol=0.0, atol=_ROUNDING):
        raise BadArgument("pair_rates", "is not symmetric", "pass one rate for each pair")
    return np.clip(0.5 * (both + both.T), 0.0, highest - _ROUNDING)

"""Population tracking: units that follow the number of active ones (O'Donnell et al. 2017)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.sparse import csr_array
from scipy.special import expit, logit

from ..energy import log_symmetric, number_active
from ..kernels.loops.poisson_binomial import draw_given_total
from ..objectives.sparse_words import listed_words
from ..packing import active_bits, distinct_pasts
from ..validation import Bits, Floats, chunks
from ..words import Words
from ._alternative import AlternativeModel
from ._saving import check_sound
from ._settings import POSITIVE, setting
from ._words_estimator import Size, floored_rates, scaled_counts

#: Words that the prior counts for at each number of active units.
_PRIOR_PER_NUMBER = 0.01
#: Chances of numbers of active units that stay near memory.
_CACHED = 1 << 14
#: Strengths of the prior on units that are worth trying, in words.
_STRENGTHS = (3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0, 10000.0)


@dataclass(eq=False, repr=False)
class PopulationTracking(AlternativeModel):
    """How many units are active, and which ones then are (O'Donnell et al. 2017).

    p(x) = p(K) prod_i p_iK^x_i (1 - p_iK)^(1 - x_i) / a_K, where K is the number of active units
    of the word and a_K the probability that units with these chances have K active ones. p_iK, the
    share of the words with K active units in which unit i is active, has a Beta prior of
    ``strength`` words around independent units (docs/method.md, section 11).

    Parameters
    ----------
    strength : float
        Words that the prior on each p_iK counts for. :func:`microcolumn.evaluate.choose` finds the
        one that held-out words prefer.

    Attributes
    ----------
    active_distribution_ : ndarray, shape (n_units + 1,)
        p(K), the probability that K units are active.
    seen_ : ndarray of int64, shape (n_seen,)
        Numbers of active units that occur in the training words, without 0 and n_units.
    probabilities_ : ndarray, shape (n_seen, n_units)
        p_iK at each of them.

    Examples
    --------
    >>> model = PopulationTracking(strength=1.0).fit([[0, 0, 0], [0, 1, 1], [0, 1, 1], [1, 0, 0]])
    >>> model.active_distribution_.round(2).tolist()
    [0.25, 0.25, 0.5, 0.0]
    >>> model.probabilities_.sum(axis=1)
    array([1., 2.])
    """

    _kept_arrays: ClassVar[dict[str, str]] = {
        "active_distribution_": "float64 n+1",
        "seen_": "int64 s",
        "probabilities_": "float64 s n",
        "_unit_rates": "float64 n",
    }

    strength: float = setting(100.0, POSITIVE)

    def _size(self) -> Size:
        n, n_seen = self.n_features_in_, len(self.seen_)
        # Of p(K), and of each K that was seen the chances of all units but one.
        return Size(n + n_seen * (n - 1), text=f"{n_seen} numbers of active units")

    def grid(self, words: Words) -> tuple[dict[str, Any], ...]:
        """Strengths of the prior worth trying."""
        return tuple({"strength": strength} for strength in _STRENGTHS)

    def _log_odds(self, bits: NDArray[np.uint8], units: Sequence[int]) -> Floats:
        less, here, more = (self._log_probability(bits, change) for change in (-1, 0, 1))
        n_active = bits.sum(axis=1, dtype=np.int64)[:, None]
        # Without the spike of an active unit, or with one of a silent unit, the number is another.
        own, other = (self._rows[np.clip(n_active + by, 0, bits.shape[1])] for by in (-1, 1))
        if_active = (here - less)[:, None] + self._tables[own, units]
        if_silent = (more - here)[:, None] + self._tables[other, units]
        return np.where(bits[:, units], if_active, if_silent)

    def log_odds_given_past(self, words: Words) -> tuple[Floats, NDArray[np.int32]]:
        """As in :class:`AlternativeModel`; others are summed out by how many are active."""
        pasts, past = distinct_pasts(words.X, words.n_units)
        n_past, n_units = pasts.shape[1], words.n_units
        chances = expit(self._tables[:, n_past:])
        others = chances_without(chances)
        # Words of the newest bin weigh the product of their odds, not of their chances.
        log_silent = np.log1p(-chances).sum(axis=1)
        out, n_active = np.empty((len(pasts), n_units)), pasts.sum(axis=1, dtype=np.int64)
        for number in np.unique(n_active):
            rows = self._rows[number : number + n_units + 1]  # by active units of the newest bin
            active, silent = np.zeros((2, n_units + 1, n_units))
            for m, row in enumerate(rows):
                if m > 0:
                    active[m] = chances[row] * others[row, :, m - 1]
                if m < n_units:
                    silent[m] = (1.0 - chances[row]) * others[row, :, m]
            places = np.flatnonzero(n_active == number)
            log_w = pasts[places] @ self._tables[rows, :n_past].T
            log_w += self._offsets[number : number + n_units + 1] - log_silent[rows]
            weights = np.exp(log_w - log_w.max(axis=1, keepdims=True))
            out[places] = np.log(weights @ active) - np.log(weights @ silent)
        return out, past

    def _draw(self, n_samples: int, rng: np.random.Generator) -> NDArray[np.uint8]:
        """Independent words: first how many units are active, then which."""
        n_units = self.n_features_in_
        totals = rng.choice(n_units + 1, size=n_samples, p=self.active_distribution_)
        out = np.zeros((n_samples, n_units), dtype=np.uint8)
        for total in np.unique(totals):
            if total == 0:
                continue
            places = np.flatnonzero(totals == total)
            chances = self._chances(int(total))
            for part in chunks(len(places), n_units):
                drawn = np.empty((len(places[part]), n_units), dtype=np.uint8)
                draw_given_total(chances, int(total), rng.random(drawn.shape), drawn)
                out[places[part]] = drawn
        return out

    def _slopes(self, bits: NDArray[np.uint8]) -> Floats:
        """Of p(K), and of the units' log odds at each K that was seen."""
        n_active = bits.sum(axis=1, dtype=np.int64)[:, None]
        is_number = (n_active == np.arange(1, self.n_features_in_ + 1)).astype(np.float64)
        which = is_number[:, self.seen_ - 1, None] * bits[:, None]
        return np.hstack([is_number, which.reshape(len(bits), -1)])

    def _active_distribution(self) -> Floats:
        return self.active_distribution_

    def _fit(self, words: Words) -> None:
        n_units = words.n_dims
        counts, n_active = scaled_counts(words), words.X.sum(axis=1, dtype=np.int64)
        by_number = np.bincount(n_active, weights=counts, minlength=n_units + 1)
        inside = np.flatnonzero(by_number[1:-1]) + 1
        shape = n_units + 1, len(words)
        of_number = csr_array((counts, (n_active, np.arange(len(words)))), shape=shape)
        spikes = (of_number[inside] @ listed_words(words.X)).toarray()
        self._unit_rates = rates = floored_rates(words)
        prior = np.array([_tilted(logit(rates), int(k)) for k in inside]).reshape(spikes.shape)
        strength = float(self.strength)
        self.probabilities_ = (spikes + strength * prior) / (by_number[inside] + strength)[:, None]
        smoothed = by_number + _PRIOR_PER_NUMBER
        self.active_distribution_: Floats = smoothed / smoothed.sum()
        self.seen_ = inside
        self._set_tables()

    def _set_tables(self) -> None:
        """Bring chances into the form in which words are scored.

        Words with K active units have log probability offsets[K] plus the sum of the log odds
        tables[rows[K]] of these.
        """
        seen, probabilities, rates = self.seen_, self.probabilities_, self._unit_rates
        # Numbers never seen share one row: given K, multiplying all odds changes nothing.
        self._tables: Floats = np.concatenate([logit(probabilities), logit(rates)[None]])
        self._rows = np.full(len(rates) + 1, len(seen))
        self._rows[seen] = np.arange(len(seen))
        log_sums, log_a = log_symmetric(self._tables[-1]), log_chances(probabilities, seen)
        log_sums[seen] = log_a - np.log1p(-probabilities).sum(axis=1)
        self._offsets: Floats = np.log(self.active_distribution_) - log_sums

    def _chances(self, total: int) -> Floats:
        """Probabilities of single units of which, on average, ``total`` are active."""
        row, log_odds = self._rows[total], self._tables[-1]
        if row < len(self.seen_):
            chances: Floats = self.probabilities_[row]
            return chances
        # All units active is one word, whatever their chances.
        return self._unit_rates if total == self.n_features_in_ else _tilted(log_odds, total)

    def _log_probability(self, bits: Bits, change: int = 0) -> Floats:
        """Log probability of words as if there were so many more active units, shape (n_words,)."""
        n_active, active = active_bits(bits)
        number = np.clip(n_active + change, 0, bits.shape[1])
        word = np.repeat(np.arange(len(bits)), n_active)
        sums = np.bincount(word, self._tables[self._rows[number][word], active], len(bits))
        return self._offsets[number] + sums

    def _check_arrays(self) -> None:
        bounded = np.concatenate([[0], self.seen_, [self._unit_rates.size]])
        check_sound((np.diff(bounded) > 0).all(), "seen are not increasing numbers of active units")
        for values in (self._unit_rates, self.probabilities_):
            between = ((values > 0.0) & (values < 1.0)).all()
            check_sound(between, "unit_rates and probabilities are not all between 0 and 1")
        distribution = self.active_distribution_
        adds_up = (distribution > 0.0).all() and abs(distribution.sum() - 1.0) <= 1e-9
        check_sound(adds_up, "active_distribution is not a distribution")
        self._set_tables()


def _tilted(log_odds: Floats, total: int) -> Floats:
    """Chances with all odds multiplied by the number that makes them add up to ``total``.

    ``total`` lies between 0 and the number of units, which it does not reach.
    """
    low, high = -log_odds.max() - 40.0, -log_odds.min() + 40.0
    shift = brentq(lambda shift: expit(log_odds + shift).sum() - total, low, high, xtol=1e-14)
    return np.asarray(expit(log_odds + shift))


def log_chances(probabilities: Floats, totals: NDArray[np.int64]) -> Floats:
    """Log P(K of the units are active) from ``probabilities`` (n_rows, n_units), one K per row.

    Those of a row add up to about K, so that nothing underflows. Rows of small K come first.
    """
    out = np.empty(totals.size)
    for part in chunks(totals.size, int(totals.max(initial=0)), _CACHED):
        p, k = probabilities[part], totals[part]
        out[part] = np.log(number_active(p, 1.0 - p, int(k[-1]))[np.arange(k.size), k])
    return out


def chances_without(probabilities: Floats) -> Floats:
    """P(m of all units but unit i are active), shape (n_rows, n_units, n_units), i before m.

    Dividing a unit out of the distribution of all would cancel.
    """
    n_rows, n_units = probabilities.shape
    others = np.where(np.eye(n_units, dtype=bool), 0.0, probabilities[:, None])
    flat = others.reshape(-1, n_units)
    return number_active(flat, 1.0 - flat, n_units - 1).reshape(n_rows, n_units, n_units)

"""What trees and 2-trees share: each unit depends on at most two that come before it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from ..formatting import counted
from ..kernels.loops.ancestry import (
    fill_tables,
    log_odds_given_first,
    numbers_active,
    regressions,
)
from ..objectives import pair_counts
from ..objectives.sparse_words import listed_words
from ..packing import distinct_pasts
from ..parameters import Parameters
from ..validation import Bits, Floats, chunks
from ..words import Words
from ._alternative import AlternativeModel
from ._saving import check_sound
from ._settings import Number, setting
from ._words_estimator import Size, floored_rates

Places = NDArray[np.int64]

#: Information below which two units are independent and only rounding says otherwise, nats.
_NONE = 1e-12
#: Units up to which P(k units active) is summed, within a second.
_MOST_UNITS_COUNTED = 2_000
#: Shares of all edges that are worth trying.
_SHARES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


class Structure(NamedTuple):
    """Which unit depends on which, and by how much, before the number of edges is chosen."""

    order: Places  # units, parents before their children, (n_units,)
    parents: Places  # of each unit; -1 for none, (n_units, 2)
    # Mutual information of a unit and its first parent, and what the second one adds, nats.
    gains: Floats  # (n_units, 2)
    alone: Floats  # coefficient of the regression on the first parent, (n_units,)
    both: Floats  # coefficients of that on both, (n_units, 2)


@dataclass(eq=False, repr=False)
class Ancestral(AlternativeModel):
    """A model in which each unit depends on at most two units that come before it.

    Subclasses say how units are put in order and which ones each depends on. Everything else has
    a closed form: probabilities, entropy, samples, and the Ising model that it is.
    """

    _kept_arrays: ClassVar[dict[str, str]] = {
        "order_": "int64 n",
        "parents_": "int64 n 2",
        "slopes_": "float64 n 2",
        "_unit_rates": "float64 n",
        "edges_": "int64 e 2",
        "information_": "float64 e",
    }

    n_edges: int | None = setting(None, [Number(Integral, 0, None, closed="left"), None])

    @staticmethod
    @abstractmethod
    def _grow(pairs: Floats, n_words: float, order: Places, parents: Places, gains: Floats) -> None:
        """Fill in order, parents and gains of :class:`Structure` from the counts of pairs."""

    def _size(self) -> Size:
        n_edges, n_couplings = len(self.edges_), self._couplings.nnz // 2
        n_parameters = self.n_features_in_ + n_edges  # rates, and a coefficient for each edge
        return Size(n_parameters, n_couplings, n_couplings, text=counted(n_edges, "edge"))

    def grid(self, words: Words) -> tuple[dict[str, Any], ...]:
        """Numbers of edges worth trying: from a fiftieth of all to all."""
        most = self._most_edges(words.n_dims)
        numbers = sorted({round(share * most) for share in _SHARES})
        return tuple({"n_edges": number} for number in numbers)

    def fit_grid(self, words: Words, grid: Sequence[dict[str, Any]]) -> list[Self]:
        """Fit a copy at each of some settings; they share pairs, order and regressions."""
        models = self._copies(grid)
        structure, rates = self._structure(words), floored_rates(words)
        for model in models:
            model._take(structure, rates)
            model._set_words_info(words.n_dims, words)
        return models

    def as_parameters(self) -> Parameters:
        """Biases and couplings of the Ising model that this is; dense, so for up to 1,000 units."""
        check_is_fitted(self)
        # A pair contributes 2 J (docs/method.md, section 2).
        return Parameters(b=self.b_, J=0.5 * self._couplings.toarray())

    def _log_odds(self, bits: NDArray[np.uint8], units: Sequence[int]) -> Floats:
        out, own = np.empty((len(bits), len(units))), self._couplings[list(units)]
        for part in chunks(*bits.shape):
            out[part] = self.b_[list(units)] + (own @ bits[part].T).T
        return out

    def log_odds_given_past(self, words: Words) -> tuple[Floats, NDArray[np.int32]]:
        """As in :class:`AlternativeModel`; other units of the newest bin are summed out."""
        pasts, past = distinct_pasts(words.X, words.n_units)
        out = np.empty((len(pasts), words.n_units))
        log_odds_given_first(pasts, *self._conditionals, out)
        return out, past

    def _draw(self, n_samples: int, rng: np.random.Generator) -> NDArray[np.uint8]:
        """Independent words, each unit given its parents."""
        out = np.zeros((self.n_features_in_, n_samples), dtype=np.uint8)
        for unit in self.order_:
            logits = np.full(n_samples, self.biases_[unit])
            for parent, slope in zip(self.parents_[unit], self.slopes_[unit], strict=True):
                if slope:
                    logits += slope * out[parent]
            out[unit] = rng.random(n_samples) < expit(logits)
        return np.ascontiguousarray(out.T)

    def _slopes(self, bits: NDArray[np.uint8]) -> Floats:
        """Of biases, and of couplings of all pairs: each could have become an edge."""
        x = bits.astype(np.float64)
        i, j = np.triu_indices(self.n_features_in_, 1)
        return np.hstack([x, x[:, i] * x[:, j]])

    def _active_distribution(self) -> Floats | None:
        n_units = self.n_features_in_
        if n_units > _MOST_UNITS_COUNTED:
            return None
        out = np.empty(n_units + 1)
        numbers_active(*self._conditionals, out)
        return out

    def _fit(self, words: Words) -> None:
        self._take(self._structure(words), floored_rates(words))

    def _structure(self, words: Words) -> Structure:
        n_words = max(float(words.counts.sum()), float(words.n_bins))
        pairs = pair_counts(words)
        pairs *= n_words / float(words.counts.sum())
        n = len(pairs)
        order, parents, gains = np.empty(n, dtype=np.int64), np.full((n, 2), -1), np.zeros((n, 2))
        self._grow(pairs, n_words, order, parents, gains)
        alone, both = np.empty(n), np.empty((n, 2))
        regressions(pairs, n_words, parents, alone, both)
        return Structure(order, parents, gains, alone, both)

    def _take(self, structure: Structure, rates: Floats) -> None:
        """Keep the most informative edges, and give every unit its rate."""
        # A second parent is taken after the first one, whatever it says.
        gains = np.minimum.accumulate(structure.gains, axis=1)
        flat = np.where(structure.parents < 0, 0.0, gains).ravel()
        ranked = np.argsort(-flat, kind="stable")
        kept = ranked[flat[ranked] > _NONE][: self.n_edges]
        has = np.zeros(structure.parents.shape, dtype=bool)
        has.ravel()[kept] = True
        slopes = np.where(has[:, 1:], structure.both, 0.0)
        alone = has[:, 0] & ~has[:, 1]
        slopes[alone, 0] = structure.alone[alone]
        units, slots = np.divmod(kept, 2)
        self.edges_ = np.stack([units, structure.parents[units, slots]], axis=1)
        self.information_ = structure.gains[units, slots]
        self.order_, self.parents_, self.slopes_ = structure.order, structure.parents, slopes
        self._unit_rates = rates
        self._set_tables()

    def _set_tables(self) -> None:
        """Find all that follows from a structure with its coefficients and from the rates."""
        order, rates, n_units = self.order_, self._unit_rates, len(self.order_)
        lineage, coefficients = _completed(order, self.parents_, self.slopes_)
        # Two parents of each unit and of one that never fires, and coefficients for these.
        self._lineage, self._coefficients = lineage, coefficients
        self.biases_, tables = np.empty(n_units), np.empty((n_units + 1, 2, 2, 2))
        fill_tables(order, lineage, coefficients, rates, self.biases_, tables)
        # The same distribution as an Ising model: log p(x) = constant + sum of fields over active
        # units + sum of couplings over active pairs of a unit and its parent.
        fields, couplings = np.append(self.biases_, 0.0), np.vstack([coefficients, [0.0, 0.0]])
        first, second = lineage[:-1].T
        at = self.biases_ + np.array([[0, 0], [1, 0], [0, 1], [1, 1]]) @ coefficients.T
        silent, with_first, with_second, with_both = np.logaddexp(0.0, at)
        np.subtract.at(fields, first, with_first - silent)
        np.subtract.at(fields, second, with_second - silent)
        slot = (lineage[first, 0] != second).astype(np.int64)
        change = (with_both - with_second) - (with_first - silent)
        np.subtract.at(couplings, (first, slot), change)
        self.b_, of_parents = fields[:-1], couplings[:-1]  # the latter (n_units, 2)
        units, slots = np.nonzero(of_parents)
        places = units, lineage[units, slots]
        pairs = csr_array((of_parents[units, slots], places), shape=(n_units, n_units))
        self._couplings = csr_array(pairs + pairs.T)
        self._log_silence = -float(silent.sum())
        paired = float((of_parents * tables[:-1, :, 1, 1]).sum())
        self.entropy_ = -(self._log_silence + float(self.b_ @ rates) + paired)

    def _log_probability(self, bits: Bits) -> Floats:
        words = listed_words(bits)
        paired = (words @ self._couplings).multiply(words).sum(axis=1)
        log_p: Floats = self._log_silence + words @ self.b_ + 0.5 * paired
        return log_p

    @property
    def _conditionals(self) -> tuple[Places, Places, Floats, Floats]:
        """Each unit given its parents, as kernels take it."""
        return self.order_, self._lineage, self.biases_, self._coefficients

    @classmethod
    @abstractmethod
    def _most_edges(cls, n_units: int) -> int:
        """Edges of the largest model of so many units."""

    def _check_arrays(self) -> None:
        rates, edges, n_units = self._unit_rates, self.edges_, len(self.order_)
        between = ((rates > 0.0) & (rates < 1.0)).all()
        check_sound(between, "unit_rates are not all between 0 and 1")
        are_there = ((edges >= 0) & (edges < n_units)).all()
        check_sound(are_there, "edges name units that are not there")
        _check_ancestry(self.order_, self.parents_)
        have_parents = not self.slopes_[self.parents_ < 0].any()
        check_sound(have_parents, "slopes belong to parents that are not there")
        self._set_tables()


def _completed(order: Places, parents: Places, slopes: Floats) -> tuple[Places, Floats]:
    """Two parents for every unit, the second a parent of the first, and coefficients for them.

    Unit ``n_units``, which never fires, is the parent of those without. A unit with one parent has
    a parent of that one as its second, with a coefficient of 0.
    """
    n_units = len(order)
    place = np.full(n_units + 1, -1)
    place[order] = np.arange(n_units)
    lineage = np.where(parents < 0, n_units, parents)
    later_first = np.argsort(-place[lineage], axis=1, kind="stable")
    lineage = np.take_along_axis(lineage, later_first, axis=1)
    lineage = np.vstack([lineage, [n_units, n_units]])
    alone = lineage[:, 1] == n_units
    lineage[alone, 1] = lineage[lineage[alone, 0], 0]
    return lineage, np.take_along_axis(slopes, later_first, axis=1)


def _check_ancestry(order: Places, parents: Places) -> None:
    """Refuse an order that is none, parents after their children, and two without an edge."""
    n_units = len(order)
    each_once = np.array_equal(np.sort(order), np.arange(n_units))
    check_sound(each_once, "order does not name every unit once")
    place = np.empty(n_units + 1, dtype=np.int64)
    place[order], place[-1] = np.arange(n_units), -1
    are_there = ((parents >= -1) & (parents < n_units)).all()
    check_sound(are_there, "parents name units that are not there")
    before = (place[parents] < place[:-1, None]).all()
    check_sound(before, "parents do not come before their children")
    has_parent = (parents[order[1:], 0] >= 0).all()
    check_sound(has_parent, "units other than the first have no parent")
    first, second = parents[parents[:, 1] >= 0].T
    joined = (parents[first] == second[:, None]) | (parents[second] == first[:, None])
    check_sound(joined.any(axis=1).all(), "two parents of a unit have no edge")

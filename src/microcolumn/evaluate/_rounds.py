"""Rounds of two conditions: parts of time that have some of each, and what differs between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import BadArgument
from ..timeline import Places
from ..validation import Floats
from ..words import Words

#: Rounds at most: longer ones are more independent of each other, and enough for a p-value.
MOST_ROUNDS = 20
#: Visits to one condition, with visits to the other around them, that p < 0.05 takes.
FEWEST_VISITS = 6
#: Blocks of time of each condition where there are fewer visits.
N_BLOCKS = 10
#: All choices of signs are made for so many rounds, else so many random ones.
_MOST_EXACT, _N_RANDOM = 12, 4_999


@dataclass(frozen=True, slots=True, eq=False)
class Rounds:
    """Which part of which round each word is in, and what is compared in a round.

    Where the conditions alternate, a round is a visit to one of them, or several, and the halves of
    visits to the other before and after it. These are weighted so that what changes evenly over
    time cancels. Else the k-th block of one condition goes with the k-th of the other, which is
    right only where activity does not drift.
    """

    #: Of the words of either condition: round times the number of parts, plus part.
    cells: tuple[Places, Places]
    n_visits: int  # to the condition with fewer
    n_bins: Floats  # in each part of each round, (n_rounds, n_parts)
    weights: Floats  # of the parts in the first condition minus the second, (n_rounds, n_parts)
    alternate: bool

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return len(self.n_bins)

    @property
    def shares(self) -> Floats:
        """Weight of each round in means, (n_rounds,): by the variance of independent words."""
        weight = 1.0 / (self.weights**2 / self.n_bins).sum(axis=1)
        return np.asarray(weight / weight.sum())

    @property
    def own(self) -> NDArray[np.bool_]:
        """Which parts are of the first condition, which of the second, (2, n_rounds, n_parts)."""
        return np.stack((self.weights > 0.0, self.weights <= 0.0))

    def differences(self, values: Floats) -> Floats:
        """First condition minus the second, (n_rounds, n_columns), of (n_rounds, n_parts, ...).

        Exchanging the conditions turns the sign of a round's difference.
        """
        return np.asarray(np.einsum("rk,rkp->rp", self.weights, values))

    def mean(self, by_round: Floats) -> tuple[Floats, Floats]:
        """Mean of the columns over rounds and its squared standard error, (n_columns,) each."""
        mean = self.shares @ by_round
        squares = self.shares**2 @ (by_round - mean) ** 2
        return mean, squares * self.n_rounds / (self.n_rounds - 1)


def in_rounds(words: tuple[Words, Words]) -> tuple[tuple[Words, Words], Rounds]:
    """The words of both conditions that are in a round, and these rounds."""
    times = [each.clock.times_s(each.bins, each.bin_width) for each in words]
    is_second = np.repeat([0, 1], [each.size for each in times])
    visit = _visits(np.concatenate(times), is_second, words[0].bin_width)
    n_between = int(visit.max()) // 2  # visits with visits to the other condition on both sides
    alternate = n_between >= FEWEST_VISITS
    if alternate:
        n_rounds, n_parts = min(n_between, MOST_ROUNDS), 3
        place, part = _around(visit, n_between)
        cell = np.where(place < n_between, place * n_rounds // n_between * n_parts + part, -1)
    else:
        n_rounds, n_parts = N_BLOCKS, 2
        blocks = [np.arange(each.size) * N_BLOCKS // each.size for each in times]
        cell = np.concatenate(blocks) * n_parts + is_second
    size, kept = n_rounds * n_parts, cell >= 0
    n_bins = np.bincount(cell[kept], minlength=size).astype(np.float64)
    if not n_bins.all():
        problem = f"has {min(each.size for each in times):,} bins, too few for each visit"
        raise BadArgument("words_a or words_b", problem, f"pass {N_BLOCKS} bins or more of a visit")
    mean_s = np.bincount(cell[kept], np.concatenate(times)[kept], minlength=size) / n_bins
    weights = np.tile([1.0, -1.0], (n_rounds, 1))
    if alternate:
        before, middle, after = mean_s.reshape(n_rounds, n_parts).T
        share = (after - middle) / (after - before)
        weights = np.column_stack((share, -np.ones(n_rounds), 1.0 - share))
        if not is_second[visit == 1][0]:  # the first condition lies between
            weights = -weights
    places = np.split(np.where(kept, cell, -1), [times[0].size])
    bins = [np.flatnonzero(each >= 0) for each in places]
    cells, n_visits = (places[0][bins[0]], places[1][bins[1]]), int(visit.max() + 1) // 2
    rounds = Rounds(cells, n_visits, n_bins.reshape(weights.shape), weights, alternate)
    return (words[0]._take(bins[0]), words[1]._take(bins[1])), rounds


def _visits(times_s: Floats, is_second: Places, bin_width: float) -> Places:
    """Visit to either condition that each bin is in, numbered from 0 in time order."""
    order = np.argsort(times_s, kind="stable")
    changes = np.diff(is_second[order]) != 0
    if (changes & (np.diff(times_s[order]) < bin_width * (1.0 - 1e-6))).any():
        return is_second  # two recordings, each with a clock of its own
    visit = np.empty_like(is_second)
    visit[order] = np.append(0, np.cumsum(changes))
    return visit


def _around(visit: Places, n_between: int) -> tuple[Places, Places]:
    """Which visit between two others each bin goes with, and whether before, in or after it.

    The first half of a visit to the outer condition is after the one before it, the other half
    before the next one; ends go as a whole. A last visit without another after it is beyond all.
    """
    sizes = np.bincount(visit)
    order = np.argsort(visit, kind="stable")
    rank = np.empty_like(visit)
    rank[order] = np.arange(visit.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    is_later = (2 * rank >= sizes[visit]) | (visit == 0)
    is_later &= visit != 2 * n_between
    is_outer = visit % 2 == 0
    place = np.where(is_outer & ~is_later, visit // 2 - 1, visit // 2)
    return place, np.where(is_outer, np.where(is_later, 0, 2), 1)


def chance(products: Floats, random_state: np.random.Generator) -> float:
    """P that conditions exchanged within rounds agree so well over rounds, one-sided.

    ``products`` (n_rounds, n_rounds) are those of the differences of two rounds. Their sum over all
    pairs of rounds that are not neighbours is, for products in the metric of a model's information,
    in proportion to what the own model gains over the other one in rounds that it was not fitted
    to. Neighbours, which resemble each other, are left out as in cross-validation by blocks.
    """
    products = np.triu(products, 2)
    signs = _signs(len(products), random_state)
    sums = np.einsum("si,ij,sj->s", signs, products, signs, optimize=True)
    # Rounding must not separate equal sums.
    observed = float(products.sum() - 1e-9 * np.abs(products).sum())
    return float(np.mean(sums >= observed))


def _signs(n_rounds: int, random_state: np.random.Generator) -> Floats:
    """Choices of signs, one row each, the first all positive."""
    if n_rounds <= _MOST_EXACT:  # all signs turned give the same sum
        codes = np.arange(2 ** (n_rounds - 1))
        return np.asarray(1.0 - 2.0 * ((codes[:, None] >> np.arange(n_rounds)) & 1))
    drawn = random_state.choice([-1.0, 1.0], size=(_N_RANDOM + 1, n_rounds))
    drawn[0] = 1.0
    return np.asarray(drawn)

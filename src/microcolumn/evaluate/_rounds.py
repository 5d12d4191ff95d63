"""Rounds of two conditions: parts of time that have some of each, and what differs between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import BadArgument
from ..timeline import Places
from ..validation import Floats
from ..words import Words

#: Rounds at most: longer ones are more independent of each other, and enough for a p-value.
MOST_ROUNDS = 20
#: Visits to each condition that a p-value below 0.05 takes: 2 of 64 choices of signs.
FEWEST_VISITS = 6
#: Blocks of time of each condition where there are fewer visits.
N_BLOCKS = 10
#: All choices of signs are made for so many rounds, else so many random ones.
_MOST_EXACT, _N_RANDOM = 12, 4_999


@dataclass(frozen=True, slots=True, eq=False)
class Rounds:
    """Which round each bin of either condition is in.

    Where the conditions alternate, a round is one visit to each of them or several, and what
    changes evenly over the recording is told from a difference. Else the k-th block of one goes
    with the k-th of the other, which is right only where activity does not drift.
    """

    round_of_bin: tuple[Places, Places]  # of the words of either condition
    n_visits: int  # to the condition with fewer
    times_s: Floats  # mean time of each condition in each round, (n_rounds, 2)
    n_bins: Floats  # (n_rounds, 2)

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return len(self.n_bins)

    @property
    def alternate(self) -> bool:
        """Whether conditions alternate often enough to tell a difference from a drift."""
        return self.n_visits >= FEWEST_VISITS

    @property
    def shares(self) -> Floats:
        """Weight of each round, (n_rounds,): as certain as the smaller of its parts allows."""
        weight = 1.0 / (1.0 / self.n_bins).sum(axis=1)
        return np.asarray(weight / weight.sum())

    def differences(self, values: Floats) -> Floats:
        """First condition minus the second in each round, shape (n_rounds, n_columns).

        ``values`` has shape (n_rounds, 2, n_columns). Where conditions alternate, the line over
        time through the means of both conditions is taken out. Exchanging the conditions in a round
        leaves that line as it is, and turns the sign of the round's difference.
        """
        apart = values[:, 0] - values[:, 1]
        if not self.alternate:
            return np.asarray(apart)
        time = self.times_s.mean(axis=1)
        time = time - self.shares @ time
        weight = self.shares * time
        slope = weight @ values.mean(axis=1) / (weight @ time)
        return np.asarray(apart - np.outer(self.times_s[:, 0] - self.times_s[:, 1], slope))

    def mean(self, differences: Floats) -> tuple[Floats, Floats]:
        """Mean of the columns over rounds and its squared standard error, (n_columns,) each."""
        mean = self.shares @ differences
        squares = self.shares**2 @ (differences - mean) ** 2
        return mean, squares * self.n_rounds / (self.n_rounds - 1)


def in_rounds(words: tuple[Words, Words]) -> tuple[tuple[Words, Words], Rounds]:
    """The words of both conditions that are in a round, and these rounds."""
    times = [each.clock.times_s(each.bins, each.bin_width) for each in words]
    is_second = np.repeat([0, 1], [each.size for each in times])
    visit = _visits(np.concatenate(times), is_second, words[0].bin_width)
    n_visits = (int(visit.max()) + 1) // 2
    if n_visits >= FEWEST_VISITS:
        n_rounds = min(n_visits, MOST_ROUNDS)
        place = visit // 2 * n_rounds // n_visits  # the last visit may be without another
        parts = [np.where(visit // 2 < n_visits, place, -1)[is_second == k] for k in (0, 1)]
    else:
        parts = [np.arange(each.size) * N_BLOCKS // each.size for each in times]
        n_rounds = N_BLOCKS
    kept = [np.flatnonzero(part >= 0) for part in parts]
    first, second = (each._take(bins) for each, bins in zip(words, kept, strict=True))
    rounds = tuple(part[bins] for part, bins in zip(parts, kept, strict=True))
    n_bins = np.column_stack([np.bincount(part, minlength=n_rounds) for part in rounds])
    if not n_bins.all():
        problem = f"have {min(each.n_bins for each in words)} bins or fewer"
        raise BadArgument("words", problem, f"pass at least {n_rounds} of each condition")
    sums = [
        np.bincount(part, time[bins], minlength=n_rounds)
        for part, time, bins in zip(rounds, times, kept, strict=True)
    ]
    found = Rounds((rounds[0], rounds[1]), n_visits, np.column_stack(sums) / n_bins, n_bins)
    return (first, second), found


def _visits(times_s: Floats, is_second: Places, bin_width: float) -> Places:
    """Visit to either condition that each bin is in, numbered from 0 in time order."""
    order = np.argsort(times_s, kind="stable")
    changes = np.diff(is_second[order]) != 0
    if (changes & (np.diff(times_s[order]) < bin_width * (1.0 - 1e-6))).any():
        return is_second  # two recordings, each with a clock of its own
    visit = np.empty_like(is_second)
    visit[order] = np.append(0, np.cumsum(changes))
    return visit


def chance(products: Floats, random_state: np.random.Generator) -> float:
    """P that conditions exchanged within rounds agree so well over rounds, one-sided.

    ``products`` (n_rounds, n_rounds) are those of the differences of two rounds. Their sum over all
    pairs of different rounds is, for products in the metric of a model's information, twice what
    the own model gains over the other one in rounds that it was not fitted to, to second order.
    """
    products = products - np.diag(np.diagonal(products))
    signs = _signs(len(products), random_state)
    sums = np.einsum("si,ij,sj->s", signs, products, signs, optimize=True)
    observed = float(products.sum())
    # The first signs are the observed ones; rounding must not separate equal sums.
    return float(np.mean(sums >= observed - 1e-9 * np.abs(products).sum()))


def _signs(n_rounds: int, random_state: np.random.Generator) -> Floats:
    """Choices of signs, one row each, the first all positive."""
    if n_rounds <= _MOST_EXACT:  # all signs turned give the same sum
        codes = np.arange(2 ** (n_rounds - 1))
        return np.asarray(1.0 - 2.0 * ((codes[:, None] >> np.arange(n_rounds)) & 1))
    drawn = random_state.choice([-1.0, 1.0], size=(_N_RANDOM + 1, n_rounds))
    drawn[0] = 1.0
    return np.asarray(drawn)

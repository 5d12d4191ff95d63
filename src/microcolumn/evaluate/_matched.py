"""Couplings and groups of the same cells in two recordings, against permuted identities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import BadArgument, BadInput
from ..models import PopulationModel
from ..notebook import AsText
from ..tables import AsTable
from ..validation import Floats, expect, random_generator
from .estimates import Estimates, Intervals
from .recurrence import oriented_weights, recurrence
from .significance import p_text

#: Fewer cells have too few permutations to tell chance.
_FEWEST_CELLS = 5
_PERMUTATIONS = 999
#: Correlations that differ by less are ties, up to rounding.
_TIE = 1e-9


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MatchedCouplings(AsText, AsTable):
    """Couplings of the pairs of cells that two recordings share; rows are pairs.

    Parameters
    ----------
    cells : tuple of (str, str)
        Id of each cell in the first and in the second recording.
    unit, partner : tuple of str
        Cells of each pair that both recordings determine, by ids of the first.
    first, first_stderr, second, second_stderr : ndarray, shape (n_pairs,)
        Couplings in either recording and their errors, nats.
    q_value : ndarray, shape (n_pairs,)
        False discovery rate at which the two differ.
    correlation : float
        Of the couplings, pairs weighted by one over the variance of their difference.
    expected, p_value : float
        Mean correlation if identities are permuted, and the share of permutations with as large a
        one.
    """

    _columns = ("unit", "partner", "first", "first_stderr", "second", "second_stderr", "q_value")

    cells: tuple[tuple[str, str], ...]
    unit: tuple[str, ...]
    partner: tuple[str, ...]
    first: Floats
    first_stderr: Floats
    second: Floats
    second_stderr: Floats
    q_value: Floats
    correlation: float
    expected: float
    p_value: float

    def __str__(self) -> str:
        n_changed = int((self.q_value <= 0.05).sum())
        return (
            f"{len(self.cells)} cells are in both recordings; the couplings of "
            f"{self.first.size:,} pairs correlate by {self.correlation:.2f} ({self.expected:z.2f} "
            f"if identities are permuted, {p_text(self.p_value)}), and {n_changed:,} of them "
            "differ at a false discovery rate of 5 %"
        )


@dataclass(frozen=True, slots=True)
class MatchedGroup:
    """A hidden unit of one recording and that of another which is most like it; either ``"h3"``.

    ``similarity`` is the cosine of their weights to the cells of both, and ``p_value`` the share of
    permuted identities with as large a cosine with any hidden unit of the other. It ``recurs`` if
    the cosine is at least 0.71 and the p-value at most 0.05.
    """

    hidden: str
    hidden_again: str
    similarity: float
    p_value: float
    recurs: bool


def matched_couplings(
    first: Intervals,
    second: Intervals,
    match: Mapping[str, str] | None = None,
    *,
    random_state: int | np.random.Generator = 0,
) -> MatchedCouplings:
    """Compare the couplings of the same cells in two recordings: which stay, which change.

    A permutation gives the cells of the second recording to others of the first, with all their
    couplings: structure that does not depend on who is who stays. There are 999.

    Parameters
    ----------
    first, second : Intervals
        Of words of one bin (:func:`intervals`).
    match : mapping of str to str, optional
        Ids of cells in the second recording by those in the first, as
        :meth:`Units.matched <microcolumn.units.Units.matched>` and
        :func:`microcolumn.io.read_matches` give them. By default cells are units of the same id.

    Examples
    --------
    >>> halves = mc.simulate.microcolumn(n_units=8, minutes=10).bin().split(0.5)
    >>> found = matched_couplings(*(mc.evaluate.intervals(mc.Ising().fit(x), x) for x in halves))
    >>> len(found.cells), found.correlation > 0.8, found.p_value < 0.01
    (8, True, True)
    """
    for name, each in (("first", first), ("second", second)):
        expect(name, each, Intervals, "what mc.evaluate.intervals returns")
    mine, theirs = _cells(first.names, second.names, match)
    rows, columns = np.triu_indices(len(mine), 1)
    a, a_err = (each[rows, columns] for each in _matrices(first, mine))
    B, B_err = _matrices(second, theirs)
    observed = _correlation(a, a_err, B[rows, columns], B_err[rows, columns])
    if np.isnan(observed):
        raise BadInput("fewer than three pairs have a coupling in both", "record for longer")
    rng, permuted = random_generator(random_state), np.empty(_PERMUTATIONS)
    for k in range(_PERMUTATIONS):
        order = rng.permutation(len(mine))
        place = order[rows], order[columns]
        permuted[k] = _correlation(a, a_err, B[place], B_err[place])
    known = np.isfinite(a + B[rows, columns])
    rows, columns = rows[known], columns[known]
    a, a_err, b, b_err = a[known], a_err[known], B[rows, columns], B_err[rows, columns]
    return MatchedCouplings(
        tuple(zip(mine, theirs, strict=True)),
        tuple(mine[n] for n in rows),
        tuple(mine[n] for n in columns),
        *(a, a_err, b, b_err),
        q_value=Estimates.of(b - a, np.hypot(a_err, b_err), 0.95, np.inf).q_value,
        correlation=observed,
        expected=float(np.nanmean(permuted)),
        p_value=(1 + int((permuted >= observed - _TIE).sum())) / (1 + _PERMUTATIONS),
    )


def matched_groups(
    first: PopulationModel,
    second: PopulationModel,
    match: Mapping[str, str] | None = None,
    *,
    random_state: int | np.random.Generator = 0,
) -> tuple[MatchedGroup, ...]:
    """Find the groups of one recording among those of another, by the cells that both have.

    Hidden units with weights to such cells are paired one to one by the cosine of these weights,
    and tested as those of two fits are (docs/method.md, section 8).

    Parameters
    ----------
    first, second : PopulationModel
        Fitted models with hidden units, of words that name their units, with as many bins.
    match, random_state
        As for :func:`matched_couplings`.

    Examples
    --------
    >>> halves = mc.simulate.microcolumn(n_units=8, minutes=10).bin().split(0.5)
    >>> found = matched_groups(*(mc.RBM(3, random_state=0).fit(half) for half in halves))
    >>> [group.recurs for group in found]
    [True, True, True]
    """
    one, two = first.words_info_, second.words_info_
    if one is None or two is None or one.window != two.window:
        name = "first" if one is None else "second"
        problem = "names no units, or is of words of another number of bins"
        raise BadArgument(name, problem, "fit both on words of recordings, with one window")
    cells, kept = _cells(one.units.ids, two.units.ids, match), []
    for model, ids, own in zip((first, second), (one.units.ids, two.units.ids), cells, strict=True):
        places = [ids.index(cell) + len(ids) * k for k in range(one.window) for cell in own]
        W = oriented_weights(model.parameters_)[places]
        live = np.flatnonzero(np.any(W != 0.0, axis=0))
        kept.append((W[:, live], live))
    (W, live), (other, others) = kept
    again = recurrence(W, [other], len(cells[0]), random_generator(random_state))
    of_each = (again.similarity, again.p_value, again.recurs)
    found = zip(live, again.partner[0], *(each[0].tolist() for each in of_each), strict=True)
    return tuple(
        MatchedGroup(f"h{k}", f"h{others[j]}" if cosine > 0.0 else "", cosine, p, recurs)
        for k, j, cosine, p, recurs in found
    )


def _cells(
    first: Sequence[str], second: Sequence[str], match: Mapping[str, str] | None
) -> tuple[list[str], list[str]]:
    """Ids of the cells that both recordings have, in the first and in the second."""
    remedy = "pass ids of the second recording by those of the first"
    pairs = {n: n for n in first} if match is None else expect("match", match, Mapping, remedy)
    mine = [name for name in first if pairs.get(name) in set(second)]
    theirs = [pairs[name] for name in mine]
    if len(set(theirs)) < max(len(theirs), _FEWEST_CELLS):
        n = len(set(theirs))
        problem = f"pairs {len(mine)} cells of the first recording with {n} of the second"
        raise BadArgument("match", f"{problem}, and {_FEWEST_CELLS} are the fewest", remedy)
    return mine, theirs


def _matrices(found: Intervals, ids: Sequence[str]) -> list[Floats]:
    """Couplings and their errors as matrices (n_cells, n_cells), NaN where not known."""
    order = np.array([found.names.index(name) for name in ids])
    matrices = []
    for values in (found.couplings.estimate, found.couplings.stderr):
        whole = np.full((len(found.names), len(found.names)), np.nan)
        rows, columns = found.pairs.T
        whole[rows, columns] = whole[columns, rows] = values
        matrices.append(whole[np.ix_(order, order)])
    return matrices


def _correlation(a: Floats, a_err: Floats, b: Floats, b_err: Floats) -> float:
    """Correlation of what both determine, weighted by their errors; NaN of fewer than three."""
    known = np.isfinite(a + b)
    if known.sum() < 3:
        return float("nan")
    w, x, y = 1.0 / (a_err[known] ** 2 + b_err[known] ** 2), a[known], b[known]
    x, y = x - np.average(x, weights=w), y - np.average(y, weights=w)
    return float(np.sum(w * x * y) / np.sqrt(np.sum(w * x**2) * np.sum(w * y**2)))

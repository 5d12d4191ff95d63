"""Which model is better, by how much and how sure: scores of many splits compared in pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ._significance import (
    LEVEL,
    claimed_stderr,
    corrected_stderr,
    p_text,
    p_value,
    split_stderr,
    with_error,
)

#: Name of the firing-rate model, the zero of all scores.
INDEPENDENT = "Independent"
#: Bits/s; scores that are closer differ by rounding, which has a sign but no meaning.
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class SplitScore:
    """One model on the test part of one split.

    Parameters
    ----------
    split : int
        Number of the split.
    bits_per_second : float
        Excess log-likelihood over the firing rates; not finite where it could not be found.
    block_stderr : float
        Its standard error from blocks of the test part, bits/s.
    penalty : float
        The l1 that was chosen on the validation part; NaN for a model without.
    n_nonzero, n_couplings, n_live_hidden : int
        Parameters other than zero, pairs coupled, hidden units with a weight other than zero.
    normaliser : str
        How log Z was found.
    fit_converged, normaliser_converged : bool
        Whether the fit's certificate is within its tolerance, and log Z may be relied upon.
    """

    split: int
    bits_per_second: float
    block_stderr: float
    penalty: float = math.nan
    n_nonzero: int = 0
    n_couplings: int = 0
    n_live_hidden: int = 0
    normaliser: str = ""
    fit_converged: bool = True
    normaliser_converged: bool = True

    @property
    def converged(self) -> bool:
        """Whether the score may be relied upon."""
        return self.fit_converged and self.normaliser_converged


@dataclass(frozen=True, slots=True)
class ModelResult:
    """One model over all splits.

    Parameters
    ----------
    variant : str
        Name of the model, like ``"RBM 25"``.
    n_units : int
        Recorded units.
    bits_per_second, per_neuron : float
        Mean test score over splits, for the population and per recorded unit.
    split_stderr : float
        Standard deviation over splits over the root of their number (METHOD section 6), bits/s;
        NaN for one split.
    block_stderr : float
        Root mean square of the splits' block bootstrap errors, bits/s: what one test part says.
    n_nonzero, n_couplings, n_live_hidden : float
        Means over splits.
    converged : bool
        Whether all splits may be relied upon.
    splits : tuple of SplitScore
        By number; splits without a finite score are left out.
    """

    variant: str
    n_units: int
    bits_per_second: float
    per_neuron: float
    split_stderr: float
    block_stderr: float
    n_nonzero: float
    n_couplings: float
    n_live_hidden: float
    converged: bool
    splits: tuple[SplitScore, ...]

    @property
    def n_splits(self) -> int:
        """Splits that the means are over."""
        return len(self.splits)

    @property
    def penalties(self) -> tuple[float, ...]:
        """Chosen l1 of each split."""
        return tuple(score.penalty for score in self.splits)


@dataclass(frozen=True, slots=True)
class PairResult:
    """How much better the first of two models is than the second; printed, it is a sentence.

    Parameters
    ----------
    first, second : str
        Names of the models.
    bits_per_second : float
        Mean over splits of the score of the first minus that of the second.
    split_stderr, block_stderr : float
        As in :class:`ModelResult`, of the paired difference.
    corrected_stderr : float
        Standard error for splits that overlap, bits/s; NaN for one split.
    p_value : float
        Two-sided, not corrected over pairs: corrected resampled t-test, or for one or two splits a
        normal test with the larger of both errors. NaN where neither can be had.
    n_better, n_worse, n_splits : int
        Splits in which the first is better, is worse, and all that have both.
    """

    first: str
    second: str
    bits_per_second: float
    split_stderr: float
    block_stderr: float
    corrected_stderr: float
    p_value: float
    n_better: int
    n_worse: int
    n_splits: int

    @property
    def stderr(self) -> float:
        """The error that ``p_value`` is made from, bits/s."""
        return claimed_stderr(self.corrected_stderr, self.block_stderr, self.n_splits)

    @property
    def differs(self) -> bool:
        """Whether one of the two is better, at the 5 % level."""
        return self.p_value < LEVEL

    def __str__(self) -> str:
        by = f"{with_error(abs(self.bits_per_second), self.stderr)} bits/s"
        if self.n_better == self.n_worse == 0:
            return f"{self.first} and {self.second} are the same"
        ahead, behind, n_ahead = self.first, self.second, self.n_better
        if self.bits_per_second < 0.0:
            ahead, behind, n_ahead = behind, ahead, self.n_worse
        how = f"({n_ahead} of {self.n_splits} splits, {p_text(self.p_value)})"
        if self.differs:
            return f"{ahead} is better than {behind} by {by} {how}"
        return f"{ahead} and {behind} cannot be told apart: {by} {how}"


@dataclass(frozen=True, slots=True)
class StudyComparison:
    """All models of one recording, experiment and length of the window.

    Parameters
    ----------
    recording, experiment : str
        Their names.
    window, n_units : int
        Bins per word and recorded units.
    models : tuple of ModelResult
        Best first; firing rates are the zero and not among them.
    pairs : tuple of PairResult
        Every two models, and each against firing rates, the better one first.
    n_splits, n_planned : int
        Splits that are tested, and splits of the plan.
    """

    recording: str
    experiment: str
    window: int
    n_units: int
    models: tuple[ModelResult, ...]
    pairs: tuple[PairResult, ...]
    n_splits: int
    n_planned: int

    @property
    def best(self) -> ModelResult:
        """The model with the highest mean score."""
        return self.models[0]

    def pair(self, first: str, second: str) -> PairResult:
        """The comparison of two models by name, in either order."""
        for pair in self.pairs:
            if {pair.first, pair.second} == {first, second}:
                return pair if pair.first == first else _turned(pair)
        known = ", ".join([*(model.variant for model in self.models), INDEPENDENT])
        raise ValueError(f"there is no pair of {first!r} and {second!r}; choose two of {known}")

    def __str__(self) -> str:
        return "\n".join([self.answer, *(f"{pair}" for pair in self.pairs)])

    @property
    def answer(self) -> str:
        """Which model is best, by how much over the next and over firing rates, how sure."""
        best = self.best.variant
        # Pairs come in the order of the models, firing rates last.
        *over_others, over_rates = (pair for pair in self.pairs if pair.first == best)
        if not over_others or over_rates.bits_per_second <= 0.0:
            return f"{over_rates}."
        n_same = sum(pair.n_better == pair.n_worse == 0 for pair in over_others)
        said, rest = over_others[: n_same + 1], over_others[n_same + 1 :]
        said += [pair for pair in rest if pair.differs][: not said[-1].differs]
        gain = f"{with_error(over_rates.bits_per_second, over_rates.stderr)} bits/s"
        rates = f"{best} is {gain} above firing rates ({p_text(over_rates.p_value)})"
        return "; ".join([*map(str, said), rates, *self._doubts]) + "."

    @property
    def _doubts(self) -> list[str]:
        """Which scores may be too good, because annealing may have missed a part of log Z."""
        names = [
            model.variant
            for model in self.models
            if not all(score.normaliser_converged for score in model.splits)
        ]
        return [f"log Z of {' and '.join(names)} has not converged"] if names else []


def model_result(variant: str, scores: Sequence[SplitScore], n_units: int) -> ModelResult | None:
    """Summarise one model over its splits; None where no split has a finite score.

    Parameters
    ----------
    variant : str
        Name of the model.
    scores : sequence of SplitScore
        In any order.
    n_units : int
        Recorded units.

    Examples
    --------
    >>> result = model_result("Ising", [SplitScore(0, 9.0, 0.3), SplitScore(1, 11.0, 0.4)], 10)
    >>> result.bits_per_second, result.split_stderr, result.per_neuron
    (10.0, 1.0, 1.0)
    """
    finite = sorted((s for s in scores if math.isfinite(s.bits_per_second)), key=lambda s: s.split)
    if not finite:
        return None
    values = np.array([score.bits_per_second for score in finite])
    mean = float(values.mean())
    return ModelResult(
        variant=variant,
        n_units=n_units,
        bits_per_second=mean,
        per_neuron=mean / n_units,
        split_stderr=split_stderr(values),
        block_stderr=_rms([score.block_stderr for score in finite]),
        n_nonzero=float(np.mean([score.n_nonzero for score in finite])),
        n_couplings=float(np.mean([score.n_couplings for score in finite])),
        n_live_hidden=float(np.mean([score.n_live_hidden for score in finite])),
        converged=all(score.converged for score in finite),
        splits=tuple(finite),
    )


def pair_result(
    first: str,
    second: str,
    differences: Sequence[float],
    block_stderrs: Sequence[float],
    test_to_train: float,
) -> PairResult | None:
    """Compare two models by their paired differences; None where no split has a finite one.

    Parameters
    ----------
    first, second : str
        Names of the models.
    differences, block_stderrs : sequence of float, length n_splits
        Score of the first minus that of the second on each split, and its block error, bits/s.
    test_to_train : float
        Words of the test part over words that fit and choice of the penalty have seen.

    Examples
    --------
    >>> print(pair_result("RBM 25", "Ising", [2.1, 1.9, 2.0], [0.1, 0.1, 0.1], 1.0))
    RBM 25 is better than Ising by 2.00 ± 0.12 bits/s (3 of 3 splits, p = 0.0033)
    """
    given = np.array([differences, block_stderrs], dtype=np.float64)
    values, errors = given[:, np.isfinite(given[0])]
    if not values.size:
        return None
    values[np.abs(values) < _SAME] = 0.0
    mean, plain, block = float(values.mean()), split_stderr(values), _rms(errors)
    corrected = corrected_stderr(values, test_to_train)
    return PairResult(
        first=first,
        second=second,
        bits_per_second=mean,
        split_stderr=plain,
        block_stderr=block,
        corrected_stderr=corrected,
        p_value=p_value(mean, claimed_stderr(corrected, block, values.size), values.size),
        n_better=int((values > 0.0).sum()),
        n_worse=int((values < 0.0).sum()),
        n_splits=int(values.size),
    )


def compare_splits(
    scores: Mapping[str, Sequence[SplitScore]],
    differences: Mapping[tuple[str, str], Mapping[int, tuple[float, float]]],
    n_units: int,
    test_to_train: float,
) -> tuple[tuple[ModelResult, ...], tuple[PairResult, ...]]:
    """Models best first, and every pair of them with the better one first.

    Parameters
    ----------
    scores : mapping of str to sequence of SplitScore
        By name of the model; firing rates may be among them.
    differences : mapping of (str, str) to mapping of int to (float, float)
        First minus second, and its block error, by split; each pair in either order. Pairs with
        firing rates may be missing: those differences are the scores.
    n_units : int
        Recorded units.
    test_to_train : float
        See :func:`pair_result`.
    """
    results = [
        model_result(name, rows, n_units) for name, rows in scores.items() if name != INDEPENDENT
    ]
    models = sorted(
        (result for result in results if result is not None),
        key=lambda result: (-result.bits_per_second, result.variant),
    )
    by_pair = dict(differences)
    for (first, second), by_split in differences.items():
        by_pair[second, first] = {split: (-d, error) for split, (d, error) in by_split.items()}
    for model in models:
        rates = {s.split: (s.bits_per_second, s.block_stderr) for s in model.splits}
        by_pair.setdefault((model.variant, INDEPENDENT), rates)
    names = [*(model.variant for model in models), INDEPENDENT]
    pairs = []
    for pair in combinations(names, 2):
        by_split = by_pair.get(pair, {})
        values, errors = [d for d, _ in by_split.values()], [e for _, e in by_split.values()]
        found = pair_result(*pair, values, errors, test_to_train)
        if found is not None:
            pairs.append(found)
    return tuple(models), tuple(pairs)


def _rms(errors: Sequence[float] | np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    return math.sqrt(float(np.mean(np.square(errors))))


def _turned(pair: PairResult) -> PairResult:
    """The same pair, the other one first."""
    return replace(
        pair,
        first=pair.second,
        second=pair.first,
        bits_per_second=-pair.bits_per_second,
        n_better=pair.n_worse,
        n_worse=pair.n_better,
    )

"""Two models compared by their differences on the same test parts, and what may be said of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from ..models.spec import INDEPENDENT
from ..notebook import AsText
from ..validation import Floats
from ._model_score import ModelScore, SplitScore
from .significance import LEVEL, Estimate, p_text, p_value, with_error
from .time_errors import MeanOverTime, mean_over_splits, trend_p_value

#: Bits/s; scores that are closer differ by rounding and by where fits ended: no model is better.
_SAME = 1e-3
#: Models are equal if they differ by less than this share of the best model's gain over
#: independent units: a difference that nobody would choose a model for.
EQUAL_MARGIN = 0.02


@dataclass(frozen=True, slots=True, repr=False)
class PairedDifference(AsText):
    """How much better the first of two models is than the second; printed, it is a sentence.

    Parameters
    ----------
    first, second : str
        Names of the models.
    bits_per_second : float
        Mean over splits of the score of the first minus that of the second.
    stderr, df : float
        Its standard error, bits/s, and the error's degrees of freedom (docs/method.md, section 6):
        what both models find hard to predict cancels.
    n_better, n_worse, n_splits : int
        Splits in which the first is better, is worse, and all that have both.
    n_tests : int
        Tests that p-value and interval allow for: more than one of a planned contrast
        (:mod:`.contrasts`), 1 of any other pair.
    margin : float
        Bits/s within which two models count as equal, 2 % of the best model's gain over
        independent units; NaN outside of a comparison.
    """

    first: str
    second: str
    bits_per_second: float
    stderr: float
    df: float
    n_better: int
    n_worse: int
    n_splits: int
    n_tests: int = 1
    margin: float = math.nan

    @property
    def p_value(self) -> float:
        """Two-sided, corrected for ``n_tests`` (Bonferroni); NaN without an error."""
        p = p_value(self.bits_per_second, self.stderr, self.df)
        return p if math.isnan(p) else min(1.0, self.n_tests * p)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the difference, bits/s; NaN without an error."""
        tail = 1.0 - LEVEL / (2.0 * self.n_tests)
        half = float(special.stdtrit(self.df, tail)) * self.stderr
        return self.bits_per_second - half, self.bits_per_second + half

    @property
    def same(self) -> bool:
        """Whether neither is better in any split."""
        return self.n_better == self.n_worse == 0

    @property
    def verdict(self) -> str:
        """``"same"``, ``"better"``, ``"equal"`` or ``"undecided"``.

        One model is better if the 95 % interval excludes zero; both are equal if it lies within the
        margin. In between nothing is said.
        """
        if self.same:
            return "same"
        if self.p_value < LEVEL:
            return "better"
        low, high = self.interval
        return "equal" if -self.margin < low and high < self.margin else "undecided"

    @property
    def differs(self) -> bool:
        """Whether one of the two is better."""
        return self.verdict == "better"

    def reversed(self) -> PairedDifference:
        """The same pair with the other model first."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            bits_per_second=-self.bits_per_second,
            n_better=self.n_worse,
            n_worse=self.n_better,
        )

    def sentence(self, relative: str = "") -> str:
        """The verdict with its numbers; ``relative`` is the difference once more, in per cent."""
        pair = self.reversed() if self.bits_per_second < 0.0 else self
        first, second = _display(pair.first), _display(pair.second)
        by = f"{with_error(pair.bits_per_second, self.stderr)} bits/s"
        by += f" ({relative})" if relative else ""
        match self.verdict if self.same or self.n_tests > 1 else "":
            case "":  # an estimate, not a planned contrast
                low, high = pair.interval
                return f"{first} minus {second}: {by}, 95 % interval {low:.2f} to {high:.2f}"
            case "same":
                return f"{first} and {second} are the same"
            case "better":
                verb = "are" if pair.first == INDEPENDENT else "is"
                return f"{first} {verb} better than {second} by {by}, {p_text(self.p_value)}"
            case "equal":
                return (
                    f"{first} and {second} perform equally well: they differ by {by}, and the 95 % "
                    f"interval lies within ±{self.margin:.2g} bits/s, {EQUAL_MARGIN:.0%} of the "
                    "best model's gain over independent units"
                )
        return (
            f"{first} minus {second}: {by}, {p_text(self.p_value)}; too uncertain to say which is "
            "better"
        )

    def __str__(self) -> str:
        return self.sentence()


def _display(name: str) -> str:
    return "independent units" if name == INDEPENDENT else name


@dataclass(frozen=True, slots=True)
class Cells:
    """What a model gained over independent units in each cell of time, on the splits' test parts.

    Sums and differences of it, and multiples, are those of scores; see :mod:`.time_errors`.
    """

    # Bits/s that each cell adds to a split's score, and its share of the split's test words,
    # (n_splits, n_cells).
    gains: Floats
    shares: Floats
    variance: Floats  # of the normalisers, (bits/s)**2, (n_splits,)

    @classmethod
    def of(cls, scores: Sequence[SplitScore]) -> Cells:
        """Those of one model's splits."""
        return cls(
            np.array([score.gain_by_cell for score in scores]),
            np.array([score.share_by_cell for score in scores]),
            np.array([score.normaliser_stderr**2 for score in scores]),
        )

    def minus(self, other: Cells, factor: float = 1.0) -> Cells:
        """These minus a multiple of others, whose normaliser has its own error."""
        variance = self.variance + factor**2 * other.variance
        return Cells(self.gains - factor * other.gains, self.shares, variance)

    def times(self, factor: float) -> Cells:
        """These in another unit."""
        return Cells(factor * self.gains, self.shares, factor**2 * self.variance)

    @classmethod
    def concatenate(cls, parts: Sequence[Cells]) -> Cells:
        """Those of several splits."""
        arrays = ((each.gains, each.shares, each.variance) for each in parts)
        return cls(*map(np.concatenate, zip(*arrays, strict=True)))

    def halves(self) -> tuple[float, float, float]:
        """Means over the first and the second half of the time, and p of their difference."""
        gains, shares = self.gains.sum(axis=0), self.shares.sum(axis=0)
        parts = slice(None, gains.size // 2), slice(gains.size // 2, None)
        if not all(shares[part].any() for part in parts):
            return math.nan, math.nan, math.nan
        first, second = (float(gains[part].sum() / shares[part].sum()) for part in parts)
        return first, second, trend_p_value(gains - shares * (gains.sum() / shares.sum()))

    def mean(self, train_share: float) -> MeanOverTime:
        """Mean over splits with its error."""
        estimate = mean_over_splits(self.gains, self.shares, train_share)
        of_log_z = float(self.variance.sum()) / len(self.variance) ** 2
        return estimate._replace(stderr=math.hypot(estimate.stderr, math.sqrt(of_log_z)))


def both_cells(first: ModelScore, second: ModelScore | None) -> tuple[Cells, Cells] | None:
    """Cells of two models in the splits that have both; None without such a split.

    ``None`` stands for independent units, the zero.
    """
    by_split = {score.split: score for score in first.splits}
    others = by_split if second is None else {score.split: score for score in second.splits}
    splits = sorted(by_split.keys() & others.keys())
    if not splits:
        return None
    of_first = Cells.of([by_split[split] for split in splits])
    if second is None:
        zero = np.zeros_like(of_first.gains)
        return of_first, Cells(zero, of_first.shares, np.zeros(len(splits)))
    return of_first, Cells.of([others[split] for split in splits])


def difference_of(
    names: tuple[str, str], cells: Cells, train_share: float, margin: float = math.nan
) -> PairedDifference:
    """The comparison of two models from the difference of their cells."""
    values = cells.gains.sum(axis=1)
    values[np.abs(values) < _SAME] = 0.0
    mean, stderr, df = cells.mean(train_share)
    if not values.any():
        mean, stderr = 0.0, 0.0
    return PairedDifference(
        *names,
        bits_per_second=mean,
        stderr=stderr,
        df=df,
        n_better=int((values > 0.0).sum()),
        n_worse=int((values < 0.0).sum()),
        n_splits=values.size,
        margin=margin,
    )


def paired_difference(
    first: ModelScore, second: ModelScore | None, train_share: float, margin: float = math.nan
) -> PairedDifference | None:
    """Compare two models, or one with independent units (None); None without a common split."""
    cells = both_cells(first, second)
    if cells is None:
        return None
    names = first.name, INDEPENDENT if second is None else second.name
    return difference_of(names, cells[0].minus(cells[1]), train_share, margin)


def ratio(first: ModelScore, second: ModelScore, train_share: float) -> Estimate | None:
    """Gain of the first model over that of the second; None unless the latter is positive."""
    cells = both_cells(first, second)
    if cells is None or not cells[1].gains.sum() > _SAME:
        return None
    above, below = (float(each.gains.sum()) / len(each.gains) for each in cells)
    error = cells[0].minus(cells[1], above / below).mean(train_share).stderr
    return Estimate(above / below, error / below, "%", len(cells[0].gains), "time")

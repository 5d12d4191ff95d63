"""Two models compared by their differences on the same test parts, and what may be said of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..models.spec import INDEPENDENT
from ..notebook import AsText
from .significance import (
    FEWEST_SPLITS,
    LEVEL,
    claimed_stderr,
    corrected_stderr,
    degrees_of_freedom,
    half_width,
    holm,
    p_text,
    p_value,
    split_stderr,
    with_error,
)

#: Bits/s; scores that are closer differ by rounding, which has a sign but no meaning.
_SAME = 1e-9
#: Models are equal if they differ by less than this share of the best model's gain over
#: independent units: a difference that nobody would choose a model for.
EQUAL_MARGIN = 0.02


@dataclass(frozen=True, slots=True)
class PairedDifference(AsText):
    """How much better the first of two models is than the second; printed, it is a sentence.

    Parameters
    ----------
    first, second : str
        Names of the models.
    bits_per_second : float
        Mean over splits of the score of the first minus that of the second.
    split_stderr, block_stderr : float
        As in :class:`ModelScore`, of the paired difference: what both models find hard to predict
        cancels.
    corrected_stderr : float
        Standard error for splits that overlap, bits/s; NaN for one split.
    df : float
        Degrees of freedom of that error; NaN where they are not known.
    p_value : float
        Two-sided, of this pair alone: the corrected resampled t-test, or for one split a t-test
        over blocks of its test part. NaN without an error.
    p_holm : float
        The same, corrected for the number of pairs of the comparison (Holm 1979).
    n_better, n_worse, n_splits : int
        Splits in which the first is better, is worse, and all that have both.
    margin : float
        Bits/s within which two models count as equal, 2 % of the best model's gain over
        independent units; NaN outside of a comparison.
    """

    first: str
    second: str
    bits_per_second: float
    split_stderr: float
    block_stderr: float
    corrected_stderr: float
    df: float
    p_value: float
    p_holm: float
    n_better: int
    n_worse: int
    n_splits: int
    margin: float = math.nan

    @property
    def stderr(self) -> float:
        """The error that is printed, bits/s: of fewer than three splits the larger one."""
        return claimed_stderr(self.corrected_stderr, self.block_stderr, self.n_splits)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the difference, bits/s, of this pair alone; NaN without an error."""
        half = half_width(self.stderr, self.df)
        return self.bits_per_second - half, self.bits_per_second + half

    @property
    def same(self) -> bool:
        """Whether neither is better in any split."""
        return self.n_better == self.n_worse == 0

    @property
    def verdict(self) -> str:
        """``"same"``, ``"too few splits"``, ``"better"``, ``"equal"`` or ``"undecided"``.

        One model is better at the 5 % level after the correction for the number of pairs; both are
        equal if the 95 % interval lies within the margin. In between nothing is said.
        """
        if self.same:
            return "same"
        if self.n_splits < FEWEST_SPLITS:
            return "too few splits"
        if self.p_holm < LEVEL:
            return "better"
        low, high = self.interval
        return "equal" if -self.margin < low and high < self.margin else "undecided"

    @property
    def differs(self) -> bool:
        """Whether one of the two is better, after the correction for the number of pairs."""
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
        sure = f"in {pair.n_better} of {self.n_splits} splits, {p_text(self.p_holm)}"
        match self.verdict:
            case "same":
                return f"{first} and {second} are the same"
            case "too few splits":
                few = f"({self.n_splits}; at least {FEWEST_SPLITS} are needed)"
                return f"{first} minus {second}: {by}; too few splits to decide {few}"
            case "better":
                verb = "are" if pair.first == INDEPENDENT else "is"
                return f"{first} {verb} better than {second} by {by}, {sure}"
            case "equal":
                return (
                    f"{first} and {second} perform equally well: they differ by {by}, and the 95 % "
                    f"interval lies within ±{self.margin:.2g} bits/s, {EQUAL_MARGIN:.0%} of the "
                    "best model's gain over independent units"
                )
        return f"{first} minus {second}: {by}, {sure}; too uncertain to say which is better"

    def __str__(self) -> str:
        return self.sentence()


def _display(name: str) -> str:
    return "independent units" if name == INDEPENDENT else name


def paired_difference(
    first: str,
    second: str,
    differences: Sequence[float],
    block_stderrs: Sequence[float],
    test_to_train: float,
    *,
    n_blocks: int | None = None,
    n_test_blocks: float = math.nan,
) -> PairedDifference | None:
    """Compare two models by their paired differences; None where no split has a finite one.

    ``differences`` are scores of the first minus those of the second on each split, bits/s, with
    their block errors. ``test_to_train`` is words of the test part over words that fit and choice
    of l1 have seen. ``n_blocks`` blocks of time were dealt to both parts, None where single words
    were, and ``block_stderrs`` come from ``n_test_blocks``, which judge a single split.
    """
    given = np.array([differences, block_stderrs], dtype=np.float64)
    values, errors = given[:, np.isfinite(given[0])]
    if not values.size:
        return None
    values[np.abs(values) < _SAME] = 0.0
    mean, block = float(values.mean()), rms(errors)
    corrected = corrected_stderr(values, test_to_train)
    df = n_test_blocks - 1.0 if values.size == 1 else degrees_of_freedom(values.size, n_blocks)
    p = p_value(mean, corrected if values.size > 1 else block, df)
    return PairedDifference(
        first=first,
        second=second,
        bits_per_second=mean,
        split_stderr=split_stderr(values),
        block_stderr=block,
        corrected_stderr=corrected,
        df=df,
        p_value=p,
        p_holm=p,
        n_better=int((values > 0.0).sum()),
        n_worse=int((values < 0.0).sum()),
        n_splits=int(values.size),
    )


def judged_together(
    pairs: Sequence[PairedDifference | None], margin: float = math.nan
) -> list[PairedDifference | None]:
    """Pairs of one comparison: p-values corrected for their number, and the margin of equality."""
    corrected = holm([math.nan if pair is None else pair.p_value for pair in pairs])
    return [
        pair and replace(pair, p_holm=p, margin=margin)
        for pair, p in zip(pairs, corrected, strict=True)
    ]


def rms(errors: Sequence[float] | np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """Root mean square."""
    return math.sqrt(float(np.mean(np.square(errors))))

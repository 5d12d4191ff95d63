"""Estimates of several recordings pooled by random effects, with animals as the unit if known.

Recordings of one animal are not independent: they are pooled first, then animals (docs/method.md,
section 6). Variances between them are DerSimonian & Laird's (1986), intervals those of Hartung &
Knapp (2001).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special

from ..errors import BadArgument
from ..notebook import AsText
from ..tables import AsTable
from ..validation import Floats, expect, listed, texts
from .comparison import Comparison
from .contrasts import CONTRASTS
from .significance import LEVEL, Estimate, p_text, p_value


@dataclass(frozen=True, slots=True)
class PooledRecording:
    """The estimate of one recording, with its error and its share of the mean."""

    recording: str
    animal: str
    value: float
    stderr: float
    weight: float


@dataclass(frozen=True, slots=True, repr=False)
class Pooled(AsText, AsTable):
    """A mean over animals or recordings, and how much they differ; printed, it is a sentence.

    Parameters
    ----------
    mean : Estimate
        With its error. ``method`` is the unit that it is a mean over, ``"animals"`` or
        ``"recordings"``, and ``n`` how many there are.
    low, high : float
        Ends of the mean's 95 % interval.
    p_value : float
        Of the mean being zero, two-sided.
    tau : float
        Standard deviation between these units beyond their errors, in the unit of the mean.
    i_squared : float
        Share of their spread that is more than their errors.
    differ_p_value : float
        Of all being the same (Cochran's Q).
    tau_within : float
        Standard deviation between recordings of one animal; NaN where no animal has several.
    recordings : tuple of PooledRecording
        What is pooled.
    """

    _columns = "recordings"

    mean: Estimate
    low: float
    high: float
    p_value: float
    tau: float
    i_squared: float
    differ_p_value: float
    tau_within: float
    recordings: tuple[PooledRecording, ...]

    @property
    def scale(self) -> float:
        """What numbers are multiplied by where they are printed: 100 for shares, in per cent."""
        return 100.0 if self.mean.unit == "%" else 1.0

    def __str__(self) -> str:
        low, high, tau = (self.scale * each for each in (self.low, self.high, self.tau))
        of = f"{len(self.recordings)} recordings"
        if self.mean.method == "animals":
            of = f"{self.mean.n} animals ({of})"
        return (
            f"{self.mean}, 95 % interval {low:z.3g} to {high:z.3g} {self.mean.unit}, "
            f"{p_text(self.p_value)}: mean of {of}, with a standard deviation of {tau:.2g} "
            f"{self.mean.unit} between {self.mean.method} (I² = {100.0 * self.i_squared:.0f} %)"
        )


def _between(values: Floats, variances: Floats, groups: Any) -> tuple[float, float, int]:
    """Variance within groups beyond errors, by DerSimonian and Laird's moments; Q and its df."""
    weights = 1.0 / variances
    total = np.bincount(groups, weights)
    means = np.bincount(groups, weights * values) / total
    q = float(np.sum(weights * (values - means[groups]) ** 2))
    scale = float(np.sum(total - np.bincount(groups, weights**2) / total))
    df = values.size - total.size
    return max(0.0, (q - df) / scale) if df else 0.0, q, df


def pool(
    estimates: Sequence[Estimate],
    *,
    animals: Sequence[str] | None = None,
    recordings: Sequence[str] | None = None,
) -> Pooled:
    """Mean of the same estimate in several recordings, by random effects.

    Animals are the unit where all recordings have one and there are several: recordings of an
    animal are pooled first, with the variance between recordings of one animal, which is taken to
    be the same in all of them. Otherwise recordings are the unit.

    Parameters
    ----------
    estimates : sequence of Estimate
        One for each recording, all in one unit and with errors above zero.
    animals : sequence of str, optional
        Animal of each recording; ``""`` where it is not known.
    recordings : sequence of str, optional
        Their names; by default they are numbered.

    Examples
    --------
    >>> gains = [Estimate(value, 0.01, "%") for value in (0.12, 0.14, 0.19, 0.18)]
    >>> print(pool(gains, animals=["a", "a", "b", "c"]))
    17 ± 2 %, 95 % interval 7.84 to 25.3 %, p = 0.015: mean of 3 animals (4 recordings), with a
    standard deviation of 3.3 % between animals (I² = 87 %)
    """
    given = listed("estimates", estimates, "pass one for each recording")
    values, errors = np.array([[each.value, each.stderr] for each in given]).reshape(-1, 2).T
    if len(given) < 2 or not np.all(np.isfinite(values) & (errors > 0.0) & np.isfinite(errors)):
        problem = "has fewer than two, or one without an error above zero"
        raise BadArgument("estimates", problem, "leave out recordings without an error")
    unknown, numbered = [""] * len(given), [f"{k + 1}" for k in range(len(given))]
    owners = texts("animals", unknown if animals is None else animals, "pass one for each estimate")
    names = texts("recordings", numbered if recordings is None else recordings, "pass their names")
    for name, labels in (("animals", owners), ("recordings", names)):
        if len(labels) != len(given):
            problem = f"has {len(labels)} entries for {len(given)} estimates"
            raise BadArgument(name, problem, "pass one for each")
    by_animal = all(owners) and len(set(owners)) > 1
    units = np.unique(owners, return_inverse=True)[1] if by_animal else np.arange(len(given))
    within, _, n_repeated = _between(values, errors**2, units)
    weights = 1.0 / (errors**2 + within)
    of_unit = np.bincount(units, weights)
    means = np.bincount(units, weights * values) / of_unit
    between, q, df = _between(means, 1.0 / of_unit, np.zeros(means.size, dtype=np.intp))
    shares = 1.0 / (1.0 / of_unit + between)
    mean = float(np.average(means, weights=shares))
    # Units that happen to agree are no surer than their errors.
    scatter = max(1.0, float(np.sum(shares * (means - mean) ** 2)) / df)
    stderr = math.sqrt(scatter / float(shares.sum()))
    half = float(special.stdtrit(df, 1.0 - LEVEL / 2.0)) * stderr
    parts = (shares / of_unit / shares.sum())[units] * weights
    rows = zip(names, owners, values.tolist(), errors.tolist(), parts.tolist(), strict=True)
    method = "animals" if by_animal else "recordings"
    return Pooled(
        mean=Estimate(mean, stderr, given[0].unit, means.size, method),
        low=mean - half,
        high=mean + half,
        p_value=p_value(mean, stderr, df),
        tau=math.sqrt(between),
        i_squared=max(0.0, 1.0 - df / q) if q > 0.0 else 0.0,
        differ_p_value=float(special.chdtrc(df, q)),
        tau_within=math.sqrt(within) if n_repeated else math.nan,
        recordings=tuple(PooledRecording(*row) for row in rows),
    )


def pool_contrasts(comparisons: Iterable[Comparison]) -> dict[str, Pooled]:
    """The planned contrasts of a study over its recordings, those that several recordings have.

    A contrast is what the first side gains over the second as a share of what the second gains over
    independent units, since populations differ in size.

    Parameters
    ----------
    comparisons : iterable of Comparison
        One for each recording, such as ``results.comparison("monday")``.

    Returns
    -------
    dict of str to Pooled
        ``"groups"``: models with groups over those without. ``"other kinds"``: models outside the
        paper's family over the family.

    Examples
    --------
    >>> results = mc.study.open("study.db")
    >>> pool_contrasts([results.comparison("cells", experiment="instantaneous")])
    {}
    """
    pooled = {}
    compared = [expect("comparisons", each, Comparison, "comparisons") for each in comparisons]
    for name, contrast in CONTRASTS.items():
        pairs = [(each, contrast(each)) for each in compared]
        ratios = [(each, p and each.relative(p.first, p.second)) for each, p in pairs]
        known = [(each, ratio) for each, ratio in ratios if ratio]
        errors = [ratio.stderr for _, ratio in known]
        if len(known) > 1 and any(errors) and np.isfinite(errors).all():
            # Models that are the same differ by zero without an error. They count as much as the
            # surest recording: to leave them out would favour the others.
            least = min(filter(None, errors))
            pooled[name] = pool(
                [replace(r, value=r.value - 1.0, stderr=r.stderr or least) for _, r in known],
                animals=[each.animal for each, _ in known],
                recordings=[each.recording for each, _ in known],
            )
    return pooled

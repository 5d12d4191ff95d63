"""Whether a model describes words, and what it misses (docs/method.md, section 6)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..models import WordModel
from ..notebook import AsText
from ..tables import AsTable
from ..validation import Floats, expect, random_generator
from ..words import Words
from ._goodness import Goodness, WordFeatures, WordSample, goodness
from ._model_words import Method, is_normalised, log_probability, training_error, words_of_model
from .inputs import words_for
from .significance import LEVEL, bootstrap_p_text
from .time_errors import cell_table, checked_cells

#: A difference beyond noise of at most this share of what was observed is little.
LITTLE = 0.2
#: Words with so many active bits are rare: fewer observed or expected ones decide nothing.
_FEWEST_WORDS = 10
#: Share of the words that synchrony is shown at where one number must do.
_COMMON = 0.01


@dataclass(frozen=True, slots=True)
class MomentFit:
    """Observed covariances of pairs, or third central moments of triplets, against a model's.

    Parameters
    ----------
    r : float
        Correlation of predicted and observed moments.
    error : float
        Root mean square difference beyond what noise explains, as a share of the root mean square
        of the observed moments. 0 for a perfect model, 1 for one without such moments.
    """

    r: float
    error: float


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Covariances of pairs of bits, or third central moments of triplets, one by one.

    Parameters
    ----------
    bits : ndarray of int, shape (n_moments, 2) or (n_moments, 3)
        Bits of each, increasing.
    observed, model, stderr : ndarray of float32, shape (n_moments,)
        Of the words, of the model, and the standard error of their difference.
    """

    bits: NDArray[np.int64]
    observed: NDArray[np.float32]
    model: NDArray[np.float32]
    stderr: NDArray[np.float32]

    @property
    def slope(self) -> float:
        """Slope of the model on the observed ones, through zero: 1 for a perfect model.

        Noise of the observed moments does not lower it: it is taken off their squares. NaN where
        they are nothing but noise.
        """
        size = float(np.sum(self.observed**2 - self.stderr**2, dtype=np.float64))
        return float(np.dot(self.observed, self.model)) / size if size > 0.0 else math.nan


@dataclass(frozen=True, slots=True, repr=False)
class Adequacy(AsText, AsTable):
    """How well a model describes words that it was not fitted to; printed as one sentence.

    The sentence rests on the size of a difference as well as on p, since enough words reject every
    model (docs/method.md, section 6). With p of the goodness-of-fit test at 0.05 or above, a model
    *describes these words within their noise*. Otherwise it *misses* synchrony, rates, pairs,
    triplets or probabilities of words if their own p is below 0.05 and they differ by more than
    20 %. If it misses none of them, it *differs measurably but by little*.

    Parameters
    ----------
    n_words : int
        Words tested.
    n_effective : mapping of str to float
        Independent words that they are worth, by family of statistics, since neighbouring words
        depend on each other.
    p_value : float
        Of the goodness-of-fit test over all families; at least 1/200.
    p_values : mapping of str to float
        By family: ``"rates"``, ``"pairs"``, ``"triplets"``, ``"synchrony"``, ``"words"`` (mean log
        p). Not corrected for their number; ``p_value`` is. NaN for log p of a model that gives
        words no probability.
    tail_observed, tail_stderr, tail_model : tuple of float
        P(k or more bits active) for k = 1, 2, ..., with the standard error from blocks.
    misses_from : int or None
        The smallest k at which the tails differ as above; they agree up to ``misses_from - 1``.
    rates_error : float
        As ``error`` of :class:`MomentFit`, of the rates.
    pairs, triplets : MomentFit
        Correlations, predicted against observed.
    nats_per_word, nats_expected : float
        Mean log p of the words, and of words of the model; NaN where it has none.
    method : {"exact", "samples", "gibbs"}
        Whether the model's words were all listed, drawn independently, or drawn by Gibbs chains.
    bits : str
        What a bit is called: ``"units"``, or ``"bits"`` for words of several bins.
    moments : mapping of str to Moments
        Those that ``"pairs"`` and ``"triplets"`` summarise, one by one.
    """

    n_words: int
    n_effective: Mapping[str, float]
    p_value: float
    p_values: Mapping[str, float]
    tail_observed: tuple[float, ...]
    tail_stderr: tuple[float, ...]
    tail_model: tuple[float, ...]
    misses_from: int | None
    rates_error: float
    pairs: MomentFit
    triplets: MomentFit
    nats_per_word: float
    nats_expected: float
    method: Method
    bits: str = "units"
    moments: Mapping[str, Moments] = field(default_factory=dict, repr=False, compare=False)

    def to_rows(self) -> list[dict[str, Any]]:
        """One dictionary per family of statistics."""
        missed = self.missed
        return [
            {"statistics": name, "p_value": p, "missed": name in missed}
            for name, p in self.p_values.items()
        ]

    @property
    def missed(self) -> tuple[str, ...]:
        """Families of statistics that the model misses, by the rule above."""
        if not self.p_value < LEVEL:
            return ()
        large = {
            "synchrony": self.misses_from is not None,
            "rates": self.rates_error > LITTLE,
            "pairs": self.pairs.error > LITTLE,
            "triplets": self.triplets.error > LITTLE,
            "words": abs(self.nats_per_word - self.nats_expected) > -LITTLE * self.nats_expected,
        }
        return tuple(name for name in large if large[name] and self.p_values[name] < LEVEL)

    @property
    def describes(self) -> bool:
        """Whether no departure was found."""
        return self.p_value >= LEVEL

    def tail_text(self, k: int) -> str:
        """P(k or more active), observed and as the model has it."""
        p, stderr, model = (
            100.0 * tail[k - 1] for tail in (self.tail_observed, self.tail_stderr, self.tail_model)
        )
        digits = 2 if stderr >= 0.01 or stderr == 0.0 else 3
        shown = f"{p:.{digits}f} ± {stderr:.{digits}f} % of words"
        return f"{k} or more active {self.bits} in {shown}, the model has {model:.{digits}f} %"

    def __str__(self) -> str:
        p, doubt = bootstrap_p_text(self.p_value), ""
        if self.pairs_in_doubt:
            doubt = f"; pairs are off by {100.0 * self.pairs.error:.0f} %, which may be chance"
        if self.describes:
            # Few words would be described by any model: the family with the fewest says how few.
            n = float(f"{min(self.n_effective.values()):.2g}")
            worth = f"p = {p}, about {n:,.0f} independent words{doubt}"
            return f"describes these words within their noise ({worth})"
        if not self.missed:
            return f"differs measurably (p = {p}) but by little{doubt}"
        return "misses " + "; ".join(self._miss(name) for name in self.missed)

    @property
    def pairs_in_doubt(self) -> bool:
        """Whether pairs differ by much and no more than by chance: such words say little."""
        return self.pairs.error > LITTLE and not self.missed

    def _miss(self, name: str) -> str:
        if name == "synchrony" and self.misses_from is not None:
            return f"synchrony: {self.tail_text(self.misses_from)}"
        if name == "words":
            bits = (self.nats_per_word / math.log(2.0), self.nats_expected / math.log(2.0))
            return f"probabilities of words: mean log2 p {bits[0]:.2f}, the model has {bits[1]:.2f}"
        fit = {"pairs": self.pairs, "triplets": self.triplets}.get(name)
        error = self.rates_error if fit is None else fit.error
        r = "" if fit is None or math.isnan(fit.r) else f" (r = {fit.r:.2f})"
        return f"{name}: off by {100.0 * error:.0f} %{r}"


def adequacy(
    model: WordModel,
    words: Words | ArrayLike,
    *,
    bin_width: float | None = None,
    initial: Words | ArrayLike | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> Adequacy:
    """Test whether a model describes words, and say what it misses.

    Rates, covariances of pairs, third central moments of triplets, the distribution of synchrony
    and mean log p are compared with words of the model: all words up to 12 bits, else five drawn
    ones for each tested, at most 200,000. Pairs are those of the 60 most active bits, triplets
    those of the 24 most active. The p-value is of a rotation test against the slowest waves over
    the words' time, which hold for slow activity, and allows for the error of words that stand for
    the model.

    The test allows for the error that a fitted model has of its training words, to first order that
    of a fit by likelihood; one that a prior or a penalty shrinks counts as misfit. The error is
    known of most models with up to 2,000 parameters; any other counts as free to follow all of
    these statistics, so that the test finds less than it could (docs/method.md, section 6). A model
    made from parameters counts as given.

    Parameters
    ----------
    model : WordModel
        A fitted model, or one made from parameters. One with a stimulus drive is refused: it has
        other words at each moment.
    words : Words or array_like, shape (n_words, n_units)
        Held-out words, in time order and without weights.
    bin_width : float, optional
        Seconds per bin of a plain array; by default the model's, or 0.020 if it is not known.
    initial : Words or array_like, optional
        Words that Gibbs chains start from if a model of the paper's family is too large for
        independent draws; by default the tested words.
    random_state : int, Generator or None
        Source of drawn words.

    Examples
    --------
    >>> from microcolumn.models import Independent
    >>> rng = np.random.default_rng(0)
    >>> together = rng.random((4000, 1)) < 0.1
    >>> words = (rng.random((4000, 3)) < 0.05) | together
    >>> print(adequacy(Independent().fit(words[::2]), words[1::2]))
    misses synchrony: 1 or more active units in 22.05 ± 0.88 % of words, the model has 39.95 %; ...
    """
    expect("model", model, WordModel, "a fitted model of words, such as an RBM")
    held = words_for(model, words, bin_width)
    cell, rng = checked_cells(held), random_generator(random_state)
    start = held if initial is None else words_for(model, initial, bin_width)
    features = WordFeatures.of(held.rates)
    X, own, method = words_of_model(model, features, start, held.n_bins, rng)
    table = features.table(held.X, log_probability(model, held.X))
    by_cell = cell_table(held.index, cell, len(held))
    data = WordSample(table, held.counts / held.n_bins, held.n_bins, by_cell)
    error = None
    if hasattr(model, "n_words_"):
        error = training_error(model, X, own, rng) / model.n_words_**0.5
    tested = goodness(features, data, own, rng, training_error=error)
    nats = float(data.means[-1]), float(own.means[-1])
    if not is_normalised(model):
        nats, tested.p_values["words"] = (math.nan, math.nan), math.nan
    return Adequacy(
        n_words=held.n_bins,
        n_effective=tested.n_effective,
        p_value=tested.p_value,
        p_values=tested.p_values,
        nats_per_word=nats[0],
        nats_expected=nats[1],
        method=method,
        bits="units" if held.window == 1 else "bits",
        **_compared(features, data, own, tested),
    )


def common_count(tail: Sequence[float] | Floats) -> int:
    """The largest k such that k or more bits were active in 1 % of the words, at least 2.

    ``tail`` (n_dims,) is P(k or more active) for k = 1, 2, ....
    """
    common = [k for k, share in enumerate(tail, start=1) if share >= _COMMON]
    return min(max(common[-1] if common else 2, 2), len(tail))


def _compared(
    features: WordFeatures, data: WordSample, own: WordSample, tested: Goodness
) -> dict[str, Any]:
    """Fields of :class:`Adequacy` that compare rates, pairs, triplets and synchrony."""
    columns = features.columns
    # Squared standard errors of the difference: of the data from waves, of drawn words by number.
    variance = np.mean(features.linearised(data.waves(tested.n_waves), data.means) ** 2, axis=0)
    variance *= 1.0 + data.n_words / own.n_words
    bits = {"pairs": features.pairs, "triplets": features.triplets}
    central = zip(bits, features.central(data.means), features.central(own.means), strict=True)
    fits, moments = {}, {}
    for name, o, p in central:
        fits[name] = MomentFit(_correlation(o, p), _error(o, p, variance[columns[name]]))
        arrays = (o, p, variance[columns[name]] ** 0.5)
        moments[name] = Moments(bits[name], *(each.astype(np.float32) for each in arrays))
    rates, synchrony = columns["rates"], columns["synchrony"]
    tail, expected = (each.means[synchrony] for each in (data, own))
    return {
        "tail_observed": tuple(tail.tolist()),
        "tail_stderr": tuple((variance[synchrony] ** 0.5).tolist()),
        "tail_model": tuple(expected.tolist()),
        "misses_from": _first_miss(
            tail, expected, tested.tail_limits, tested.n_effective["synchrony"]
        ),
        "rates_error": _error(data.means[rates], own.means[rates], variance[rates]),
        **fits,
        "moments": moments,
    }


def _first_miss(observed: Floats, model: Floats, limits: Floats, n_words: float) -> int | None:
    """The smallest k at which P(k or more active) differs by more than 20 % and by its limit."""
    difference = np.abs(model - observed)
    enough = np.maximum(observed, model) * n_words >= _FEWEST_WORDS
    missed = enough & (difference > limits) & (difference > LITTLE * observed)
    return int(np.flatnonzero(missed)[0]) + 1 if missed.any() else None


def _error(observed: Floats, predicted: Floats, variance: Floats) -> float:
    """Difference beyond noise over what was observed beyond noise, root mean squares."""
    size = float(np.sum(observed**2 - variance))
    beyond = float(np.sum((observed - predicted) ** 2 - variance))
    return math.sqrt(max(beyond, 0.0) / size) if size > 0.0 else math.nan


def _correlation(x: Floats, y: Floats) -> float:
    if x.size < 2 or not (np.ptp(x) and np.ptp(y)):
        return math.nan
    return float(np.corrcoef(x, y)[0, 1])

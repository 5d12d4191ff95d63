"""A Dirichlet process around any model: it mends what the model gets wrong (Park et al. 2013)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import gammaln
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..errors import BadArgument
from ..incomplete import AnyWords
from ..packing import packed, unique_packed, unpacked
from ..partition import LogPartition
from ..solvers import Certificate
from ..validation import Bits, Floats, chunks, expect
from ..words import Words
from ..words_info import ordered
from ._alternative import AlternativeModel
from ._saving import Arrays, check_sound, checked_arrays, to_bytes
from ._settings import POSITIVE, Choice, setting
from ._word_model import WordModel
from ._words_estimator import Size, scaled_counts

Keys = NDArray[np.uint64]

#: Concentrations worth trying, as multiples of the number of words.
_SHARES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
#: Where the best concentration is looked for, as multiples of the number of words.
_BOUNDS = (1e-6, 1e4)


@dataclass(eq=False, repr=False)
class DirichletProcess(AlternativeModel):
    """A Dirichlet process centred on another model (Park et al. 2013).

    p(x) = (n_x + alpha p0(x)) / (n + alpha), where n_x of the n training words are x and p0 is the
    base model. What it gains over the base on held-out words, ``mc.score(model, words,
    baseline=model.base_)``, says by how much the base is wrong about words that come again.

    Parameters
    ----------
    model : WordModel
        The base. A fitted model is taken as it is, for the words that it was fitted on or others
        of the same units; any other is copied and fitted to the words. Options of :meth:`sample`
        are passed on to it.
    concentration : float or "evidence", optional
        alpha, in words. By default the one at which each training word is best predicted from
        the base and all the other words; ``"evidence"`` takes the one of highest marginal
        likelihood. :func:`microcolumn.evaluate.choose` asks a validation part instead
        (docs/method.md, section 11).

    Attributes
    ----------
    base_ : WordModel
        The fitted base.
    concentration_ : float
        alpha, in words.

    Examples
    --------
    >>> from microcolumn.models import Independent
    >>> words = [[0, 0], [1, 1], [1, 1], [0, 0]]
    >>> model = DirichletProcess(Independent(), concentration=4.0).fit(words)
    >>> model.score_samples([[1, 1], [0, 1]])
    array([-0.98082925, -2.07944154])
    """

    _inner_models: ClassVar[tuple[str, ...]] = ("base",)
    _takes_sampling_options: ClassVar[bool] = True

    model: WordModel
    concentration: float | str | None = setting(None, [*POSITIVE, Choice({"evidence"}), None])

    def _training_words(self, X: AnyWords | ArrayLike, sample_weight: ArrayLike | None) -> Words:
        """Words in the order of units that a fitted base has, which keeps its own."""
        words = super()._training_words(X, sample_weight)
        return ordered(words, getattr(self.model, "words_info_", None))

    def fit_grid(self, words: Words, grid: Sequence[dict[str, Any]]) -> list[Self]:
        """Fit a copy at each of some settings, all around one base where they do not change it."""
        if any(set(settings) - {"concentration"} for settings in grid):
            return super().fit_grid(words, grid)
        base = _fitted(self.model, words)
        models = self._copies(grid)
        for model in models:
            model._fit_around(base, ordered(words, base.words_info_))
        return models

    def grid(self, words: Words) -> tuple[dict[str, Any], ...]:
        """Concentrations worth trying, from far fewer words than there are to far more."""
        total = float(scaled_counts(words).sum())
        return tuple({"concentration": share * total} for share in _SHARES)

    def _size(self) -> Size:
        share = self.concentration_ / (self.concentration_ + float(self._counts.sum()))
        chosen = ", ".join(filter(None, [self.base_.size_, f"{100.0 * share:.3g} % base"]))
        # Those of the base, one for each distinct word, and the concentration.
        return Size(self.base_.n_parameters_ + len(self._counts) + 1, text=chosen)

    @property
    def certificate_(self) -> Certificate:
        """That of the base, where it has one."""
        certificate: Certificate = self.base_.certificate_
        return certificate

    def log_partition(self) -> LogPartition:
        """That of the base: its error is at most passed on."""
        check_is_fitted(self)
        return self.base_.log_partition()

    def _log_odds(self, bits: NDArray[np.uint8], units: Sequence[int]) -> Floats:
        bits = bits.copy()
        out = self.base_.log_odds(bits, units)
        log_p = self.base_._log_probability(bits)
        for column, unit in enumerate(units):
            came = bits[:, unit].copy()
            active = log_p + np.where(came, 0.0, out[:, column])
            silent = log_p - np.where(came, out[:, column], 0.0)
            bits[:, unit] = 1
            active = self._mixed(active, self._training_counts(bits))
            bits[:, unit] = 0
            out[:, column] = active - self._mixed(silent, self._training_counts(bits))
            bits[:, unit] = came
        return out

    def _draw(self, n_samples: int, rng: np.random.Generator, **options: Any) -> NDArray[np.uint8]:
        total = float(self._counts.sum())
        is_base = rng.random(n_samples) * (total + self.concentration_) < self.concentration_
        rows = rng.choice(len(self._counts), size=n_samples, p=self._counts / total)
        out = unpacked(np.ascontiguousarray(self._keys[rows].T), self.n_features_in_)
        if is_base.any():
            out[is_base] = self.base_.sample(int(is_base.sum()), rng, **options)
        return out

    def _active_distribution(self) -> Floats | None:
        base = (
            self.base_._active_distribution() if isinstance(self.base_, AlternativeModel) else None
        )
        if base is None:
            return None
        n_active = np.bitwise_count(self._keys).sum(axis=1, dtype=np.int64)
        seen = np.bincount(n_active, weights=self._counts, minlength=base.size)
        mixed: Floats = (seen + self.concentration_ * base) / (seen.sum() + self.concentration_)
        return mixed

    def _fit(self, words: Words) -> None:
        self._fit_around(_fitted(self.model, words), words)

    def _fit_around(self, base: WordModel, words: Words) -> None:
        """Keep the words, in the base's order of units, and find the concentration."""
        keys = packed(words.X)
        # Words whose units were put in another order are no longer sorted.
        places, _ = unique_packed(keys)
        self.base_ = base
        self._keys = np.ascontiguousarray(keys[:, places].T)
        self._counts = scaled_counts(words)[places]
        if isinstance(self.concentration, Real):
            alpha = float(self.concentration)
        else:
            merit = log_left_out if self.concentration is None else log_evidence
            alpha = _best(merit, self._counts, base._log_probability(words.X[places]))
        self.concentration_: float = alpha
        self._set_words_info(words.n_dims, words)

    def _log_probability(self, bits: Bits) -> Floats:
        return self._mixed(self.base_._log_probability(bits), self._training_counts(bits))

    def _training_counts(self, bits: Bits) -> Floats:
        """How many of the training words each word is, shape (n_words,)."""
        counts, known = np.zeros(len(bits)), _texts(self._keys)
        for part in chunks(*bits.shape):
            asked = _texts(packed(bits[part]).T)
            rows = np.minimum(np.searchsorted(known, asked), known.size - 1)
            counts[part] = np.where(known[rows] == asked, self._counts[rows], 0.0)
        return counts

    def _mixed(self, log_p: Floats, counts: Floats) -> Floats:
        """Log of (n_x + alpha p0(x)) / (n + alpha)."""
        with np.errstate(divide="ignore"):
            log_counts = np.log(counts)
        log_sum: Floats = np.logaddexp(log_counts, math.log(self.concentration_) + log_p)
        return log_sum - math.log(float(self._counts.sum()) + self.concentration_)

    def _arrays(self) -> Arrays:
        return {
            "base": np.frombuffer(to_bytes(self.base_), dtype=np.uint8).copy(),
            "words": self._keys,
            "word_counts": self._counts,
            "concentration": np.array([self.concentration_]),
        }

    @classmethod
    def _from_arrays(cls, arrays: Arrays, settings: dict[str, Any]) -> Self:
        base = settings["base"]
        model = cls(base, settings["concentration"])
        model._check_settings()
        n_bits: int = base.n_features_in_
        layouts = {"words": "uint64 w k", "word_counts": "float64 w", "concentration": "float64 1"}
        checked = checked_arrays(arrays, layouts, {"k": -(-n_bits // 64)})
        keys, counts, concentration = checked.values()
        transposed = np.ascontiguousarray(keys.T)
        in_order = np.array_equal(unique_packed(transposed)[0], np.arange(len(keys)))
        check_sound(in_order, "words are not distinct or not in order")
        fits = np.array_equal(packed(unpacked(transposed, n_bits)), transposed)
        check_sound(fits, "words have more bits than the base")
        positive = len(counts) and (counts > 0.0).all() and (concentration > 0.0).all()
        check_sound(bool(positive), "word_counts and concentration are not all positive")
        model.base_, model._keys, model._counts = base, keys, counts
        model.concentration_ = float(concentration[0])
        model._set_words_info(n_bits, None)
        return model


def _texts(keys: Keys) -> NDArray[np.bytes_]:
    """Packed words (n_words, n_integers) as texts of equal length, which sort as the words do."""
    return np.ascontiguousarray(keys, dtype=">u8").view(f"S{8 * keys.shape[1]}")[:, 0]


def _fitted(model: WordModel, words: Words) -> WordModel:
    """The model itself if it is fitted, or else a copy that is."""
    expect("model", model, WordModel, "a model of words")
    if not model.__sklearn_is_fitted__():
        fitted: WordModel = clone(model).fit(words)
        return fitted
    if model.n_features_in_ != words.n_dims:
        raise BadArgument(
            "model",
            f"has {model.n_features_in_} units but the words have {words.n_dims}",
            "pass words of the units it was fitted on",
        )
    return model


def _best(merit: Callable[[Floats, Floats, float], float], counts: Floats, log_p: Floats) -> float:
    """The concentration of highest merit, within bounds."""
    total = float(counts.sum())
    low, high = (math.log(share * total) for share in _BOUNDS)
    maximum = minimize_scalar(
        lambda log_alpha: -merit(counts, log_p, log_alpha),
        bounds=(low, high),
        method="bounded",
        options={"xatol": 1e-6},
    )
    return math.exp(maximum.x)


def log_left_out(counts: Floats, log_p: Floats, log_alpha: float) -> float:
    """Log probability of each word given the base and all other words, summed over words.

    sum_x n_x log((n_x - 1 + alpha p0(x)) / (n - 1 + alpha)), where ``counts`` (n_distinct,) say how
    often each distinct word came, and ``log_p`` (n_distinct,) is its log probability under the
    base, nats.
    """
    others, total = np.maximum(counts - 1.0, 0.0), float(counts.sum())
    with np.errstate(divide="ignore"):
        log_others = np.log(others)
    chances = np.logaddexp(log_others, log_alpha + log_p)
    return float(counts @ chances - total * np.log(max(total - 1.0, 0.0) + math.exp(log_alpha)))


def log_evidence(counts: Floats, log_p: Floats, log_alpha: float) -> float:
    """Log probability of words in the order in which they came, the process integrated out.

    log Gamma(alpha) - log Gamma(n + alpha)
    + sum_x [log Gamma(n_x + alpha p0(x)) - log Gamma(alpha p0(x))], as in :func:`log_left_out`.
    """
    total, alpha = float(counts.sum()), math.exp(log_alpha)
    expected = np.exp(log_alpha + log_p)
    # Gamma(n + e) / Gamma(e) is e Gamma(n + e) / Gamma(1 + e), which does not overflow at small e.
    words = log_alpha + log_p + gammaln(counts + expected) - gammaln(1.0 + expected)
    return float(words.sum() + gammaln(alpha) - gammaln(total + alpha))

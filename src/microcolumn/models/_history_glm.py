"""Logistic regressions of each unit on the past of all: a generalised linear model with history."""

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.sparse import csr_array, hstack
from scipy.special import logit
from sklearn.utils.validation import check_is_fitted

from ..errors import BadArgument
from ..kernels.loops.history import draw_bins
from ..kernels.loops.sparse_logistic import SparseRows, regress
from ..kernels.loops.threads import threads_for
from ..objectives.sparse_words import listed_words
from ..solvers import Certificate
from ..timeline import Places, window_codes
from ..validation import Floats, chunks, random_generator, whole_number
from ..words import Words
from ._alternative import warn_of_regressions
from ._saving import check_sound
from ._settings import COUNT, POSITIVE, STRENGTH, Choice, setting
from ._words_estimator import Size, floored_rates
from .sequence import SequenceModel

#: Spans of history worth trying, seconds.
_SPANS_S = 0.05, 0.2, 0.8
#: Numbers of basis functions worth trying.
_FUNCTIONS = 5, 10
#: Penalties worth trying are the smallest that leaves no weight, divided by these.
_DIVISORS = tuple(4.0**k for k in range(1, 7))
#: Weights beyond this, in nats, have run away.
_NATURAL = 12.0


@dataclass(eq=False, repr=False)
class HistoryGLM(SequenceModel):
    """A generalised linear model: each unit given the past of all units.

    The log odds of a spike of unit n in bin t are

        b_n + sum over units m and functions k of w_nmk * sum over lags l of B_kl x_m(t - l),

    and units are independent given the past. The functions B are raised-cosine bumps, short at
    short lags and long at long ones (docs/method.md, section 11).

    It is the conditional of the next bin, not a distribution over words: it is fitted to single
    bins in time order, so that words have to be split by blocks, and :meth:`score_sequence` says
    how likely each bin is. The past ends where an epoch begins.

    Parameters
    ----------
    l1 : float
        Penalty on all weights, per bin, for the unit's own past as for the others'; biases are not
        penalised.
    basis : int or "lags"
        Number of basis functions, or each lag by itself.
    n_lags : int
        Bins of the past that matter.
    tol : float
        Largest violation of the optimality conditions at which a fit has converged.
    max_iter : int
        Newton steps of each unit's regression.

    Attributes
    ----------
    b_ : ndarray, shape (n_units,)
        Biases, nats. A unit that fired never, or always, has the log odds of ``rates_``.
    weights_ : ndarray, shape (n_units, n_units, n_functions)
        Of the basis functions, nats; the first axis is the unit that is predicted.
    basis_ : ndarray, shape (n_functions, n_lags)
        The basis functions.
    certificate_ : Certificate
        The worst of the units' regressions.
    n_iter_ : int
        Most Newton steps of one unit.

    Examples
    --------
    >>> follower = np.random.default_rng(0).random(4000) < 0.2
    >>> X = np.column_stack([follower, np.roll(follower, 2)])
    >>> model = HistoryGLM(l1=1e-3, basis="lags", n_lags=3).fit(X)
    >>> (np.abs(model.couplings_[1, 0]) > 1.0).tolist()  # only spikes two bins earlier matter
    [False, True, False]
    """

    _fitted_numbers = ("n_iter_", *SequenceModel._fitted_numbers)
    _kept_arrays: ClassVar[dict[str, str]] = {
        "b_": "float64 n",
        "weights_": "float64 n n f",
        "basis_": "float64 f l",
        "rates_": "float64 n",
    }

    l1: float = setting(1e-4, STRENGTH)
    _: KW_ONLY
    basis: int | str = setting(6, [*COUNT, Choice({"lags"})])
    n_lags: int = setting(20, COUNT)
    tol: float = setting(1e-8, POSITIVE)
    max_iter: int = setting(100, COUNT)

    def _fit(self, words: Words) -> None:
        self._fit_path(words, [self])

    def grid(self, words: Words) -> tuple[dict[str, Any], ...]:
        """Spans of about 0.05, 0.2 and 0.8 s, 5 and 10 functions each, and six penalties."""
        grid: list[dict[str, Any]] = []
        for span in _SPANS_S:
            n_lags = max(1, round(span / words.bin_width))
            for basis in sorted({min(n, n_lags) for n in _FUNCTIONS}):
                largest = Histories.of(words, lag_basis(basis, n_lags)).largest_l1()
                shape = {"basis": basis, "n_lags": n_lags}
                grid += [{**shape, "l1": largest / divisor} for divisor in _DIVISORS]
        return tuple(grid)

    def fit_grid(self, words: Words, grid: Sequence[dict[str, Any]]) -> list[Self]:
        """Fit a copy at each of some settings; penalties of a basis start from the next larger."""
        models = self._copies(grid)
        self._check_bins(words)
        for shape in dict.fromkeys((model.basis, model.n_lags) for model in models):
            alike = [model for model in models if (model.basis, model.n_lags) == shape]
            self._fit_path(words, sorted(alike, key=lambda model: -model.l1))
        return models

    @property
    def couplings_(self) -> Floats:
        """Change of the log odds by a spike, bits, shape (n_units, n_units, n_lags).

        Entry (n, m, l) is what a spike of unit m does to unit n ``l + 1`` bins later.
        """
        check_is_fitted(self)
        return np.asarray(self.weights_ @ self.basis_ / math.log(2.0))

    @property
    def lags_s_(self) -> Floats | None:
        """Lags of ``couplings_`` in seconds, shape (n_lags,); None after a plain array."""
        width = self.bin_width_
        return None if width is None else width * np.arange(1.0, self.basis_.shape[1] + 1.0)

    def _size(self) -> Size:
        matters = np.any(self.weights_ != 0.0, axis=2)
        n_weights = np.count_nonzero(self.weights_)
        # Ordered pairs of different units of which one's past matters for the other.
        n_couplings = int(matters.sum() - np.trace(matters))
        chosen = "{} functions of {} lags".format(*self.basis_.shape)
        return Size(self.b_.size + n_weights, n_weights, n_couplings, text=chosen)

    def _log_probability_in_time(self, words: Words) -> Floats:
        log_p = np.empty(words.n_bins)
        for part, odds in self._log_odds(words, np.arange(self.b_.size)):
            sign = 1.0 - 2.0 * words.X[words.index[part]]
            log_p[part] = -np.logaddexp(0.0, sign * odds).sum(axis=1)
        return log_p

    def score(self, X: Words | ArrayLike, y: None = None) -> float:
        """Mean log probability per bin given the past, nats."""
        return float(self.score_sequence(X).mean())

    def _log_odds_in_time(self, words: Words, units: list[int]) -> Floats:
        return np.concatenate([odds for _, odds in self._log_odds(words, np.array(units))])

    def sample(self, n_samples: int = 1, random_state: Any = 0) -> NDArray[np.uint8]:
        """Draw consecutive bins, shape (n_samples, n_units).

        The bins before the first count at the training rates, as in :meth:`score_sequence`.
        """
        check_is_fitted(self)
        n_samples = whole_number("n_samples", n_samples, least=1)
        filters, unknown = self._filters(np.arange(self.b_.size))
        uniforms = random_generator(random_state).random((n_samples, self.b_.size))
        drawn = np.zeros(uniforms.shape, dtype=np.uint8)
        draw_bins(filters, unknown, uniforms, drawn)
        return drawn

    def _fit_path(self, words: Words, models: Sequence[Self]) -> None:
        """Fit models of one basis, each from the one before it."""
        basis, n = lag_basis(*models[0]._shape()), words.n_units
        histories = Histories.of(words, basis)
        if 2 * histories.n_bins < words.n_bins:
            warnings.warn(
                f"only {histories.n_bins:,} of {words.n_bins:,} bins have the {basis.shape[1]} "
                "bins before them in their epoch and take part in the fit; use fewer lags or "
                "split by blocks",
                UserWarning,
                stacklevel=4,
            )
        coefficients = np.zeros((n, n * len(basis) + 1))
        coefficients[:, -1] = logit(floored_rates(words))
        work = 50.0 * histories.rows.values.size * histories.usable.size
        for model in models:
            optimality, n_iter = np.zeros(n), np.zeros(n, dtype=np.int64)
            settings = model.l1, model.tol, model.max_iter
            with threads_for(work):
                regress(
                    histories.rows, histories.usable, *settings, coefficients, optimality, n_iter
                )
            model._set_words_info(n, words)
            model.b_, model.basis_ = coefficients[:, -1].copy(), basis
            model.weights_ = coefficients[:, :-1].reshape(n, n, len(basis)).copy()
            worst = float(optimality.max())
            model.certificate_ = Certificate(worst <= model.tol, worst)
            model.n_iter_ = max(int(n_iter.max()), 1)
            largest = float(np.abs(model.weights_).max())
            runaway = "a unit never fires after another" * (model.l1 == 0.0 and largest > _NATURAL)
            warn_of_regressions(model, f"HistoryGLM with l1={model.l1:g}", runaway, largest, 5)

    def _shape(self) -> tuple[int, int]:
        """Numbers of functions and of lags."""
        n_functions = self.n_lags if self.basis == "lags" else int(self.basis)
        if n_functions > self.n_lags:
            raise BadArgument(
                "basis",
                f"is {self.basis} but there are {self.n_lags} lags",
                "use as many functions as lags or fewer",
            )
        return n_functions, self.n_lags

    def _filters(self, units: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Effects of spikes on some units, and their log odds where lags are not known.

        Shapes (n_lags, n_units, n_chosen) and (n_lags + 1, n_chosen); row k of the second is for
        k known lags.
        """
        filters = np.ascontiguousarray((self.weights_[units] @ self.basis_).transpose(2, 1, 0))
        expected = np.einsum("lmn,m->ln", filters, self.rates_)
        unknown = np.zeros((len(filters) + 1, units.size))
        unknown[:-1] = np.cumsum(expected[::-1], axis=0)[::-1]
        return filters, unknown + self.b_[units]

    def _log_odds(self, words: Words, units: NDArray[np.intp]) -> Iterable[tuple[slice, Floats]]:
        """Log odds of some units, stretch after stretch of the bins."""
        filters, unknown = self._filters(units)
        listed, known = listed_words(words.X), ages(words)
        for part in chunks(words.n_bins, units.size, 1 << 22):
            out = unknown[np.minimum(known[part], len(filters))]
            for lag, effects in enumerate(filters):
                rows = np.flatnonzero(known[part] > lag)
                out[rows] += (listed @ effects)[words.index[part.start + rows - 1 - lag]]
            yield part, out

    def _check_arrays(self) -> None:
        check_sound(self.basis_.shape == self._shape(), "basis is not that of the settings")


def lag_basis(n_functions: int, n_lags: int) -> Floats:
    """Raised-cosine bumps over the lags 1 to ``n_lags``, shape (n_functions, n_lags).

    The raised cosines are those of Pillow et al. (2008, Nature 454), with half their overlap
    (docs/method.md, section 11). As many functions as lags are the lags themselves; a single
    function is the number of spikes.
    """
    if n_functions == n_lags:
        return np.eye(n_lags)
    if n_functions == 1:
        return np.ones((1, n_lags))
    lags = np.arange(1.0, n_lags + 1.0)
    stretched = np.log(lags + _offset(n_functions, n_lags))
    place = (stretched - stretched[0]) / (stretched[-1] - stretched[0]) * (n_functions - 1)
    apart = np.clip(np.abs(place - np.arange(n_functions)[:, None]), 0.0, 1.0)
    basis: Floats = np.cos(0.5 * np.pi * apart) ** 2
    basis[apart == 1.0] = 0.0  # where rounding leaves 1e-33
    return basis


def _offset(n_functions: int, n_lags: int) -> float:
    """The c of :func:`lag_basis`."""

    def first_distance(c: float) -> float:
        return float((1.0 + c) * np.expm1(np.log1p((n_lags - 1.0) / (1.0 + c)) / (n_functions - 1)))

    if first_distance(0.0) >= 1.0:
        return 0.0
    high = float(n_lags)
    while first_distance(high) < 1.0:  # grows towards (n_lags - 1) / (n_functions - 1) > 1
        high *= 2.0
    return float(brentq(lambda c: first_distance(c) - 1.0, 0.0, high))


def ages(words: Words) -> Places:
    """Number of adjacent bins before each bin, shape (n_bins,)."""
    starts = words.epoch_starts
    lengths = np.diff(np.append(starts, words.n_bins))
    return np.arange(words.n_bins) - np.repeat(starts, lengths)


class Histories(NamedTuple):
    """Distinct histories of the bins whose past is known in full, and who fired after them."""

    rows: SparseRows
    n_bins: int
    #: Units that fired after some of them but not after all, whose regressions have a solution.
    usable: NDArray[np.intp]

    @classmethod
    def of(cls, words: Words, basis: Floats) -> Self:
        """Histories of the bins that have as many adjacent bins before them as there are lags."""
        n_lags = basis.shape[1]
        newest = np.flatnonzero(ages(words) >= n_lags)
        codes = window_codes(words.index, newest - n_lags, n_lags, len(words))
        _, first, row = np.unique(codes, return_index=True, return_inverse=True)
        bins = listed_words(words.X)[words.index]
        features = _features(bins, newest[first], basis)
        spikes = bins[newest].T.tocsr()
        n_fired, n_bins = np.diff(spikes.indptr), max(newest.size, 1)
        rows = SparseRows(
            offsets=features.indptr,
            columns=features.indices,
            values=features.data,
            shares=np.bincount(row, minlength=first.size) / n_bins,
            fired_offsets=spikes.indptr.astype(np.int64),
            fired=row[spikes.indices].astype(np.int32),
            fired_shares=np.full(spikes.nnz, 1.0 / n_bins),
            limits=np.full(words.n_units, features.shape[1]),
            usable=np.ones(features.shape[1], dtype=bool),
            table=np.ones((1, 1)),
        )
        usable = np.flatnonzero((n_fired > 0) & (n_fired < newest.size))
        return cls(rows, newest.size, usable)

    def largest_l1(self) -> float:
        """Smallest penalty that leaves no weight other than zero; 1 where none is ever needed."""
        rows, n, n_rows = self.rows, self.rows.limits.size, self.rows.shares.size
        features = csr_array(
            (rows.values, rows.columns, rows.offsets), shape=(n_rows, rows.usable.size)
        )
        spikes = csr_array((rows.fired_shares, rows.fired, rows.fired_offsets), shape=(n, n_rows))
        together = (spikes @ features).toarray()
        slopes = together - np.outer(spikes.sum(axis=1), rows.shares @ features)
        return float(np.abs(slopes[self.usable]).max(initial=0.0)) or 1.0


def _features(bins: csr_array, newest: Places, basis: Floats) -> csr_array:
    """Basis functions of the spikes before some bins, shape (n_newest, n_units * n_functions)."""
    parts = []
    for function in basis:
        lags = np.flatnonzero(function)
        past = (newest[:, None] - 1 - lags).ravel()
        shares, ends = np.tile(function[lags], newest.size), lags.size * np.arange(newest.size + 1)
        parts.append(csr_array((shares, past, ends), shape=(newest.size, bins.shape[0])) @ bins)
    features = hstack(parts, format="csr")
    function, unit = np.divmod(features.indices, bins.shape[1])
    columns = unit * len(basis) + function
    features = csr_array((features.data, columns, features.indptr), shape=features.shape)
    features.sort_indices()
    return features

"""Minimum probability flow: K and its gradient over unique words (METHOD section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..kernels.cpu.mpf import ROW, flow
from ..parameters import Floats, Parameters
from ..words import Words, as_words

#: Most chunks the words are dealt into. Fixed, so that sums do not depend on the thread count.
_MAX_CHUNKS = 32
#: Bytes that all chunks' gradient sums may take together.
_MAX_SUMS_BYTES = 256 << 20
#: Largest |log| of a running product that stays a normal number, by precision, with a margin.
_SAFE_LOG = {np.dtype(np.float64): 600.0, np.dtype(np.float32): 70.0}
#: A field so low that a padded lane contributes exactly nothing.
_NEVER = -3000.0


def mpf(
    theta: Parameters,
    words: Words | ArrayLike,
    *,
    complement: bool = False,
    dtype: type[np.floating[Any]] = np.float64,
) -> tuple[float, Parameters]:
    """Minimum probability flow K = mean_x sum_n exp((log p~(x_n) - log p~(x)) / 2), unpenalised.

    Parameters
    ----------
    theta : Parameters
        The model.
    words : Words or array_like, shape (n_words, n_units)
        Binary words, each with its weight.
    complement : bool
        Count the word with all bits flipped as one more neighbour of each word.
    dtype : numpy float type
        Precision of the sums: ``float64``, or ``float32`` for speed.

    Returns
    -------
    K : float
        Flow per word.
    gradient : Parameters
        Derivatives; ``sum(gradient.J * dJ)`` is the change of K for a symmetric step ``dJ``.

    Examples
    --------
    >>> theta = Parameters(b=[0.0, 0.0])
    >>> K, gradient = mpf(theta, [[0, 0], [0, 1]])
    >>> K, gradient.b.tolist()
    (2.0, [0.5, 0.0])
    """
    return MinimumProbabilityFlow(words, complement=complement, dtype=dtype)(theta)


class MinimumProbabilityFlow:
    """The objective prepared for many evaluations on the same words.

    Parameters
    ----------
    words : Words or array_like, shape (n_words, n_units)
        Binary words.
    complement, dtype
        As in :func:`mpf`.
    """

    def __init__(
        self,
        words: Words | ArrayLike,
        *,
        complement: bool = False,
        dtype: type[np.floating[Any]] = np.float64,
    ) -> None:
        self.words = as_words(words)
        self.complement = complement
        self.dtype = np.dtype(dtype)
        if self.dtype not in _SAFE_LOG:
            raise ValueError(f"dtype is {self.dtype}; choose float64 or float32")
        bits, active = np.nonzero(self.words.X)
        offsets = np.searchsorted(bits, np.arange(self.words.X.shape[0] + 1))
        self._weights = self.words.counts / self.words.counts.sum()
        self._offsets, self._active = offsets, active.astype(np.int32)

    def __call__(self, theta: Parameters) -> tuple[float, Parameters]:
        """K and its gradient at ``theta``."""
        if theta.n_units != self.words.X.shape[1]:
            raise ValueError(
                f"the model has {theta.n_units} units but the words have {self.words.X.shape[1]}; "
                "fit and score on the same units"
            )
        live, _ = theta.only_live()
        tables = _Tables.of(live, self.complement, self.dtype)
        sums = tables.empty_sums(self._n_chunks(tables))
        flow(
            (self._offsets, self._active, self._weights, self._borders(sums[0].size)),
            tables.model,
            sums,
        )
        K, gradient = tables.gradient(sums)
        return K, _restore_dead(theta, gradient)

    def _n_chunks(self, tables: _Tables) -> int:
        affordable = _MAX_SUMS_BYTES // tables.bytes_per_chunk
        return int(max(1, min(_MAX_CHUNKS, affordable, self.words.X.shape[0])))

    def _borders(self, n_chunks: int) -> NDArray[np.int64]:
        """Chunks of about equal work: a word costs a constant plus its active bits."""
        n_words = self.words.X.shape[0]
        work = 4 * np.arange(n_words + 1) + self._offsets
        return np.searchsorted(work, np.linspace(0, work[-1], n_chunks + 1)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class _Tables:
    """A model laid out for the kernel: padded rows, exponentials taken once per evaluation."""

    theta: Parameters
    model: tuple[Any, ...]
    n_bits: int
    n_hidden: int
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, theta: Parameters, complement: bool, dtype: np.dtype[Any]) -> _Tables:
        n, m = theta.n_units, theta.n_hidden
        n_bits, n_hidden = _padded(n), _padded(m)
        J = np.zeros((0, 0)) if theta.J is None else theta.J
        W = np.zeros((n, 0)) if theta.W is None else theta.W
        c = np.zeros(0) if theta.c is None else theta.c
        _check_range(W, dtype)
        model = (
            _pad(theta.b, n_bits, _NEVER).astype(dtype),
            _pad(2.0 * J, n_bits, 0.0).astype(dtype),
            _pad(W, n_hidden, 0.0).astype(dtype),
            _pad(c, n_hidden, _NEVER).astype(dtype),
            _pad(np.exp(W.T), n_bits, 1.0).astype(dtype),
            _pad(np.expm1(W.T), n_bits, 0.0).astype(dtype),
            _pad(np.exp(-W), n_hidden, 1.0).astype(dtype),
            _pad(np.expm1(-W), n_hidden, 0.0).astype(dtype),
            _safe_blocks(W, _SAFE_LOG[dtype]),
            *_opposite(theta, n_bits, n_hidden, dtype, complement),
        )
        return cls(theta, model, n_bits, n_hidden, dtype)

    @property
    def bytes_per_chunk(self) -> int:
        couplings = 0 if self.theta.J is None else self.theta.n_units
        return 8 * (couplings + 2 * (self.n_hidden + 1) + 2) * self.n_bits

    def empty_sums(self, n_chunks: int) -> tuple[Any, ...]:
        n, dtype = self.theta.n_units, self.dtype
        coupled = 0 if self.theta.J is None else n
        return (
            np.zeros(n_chunks),
            np.zeros((n_chunks, self.n_bits), dtype),
            np.zeros((n_chunks, coupled, self.n_bits), dtype),
            np.zeros((n_chunks, n, self.n_hidden), dtype),
            np.zeros((n_chunks, self.theta.n_hidden, self.n_bits), dtype),
            np.zeros((n_chunks, self.n_hidden), dtype),
            np.zeros(n_chunks),
            np.zeros((n_chunks, self.n_bits), dtype),
            np.zeros((n_chunks, self.n_hidden), dtype),
        )

    def gradient(self, sums: tuple[Any, ...]) -> tuple[float, Parameters]:
        """Add up the chunks, in order, and undo the layout."""
        n, m = self.theta.n_units, self.theta.n_hidden
        K, gb, gJ, gW, gWt, gc, g_total, g_on, g_hidden = (
            a.sum(axis=0, dtype=np.float64) for a in sums
        )
        g_on = g_on[:n]
        b = gb[:n] + g_total - 2.0 * g_on
        J = W = c = None
        if self.theta.J is not None:
            J = gJ[:, :n]
            J = 0.5 * (J + J.T) + (g_total - (g_on[:, None] + g_on))
            np.fill_diagonal(J, 0.0)
        if self.theta.W is not None:
            W = gW[:, :m] + gWt[:, :n].T * np.exp(self.theta.W) + g_hidden[:m]
            c = gc[:m]
        if not np.isfinite(K):
            raise OverflowError(
                "the flow K is larger than a floating-point number can be; the parameters are too "
                "large for these words, start from smaller ones"
            )
        # g carries the derivative's factor one half; the value does not.
        return 2.0 * float(K), Parameters(b=b, J=J, W=W, c=c)


def _padded(size: int) -> int:
    return -(-size // ROW) * ROW


def _pad(array: Floats, width: int, value: float) -> Floats:
    """The array with its last axis filled up to ``width``."""
    out = np.full((*array.shape[:-1], width), value)
    out[..., : array.shape[-1]] = array
    return out


def _check_range(W: Floats, dtype: np.dtype[Any]) -> None:
    largest = float(np.abs(W).max(initial=0.0))
    if largest > _SAFE_LOG[dtype]:
        raise OverflowError(
            f"a hidden weight is {largest:.3g}, beyond the {_SAFE_LOG[dtype]:.0f} whose exponential "
            f"{dtype} can hold; rescale the weights or raise the penalty"
        )


def _safe_blocks(W: Floats, limit: float) -> NDArray[np.int64]:
    """Borders of runs of hidden units over which no product of f leaves the normal range.

    f lies between 1 and exp(d * W_ni), so the log of a product is at most the sum of |W_ni|.
    """
    borders, reach = [0], np.zeros(W.shape[0])
    for i, size in enumerate(np.abs(W).T):
        reach = reach + size
        if reach.max() > limit:
            borders.append(i)
            reach = size
    return np.array([*borders, W.shape[1]] if W.shape[1] else [0], dtype=np.int64)


def _opposite(
    theta: Parameters, n_bits: int, n_hidden: int, dtype: np.dtype[Any], wanted: bool
) -> tuple[Any, ...]:
    """Constants of the complement neighbour: log p~ changes by visible - sum of turn over x."""
    if not wanted:
        return np.zeros(0, dtype), np.zeros(0, dtype), np.zeros(0, dtype)
    rows = np.zeros(theta.n_units) if theta.J is None else theta.J.sum(axis=1)
    visible = np.array([theta.b.sum() + rows.sum()])
    turn = 2.0 * (theta.b + rows)
    if theta.W is None or theta.c is None:
        z_sum = np.zeros(0)
    else:
        z_sum = _pad(2.0 * theta.c + theta.W.sum(axis=0), n_hidden, 2.0 * _NEVER)
    return visible.astype(dtype), _pad(turn, n_bits, 0.0).astype(dtype), z_sum.astype(dtype)


def _restore_dead(theta: Parameters, gradient: Parameters) -> Parameters:
    """Put back the hidden units that left the kernel: with no weights their z is c alone.

    Then f = 1, nothing flows through z, and dK/dW_ni = sigmoid(c_i) times the direct part
    sum of g * d, which is the gradient of b_n.
    """
    if theta.W is None or theta.c is None or theta.live.all():
        return gradient
    live = theta.live
    W = gradient.b[:, None] / (1.0 + np.exp(-theta.c))
    c = np.zeros(theta.n_hidden)
    if gradient.W is not None and gradient.c is not None:
        W[:, live] = gradient.W
        c[live] = gradient.c
    return Parameters(b=gradient.b, J=gradient.J, W=W, c=c)

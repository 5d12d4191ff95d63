"""Log Z of one model under many drives: one normaliser for each moment of a stimulus.

A drive d adds d'x to log p~(x). Sums over all words are exact and cheap where they fit: with the
units in two groups A and B and f(a, b) = p~(x), all of them are one matrix product,

    Z(t) = sum_ab exp(d_A(t)'a) f(a, b) exp(d_B(t)'b),

and without couplings sums over the states of few hidden units are as exact for any number of units
(docs/method.md, "Stimulus drive"). Elsewhere words that the model without a drive draws are
weighted, Z(t) / Z = E[exp(d(t)'x)], and the result carries an error and says whether it may be
relied upon.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from ..energy import log_weight
from ..kernels.states import states
from ..notebook import AsText
from ..parameters import Parameters
from ..validation import Bits, Floats, chunks, random_generator
from ._cost import EXACT_DRIVES
from ._gibbs import RandomState, gibbs_samples
from ._log_partition import log_partition
from ._result import LogPartition
from ._samples import can_sample_exactly, exact_samples

DrivenMethod = Literal["auto", "exact", "importance"]

#: More units than these are not summed over: the table of all words would take gigabytes.
_MOST_UNITS, _MOST_HIDDEN = 24, 20
#: A product of factors is taken the logarithm of before its log can exceed this.
_LARGEST_LOG = 600.0
#: Words that are drawn first and at most, and the least that they must be worth under each drive.
_FEWEST_DRAWS, _MOST_DRAWS, _LEAST_WORTH = 1 << 14, 1 << 16, 200.0
#: Chains that words are drawn by where they cannot be drawn exactly.
_CHAINS = 512


@dataclass(frozen=True, slots=True, eq=False)
class DrivenLogPartition(AsText):
    """Log Z under each of some drives, how it was found and how far to trust it.

    Parameters
    ----------
    values : ndarray, shape (n_rows,)
        Nats.
    mean, stderr : float
        Mean over the drives, by their weights, and its standard error, nats; 0 for exact sums.
    method : {"exact", "importance"}
        Summed over all states, or from words that the model without a drive draws.
    converged : bool
        Whether the values may be relied upon to within a few errors; always for exact sums.
    seconds : float
        What it cost.
    side : {"visible", "hidden"}, optional
        Which states an exact sum ran over.
    effective_sample_size : float, optional
        What the drawn words are worth under the drive where they are worth least.
    """

    values: Floats
    mean: float
    stderr: float
    method: Literal["exact", "importance"]
    converged: bool
    seconds: float
    side: Literal["visible", "hidden"] | None = None
    effective_sample_size: float | None = None

    def __str__(self) -> str:
        error = f" ± {self.stderr:.2g}" if self.stderr > 0.0 else ""
        doubt = "" if self.converged else ", not converged"
        how = self.method if self.side is None else f"{self.method}, {self.side} side"
        return f"mean log Z of {self.values.size} drives = {self.mean:.10g}{error} ({how}{doubt})"


def driven_log_partition(
    theta: Parameters,
    table: Floats,
    *,
    weights: Floats | None = None,
    method: DrivenMethod = "auto",
    log_z: Callable[[], LogPartition] | None = None,
    random_state: RandomState = 0,
) -> DrivenLogPartition:
    """Find log Z of a model under each of some drives.

    Parameters
    ----------
    theta : Parameters
        The model.
    table : ndarray, shape (n_rows, n_units)
        One drive per row, nats of log odds.
    weights : ndarray, shape (n_rows,), optional
        How often each drive counts in ``mean`` and ``stderr``; once each by default.
    method : {"auto", "exact", "importance"}
        "auto" is exact up to ``EXACT_DRIVES`` multiply-adds, else "importance".
    log_z : callable, optional
        Gives log Z of the model without a drive, which importance sampling needs; by default
        :func:`log_partition`.
    random_state : int, Generator or None
        Source of the drawn words.

    Examples
    --------
    >>> theta = Parameters(b=[0.0, 0.0], J=[[0.0, 0.5], [0.5, 0.0]])
    >>> found = driven_log_partition(theta, np.array([[0.0, 0.0], [1.0, 1.0]]))
    >>> np.allclose(np.exp(found.values), [3 + np.e, 1 + 2 * np.e + np.exp(3)], rtol=1e-12)
    True
    """
    if method not in get_args(DrivenMethod):
        raise ValueError(f"method is {method!r}; choose 'auto', 'exact' or 'importance'")
    started = time.perf_counter()
    share = np.full(len(table), 1.0) if weights is None else weights
    share = share / share.sum()
    live, log_factor = theta.only_live()
    side, n_operations = _side(live, len(table))
    if method == "importance" or (method == "auto" and n_operations > EXACT_DRIVES):
        return _by_importance(theta, table, share, log_z, random_state, started)
    if not math.isfinite(n_operations):
        raise ValueError(
            f"a sum over {live.n_visible} units and {live.n_hidden} live hidden units is out of "
            "reach; use method='importance'"
        )
    values = log_factor + (_hidden_side if side == "hidden" else _visible_side)(live, table)
    seconds = time.perf_counter() - started
    return DrivenLogPartition(values, float(share @ values), 0.0, "exact", True, seconds, side)


def _side(live: Parameters, n_rows: int) -> tuple[Literal["visible", "hidden"], float]:
    """The cheaper of both sums, and its multiply-adds; infinite where neither can be done."""
    n, m = live.n_visible, live.n_hidden
    coupled = live.v is not None or (live.J is not None and bool(live.J.any()))
    visible = n_rows * 2.0**n + 2.0**n * n * (n + m) if n <= _MOST_UNITS else math.inf
    hidden = n_rows * 2.0**m * n * 4.0 if not coupled and m <= _MOST_HIDDEN else math.inf
    return ("hidden", hidden) if hidden <= visible else ("visible", visible)


def _visible_side(theta: Parameters, table: Floats) -> Floats:
    n = theta.n_visible
    n_first = n // 2
    first, second = states(n_first), states(n - n_first)
    log_f = np.empty((len(first), len(second)))
    for part in chunks(len(first), len(second) * n):
        heads = np.repeat(first[part], len(second), axis=0)
        tails = np.tile(second, (len(first[part]), 1))
        log_f[part] = log_weight(theta, np.hstack((heads, tails))).reshape(-1, len(second))
    largest = float(log_f.max())
    f = np.exp(log_f - largest)
    values = np.empty(len(table))
    for rows in chunks(len(table), f.shape[0] + f.shape[1], 1 << 22):
        drive = table[rows]
        # Relative to the word that the drive likes best, so that nothing overflows.
        best = np.maximum(drive, 0.0).sum(axis=1)
        at_most = np.maximum(drive[:, :n_first], 0.0).sum(axis=1, keepdims=True)
        head = np.exp(drive[:, :n_first] @ first.T - at_most)
        at_most = np.maximum(drive[:, n_first:], 0.0).sum(axis=1, keepdims=True)
        tail = np.exp(drive[:, n_first:] @ second.T - at_most)
        values[rows] = best + np.log(((head @ f) * tail).sum(axis=1))
    return values + largest


def _hidden_side(theta: Parameters, table: Floats) -> Floats:
    """Z(t) = sum_h exp(c'h) prod_n (1 + exp(b_n + d_n(t) + W_n h))."""
    n_hidden = theta.n_hidden
    H = states(n_hidden)
    W = np.zeros((theta.n_visible, 0)) if theta.W is None else theta.W
    c = np.zeros(0) if theta.c is None else theta.c
    inputs, weights = W @ H.T, H @ c
    values = np.empty(len(table))
    for rows in chunks(len(table), len(H)):
        fields = table[rows] + theta.b
        log_p = np.tile(weights, (len(fields), 1))
        product, reach = np.ones_like(log_p), 0.0
        for n in range(theta.n_visible):
            highest = float(np.logaddexp(0.0, fields[:, n].max() + inputs[n].max()))
            if reach + highest > _LARGEST_LOG:
                log_p += np.log(product)
                product, reach = np.ones_like(log_p), 0.0
            if highest > _LARGEST_LOG:
                log_p += np.logaddexp(0.0, fields[:, n, None] + inputs[n])
                continue
            product *= 1.0 + np.exp(fields[:, n, None]) * np.exp(inputs[n])
            reach += highest
        values[rows] = np.logaddexp.reduce(log_p + np.log(product), axis=1)
    return values


def _by_importance(
    theta: Parameters,
    table: Floats,
    share: Floats,
    log_z: Callable[[], LogPartition] | None,
    random_state: RandomState,
    started: float,
) -> DrivenLogPartition:
    rng = random_generator(random_state)
    undriven = log_partition(theta, random_state=rng) if log_z is None else log_z()
    exact = can_sample_exactly(theta)
    words, n_draws = np.zeros((0, theta.n_visible), dtype=np.uint8), _FEWEST_DRAWS
    while True:
        n_more = n_draws - len(words)
        if exact:
            drawn = exact_samples(theta, n_more, rng)
        else:
            drawn = gibbs_samples(theta, n_more, n_chains=_CHAINS, random_state=rng)
        words = np.concatenate((words, drawn))
        logs, worth, influence = _weighted(words, table, share)
        if worth >= _LEAST_WORTH or n_draws == _MOST_DRAWS:
            break
        n_draws *= 2
    # Words of one chain hang together; the chains of each round are independent of each other.
    chain = influence if exact else influence.reshape(-1, _CHAINS).mean(axis=0)
    stderr = float(chain.std(ddof=1)) / math.sqrt(chain.size)
    values = undriven.value + logs
    return DrivenLogPartition(
        values=values,
        mean=float(share @ values),
        stderr=math.hypot(stderr, undriven.stderr),
        method="importance",
        converged=undriven.converged and not undriven.has_false_mode and worth >= _LEAST_WORTH,
        seconds=time.perf_counter() - started,
        effective_sample_size=worth,
    )


def _weighted(words: Bits, table: Floats, share: Floats) -> tuple[Floats, float, Floats]:
    """Log of E[exp(d'x)] over the words for each drive, and the least that they are worth for one.

    Also the influence of each word on the mean of these logs over drives, shape (n_words,).
    """
    x = words.T.astype(np.float64)
    logs, least, influence = np.empty(len(table)), math.inf, np.zeros(len(words))
    for rows in chunks(len(table), len(words), 1 << 22):
        log_weights = table[rows] @ x
        highest = log_weights.max(axis=1, keepdims=True)
        weights = np.exp(log_weights - highest)
        means = weights.mean(axis=1)
        logs[rows] = highest[:, 0] + np.log(means)
        influence += (share[rows] / means) @ weights
        worth = weights.sum(axis=1) ** 2 / (weights**2).sum(axis=1)
        least = min(least, float(worth.min()))
    return logs, least, influence

"""Log Z of one model under many drives: one normaliser for each moment of a stimulus.

By the model's own sums with biases moved by each drive, by one matrix product for all drives where
words are few, or by words that the model without a drive draws (docs/method.md, section 12).
"""

from __future__ import annotations

import math
import time
from typing import Any, Literal, get_args

import numpy as np

from ..energy import log_weight
from ..errors import BadInput
from ..kernels import ExactSums, exact_log_z, one_blas_thread
from ..kernels.gates import softplus_and_sigmoid
from ..kernels.states import states
from ..parameters import Parameters
from ..validation import Bits, Floats, chunks, one_of, random_generator
from ._log_partition import log_partition
from ._samples import can_sample_exactly, exact_samples
from .cost import EXACT_DRIVES, MAX_OPERATIONS, operations, pick_side, transposed
from .gibbs import RandomState, gibbs_samples
from .result import LogPartition

DrivenMethod = Literal["auto", "exact", "importance"]

#: More units than these are not tabulated: the table of all words would take gigabytes.
_MOST_UNITS = 24
#: Multiply-adds that a sum for one drive takes as long as, beside its own, and how much longer each
#: of its own takes than one of the matrix product.
_EACH, _SLOWER = 2.0**18, 4.0
#: Words that are drawn first and at most, and the least that they must be worth under each drive.
_FEWEST_DRAWS, _MOST_DRAWS, _LEAST_WORTH = 1 << 14, 1 << 16, 200.0
#: Chains that words are drawn by where they cannot be drawn exactly.
_CHAINS = 512


def driven_log_partition(
    theta: Parameters,
    table: Floats,
    *,
    weights: Floats | None = None,
    method: DrivenMethod = "auto",
    random_state: RandomState = 0,
    **options: Any,
) -> tuple[Floats, LogPartition]:
    """Find log Z of a model under each of some drives, nats, and its mean over them.

    ``table`` (n_rows, n_units) has one drive per row, nats of log odds, which counts ``weights``
    (n_rows,) times in the mean, by default once. ``"auto"`` is exact up to ``EXACT_DRIVES``
    multiply-adds, else ``"importance"``, for which ``options`` are passed on to
    :func:`log_partition` of the model without a drive. The mean's effective sample size is that of
    the drawn words under the drive where they are worth least.

    Examples
    --------
    >>> theta = Parameters(b=[0.0, 0.0], J=[[0.0, 0.5], [0.5, 0.0]])
    >>> values, mean = driven_log_partition(theta, np.array([[0.0, 0.0], [1.0, 1.0]]))
    >>> np.allclose(np.exp(values), [3 + np.e, 1 + 2 * np.e + np.exp(3)], rtol=1e-12), mean.method
    (True, 'exact')
    """
    one_of("method", method, get_args(DrivenMethod))
    started = time.perf_counter()
    share = np.full(len(table), 1.0) if weights is None else weights
    share = share / share.sum()
    live, log_factor = theta.drop_dead_units()
    n, per_word = live.n_visible, live.n_visible + live.n_hidden
    tabulated = 2.0**n * (len(table) + n * per_word) if n <= _MOST_UNITS else math.inf
    n_operations = min(tabulated, len(table) * (_EACH + _SLOWER * operations(live)))
    stderr, worth, converged = 0.0, None, True
    if method == "importance" or (method == "auto" and n_operations > EXACT_DRIVES):
        method = "importance"
        rng = random_generator(random_state)
        undriven = log_partition(theta, random_state=rng, **options)
        logs, stderr, worth = _weighed(theta, table, share, rng)
        values, stderr = undriven.value + logs, math.hypot(stderr, undriven.stderr)
        converged = undriven.converged and not undriven.has_spurious_mode and worth >= _LEAST_WORTH
    elif n_operations > MAX_OPERATIONS:
        raise BadInput(
            f"sums over {n} units and {live.n_hidden} live hidden units under {len(table)} drives "
            "are out of reach",
            "use method='importance'",
        )
    elif live.is_independent:
        values = log_factor + softplus_and_sigmoid(live.b[:, None] + table.T)[0]
    elif tabulated == n_operations:
        values = log_factor + _over_all_words(live, table)
    else:
        values = log_factor + _one_by_one(live, table)
    mean = LogPartition(
        value=float(share @ values),
        stderr=stderr,
        method="importance" if method == "importance" else "exact",
        n_operations=n_operations,
        seconds=time.perf_counter() - started,
        converged=converged,
        effective_sample_size=worth,
    )
    return values, mean


def _one_by_one(live: Parameters, table: Floats) -> Floats:
    """The model's own sums with its biases moved by each drive."""
    side, _ = pick_side(live, "auto", "use method='importance'")
    values, sums = np.empty(len(table)), ExactSums()
    with one_blas_thread():
        for row, drive in enumerate(table):
            moved = Parameters.trusted(live.b + drive, live.J, live.W, live.c, live.v)
            summed = transposed(moved) if side == "hidden" else moved
            values[row] = exact_log_z(summed.arrays, sums=sums)
    return values


def _over_all_words(theta: Parameters, table: Floats) -> Floats:
    """All drives at once, by the matrix product above."""
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
        head, tail = (
            np.exp(part @ words.T - np.maximum(part, 0.0).sum(axis=1, keepdims=True))
            for part, words in ((drive[:, :n_first], first), (drive[:, n_first:], second))
        )
        values[rows] = best + np.log(((head @ f) * tail).sum(axis=1))
    return values + largest


def _weighed(
    theta: Parameters, table: Floats, share: Floats, rng: np.random.Generator
) -> tuple[Floats, float, float]:
    """Log of Z(t) / Z from drawn words, the error of their mean, and what the words are worth."""
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
    # Words of one chain are correlated; the chains of each round are independent of each other.
    chain = influence if exact else influence.reshape(-1, _CHAINS).mean(axis=0)
    return logs, float(chain.std(ddof=1)) / math.sqrt(chain.size), worth


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

"""What exact sums over chunks of states have in common.

A chunk holds the states that agree in their fixed units. Its sums come over exp(log scale), so
that chunks of any weight can be added up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

from ...validation import Floats
from ..states import states

Numbers = NDArray[np.int64]
T = TypeVar("T")

#: Called after each batch of chunks with its share of all of them.
Watch = Callable[[float], object]
#: Chunks per batch; between two batches a sum can be interrupted.
_BATCH = 64


def over_chunks(work: Callable[[int], T], n_chunks: int, watch: Watch | None = None) -> Iterator[T]:
    """What ``work`` finds for each chunk, in order, computed by as many threads as Numba may use.

    The work is done by functions that release the interpreter's lock.
    """
    n_threads = 1 if n_chunks == 1 else min(numba.get_num_threads(), n_chunks)
    with ThreadPoolExecutor(n_threads) as threads:
        for start in range(0, n_chunks, _BATCH):
            chunks = range(start, min(start + _BATCH, n_chunks))
            yield from threads.map(work, chunks) if n_threads > 1 else map(work, chunks)
            if watch is not None:
                watch(len(chunks) / n_chunks)


def add_up(parts: Iterable[tuple[float, Sequence[Floats]]]) -> tuple[float, list[Floats]]:
    """Add up arrays that come over exp(log scale): the largest scale, and the sums over it."""
    scale, sums = -math.inf, list[Floats]()
    for log_scale, arrays in parts:
        higher = max(scale, log_scale)
        added = [math.exp(log_scale - higher) * array for array in arrays]
        kept = math.exp(scale - higher) if sums else 0.0
        sums = [kept * a + b for a, b in zip(sums, added, strict=True)] if sums else added
        scale = higher
    return scale, sums


def with_fixed(sums: Floats, fixed: Floats) -> Floats:
    """Sums of (1, x) times anything, shape (1 + n_free, ...), with the rows of fixed units added.

    ``fixed`` holds the bits of these units: an active one adds the row of the constant.
    """
    return np.concatenate([sums, fixed[:, None] * sums[:1]]) if fixed.size else sums


def fixed_bits(n_fixed: int, number: int) -> Floats:
    """Bits of the fixed units of the chunk with this number."""
    return states(n_fixed, np.array([number], dtype=np.int64))[0]


def pairs_and_rates(sums: Floats) -> tuple[Floats, Floats]:
    """Rates and E[x_n x_m], its diagonal zero, from sums of (1, x)(1, x)'."""
    pairs = sums[1:, 1:] / sums[0, 0]
    rates = np.diagonal(pairs).copy()
    pairs = 0.5 * (pairs + pairs.T)  # which is symmetric only up to rounding
    np.fill_diagonal(pairs, 0.0)
    return rates, pairs


def draw(weights: Floats, n: int, rng: np.random.Generator) -> Numbers:
    """Draw ``n`` places of the flattened ``weights`` in proportion to them, in order."""
    edges = np.cumsum(weights)
    heights = np.sort(rng.random(n)) * edges[-1]
    return np.searchsorted(edges, heights, side="right")


def draw_in_rows(weights: Floats, rows: Numbers, rng: np.random.Generator) -> Numbers:
    """Draw a place of each of the given ``rows`` of ``weights``, in proportion to them."""
    edges = np.cumsum(weights, axis=1)
    edges /= edges[:, -1:]
    edges += np.arange(len(edges))[:, None]  # row k ends at k + 1, so that one search serves all
    drawn = np.searchsorted(edges.ravel(), rows + rng.random(rows.size), side="right")
    return np.minimum(drawn - rows * edges.shape[1], edges.shape[1] - 1)


def draw_chunks(log_weights: Floats, n: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Numbers of the chunks that ``n`` samples are in, and how many samples are in each."""
    drawn = draw(np.exp(log_weights - log_weights.max()), n, rng)
    numbers, counts = np.unique(drawn, return_counts=True)
    return [*zip(numbers.tolist(), counts.tolist(), strict=True)]

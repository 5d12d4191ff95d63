"""Exact sums over all words of models without hidden units, as matrix products.

The units are split in four: C is fixed within a chunk, and the states a, h and l of A, H and L are
tabulated (docs/method.md, section 5). Under a potential of the number of active units, R depends on
how many of A are: the rows of A are sorted by this number k, so that each R_k serves a block of
rows. Three products, Q R', P R and (w P)'Q, give the weights of all (a, h), of all (a, l) and of
all (h, l), hence every pair moment; log Z needs the first alone.

Range. R_k and w are scaled to a maximum of one. P and Q together lie within exp(-S)...exp(S) with
S = sum |J_nj| over n in A and j in H or L. The sum over a chunk is at least exp(-S), and a term
that leaves the range of a double was below exp(-708 + S). So with S <= 300 whatever underflows is
smaller than the sum by exp(-108) at least, and nothing overflows. The weakest units are in A, which
shrinks until the bound holds; with A empty it always does (plain enumeration).
"""

from __future__ import annotations

import math
import threading
from typing import NamedTuple

import numpy as np

from ...validation import Bits, Floats, chunks
from ..arrays import ModelArrays
from ..states import pairwise_log_weights, states
from .chunk_sums import (
    Watch,
    add_up,
    draw,
    draw_chunks,
    draw_in_rows,
    fixed_bits,
    over_chunks,
    pairs_and_rates,
    with_fixed,
)

#: Largest S of the module docstring, nats.
_RANGE_NATS = 300.0
#: Most units in A, and in H and L together: tables of 2 MB.
_MOST_OUTER, _MOST_INNER = 9, 18


class _Tables(NamedTuple):
    """What all chunks of a model share; units are in the order of a plan."""

    P: Floats  # (n_a, n_h)
    Q: Floats  # (n_a, n_l)
    log_w: Floats  # (n_a,)
    log_r: Floats  # (n_h, n_l)
    b: Floats
    J: Floats
    v: Floats | None


class _Chunk(NamedTuple):
    """Factors of one chunk, over exp(log_scale)."""

    log_scale: float
    fixed: Floats  # bits of the fixed units
    w: Floats  # (n_a, 1)
    scaled_p: Floats  # w(a) P(a, h), (n_a, n_h)
    R: Floats  # (n_blocks, n_h, n_l)


class _Memory(threading.local):
    """Tables that are used again by every evaluation; one set for each thread."""

    def __init__(self, n_a: int, n_h: int, n_l: int, n_blocks: int) -> None:
        self.P, self.scaled_p, self.outer_high = (np.empty((n_a, n_h)) for _ in range(3))
        self.Q, self.outer_low = np.empty((n_a, n_l)), np.empty((n_a, n_l))
        self.log_r, self.high_low, self.added = (np.empty((n_h, n_l)) for _ in range(3))
        self.R = np.empty((n_blocks, n_h, n_l))


class PairSums:
    """A plan for exact sums over models without hidden units, while couplings are in range."""

    def __init__(self, model: ModelArrays) -> None:
        n, self._counted = model.n_units, model.v is not None
        self._order = np.argsort(np.abs(_couplings(model)).sum(axis=1), kind="stable")
        # There is a table R for each number of active units in A: more outer units make it small.
        n_a = min(_MOST_OUTER, (n + 3) // 3 if self._counted else n // 3)
        self._sizes = n_a, min(n - n_a, _MOST_INNER)
        while n_a and not self._in_range(model):
            n_a -= 1
            self._sizes = n_a, min(n - n_a, _MOST_INNER)
        n_b = self._sizes[1]
        self._n_fixed = n - n_a - n_b
        A, self._H, self._L = states(n_a), states(n_b // 2), states(n_b - n_b // 2)
        self._blocks = [slice(None)]
        if self._counted:
            n_active = A.sum(axis=1)
            by_count = np.argsort(n_active, kind="stable")
            A, starts = A[by_count], np.searchsorted(n_active[by_count], np.arange(n_a + 2))
            self._blocks = [slice(starts[k], starts[k + 1]) for k in range(n_a + 1)]
        self._A = A
        self._with_one = [np.insert(X, 0, 1.0, axis=1) for X in (A, self._H, self._L)]
        self._n_active = np.add.outer(self._H.sum(axis=1), self._L.sum(axis=1)).astype(np.intp)
        self._memory = _Memory(len(A), len(self._H), len(self._L), len(self._blocks))

    def _in_range(self, model: ModelArrays) -> bool:
        n_a, n_b = self._sizes
        J = _couplings(model)[np.ix_(self._order[:n_a], self._order[n_a : n_a + n_b])]
        return float(np.abs(J).sum()) <= _RANGE_NATS

    def fits(self, model: ModelArrays) -> bool:
        """Whether the plan is one for this model."""
        same = model.n_units == self._order.size and (model.v is not None) == self._counted
        return same and model.n_hidden == 0 and self._in_range(model)

    @property
    def _n_chunks(self) -> int:
        return 1 << self._n_fixed

    def _tables(self, model: ModelArrays) -> _Tables:
        memory, A, H, L = self._memory, self._A, self._H, self._L
        b, J = model.b[self._order], _couplings(model)[np.ix_(self._order, self._order)]
        n_a, n_h = A.shape[1], H.shape[1]
        a, h, low = slice(n_a), slice(n_a, n_a + n_h), slice(n_a + n_h, sum(self._sizes))
        middle = b + J[a].sum(axis=0)  # fields at a = 1/2
        centred = 2.0 * A - 1.0
        for table, group, X in ((memory.P, h, H), (memory.Q, low, L)):
            np.exp(np.matmul(centred @ J[a, group], X.T, out=table), out=table)
        log_r = np.matmul(H @ (2.0 * J[h, low]), L.T, out=memory.log_r)
        log_r += pairwise_log_weights(middle[h], J[h, h], H)[:, None]
        log_r += pairwise_log_weights(middle[low], J[low, low], L)
        log_w = pairwise_log_weights(b[a], J[a, a], A)
        return _Tables(memory.P, memory.Q, log_w, log_r, b, J, model.v)

    def _chunk(self, tables: _Tables, number: int) -> _Chunk:
        memory, fixed = self._memory, fixed_bits(self._n_fixed, number)
        log_w, log_r, constant = tables.log_w.copy(), tables.log_r, 0.0
        if fixed.any():
            n_a, n_free = self._sizes[0], sum(self._sizes)
            fields = 2.0 * tables.J[:, n_free:] @ fixed
            constant = float(fixed @ (tables.b[n_free:] + 0.5 * fields[n_free:]))
            log_w += self._A @ fields[:n_a]
            of_h, of_l = np.split(fields[n_a:n_free], [self._H.shape[1]])
            log_r = np.add(log_r, (self._H @ of_h)[:, None], out=memory.added)
            log_r += self._L @ of_l
        for k, (rows, R) in enumerate(zip(self._blocks, memory.R, strict=True)):
            R[:] = log_r
            if tables.v is not None:
                R += tables.v[int(fixed.sum()) + k :][self._n_active]
            top = R.max()
            R -= top
            log_w[rows] += top
            np.exp(R, out=R)
        top = float(log_w.max())
        w = np.exp(log_w - top)[:, None]
        scaled_p = np.multiply(w, tables.P, out=memory.scaled_p)
        return _Chunk(constant + top, fixed, w, scaled_p, memory.R)

    def _outer_high(self, tables: _Tables, chunk: _Chunk) -> Floats:
        """Weights of all (a, h)."""
        weights = self._memory.outer_high
        for rows, R in zip(self._blocks, chunk.R, strict=True):
            np.matmul(tables.Q[rows], R.T, out=weights[rows])
        weights *= chunk.scaled_p
        return weights

    def log_weights(self, model: ModelArrays, watch: Watch | None = None) -> Floats:
        """Log of the sum over each chunk, nats."""
        tables = self._tables(model)

        def log_sum(number: int) -> float:
            chunk = self._chunk(tables, number)
            return chunk.log_scale + math.log(self._outer_high(tables, chunk).sum())

        return np.array([*over_chunks(log_sum, self._n_chunks, watch)])

    def moments(self, model: ModelArrays) -> tuple[float, ModelArrays]:
        """Log Z, nats, and the expectations of what each array of the model multiplies."""
        tables = self._tables(model)
        parts = over_chunks(lambda number: self._sums(tables, number), self._n_chunks)
        log_scale, [sums, by_count] = add_up(parts)
        place = np.append(0, 1 + np.argsort(self._order))
        rates, pairs = pairs_and_rates(sums[np.ix_(place, place)])
        log_z = log_scale + math.log(sums[0, 0])
        v = by_count / by_count.sum() if self._counted else None
        return log_z, ModelArrays(rates, None if model.J is None else pairs, None, None, v)

    def _sums(self, tables: _Tables, number: int) -> tuple[float, tuple[Floats, Floats]]:
        """Sums of (1, x)(1, x)' and by the number of active units over a chunk, and their scale."""
        memory, chunk = self._memory, self._chunk(tables, number)
        outer_low, high_low, added = memory.outer_low, memory.high_low, memory.added
        by_count = np.zeros(self._order.size + 1)
        for k, (rows, R) in enumerate(zip(self._blocks, chunk.R, strict=True)):
            np.matmul(tables.P[rows], R, out=outer_low[rows])
            np.matmul(chunk.scaled_p[rows].T, tables.Q[rows], out=added)
            added *= R
            np.add(high_low if k else 0.0, added, out=high_low)
            if self._counted:
                counts = np.bincount(self._n_active.ravel(), added.ravel())
                first = int(chunk.fixed.sum()) + k
                by_count[first : first + counts.size] += counts
        outer_low *= tables.Q
        A, H, L = self._with_one
        of_outer = self._outer_high(tables, chunk) @ H
        of_low = (chunk.w * A).T @ outer_low
        of_high = high_low @ L
        n_a, n_h = A.shape[1], A.shape[1] + H.shape[1] - 1
        sums = np.zeros((1 + sum(self._sizes),) * 2)
        sums[:n_a, n_a:n_h] = (A.T @ of_outer)[:, 1:]
        sums[:n_a, n_h:] = (of_low @ L)[:, 1:]
        sums[n_a:n_h, n_h:] = (H.T @ of_high)[1:, 1:]
        sums[:n_a, :n_a] = A.T @ (of_outer[:, :1] * A)
        sums[n_a:n_h, n_a:n_h] = (H.T @ (of_high[:, :1] * H))[1:, 1:]
        sums[n_h:, n_h:] = ((of_low[0] * L.T) @ L)[1:, 1:]
        sums = np.triu(sums) + np.triu(sums, 1).T
        sums = with_fixed(with_fixed(sums, chunk.fixed).T, chunk.fixed)
        return chunk.log_scale, (sums, by_count)

    def samples(self, model: ModelArrays, n: int, rng: np.random.Generator) -> Bits:
        """Draw ``n`` independent words: C, (A, H) and L in turn, each given those before."""
        tables = self._tables(model)
        words = np.empty((n, model.n_units), dtype=np.uint8)
        block = self._A.sum(axis=1).astype(np.intp) * self._counted
        start = 0
        for number, count in draw_chunks(self.log_weights(model), n, rng):
            chunk = self._chunk(tables, number)
            drawn = draw(self._outer_high(tables, chunk), count, rng)
            for part in chunks(count, len(self._L)):
                distinct, rows = np.unique(drawn[part], return_inverse=True)
                a, h = np.divmod(distinct, len(self._H))
                low = draw_in_rows(tables.Q[a] * chunk.R[block[a], h], rows, rng)
                fixed = np.broadcast_to(chunk.fixed, (rows.size, self._n_fixed))
                bits = np.hstack([self._A[a[rows]], self._H[h[rows]], self._L[low], fixed])
                words[start : start + rows.size, self._order] = bits
                start += rows.size
        return rng.permutation(words)


def _couplings(model: ModelArrays) -> Floats:
    return np.zeros((model.n_units, model.n_units)) if model.J is None else model.J

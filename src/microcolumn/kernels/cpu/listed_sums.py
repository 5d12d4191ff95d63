"""Exact sums over listed states of any model: the definition, as matrix products.

States are listed some thousands at a time: the first units vary, the others are fixed within a
chunk. It is the only way to sum over hidden units with a potential of the number of active units,
and the quickest where states are few.
"""

from __future__ import annotations

import math

import numpy as np

from ...validation import Bits, Floats
from ..arrays import ModelArrays
from ..gates import softplus_and_sigmoid
from ..states import states
from .chunk_sums import Watch, add_up, draw, draw_chunks, fixed_bits, pairs_and_rates, with_fixed

#: Units that vary within a chunk, and hidden units times states of which tables stay in the cache.
_MOST_UNITS, _MOST_ENTRIES = 12, 1 << 16


class ListedSums:
    """The list of states for exact sums over models of one size."""

    def __init__(self, model: ModelArrays) -> None:
        self._shape = model.n_units, model.n_hidden
        most_units = (_MOST_ENTRIES // max(model.n_hidden, 1)).bit_length() - 1
        self._n_listed = min(model.n_units, max(min(most_units, _MOST_UNITS), 4))
        X = states(self._n_listed)
        self._X = np.ascontiguousarray(X.T)
        self._with_one = np.insert(self._X, 0, 1.0, axis=0)
        self._n_active = X.sum(axis=1).astype(np.intp)
        self._memory = np.empty((2, model.n_hidden, len(X)))

    def fits(self, model: ModelArrays) -> bool:
        """Whether the list is one for this model."""
        return (model.n_units, model.n_hidden) == self._shape

    @property
    def _n_chunks(self) -> int:
        return 1 << (self._shape[0] - self._n_listed)

    def _log_weights(self, model: ModelArrays, number: int) -> tuple[Floats, Floats, Floats]:
        """Log weights of the states of a chunk (nats), their sigmoids, and bits of fixed units."""
        n = self._n_listed
        fixed, X = fixed_bits(model.n_units - n, number), self._X
        log_p = model.b[:n] @ X
        log_p += fixed @ model.b[n:]
        if model.J is not None:
            fields = model.J[:n, :n] @ X
            fields += 2.0 * (model.J[:n, n:] @ fixed)[:, None]
            fields *= X
            log_p += fields.sum(axis=0)
            log_p += fixed @ model.J[n:, n:] @ fixed
        if model.v is not None:
            log_p += model.v[int(fixed.sum()) :][self._n_active]
        z, factors = self._memory
        if model.W is not None and model.c is not None:
            np.matmul(model.W[:n].T, X, out=z)
            z += (model.c + fixed @ model.W[n:])[:, None]
            log_p += softplus_and_sigmoid(z, factors)[0]
        return log_p, z, fixed

    def log_weights(self, model: ModelArrays, watch: Watch | None = None) -> Floats:
        """Log of the sum over each chunk, nats."""
        logs = np.empty(self._n_chunks)
        for number in range(logs.size):
            log_p = self._log_weights(model, number)[0]
            top = log_p.max()
            logs[number] = top + math.log(np.exp(log_p - top).sum())
            if watch is not None:
                watch(1.0 / logs.size)
        return logs

    def moments(self, model: ModelArrays) -> tuple[float, ModelArrays]:
        """Log Z, nats, and the expectations of what each array of the model multiplies."""
        parts = (self._sums(model, number) for number in range(self._n_chunks))
        log_scale, [firsts, pairs, cross, by_count] = add_up(parts)
        total = float(firsts[0, 0])
        rates, J, W, c, v = firsts[1:, 0] / total, None, None, None, None
        if model.J is not None:
            J = pairs_and_rates(pairs)[1]
        if model.W is not None:
            c, W = cross[0] / total, cross[1:] / total
        if model.v is not None:
            v = by_count / total
        return log_scale + math.log(total), ModelArrays(rates, J, W, c, v)

    def _sums(self, model: ModelArrays, number: int) -> tuple[float, tuple[Floats, ...]]:
        """Sums of (1, x) times 1, (1, x) and sigmoid(z) over a chunk, and by active units."""
        log_p, sigmoid, fixed = self._log_weights(model, number)
        X, top = self._with_one, float(log_p.max())
        p = np.exp(log_p - top)
        firsts = with_fixed((X @ p)[:, None], fixed)
        pairs, by_count = np.zeros((0, 0)), np.zeros(model.n_units + 1)
        if model.J is not None:
            pairs = with_fixed(with_fixed((X * p) @ X.T, fixed).T, fixed)
        if model.v is not None:
            first = int(fixed.sum())
            counts = np.bincount(self._n_active, p)
            by_count[first : first + counts.size] = counts
        sigmoid *= p
        return top, (firsts, pairs, with_fixed(X @ sigmoid.T, fixed), by_count)

    def samples(self, model: ModelArrays, n: int, rng: np.random.Generator) -> Bits:
        """Draw ``n`` independent words."""
        words = [np.zeros((0, model.n_units), dtype=np.uint8)]
        for number, count in draw_chunks(self.log_weights(model), n, rng):
            log_p, _, fixed = self._log_weights(model, number)
            drawn = self._X.T[draw(np.exp(log_p - log_p.max()), count, rng)]
            bits = np.hstack([drawn, np.broadcast_to(fixed, (count, fixed.size))])
            words.append(bits.astype(np.uint8))
        return rng.permutation(np.concatenate(words))

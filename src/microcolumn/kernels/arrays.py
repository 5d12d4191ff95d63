"""What kernels take of a model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ..validation import Floats

#: Input of hidden units that fill up a row.
CERTAINLY_OFF = -1e4


class TableArrays(NamedTuple):
    """Functions of a few units each, as tables over the patterns of their inputs."""

    inputs: NDArray[np.int32]  # units of each function, all different, (n_functions, n_inputs)
    tables: Floats  # what each pattern adds to log p~, (n_functions, 2**n_inputs)


class PotentialArrays(NamedTuple):
    """Potentials of scores s_k = a_k'x, plus x'Jx for the first, in segments of the score.

    From its knot on a segment has the value V + g (exp(r d) - 1) / r at the distance d, which is
    V + g d where r is 0. The first segment of each potential lies below its knot.
    """

    axes: Floats  # a_k, (n_potentials, n_units)
    couplings: Floats  # J, (n_units, n_units); (0, 0) without
    first: NDArray[np.intp]  # where segments of each potential begin, (n_potentials + 1,)
    knots: Floats  # (n_segments,)
    values: Floats  # V, nats, (n_segments,)
    slopes: Floats  # g, (n_segments,)
    bends: Floats  # r, (n_segments,)


class ModelArrays(NamedTuple):
    """Arrays of log p~(x) = x'Jx + b'x + sum_i softplus(c_i + sum_n W_ni x_n) + v_K.

    K is the number of active bits of x. What a model lacks is None, W and c together.
    """

    b: Floats  # (n_units,)
    J: Floats | None = None  # couplings, symmetric with a zero diagonal, (n_units, n_units)
    W: Floats | None = None  # (n_units, n_hidden)
    c: Floats | None = None  # biases of hidden units, (n_hidden,)
    v: Floats | None = None  # potential of the number of active bits, (n_units + 1,)

    @property
    def n_units(self) -> int:
        """Number of bits of a word."""
        return int(self.b.size)

    @property
    def n_hidden(self) -> int:
        """Number of hidden units."""
        return 0 if self.W is None else int(self.W.shape[1])

    @property
    def hidden(self) -> tuple[Floats, Floats]:
        """Weights and biases of the hidden units, also where there are none."""
        if self.W is None or self.c is None:
            return np.zeros((self.n_units, 0)), np.zeros(0)
        return self.W, self.c

    def hidden_in_rows(self, width: int) -> tuple[Floats, Floats]:
        """The same in whole rows of ``width`` hidden units, of which the last ones are off."""
        (W, c), more = self.hidden, (0, -self.n_hidden % width)
        rows = np.ascontiguousarray(np.pad(W, ((0, 0), more)))
        return rows, np.pad(c, more, constant_values=CERTAINLY_OFF)

    def with_dead_units(
        self, c: Floats, live: NDArray[np.bool_], total: float = 1.0
    ) -> ModelArrays:
        """Sums of x, x sigmoid(z)' and sigmoid(z) of all hidden units, from those of live ones.

        The others have no weights: with their bias in ``c`` they are on as often for any word. The
        sums are over words whose weights add up to ``total``.
        """
        on = expit(c)
        W = np.outer(self.b, on)
        on *= total
        if self.W is not None:
            W[:, live], on[live] = self.W, self.c
        return self._replace(W=W, c=on)

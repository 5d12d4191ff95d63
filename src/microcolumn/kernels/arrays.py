"""What kernels take of a model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..validation import Floats


class TableArrays(NamedTuple):
    """Functions of a few units each, as tables over the patterns of their inputs.

    Attributes
    ----------
    inputs : ndarray of int32, shape (n_functions, n_inputs)
        Units of each function, all different.
    tables : ndarray, shape (n_functions, 2**n_inputs)
        What each pattern adds to log p~.
    """

    inputs: NDArray[np.int32]
    tables: Floats


class ModelArrays(NamedTuple):
    """Arrays of log p~(x) = x'Jx + b'x + sum_i softplus(c_i + sum_n W_ni x_n) + v_K.

    K is the number of active bits of x. What a model lacks is None, W and c together.

    Attributes
    ----------
    b : ndarray, shape (n_units,)
        Biases.
    J : ndarray, shape (n_units, n_units), or None
        Couplings, symmetric with a zero diagonal.
    W : ndarray, shape (n_units, n_hidden), or None
        Weights between units and hidden units.
    c : ndarray, shape (n_hidden,), or None
        Biases of hidden units.
    v : ndarray, shape (n_units + 1,), or None
        Potential of the number of active bits.
    """

    b: Floats
    J: Floats | None = None
    W: Floats | None = None
    c: Floats | None = None
    v: Floats | None = None

    @property
    def n_units(self) -> int:
        """Number of bits of a word."""
        return int(self.b.size)

    @property
    def n_hidden(self) -> int:
        """Number of hidden units."""
        return 0 if self.W is None else int(self.W.shape[1])

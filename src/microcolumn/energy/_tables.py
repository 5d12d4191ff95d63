"""Functions of a few units each, sum_j lambda_j f_j(x restricted to S_j)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import kernels
from ..kernels import SiteChains, TableArrays
from ..validation import Bits, Floats, chunks
from ._free_term import FreeTerm

Inputs = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Tables(FreeTerm):
    """Functions that are tables over the patterns of a few units, each with a strength.

    A pattern is a number whose bit i is the i-th input.
    """

    is_linear: ClassVar[bool] = True

    inputs: Inputs  # units of each function, all different, (n_functions, n_inputs)
    values: Floats  # of each function for each pattern, (n_functions, 2**n_inputs)
    strengths: Floats  # what each function is multiplied with, nats, (n_functions,)

    @property
    def fixed(self) -> Floats:
        return self.values

    @property
    def operations_per_word(self) -> float:
        return 20.0  # sums over subsets do not see how many functions there are

    def chains(
        self, b: Floats, words: NDArray[np.generic], base_logits: Floats, seed: int
    ) -> SiteChains:
        return kernels.table_chains(b, self.arrays, words, base_logits, seed)

    @property
    def functions(self) -> TableArrays:
        """The functions themselves, as kernels take them."""
        return TableArrays(self.inputs, self.values)

    @property
    def arrays(self) -> TableArrays:
        """What each pattern adds to log p~, as kernels take it."""
        return self.functions._replace(tables=self.strengths[:, None] * self.values)

    def with_strengths(self, strengths: Floats) -> Tables:
        return replace(self, strengths=strengths)

    def drop_dead_units(self) -> Tables:
        """The functions whose strength is not zero."""
        live = self.strengths != 0.0
        return Tables(self.inputs[live], self.values[live], self.strengths[live])

    def log_weight(self, x: Floats) -> Floats:
        words, out = x.astype(np.uint8), np.empty(len(x))
        for part in chunks(len(words), len(self.inputs)):
            out[part] = kernels.table_values(self.functions, words[part]) @ self.strengths
        return out

    def moments(self, x: Floats, weights: Floats, squared: bool = False) -> dict[str, Floats]:
        values = self.values**2 if squared else self.values
        return {"strengths": replace(self, values=values).means(x.astype(np.uint8), weights)}

    def means(self, words: Bits, weights: Floats) -> Floats:
        sums = kernels.pattern_sums(self.functions, words, weights)
        return np.asarray((sums * self.values).sum(axis=1))

    def slopes(self, words: Bits) -> Floats:
        return kernels.table_values(self.functions, words)

    def coefficients(self) -> tuple[NDArray[np.intp], Floats]:
        """Sets of units, as numbers, and coefficients of the products of their bits.

        A function of bits is one polynomial in products of bits. Both have the shape (n_functions,
        2**n_inputs).
        """
        bits = np.intp(1) << self.inputs.astype(np.intp)
        coefficients = self.values.copy()
        for k in range(self.inputs.shape[1]):
            halves = coefficients.reshape(
                len(coefficients), coefficients.shape[1] >> (k + 1), 2, 1 << k
            )
            halves[:, :, 1] -= halves[:, :, 0]
        return bits @ all_patterns(self.inputs.shape[1]).astype(np.intp).T, coefficients

    def independent_means(self, rates: Floats) -> Floats:
        """Mean of each function of all patterns if units were independent, (n_functions,)."""
        p = np.ones((len(self.inputs), 1))
        for unit_rates in rates[self.inputs.T]:  # each further input is the highest bit so far
            p = np.hstack([p * (1.0 - unit_rates)[:, None], p * unit_rates[:, None]])
        return np.asarray((p * self.values).sum(axis=1))

    def best_words(self, n_units: int, most: int) -> Bits:
        """For each of the strongest functions, its units in the pattern that weighs most."""
        arrays = self.arrays
        order = np.argsort(-np.abs(arrays.tables).max(axis=1, initial=0.0), kind="stable")[:most]
        words = np.zeros((len(order), n_units), dtype=np.uint8)
        for word, j in zip(words, order, strict=True):
            pattern, inputs = int(arrays.tables[j].argmax()), self.inputs[j]
            word[inputs[(pattern >> np.arange(inputs.size)) & 1 == 1]] = 1
        return words


def all_patterns(n_inputs: int) -> Bits:
    """Bits of every pattern in the order of their numbers, shape (2**n_inputs, n_inputs)."""
    return ((np.arange(1 << n_inputs)[:, None] >> np.arange(n_inputs)) & 1).astype(np.uint8)

"""Functions of a few units each, sum_j lambda_j f_j(x restricted to S_j), and soft thresholds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from .. import kernels
from ..kernels import SiteChains, TableArrays
from ..validation import Bits, Floats, chunks
from ._term import FreeTerm

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


@dataclass(frozen=True, slots=True, eq=False)
class SoftTables(FreeTerm):
    """sum_j lambda_j sigmoid(a_j'x - theta_j): strengths and directions of weights are both free.

    ``strengths`` has lambda (n_functions,) and then vectors w (n_functions, n_inputs) row by row,
    with a = norm * w / |w|. A sigmoid of few units is a table over their patterns.
    """

    inputs: Inputs  # units of each function, all different, (n_functions, n_inputs)
    thresholds: Floats  # theta, (n_functions,)
    norms: Floats  # |a|, (n_functions,)
    strengths: Floats  # (n_functions * (1 + n_inputs),)

    def with_strengths(self, strengths: Floats) -> Self:
        return replace(self, strengths=strengths)

    @property
    def n_penalised(self) -> int:
        return len(self.inputs)

    @property
    def parts(self) -> tuple[Floats, Floats]:
        """Lambda (n_functions,) and a (n_functions, n_inputs)."""
        strengths, directions, _ = self._vectors(self)
        return strengths, self.norms[:, None] * directions

    def _vectors(self, of: Self) -> tuple[Floats, Floats, Floats]:
        """Lambda of a term with the same inputs, its w over |w| of this one, and |w|."""
        n, shape = len(self.inputs), self.inputs.shape
        sizes = np.linalg.norm(self.strengths[n:].reshape(shape), axis=1)
        return of.strengths[:n], of.strengths[n:].reshape(shape) / sizes[:, None], sizes

    @property
    def tables(self) -> Tables:
        """The same function of words."""
        strengths, weights = self.parts
        return Tables(self.inputs, expit(self._heights(weights)), strengths)

    def _heights(self, weights: Floats) -> Floats:
        return weights @ self._patterns.T - self.thresholds[:, None]

    @property
    def _patterns(self) -> Floats:
        return all_patterns(self.inputs.shape[1]).astype(np.float64)

    @property
    def operations_per_word(self) -> float:
        return 4.0 * self.inputs.size

    def chains(
        self, b: Floats, words: NDArray[np.generic], base_logits: Floats, seed: int
    ) -> SiteChains:
        return self.tables.chains(b, words, base_logits, seed)

    def log_weight(self, x: Floats) -> Floats:
        return self.tables.log_weight(x)

    def best_words(self, n_units: int, most: int) -> Bits:
        return self.tables.best_words(n_units, most)

    def _slopes_of_patterns(self) -> tuple[Floats, Floats]:
        """By lambda (n_functions, n_patterns) and w (n_functions, n_patterns, n_inputs)."""
        strengths, directions, sizes = self._vectors(self)
        values = self.tables.values
        steep = (strengths * self.norms / sizes)[:, None] * values * (1.0 - values)
        # Along w itself nothing changes.
        along = (directions @ self._patterns.T)[:, :, None] * directions[:, None]
        return values, steep[:, :, None] * (self._patterns - along)

    def moments(self, x: Floats, weights: Floats, squared: bool = False) -> dict[str, Floats]:
        sums = kernels.pattern_sums(self.tables.functions, x.astype(np.uint8), weights)
        first, second = self._slopes_of_patterns()
        if squared:
            first, second = first**2, second**2
        of_weights = np.einsum("jp,jpk->jk", sums, second)
        return {"strengths": np.concatenate([(sums * first).sum(axis=1), of_weights.ravel()])}

    def slopes(self, words: Bits) -> Floats:
        first, second = self._slopes_of_patterns()
        every = (first, *np.moveaxis(second, 2, 0))
        found = [kernels.table_values(self._with(values).functions, words) for values in every]
        return np.hstack([found[0], np.stack(found[1:], axis=2).reshape(len(words), -1)])

    def slopes_along(self, direction: Self, x: Floats) -> Floats:
        first, second = self._slopes_of_patterns()
        strengths, directions, sizes = self._vectors(direction)
        changes = directions * sizes[:, None]
        along = strengths[:, None] * first + np.einsum("jpk,jk->jp", second, changes)
        return self._with(along).log_weight(x)

    def _with(self, values: Floats) -> Tables:
        return Tables(self.inputs, values, np.ones(len(values)))


def all_patterns(n_inputs: int) -> Bits:
    """Bits of every pattern in the order of their numbers, shape (2**n_inputs, n_inputs)."""
    return ((np.arange(1 << n_inputs)[:, None] >> np.arange(n_inputs)) & 1).astype(np.uint8)

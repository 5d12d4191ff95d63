"""Soft thresholds of projections of a few units: sum_j lambda_j sigmoid(a_j'x - theta_j)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from .. import kernels
from ..kernels import SiteChains
from ..validation import Bits, Floats
from ._free_term import FreeTerm
from ._tables import Inputs, Tables, all_patterns


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

"""Minus the mean log likelihood of models whose energy is linear in given features of the words.

With features that are functions of a few units each, f_j(x) = t_j(x restricted to S_j),

    log p~(x) = b'x + sum_j lambda_j f_j(x),

the likelihood is concave in (b, lambda), and its gradient is the mean of (x, f) over the data less
that over the model. So the data enter by their means alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ..kernels.cpu.local_terms import term_values
from ..layout import Layout
from ..partition._local_terms import (
    ExactTerms,
    Inputs,
    LocalTerms,
    independent_patterns,
    pattern_sums,
    steps_of,
)
from ..validation import Bits, Floats, chunks
from ..words import Words
from ._sampled_likelihood import effective_share


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """Functions of a few units each.

    Parameters
    ----------
    n_units : int
        Bits of a word.
    inputs : ndarray of int32, shape (n_features, n_inputs)
        Units of each feature.
    tables : ndarray, shape (n_features, 2**n_inputs)
        Its value for each pattern of them, 0 for the silent one.
    """

    n_units: int
    inputs: Inputs
    tables: Floats

    @property
    def size(self) -> int:
        """Parameters of a model: a bias per unit, a strength per feature."""
        return self.n_units + len(self.inputs)

    def terms(self, x: Floats) -> LocalTerms:
        """The model with parameters ``x``: biases, then strengths."""
        return LocalTerms(x[: self.n_units], self.inputs, x[self.n_units :, None] * self.tables)

    def means(self, rates: Floats, patterns: Floats) -> Floats:
        """Means of units and features from rates and probabilities of patterns."""
        return np.concatenate([rates, (patterns * self.tables).sum(axis=1)])

    def design(self, words: Bits) -> sparse.csr_array:
        """Bits and features of words, shape (n_words, size), few of them other than zero."""
        parts = []
        steps = steps_of(self.inputs.shape[1])
        for part in chunks(len(words), self.size):
            values = np.empty((part.stop - part.start, len(self.inputs)))
            term_values(words[part], self.inputs, steps, self.tables, values)
            parts.append(sparse.csr_array(np.hstack([words[part], values])))
        return sparse.csr_array(sparse.vstack(parts))

    def data_means(self, words: Words, rates: Floats) -> Floats:
        """Means over the words and one more word that stands for independent units at ``rates``.

        Rates of 0 and 1 excluded, they are means of a distribution that is positive everywhere: the
        likelihood has its maximum at finite parameters, whatever the data.
        """
        n_words = max(float(words.counts.sum()), float(words.n_bins))
        shares = words.counts / words.counts.sum()
        of_data = self.means(words.rates, pattern_sums(words.X, shares, self.inputs))
        of_prior = self.means(rates, independent_patterns(rates, self.inputs))
        means: Floats = (n_words * of_data + of_prior) / (n_words + 1.0)
        return means


class ExactFeatureLikelihood:
    """The objective by sums over all words, for few units.

    Parameters
    ----------
    features : Features
        Of at most ``MOST_EXACT`` units.
    means : ndarray, shape (features.size,)
        Means of units and features over the data.
    """

    def __init__(self, features: Features, means: Floats) -> None:
        self._features, self._means = features, means
        self._sums = ExactTerms(features.n_units, features.inputs)

    def evaluate(self, x: Floats, layout: Layout, gradient: Floats) -> float:
        """Value at ``x`` (nats per word); its derivatives are written to ``gradient``."""
        log_p, log_z = self._sums.log_probabilities(self._features.terms(x))
        rates, patterns = self._sums.marginals(np.exp(log_p, out=log_p))
        gradient[:] = self._features.means(rates, patterns) - self._means
        return log_z - float(x @ self._means)


class SampledFeatureLikelihood:
    """The objective with a partition function that sampled words stand for.

    Z(x) = sum_u exp(log_measure_u) p~_x(word u), as in
    :class:`~microcolumn.objectives.SampledLikelihood`. ``evaluate`` raises OverflowError, from
    which the solver backs off, where fewer than ``least_share`` of the draws still count.

    Parameters
    ----------
    means : ndarray, shape (size,)
        Means of units and features over the data.
    """

    def __init__(self, means: Floats) -> None:
        self._means = means
        self.least_share = 0.0
        #: Share of the draws that counts at the last evaluation.
        self.share = 1.0

    def take(self, design: sparse.csr_array, log_measure: Floats, n_drawn: Floats) -> None:
        """Let words stand for the partition function, of which ``n_drawn`` were drawn each."""
        self._design, self._log_measure = design, log_measure
        self._transposed = sparse.csr_array(design.T)
        self._drawn = n_drawn > 0.0
        self._n_drawn = n_drawn[self._drawn]

    def log_masses(self, x: Floats) -> Floats:
        """Log mass that each word stands for (nats), shape (n_words,)."""
        masses: Floats = self._log_measure + self._design @ x
        return masses

    def evaluate(self, x: Floats, layout: Layout, gradient: Floats) -> float:
        """Value at ``x`` (nats per word); its derivatives are written to ``gradient``."""
        masses = self.log_masses(x)
        self.share = effective_share(np.exp(masses - masses.max())[self._drawn], self._n_drawn)
        if self.share < self.least_share:
            raise OverflowError("the sampled words do not stand for this model")
        highest = float(masses.max())
        shares = np.exp(masses - highest)
        total = float(shares.sum())
        gradient[:] = self._transposed @ (shares / total) - self._means
        return highest + math.log(total) - float(x @ self._means)

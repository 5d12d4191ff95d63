"""Differences of many parameters between two conditions: values in each round, errors, layers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..objectives import pair_counts
from ..units import Units, labels_from_the_top
from ..validation import Floats
from ..words import Words
from ._contrast_results import Differences
from ._intervals import FEWEST_EXPECTED, FEWEST_SEEN, node_regressions
from ._rounds import Rounds, chance
from .estimates import Estimates
from .time_errors import moderated

Labels = Sequence[tuple[str, ...]]


class Values(NamedTuple):
    """Parameters in each condition and round, to first order; NaN where they are not known."""

    by_round: Floats  # (n_rounds, n_parts, n_entries), whose means are those of the conditions
    overall: Floats  # (2, n_entries)
    variance: Floats  # of the difference if words were independent, (n_entries,)
    is_log: bool

    @classmethod
    def of_logs(cls, means: Floats, squares: Floats, rounds: Rounds) -> Values:
        """Logarithms of means, with the means of squares, (n_rounds, n_parts, n_entries) each."""
        bins = rounds.n_bins * rounds.own
        n_bins = bins.sum(axis=(1, 2))[:, None]
        overall, square = (np.einsum("crk,rkp->cp", bins, x) / n_bins for x in (means, squares))
        overall = np.where((overall > 0.0) & (overall < 1.0), overall, np.nan)
        variance = ((square / overall**2 - 1.0) / n_bins).sum(axis=0)
        own = np.where(rounds.own[0, :, :, None], *overall)
        return cls(np.log(own) + means / own - 1.0, np.log(overall), variance, is_log=True)

    @classmethod
    def of_couplings(cls, words: tuple[Words, Words], rounds: Rounds) -> Values:
        """Couplings of all pairs by logistic regressions of each unit on the others."""
        usable = np.all([(each.rates > 0.0) & (each.rates < 1.0) for each in words], axis=0)
        parts = [_couplings(each, rounds, k, usable) for k, each in enumerate(words)]
        by_round, overall, variances = (np.stack(each) for each in zip(*parts, strict=True))
        by_round = np.where(rounds.own[0, :, :, None], *by_round)
        return cls(by_round, overall, variances.sum(axis=0), is_log=False)

    def averaged(self, weights: Floats) -> Values:
        """Weighted means of entries that are known, ``weights`` (n_means, n_entries)."""
        known = np.isfinite(self.by_round).all(axis=(0, 1)) & np.isfinite(self.variance)
        weights = weights * known
        with np.errstate(invalid="ignore"):
            weights /= weights.sum(axis=1, keepdims=True)
        by_round, overall, variance = (np.where(known, each, 0.0) for each in self[:3])
        means = by_round @ weights.T, overall @ weights.T, variance @ (weights**2).T
        return Values(*means, is_log=self.is_log)


def _couplings(
    words: Words, rounds: Rounds, condition: int, usable: NDArray[np.bool_]
) -> tuple[Floats, Floats, Floats]:
    """Couplings of a condition by round, overall (NaN if pairs hardly meet), and variance."""
    n, n_cells = words.n_dims, rounds.n_bins.size
    start, upper = np.zeros((n, n)), np.triu_indices(n, 1)
    places = rounds.cells[condition], words.index
    table = sparse.csr_array((np.ones(words.n_bins), places), shape=(n_cells, len(words)))
    regressions = node_regressions(words, usable, start, table, waves=np.eye(n_cells))
    influence = regressions.influence.transpose(1, 0, 2).astype(np.float64)
    # Either regression of a pair has an estimate of 2 J.
    influence, overall, stderr = (
        0.25 * (each + np.swapaxes(each, -1, -2))
        for each in (influence, regressions.coefficients, regressions.model_stderr)
    )
    both = pair_counts(words)
    alone = np.diagonal(both)
    few = (np.outer(alone, alone) / words.n_bins < FEWEST_EXPECTED) & (both < FEWEST_SEEN)
    unknown = few | (both == 0.0) | ~(regressions.converged[:, None] & regressions.converged)
    overall = np.where(unknown, np.nan, overall)[upper]
    parts = influence[:, *upper].reshape(*rounds.n_bins.shape, -1)
    by_round = overall + parts * (words.n_bins / rounds.n_bins)[:, :, None]
    return by_round, overall, stderr[upper] ** 2


def differences(
    kind: str,
    labels: Labels,
    values: Values,
    rounds: Rounds,
    rng: np.random.Generator,
    *,
    scale: float = 1.0,
    layers: tuple[Labels, Floats] | None = None,
) -> Differences:
    """Differences with errors and p-values; values are multiplied by ``scale`` to be shown.

    ``layers`` are labels of layers, and the weights of their means (n_layers, n_entries).
    """
    known = np.isfinite(values.by_round).all(axis=(0, 1)) & (values.variance > 0.0)
    by_round = rounds.differences(values.by_round[:, :, known])
    mean, variance = rounds.mean(by_round)
    # Rounds are few: what errors have in common with those of independent words moderates them.
    ratios = variance / values.variance[known]
    ratios, df = moderated(ratios, np.isfinite(ratios), rounds.n_rounds - 1)
    variance = values.variance[known] * np.maximum(ratios, 1.0)
    estimate, stderr = np.full((2, len(labels)), np.nan)
    estimate[known], stderr[known] = mean, np.sqrt(variance)
    # Weights that depended on the labels would make the exchange inexact.
    weighted = rounds.shares[:, None] * by_round / np.sqrt(values.variance[known])
    first, second = scale * np.exp(values.overall) if values.is_log else values.overall
    by_layer = None
    if layers is not None and layers[0]:
        averaged = values.averaged(layers[1])
        by_layer = differences(f"{kind} by layer", layers[0], averaged, rounds, rng, scale=scale)
    return Differences(
        kind=kind,
        labels=tuple(labels),
        a=first,
        b=second,
        difference=Estimates.of(estimate, stderr, 0.95, df),
        p_value=chance(weighted @ weighted.T, rng) if known.any() else np.nan,
        by_layer=by_layer,
    )


def layers_of_units(units: Units) -> tuple[Labels, Floats]:
    """Layers from the top, and which units are in each, (n_layers, n_units)."""
    names = [name for name in labels_from_the_top(units) if name]
    inside = np.array(units.label() or ())[None] == np.array(names)[:, None]
    return [(name,) for name in names], inside.astype(np.float64).reshape(len(names), len(units))


def layers_of_pairs(units: Units) -> tuple[Labels, Floats]:
    """Pairs of layers, and which pairs of units are in each, (n_layer_pairs, n_pairs)."""
    names, inside = layers_of_units(units)
    i, j = np.triu_indices(len(units), 1)
    both = combinations_with_replacement(range(len(names)), 2)
    weights = {
        names[k] + names[m]: np.maximum(inside[k, i] * inside[m, j], inside[m, i] * inside[k, j])
        for k, m in both
    }
    labels = [label for label, within in weights.items() if within.any()]
    return labels, np.array([weights[label] for label in labels]).reshape(-1, i.size)

"""Communities of units that couplings hold together, and whether they come back in resamples.

Louvain's method maximises modularity, also of couplings without any communities: so each is judged
by whether resampled couplings have it again, and all together by shuffled couplings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from ..errors import BadArgument, BadInput
from ..formatting import text_table
from ..models import PopulationModel
from ..notebook import AsText
from ..units import Units
from ..validation import Floats, expect, random_generator, whole_number
from ..words_info import bit_names
from .assembly import STABLE
from .estimates import Intervals, imported_networkx
from .inputs import in_order_of


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Communities(AsText):
    """Communities that most resamples have; see :func:`communities`. It prints as a table.

    Parameters
    ----------
    names : tuple of str
        Unit of each bit.
    together : ndarray of float64, shape (n_bits, n_bits)
        Share of the resamples in which two bits are in one community.
    stable : tuple of tuple of str
        Communities of two or more bits, every two of which are together in 80 % of the resamples,
        the largest first.
    modularity, p_value : float
        Of the mean couplings, and p-value against the same couplings shuffled over pairs.
    n_resamples : int
        Resamples of the couplings.
    """

    names: tuple[str, ...]
    together: Floats
    stable: tuple[tuple[str, ...], ...]
    modularity: float
    p_value: float
    n_resamples: int

    def __str__(self) -> str:
        rows = [(" ".join(each), str(len(each))) for each in self.stable]
        table = text_table(("community", "units"), rows, left=("community",)) if rows else ""
        share = f"in {100 * STABLE:g} % of {self.n_resamples} resamples"
        title = f"{len(self.stable)} communities of units that are together {share}"
        about = f"modularity {self.modularity:.2f}, p {self.p_value:.2g} for shuffled couplings"
        return "\n".join(filter(None, [title, table, about]))


def communities(
    source: Intervals | Sequence[PopulationModel],
    *,
    resolution: float = 1.0,
    n_resamples: int = 100,
    random_state: int | np.random.Generator | None = 0,
) -> Communities:
    """Find communities of units by Louvain's method, and which of them resamples have again.

    Positive couplings are the weights; negative ones hold nothing together and count as none.

    Parameters
    ----------
    source : Intervals, or sequence of PopulationModel
        Intervals, whose couplings are drawn anew with their errors (a parametric bootstrap), or
        fits of the same units to several splits, as of :func:`refits`, one resample each.
    resolution : float
        More than 1 favours smaller communities.
    n_resamples : int
        Draws from intervals, and shuffles for the p-value.
    random_state : int, Generator or None
        Source of the draws, of shuffles, and of the order in which Louvain's method goes.

    Examples
    --------
    >>> J = np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3))
    >>> model = mc.Ising.from_parameters(mc.Parameters(b=np.zeros(6), J=J))
    >>> communities([model, model]).stable
    (('0', '1', '2'), ('3', '4', '5'))
    """
    rng, count = random_generator(random_state), whole_number("n_resamples", n_resamples, least=1)
    names, tables = _resampled(source, count, rng)
    together = np.zeros((len(names), len(names)))
    for weights in tables:
        labels = _louvain(weights, resolution, rng)[0]
        together += np.equal.outer(labels, labels)
    together /= len(tables)
    mean = tables.mean(axis=0)
    observed = _louvain(mean, resolution, rng)[1]
    shuffled = [_louvain(rng.permutation(mean), resolution, rng)[1] for _ in range(count)]
    apart = linkage(squareform(1.0 - together, checks=False), "complete")
    labels = fcluster(apart, 1.0 - STABLE + 1e-9, "distance")
    groups = [np.flatnonzero(labels == k) for k in np.unique(labels)]
    groups = sorted((each for each in groups if each.size > 1), key=lambda g: (-g.size, g[0]))
    return Communities(
        names=names,
        together=together,
        stable=tuple(tuple(names[n] for n in each) for each in groups),
        modularity=observed,
        p_value=(1 + sum(q >= observed for q in shuffled)) / (1 + count),
        n_resamples=len(tables),
    )


def _resampled(
    source: Any, n_resamples: int, rng: np.random.Generator
) -> tuple[tuple[str, ...], Floats]:
    """Names of bits, and couplings (n_resamples, n_pairs) of each resample."""
    if isinstance(source, Intervals):
        known = source.couplings
        noise = rng.standard_normal((n_resamples, known.estimate.size))
        drawn = np.nan_to_num(known.estimate + known.stderr * noise)
        return source.names, drawn
    remedy = "pass what mc.evaluate.intervals returns, or fitted models"
    fits = [expect(f"source[{k}]", each, PopulationModel, remedy) for k, each in enumerate(source)]
    if len(fits) < 2:
        raise BadArgument("source", f"has {len(fits)} models", "pass two or more, or intervals")
    first, n = fits[0], fits[0].n_features_in_
    tables = []
    for each in fits:
        if each.parameters_.J is None or each.n_features_in_ != n:
            raise BadInput("models need couplings of the same units", remedy)
        rows = in_order_of(first, each, each.parameters_.J, name="another", this="the first model")
        tables.append(in_order_of(first, each, rows.T)[np.triu_indices(n, 1)])
    units = Units.numbered(n) if first.units_ is None else first.units_
    return bit_names(units, n // len(units)), np.array(tables)


def _louvain(weights: Floats, resolution: float, rng: np.random.Generator) -> tuple[Any, float]:
    """Community of each bit, and the modularity, by the weight of each pair."""
    networkx = imported_networkx()
    graph = networkx.from_numpy_array(squareform(np.maximum(weights, 0.0)))
    seed = int(rng.integers(2**31))
    found = networkx.community.louvain_communities(graph, resolution=resolution, seed=seed)
    labels = np.zeros(len(graph), dtype=np.intp)
    for k, members in enumerate(found):
        labels[list(members)] = k
    if not graph.size():
        return labels, 0.0
    return labels, float(networkx.community.modularity(graph, found, resolution=resolution))

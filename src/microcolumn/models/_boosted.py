"""Each unit given those before it by boosted trees: how much there is to explain."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from ..formatting import counted
from ..kernels.loops.boosted import Trees, boosted_draw, boosted_log_probability
from ..packing import unique_rows
from ..validation import Bits, Floats
from ..words import Words
from ._ordered_units import CascadeKernels, OrderedUnits, cascade_order, checked_order
from ._saving import Arrays, floats, shaped
from ._settings import COUNT, Number, seed_of
from ._words_estimator import floored_rates

#: Share of the words that says when to stop, and trees without a gain after which it does.
_KEPT, _PATIENCE = 0.1, 10
#: What a tree must gain on these words, nats per word: where one unit repeats another, trees gain
#: ever less without an end.
_LEAST_GAIN = 1e-7
#: Trees that are grown between two looks at these words.
_AT_ONCE = 10
#: Added to the curvature of a leaf, as much as four words at even odds have: without it one spike
#: of a unit that hardly ever fires is worth a step of many nats.
_RIDGE = 1.0

#: Distinct words, units in the order of the cascade, and their counts.
_Counted = tuple[Bits, Floats]


class BoostedCascade(OrderedUnits):
    """Each unit given those before it, by gradient-boosted trees.

    Trees know combinations of any number of units, so that their held-out likelihood tells how much
    there is to explain; it is for populations of up to about 60 units. The predictors of a unit are
    the units before it, in the order of :class:`CascadedLogistic`, and how many of them are active.
    Trees are scikit-learn's ``HistGradientBoostingClassifier``. Each unit has as many as are best
    for a tenth of the bins, dealt at random, that the trees have not seen; a unit that trees do not
    help keeps its floored rate. Leaves have finite log odds, and so has every word.

    Parameters
    ----------
    max_leaf_nodes : int
        Most leaves of a tree.
    learning_rate : float
        Share of each tree's own fit that is added.
    max_iter : int
        Most trees of a unit.
    random_state : int, Generator, RandomState or None
        Seed of the deal.

    Attributes
    ----------
    order_ : ndarray of int, shape (n_bits,)
        Positions of the bits in the order of the cascade.
    n_trees_ : ndarray of int, shape (n_bits,)
        Trees of each bit.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((20000, 3)) < 0.4
    >>> X[:, 2] = (X[:, 0] ^ X[:, 1]) & X[:, 2]  # which no pair of units shows
    >>> model = BoostedCascade().fit(X)
    >>> np.exp(model.score_samples([[0, 1, 1], [1, 1, 1]])).round(2).tolist()
    [0.1, 0.0]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "max_leaf_nodes": [Number(Integral, 2, None, closed="left")],
        "learning_rate": [Number(Real, 0, None, closed="neither")],
        "max_iter": COUNT,
    }
    _kernels: ClassVar[CascadeKernels] = CascadeKernels(boosted_log_probability, boosted_draw)

    def __init__(
        self,
        max_leaf_nodes: int = 8,
        *,
        learning_rate: float = 0.1,
        max_iter: int = 500,
        random_state: Any = 0,
    ) -> None:
        self.max_leaf_nodes = max_leaf_nodes
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.random_state = random_state

    @property
    def n_trees_(self) -> NDArray[np.int64]:
        """Trees of each bit, shape (n_bits,)."""
        trees = np.empty(self.order_.size, dtype=np.int64)
        trees[self.order_] = np.diff(self._trees.first)
        return trees

    @property
    def n_parameters_(self) -> int:
        """Leaves, questions and biases."""
        return self._trees.predictors.size + self.order_.size

    @property
    def size_(self) -> str:
        """Number of trees."""
        return counted(self._trees.roots.size, "tree")

    def grid(self, words: Words) -> tuple[dict[str, Any], ...]:
        """Trees of pairs, of a few units and of many."""
        return tuple({"max_leaf_nodes": n} for n in (4, 8, 16))

    def _fit(self, words: Words) -> None:
        rates, order = floored_rates(words), cascade_order(words)
        biases = (np.log(rates) - np.log1p(-rates))[order]
        grown, kept = _dealt(words, order, np.random.default_rng(seed_of(self.random_state)))
        trees = []
        for i in range(order.size):
            biases[i], nodes = self._grow(
                _of_first(grown, i + 1), _of_first(kept, i + 1), biases[i]
            )
            trees.append(nodes)
        self.order_, self._trees = order, tabulated(biases, trees)
        unfinished = sum(len(nodes) >= self.max_iter for nodes in trees)
        if unfinished:
            warnings.warn(
                f"BoostedCascade stopped at {self.max_iter} trees for {unfinished} of "
                f"{order.size} units, which more trees would still help; raise max_iter or "
                "learning_rate",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _grow(
        self, grown: _Counted, kept: _Counted, bias: float
    ) -> tuple[float, list[NDArray[Any]]]:
        """Trees of the last unit of some words, as many as the words kept apart prefer.

        Also the log odds that they start from: those given, where no tree is a gain.
        """
        from sklearn.ensemble import HistGradientBoostingClassifier  # slow to import, rarely used

        (words, counts), (held, held_counts) = grown, kept
        bits = words[:, -1]
        if words.shape[1] == 1 or not len(held) or bits.min() == bits.max():
            return bias, []
        booster = HistGradientBoostingClassifier(
            learning_rate=float(self.learning_rate),
            max_leaf_nodes=int(self.max_leaf_nodes),
            min_samples_leaf=1,
            l2_regularization=_RIDGE,
            early_stopping=False,
            warm_start=True,
            random_state=0,
        )
        shares, signs = held_counts / held_counts.sum(), np.where(held[:, -1] == 1, -1.0, 1.0)
        best = n_trees = 0
        while n_trees < min(best + _PATIENCE, int(self.max_iter)):
            n_trees = min(n_trees + _AT_ONCE, int(self.max_iter))
            # Sums over words would depend on the number of threads.
            with threadpool_limits(limits=1, user_api="openmp"):
                booster.set_params(max_iter=n_trees).fit(_predictors(words), bits, counts)
                stages = booster.staged_decision_function(_predictors(held))
                log_odds = [np.full(len(held), bias), *stages]
            losses = [shares @ np.logaddexp(0.0, signs * each.ravel()) for each in log_odds]
            best = int(np.argmin(losses + _LEAST_GAIN * np.arange(len(losses))))
        if best == 0:
            return bias, []
        return booster._baseline_prediction.item(), [t.nodes for [t] in booster._predictors[:best]]

    @property
    def _operations_per_bit(self) -> float:
        trees = self._trees
        levels = np.log2(max(trees.predictors.size / max(trees.roots.size, 1), 2.0))
        return 20.0 + 4.0 * float(levels) * trees.roots.size / self.order_.size

    def _tables(self) -> tuple[Trees]:
        return (self._trees,)

    def _arrays(self) -> Arrays:
        return {"order": self.order_, **self._trees._asdict()}

    def _take_arrays(self, arrays: Arrays) -> int:
        self._trees = checked_trees(arrays)
        self.order_ = checked_order(arrays["order"], self._trees.biases.size)
        return self.order_.size


def _dealt(
    words: Words, order: NDArray[np.int64], rng: np.random.Generator
) -> tuple[_Counted, _Counted]:
    """Words to grow trees on and words kept apart, units in the order of the cascade.

    Bins are dealt at random. Whole counts are dealt one by one, as if rows were repeated.
    """
    whole = np.floor(words.counts)
    rest = words.counts - whole
    apart = rng.binomial(whole.astype(np.int64), _KEPT) + rest * (rng.random(rest.size) < _KEPT)
    bits, left = words.X[:, order], words.counts - apart
    return (bits[left > 0.0], left[left > 0.0]), (bits[apart > 0.0], apart[apart > 0.0])


def _of_first(counted: _Counted, n: int) -> _Counted:
    """The distinct words of the first ``n`` units, and their counts."""
    bits, counts = counted
    if not len(bits):
        return bits[:, :n], counts
    distinct, index = unique_rows(np.ascontiguousarray(bits[:, :n]))
    return distinct, np.bincount(index, counts, len(distinct)).astype(np.float64)


def _predictors(words: Bits) -> Floats:
    """The units before the last one and how many of them are active, shape (n_words, n)."""
    before = words[:, :-1].astype(np.float64)
    return np.column_stack([before, before.sum(axis=1)])


def tabulated(biases: Floats, trees: Sequence[Sequence[NDArray[Any]]]) -> Trees:
    """All trees as one table, with the log odds ``biases`` (n_units,) that they start from.

    ``trees`` are nodes of each tree of each unit, as ``HistGradientBoostingClassifier`` has them: a
    node leads to the left where its predictor is at most its threshold.
    """
    tables = [nodes for of_unit in trees for nodes in of_unit]
    sizes = np.array([nodes.size for nodes in tables], dtype=np.int64)
    roots = np.cumsum(sizes) - sizes
    shifts = np.repeat(roots, sizes)

    def column(name: str, at_leaves: float) -> NDArray[Any]:
        """An entry of all nodes, with another value where it means nothing."""
        found = np.concatenate([np.zeros(0), *(nodes[name] for nodes in tables)])
        leaf = np.concatenate([np.zeros(0), *(nodes["is_leaf"] for nodes in tables)])
        return np.where(leaf == 1.0, at_leaves, found)

    predictors = column("feature_idx", -1.0).astype(np.int64)
    is_leaf = predictors < 0
    values = np.concatenate([np.zeros(0), *(nodes["value"] for nodes in tables)])
    return Trees(
        biases=np.array(biases),
        first=np.concatenate([[0], np.cumsum([len(of_unit) for of_unit in trees])]),
        roots=roots,
        predictors=predictors,
        thresholds=column("num_threshold", 0.0),
        left=np.where(is_leaf, 0, column("left", 0.0).astype(np.int64) + shifts),
        right=np.where(is_leaf, 0, column("right", 0.0).astype(np.int64) + shifts),
        values=np.where(is_leaf, values, 0.0),
    )


def checked_trees(arrays: Arrays) -> Trees:
    """The trees of a file, or a ValueError that says what is wrong with them.

    Every walk from a root must end at a leaf of the same tree, and no unit may ask about itself or
    later ones.
    """
    n_units, n_trees, n_nodes = (arrays[k].size for k in ("biases", "roots", "predictors"))
    reals = {"biases": n_units, "thresholds": n_nodes, "values": n_nodes}
    wholes = {"first": n_units + 1, "roots": n_trees}
    wholes |= dict.fromkeys(("predictors", "left", "right"), n_nodes)
    for name, size in (reals | wholes).items():
        shaped(name, arrays[name], (size,))
    for name in wholes:
        if arrays[name].dtype != np.int64:
            raise ValueError(f"{name} has the type {arrays[name].dtype} instead of int64")
    trees = Trees(
        **{name: floats(arrays, name) if name in reals else arrays[name] for name in Trees._fields}
    )
    _check_bounds("first", trees.first, n_trees)
    _check_bounds("roots", np.append(trees.roots, n_nodes), n_nodes)
    places, ends = np.arange(n_nodes), np.append(trees.roots[1:], n_nodes)
    sizes = ends - trees.roots
    tree_end, unit = np.repeat(ends, sizes), np.repeat(np.arange(n_units), np.diff(trees.first))
    is_inner = trees.predictors >= 0
    for name in ("left", "right"):
        child = arrays[name]
        if ((child <= places) | (child >= tree_end))[is_inner].any():
            raise ValueError(f"{name} leads out of a tree or back")
    if (trees.predictors > np.repeat(unit, sizes)).any() or (trees.predictors < -1).any():
        raise ValueError("predictors has entries of bits that do not come before their target")
    return trees


def _check_bounds(name: str, bounds: NDArray[np.int64], last: int) -> None:
    """Refuse bounds that do not go from 0 to ``last`` without a step back."""
    if bounds[0] != 0 or bounds[-1] != last or (np.diff(bounds) < 0).any():
        raise ValueError(f"{name} does not go from 0 to {last}")

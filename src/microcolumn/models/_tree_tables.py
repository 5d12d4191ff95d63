"""Boosted trees as plain tables of nodes, from scikit-learn and from files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels.loops.boosted import Trees
from ..validation import Floats
from ._saving import Arrays, floats, shaped


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

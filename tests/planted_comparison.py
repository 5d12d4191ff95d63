"""A comparison of models whose scores are given, and what a study would find in it."""

from planted_scores import planted_score

from microcolumn.evaluate.splits import compare_splits
from microcolumn.models import ModelSpec
from microcolumn.report._findings import Finding, kind_of

GROUPS = {"Ising": 10.0, "RBM 25": 12.0}

#: What each split adds to all models, and to those with hidden units.
SHARED, HIDDEN = (0.5, -0.5, 1.0, -1.0), (0.1, -0.1, 0.05, -0.05)


def compared(levels, n_splits=4, split_by="blocks", scatter=1.0, **flags):
    """Models at the given levels, bits/s; what splits have in common cancels in differences.

    ``scatter`` scales what splits add to models with hidden units alone; ``flags`` are fields of
    the scores by name of the model, such as ``Ising={"fit_converged": False}``.
    """
    stderr = {name: 0.3 + 0.1 * scatter * ("RBM" in name) for name in levels}
    values = {
        name: [
            level + SHARED[k] + (scatter * HIDDEN[k] if "RBM" in name else 0.0)
            for k in range(n_splits)
        ]
        for name, level in levels.items()
    }
    found = {
        ModelSpec.of(name): [
            planted_score(k, value, stderr[name], spikes_per_second=20.0, **flags.get(name, {}))
            for k, value in enumerate(each)
        ]
        for name, each in values.items()
    }
    where = {"recording": "cells", "experiment": "instantaneous"}
    return compare_splits(found, 10, 0.5, n_planned=n_splits, split_by=split_by, **where)


def finding(name="A", **options):
    """What a recording says whose models have these scores."""
    comparison = compared(**{"levels": GROUPS} | options)
    untested = "No labels of several layers, so this was not tested"
    return Finding(name, name, comparison, kind_of(comparison), untested, {}, None, "", "", "")

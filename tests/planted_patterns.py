"""Planted frequencies of words, their synchrony, and how well each model describes them."""

from itertools import combinations

import numpy as np

from microcolumn.evaluate import (
    Adequacy,
    Explainable,
    MomentFit,
    Moments,
    PatternStatistics,
    Synchrony,
    counting_bounds,
)
from microcolumn.models import ModelSpec
from microcolumn.study.codec import to_blob

EXPLAINABLE = Explainable(
    bits_per_second=16.0,
    stderr=1.0,
    upper=20.0,
    disagreement=0.1,
    coverage=0.98,
    n_words=1000,
    n_distinct=50,
)


def patterns_of(compared, test, chosen_l1):
    """Models of growing power expect ever more of the words that occurred."""
    rows = [{"model": "data", "synchrony": to_blob(_synchrony(test, 0.0, "words"))}]
    for k, spec in enumerate([ModelSpec("Independent"), *compared]):
        empirical = test.counts / test.counts.sum()
        expected = empirical * (0.5 + 0.1 * k)
        statistics = PatternStatistics(
            X=np.empty((0, test.n_dims), dtype=np.uint8),
            n_active=test.X.sum(axis=1, dtype=np.int64),
            empirical=empirical,
            model=expected,
            lower=counting_bounds(expected, test.n_bins)[0],
            upper=counting_bounds(expected, test.n_bins)[1],
            n_words=test.n_bins,
        )
        drawn = _synchrony(test, 0.01 * k, "samples" if k > 1 else "exact")
        row = {"model": spec.name, "l1": chosen_l1(spec.model, 0) if k else None}
        rows.append(row | {"statistics": to_blob(statistics), "synchrony": to_blob(drawn)})
    adequate = [{"model": "data", "explainable": EXPLAINABLE}]
    adequate += [
        {"model": spec.name, "adequacy": _adequacy(k), "moments": to_blob(_moments(test, k))}
        for k, spec in enumerate([ModelSpec("Independent"), *compared])
    ]
    return {"patterns": rows, "adequacies": adequate}


def _adequacy(k):
    """The first model misses synchrony, the second differs by little, others describe the words."""
    p_value = (0.005, 0.02, 0.31, 0.4)[k]
    families = ("rates", "pairs", "triplets", "synchrony", "words")
    fit = MomentFit(r=0.9, error=0.1)
    return Adequacy(
        n_words=1000,
        n_effective=dict.fromkeys(families, 500.0),
        p_value=p_value,
        p_values=dict.fromkeys(families, p_value),
        tail_observed=(0.4, 0.12, 0.02),
        tail_stderr=(0.02, 0.01, 0.002),
        tail_model=(0.4, 0.11, 0.01 + 0.003 * k),
        misses_from=3 if k == 0 else None,
        rates_error=0.01,
        pairs=fit,
        triplets=fit,
        nats_per_word=-2.0,
        nats_expected=-2.1,
        method="exact",
    )


def _moments(test, k):
    """Better models have more of every moment, up to all of it; the first of units 0 and 1."""
    found = {}
    for name, order in (("pairs", 2), ("triplets", 3)):
        bits = np.array(list(combinations(range(test.n_dims), order)))[:300]
        observed = np.linspace(1e-3, 5e-3, len(bits), dtype=np.float32)
        found[name] = Moments(bits, observed, observed * np.float32(k / 3), 0.0 * observed)
    return found


def _synchrony(test, more, method):
    counts = np.bincount(
        test.X.sum(axis=1, dtype=np.int64), weights=test.counts, minlength=test.n_dims + 1
    )
    p = counts / counts.sum() + more
    return Synchrony(p / p.sum(), np.where(p > 0, 0.01, 0.0) * (method != "exact"), method)

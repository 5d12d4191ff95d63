"""Pooled estimates against the formulas written out, published numbers and simulated animals."""

import math
from dataclasses import replace

import numpy as np
import pytest
from planted_comparison import compared
from scipy import stats

import microcolumn as mc
from microcolumn.errors import BadArgument
from microcolumn.evaluate import Estimate, pool, pool_contrasts


def estimates(values, errors, unit="bits/s"):
    return [Estimate(v, e, unit) for v, e in zip(values, errors, strict=True)]


def by_hand(values, variances):
    """DerSimonian & Laird's mean and Hartung & Knapp's error, step by step."""
    k = len(values)
    fixed = [1 / v for v in variances]
    centre = sum(w * y for w, y in zip(fixed, values, strict=True)) / sum(fixed)
    q = sum(w * (y - centre) ** 2 for w, y in zip(fixed, values, strict=True))
    tau2 = max(0.0, (q - (k - 1)) / (sum(fixed) - sum(w * w for w in fixed) / sum(fixed)))
    weights = [1 / (v + tau2) for v in variances]
    mean = sum(w * y for w, y in zip(weights, values, strict=True)) / sum(weights)
    spread = sum(w * (y - mean) ** 2 for w, y in zip(weights, values, strict=True)) / (k - 1)
    return mean, math.sqrt(max(1.0, spread) / sum(weights)), q, tau2


VALUES, ERRORS = [0.10, 0.32, 0.18, 0.41, 0.05], [0.05, 0.04, 0.06, 0.08, 0.03]


def test_recordings_are_pooled_as_dersimonian_and_laird_and_hartung_and_knapp_do():
    found = pool(estimates(VALUES, ERRORS))
    mean, stderr, q, tau2 = by_hand(VALUES, [e**2 for e in ERRORS])
    assert found.mean.value == pytest.approx(mean, rel=1e-12)
    assert found.mean.stderr == pytest.approx(stderr, rel=1e-12)
    assert found.tau == pytest.approx(math.sqrt(tau2), rel=1e-12)
    assert found.i_squared == pytest.approx((q - 4) / q, rel=1e-12)
    assert found.differ_p_value == pytest.approx(stats.chi2(4).sf(q), rel=1e-9)
    low, high = stats.t.interval(0.95, 4, mean, stderr)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)
    assert found.p_value == pytest.approx(2 * stats.t(4).sf(mean / stderr), rel=1e-9)
    assert (found.mean.n, found.mean.method) == (5, "recordings")
    assert math.isnan(found.tau_within)


def test_the_mean_is_made_of_the_recordings_by_their_weights():
    for animals in (None, ["a", "a", "b", "b", "c"]):
        found = pool(estimates(VALUES, ERRORS), animals=animals)
        weights = [row.weight for row in found.recordings]
        assert sum(weights) == pytest.approx(1.0)
        assert np.dot(weights, VALUES) == pytest.approx(found.mean.value)


def test_recordings_that_agree_are_no_surer_than_their_errors():
    found = pool(estimates([1.0, 1.02, 0.98], [0.1, 0.2, 0.2]))
    assert (found.tau, found.i_squared) == (0.0, 0.0)
    assert found.mean.value == pytest.approx(np.average([1.0, 1.02, 0.98], weights=[100, 25, 25]))
    assert found.mean.stderr == pytest.approx(150.0**-0.5)


def test_equal_errors_and_as_many_recordings_of_each_animal_give_a_t_test_of_animal_means():
    rng = np.random.default_rng(0)
    values = rng.normal(size=4)[:, None] + 3.0 + 0.5 * rng.normal(size=(4, 5))
    animals = np.repeat(list("abcd"), 5).tolist()
    found = pool(estimates(values.ravel(), [0.1] * 20), animals=animals)
    means = values.mean(axis=1)
    assert (found.mean.n, found.mean.method) == (4, "animals")
    assert found.mean.value == pytest.approx(means.mean())
    assert found.mean.stderr == pytest.approx(stats.sem(means))
    assert found.p_value == pytest.approx(stats.ttest_1samp(means, 0.0).pvalue)
    # One-way analysis of variance: the mean squares within and between animals.
    within = values.var(axis=1, ddof=1).mean()
    assert found.tau_within == pytest.approx(math.sqrt(within - 0.1**2))
    assert found.tau == pytest.approx(math.sqrt(means.var(ddof=1) - within / 5))


def test_the_order_of_recordings_does_not_matter():
    animals = list("abacb")
    order = [3, 1, 4, 0, 2]
    first = pool(estimates(VALUES, ERRORS), animals=animals)
    second = pool(
        estimates([VALUES[k] for k in order], [ERRORS[k] for k in order]),
        animals=[animals[k] for k in order],
    )
    assert (first.low, first.high, first.tau) == pytest.approx(
        (second.low, second.high, second.tau)
    )


@pytest.mark.parametrize("animals", [None, ["a"] * 5, ["a", "b", "c", "d", ""]])
def test_without_several_known_animals_recordings_are_the_unit(animals):
    found = pool(estimates(VALUES, ERRORS), animals=animals)
    assert found.mean.method == "recordings"
    assert found.low == pool(estimates(VALUES, ERRORS)).low


def test_intervals_over_animals_hold_where_those_over_their_recordings_do_not():
    """Five animals with four recordings each, which are alike."""
    rng = np.random.default_rng(0)
    held = np.zeros(2)
    animals = np.repeat(list("abcde"), 4).tolist()
    for _ in range(400):
        errors = rng.uniform(0.5, 1.5, 20)
        of_animal = np.repeat(rng.normal(scale=2.0, size=5), 4)
        values = 5.0 + of_animal + rng.normal(scale=0.7, size=20) + errors * rng.normal(size=20)
        listed = estimates(values, errors)
        for k, found in enumerate((pool(listed, animals=animals), pool(listed))):
            held[k] += found.low < 5.0 < found.high
    assert held[0] / 400 == pytest.approx(0.95, abs=0.035)
    assert held[1] / 400 < 0.85


def test_the_interval_holds_the_mean_of_recordings_that_differ():
    rng = np.random.default_rng(0)
    held, spreads = 0, []
    for _ in range(400):
        errors = rng.uniform(0.5, 1.5, size=6)
        values = 5.0 + 2.0 * rng.normal(size=6) + errors * rng.normal(size=6)
        found = pool(estimates(values, errors))
        held += found.low < 5.0 < found.high
        spreads.append(found.tau**2)
    assert held / 400 == pytest.approx(0.95, abs=0.035)
    assert np.mean(spreads) == pytest.approx(4.0, rel=0.15)


@pytest.mark.parametrize(
    ("argument", "given", "options"),
    [
        ("estimates", estimates([1.0], [0.1]), {}),
        ("estimates", estimates([1.0, 2.0], [0.1, math.nan]), {}),
        ("estimates", estimates([1.0, 2.0], [0.1, 0.0]), {}),
        ("animals", estimates([1.0, 2.0], [0.1, 0.1]), {"animals": ["a"]}),
        ("recordings", estimates([1.0, 2.0], [0.1, 0.1]), {"recordings": ["a", "b", "c"]}),
    ],
)
def test_what_cannot_be_pooled_is_refused(argument, given, options):
    with pytest.raises(BadArgument) as caught:
        pool(given, **options)
    assert caught.value.argument == argument


def of_recording(name, animal="", **levels):
    return replace(compared({"Ising": 10.0, **levels}), recording=name, animal=animal)


def test_contrasts_of_a_study_are_pooled_as_shares_of_the_second_sides_gain():
    levels = {"a": 12.0, "b": 13.0, "c": 14.0}
    every = [of_recording(name, **{"RBM 25": rbm}) for name, rbm in levels.items()]
    found = pool_contrasts(every)
    assert list(found) == ["groups"]  # no other kind of model was compared
    ratios = [each.relative("RBM 25", "Ising") for each in every]
    same = pool([Estimate(r.value - 1.0, r.stderr, "%") for r in ratios], recordings=list("abc"))
    assert found["groups"].to_rows() == same.to_rows()
    assert found["groups"].mean == same.mean
    assert [row.value for row in same.recordings] == pytest.approx([0.2, 0.3, 0.4], rel=0.01)


def test_animals_of_comparisons_are_the_unit_of_their_means():
    levels = {"RBM 25": 12.0, "KPairwise": 13.0}
    every = [of_recording(f"{k}", animal, **levels) for k, animal in enumerate("aab")]
    found = pool_contrasts(every)
    assert list(found) == ["groups", "other kinds"]
    assert {(each.mean.n, each.mean.method) for each in found.values()} == {(2, "animals")}


def test_a_single_recording_is_not_pooled():
    assert pool_contrasts([of_recording("a", **{"RBM 25": 12.0})]) == {}
    assert mc.evaluate.pool_contrasts([]) == {}


def test_models_that_are_the_same_count_as_the_surest_recording_does():
    same = compared({"Ising": 10.0, "RBM 25": 10.0}, scatter=0.0)
    other = of_recording("a", **{"RBM 25": 12.0})
    found = pool_contrasts([same, other])["groups"]
    assert [row.weight for row in found.recordings] == pytest.approx([0.5, 0.5])
    assert found.mean.value == pytest.approx(other.relative("RBM 25", "Ising").value / 2 - 0.5)
    assert pool_contrasts([same, same]) == {}  # nothing says how sure that is

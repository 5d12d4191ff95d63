"""Layer statistics against loops over all permutations of the labels, and under the null."""

import math
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from microcolumn.evaluate._layers import layer_statistics
from microcolumn.models import RBM, Ising, SemiRBM
from microcolumn.parameters import Parameters
from microcolumn.simulate.microcolumns import preset
from microcolumn.units import Units
from microcolumn.words import Words

LABELS = ("II/III",) * 8 + ("IV",) * 6 + ("V/VI",) * 7


def _sparse(seed, n_units=21, n_hidden=6, density=0.4):
    """Parameters with random sparse weights and couplings, of both signs."""
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(n_units, n_hidden)) * (rng.random((n_units, n_hidden)) < density)
    J = np.triu(rng.normal(size=(n_units,) * 2) * (rng.random((n_units,) * 2) < density), 1)
    return Parameters(b=np.zeros(n_units), J=J + J.T, W=W)


def _planted():
    """Each hidden unit and most couplings inside one layer, on weak weights everywhere."""
    inside = np.array(LABELS)[:, None] == np.array(LABELS)
    theta = _sparse(5)
    W = 0.2 * theta.W + (np.array(LABELS)[:, None] == np.array(["II/III", "IV", "V/VI"] * 2))
    J = 0.2 * theta.J - 0.3 * inside * (1 - np.eye(len(LABELS)))
    return Parameters(b=theta.b, J=J, W=W)


def _share(weights, labels):
    """Largest part of the weights, by size, in one layer, by a loop."""
    by_layer = dict.fromkeys(labels, 0.0)
    for weight, label in zip(weights, labels, strict=True):
        by_layer[label] += abs(weight)
    return max(by_layer.values()) / sum(by_layer.values())


def _difference(J, labels):
    """Mean within minus mean between layers, by a loop over pairs."""
    within, between = [], []
    for n, m in combinations(range(len(labels)), 2):
        (within if labels[n] == labels[m] else between).append(J[n, m])
    return np.mean(within) - np.mean(between)


def _p_and_mean(statistic, labels):
    """p-value and expectation over all n! permutations of the labels."""
    null = np.array([statistic(shuffled) for shuffled in permutations(labels)])
    return np.mean(null >= statistic(labels) - 1e-12), null.mean()


@pytest.mark.parametrize("labels", ["aabbc", "aaabbb", "ababac", "abbbbb", "abcdde"])
@pytest.mark.parametrize("seed", [0, 1])
def test_small_cases_are_exact(labels, seed):
    theta = _sparse(seed, n_units=len(labels), n_hidden=3, density=0.9)
    got = layer_statistics(theta, list(labels))
    assert got.exact
    multiplicity = math.prod(math.factorial(n) for n in got.n_units)
    assert got.n_permutations == math.factorial(len(labels)) // multiplicity - 1
    for row in got.hidden:
        weights = theta.W[:, row.position]
        p, mean = _p_and_mean(lambda new, w=weights: _share(w, new), labels)
        assert row.share == pytest.approx(_share(weights, labels))
        assert (row.p_value, row.expected) == pytest.approx((p, mean))
        by_layer = [sum(abs(weights)[np.array([*labels]) == name]) for name in got.layers]
        assert row.shares == pytest.approx(np.array(by_layer) / abs(weights).sum())

    def overall(new):
        masses = np.abs(theta.W).sum(axis=0)
        return np.average([_share(w, new) for w in theta.W.T], weights=masses)

    p, mean = _p_and_mean(overall, labels)
    assert got.overall_share == pytest.approx(overall(labels))
    assert (got.overall_p_value, got.overall_expected) == pytest.approx((p, mean))
    for contrast, J, statistic in (
        (got.couplings, np.abs(theta.J), float),
        (got.signed_couplings, theta.J, abs),
    ):
        assert contrast.difference == pytest.approx(_difference(J, labels))
        p, _ = _p_and_mean(lambda new, J=J, s=statistic: s(_difference(J, new)), labels)
        assert contrast.p_value == pytest.approx(p)


def test_random_permutations_come_close_to_all_of_them():
    theta = _sparse(3, n_units=9, n_hidden=4)
    labels = "aabbccdde"  # 22,680 arrangements
    every = layer_statistics(theta, list(labels), n_permutations=30_000)
    drawn = layer_statistics(theta, list(labels), n_permutations=20_000, random_state=1)
    assert every.exact
    assert not drawn.exact
    assert drawn.n_permutations == 20_000
    # 0.015 is four standard errors of a p-value near one half.
    assert drawn.overall_p_value == pytest.approx(every.overall_p_value, abs=0.015)
    assert drawn.overall_expected == pytest.approx(every.overall_expected, abs=0.005)
    assert drawn.couplings.p_value == pytest.approx(every.couplings.p_value, abs=0.015)
    for row, exact in zip(drawn.hidden, every.hidden, strict=True):
        assert row.p_value == pytest.approx(exact.p_value, abs=0.015)


@pytest.mark.parametrize("n_permutations", [9999, 50])
def test_no_more_than_a_twentieth_of_permuted_labels_exceeds_the_upper_end_of_chance(
    n_permutations,
):
    labels = "aaaabbbc"  # 280 arrangements
    theta = _sparse(4, n_units=8, n_hidden=4, density=0.9)
    got = layer_statistics(theta, list(labels), n_permutations=n_permutations)
    for row in got.hidden:
        weights = theta.W[:, row.position]
        null = np.array([_share(weights, new) for new in set(permutations(labels))])
        if got.exact:
            assert np.mean(null > row.upper + 1e-6) <= 0.05 < np.mean(null > row.upper - 1e-6)
        assert row.expected < row.upper <= 1.0
        assert (row.share > row.upper + 1e-6) <= (row.p_value <= 0.05)
    assert got.overall_expected < got.overall_upper <= 1.0


@pytest.mark.parametrize("given", ["shuffled labels", "unrelated weights"])
def test_what_has_nothing_to_do_with_layers_is_rejected_at_the_nominal_level(given):
    rng, p = np.random.default_rng(0), []
    for seed in range(400):
        theta, labels = _sparse(seed), LABELS
        if given == "shuffled labels":
            theta, labels = _planted(), rng.permutation(LABELS)
        got = layer_statistics(theta, labels, n_permutations=199, random_state=seed)
        p.append((got.overall_p_value, got.couplings.p_value, got.signed_couplings.p_value))
    rejected = np.mean(np.array(p) <= 0.05, axis=0)
    assert np.all(np.abs(rejected - 0.05) <= 0.02), rejected


def test_planted_layers_are_found():
    got = layer_statistics(_planted(), LABELS)
    assert got.overall_p_value == 1e-4
    assert [row.layer for row in got.hidden] == ["II/III", "IV", "V/VI"] * 2
    assert all(row.p_holm < 0.01 for row in got.hidden)
    assert all(row.share > row.expected for row in got.hidden)
    assert got.couplings.p_value == got.signed_couplings.p_value == 1e-4
    assert got.couplings.difference > 0.0 > got.signed_couplings.difference


def test_drives_within_layers_of_a_simulated_recording_are_found():
    words = preset("B4").bin(0.020)
    hidden = layer_statistics(RBM(n_hidden=25, l1=2e-3, objective="mpf").fit(words), words.units)
    pairs = layer_statistics(Ising(l1=2e-3, objective="mpf").fit(words), words.units)
    assert hidden.overall_p_value <= 0.001
    assert pairs.couplings.p_value <= 0.001
    assert pairs.signed_couplings.difference > 0.0


def test_corrections_follow_their_definitions():
    got = layer_statistics(_sparse(2, n_hidden=10), LABELS, n_permutations=99)
    p = sorted(row.p_value for row in got.hidden)
    for row in got.hidden:
        holm = max((10 - k) * p[k] for k in range(10) if p[k] <= row.p_value)
        fdr = min(p[k] * 10 / (k + 1) for k in range(10) if p[k] >= row.p_value)
        assert row.p_holm == pytest.approx(min(1.0, holm))
        assert row.p_fdr == pytest.approx(min(1.0, fdr))


def test_lags_share_the_labels_of_their_unit():
    labels = ["a", "a", "b", "b", "c"]
    theta = _sparse(4, n_units=15, n_hidden=4)
    got = layer_statistics(theta, labels, window=3)
    assert (got.window, sum(got.n_units)) == (3, 5)
    summed = np.abs(theta.W).reshape(3, 5, 4).sum(axis=0)
    by_unit = np.zeros((5, 5))
    for n, m in combinations(range(5), 2):
        pairs = [abs(theta.J[5 * s + n, 5 * t + m]) for s in range(3) for t in range(3)]
        by_unit[n, m] = by_unit[m, n] = np.mean(pairs)
    one_bin = layer_statistics(Parameters(b=np.zeros(5), W=summed, J=by_unit), labels)
    for row, same in zip(got.hidden, one_bin.hidden, strict=True):
        assert (row.layer, row.share, row.p_value) == pytest.approx(
            (same.layer, same.share, same.p_value)
        )
    assert got.overall_p_value == one_bin.overall_p_value
    assert got.couplings.within == pytest.approx(one_bin.couplings.within)
    assert got.couplings.between == pytest.approx(one_bin.couplings.between)
    assert got.couplings.p_value == one_bin.couplings.p_value


def _volleys_over_time(n_bins=400):
    X = np.random.default_rng(3).random((n_bins, 4)) < 0.2
    return Words.from_array(X | np.roll(X, 1, axis=0))


def test_a_model_knows_its_own_lags():
    labels, words = ["a", "a", "b", "b"], _volleys_over_time().embed(3)
    model = SemiRBM(n_hidden=2, l1=1e-3).fit(words)
    assert model.n_live_hidden_
    expected = layer_statistics(model.parameters_, labels, window=3)
    assert layer_statistics(model, labels) == expected
    assert layer_statistics(model, labels, window=3) == expected
    # Parameters alone do not say, so what is asked for holds.
    ready = SemiRBM.from_parameters(model.parameters_)
    assert layer_statistics(ready, labels, window=3) == expected


def test_units_without_a_layer_are_left_out_with_a_note():
    theta = _sparse(1, n_units=7)
    got = layer_statistics(theta, ["a", "", "a", "b", "", "b", "b"])
    kept = [0, 2, 3, 5, 6]
    alone = Parameters(b=np.zeros(5), J=theta.J[np.ix_(kept, kept)], W=theta.W[kept])
    expected = layer_statistics(alone, ["a", "a", "b", "b", "b"])
    assert got.overall_p_value == expected.overall_p_value
    assert got.couplings == expected.couplings
    assert "2 of 7 units have no layer and are left out" in got.notes


def test_hidden_units_without_weights_onto_layers_are_named_and_dead_ones_are_not():
    theta = Parameters(b=np.zeros(4), W=[[1, 0, 0], [-1, 0, 0], [0, 0, 3], [0.5, 0, 0]])
    got = layer_statistics(theta, ["a", "a", "", "b"])
    assert [row.position for row in got.hidden] == [0]
    assert got.hidden[0].mass == 2.5
    assert "without weight onto a unit with a layer: h2" in got.notes


@pytest.mark.parametrize("W", [None, np.zeros((4, 3))])
def test_without_weights_the_result_is_empty(W):
    got = layer_statistics(Parameters(b=np.zeros(4), W=W), ["a", "a", "b", "b"])
    assert got.hidden == ()
    assert math.isnan(got.overall_share)
    assert math.isnan(got.overall_p_value)
    assert got.couplings is got.signed_couplings is None
    assert "no hidden units" in str(got)
    assert "no couplings" in str(got)


@pytest.mark.parametrize("turned", [False, True])
def test_a_group_of_cells_is_found_whether_its_hidden_unit_is_on_or_off_in_silence(turned):
    # On in 98 % of bins, with weights of -18 nats onto layer II/III, and two weak ones.
    w = np.array([-2.5, -1.9, -2.8, -2.2, -2.6, -1.6, -2.4, -2.05] + [0.0] * 11 + [-0.9, 0.58])
    theta = Parameters(b=np.full(21, -3.0), W=w[:, None], c=[4.0])
    assert w[:8].sum() == pytest.approx(-18.05)
    [row] = layer_statistics(theta.canonical_sign()[0] if turned else theta, LABELS).hidden
    assert (row.layer, row.p_value) == ("II/III", 1e-4)
    assert row.share == pytest.approx(18.05 / (18.05 + 0.9 + 0.58))


def test_two_units_say_nothing():
    theta = Parameters(b=[0.0, 0.0], W=[[1.0], [3.0]], J=[[0.0, 1.0], [1.0, 0.0]])
    got = layer_statistics(theta, ["a", "b"])
    assert (got.overall_share, got.overall_p_value, got.n_permutations) == (0.75, 1.0, 1)
    assert got.couplings is None
    assert got.notes == ("no two units share a layer, so couplings are not tested",)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.sampled_from("abc"), min_size=4, max_size=12), st.sampled_from([0.1, 1e-3, 7.0]))
def test_equal_weights_are_ties_in_spite_of_rounding(labels, value):
    labels = [*labels, "a", "a", "b"]
    n = len(labels)
    J = value * (1.0 - np.eye(n))
    got = layer_statistics(
        Parameters(b=np.zeros(n), W=np.full((n, 2), value), J=J), labels, n_permutations=300
    )
    assert [row.p_value for row in got.hidden] == [1.0, 1.0]
    assert got.overall_p_value == got.couplings.p_value == got.signed_couplings.p_value == 1.0
    assert got.hidden[0].share == pytest.approx(max(map(labels.count, labels)) / n)


def test_a_seed_decides_and_the_size_of_chunks_does_not(monkeypatch):
    theta = _sparse(8)
    first = layer_statistics(theta, LABELS, n_permutations=500, random_state=3)
    assert layer_statistics(theta, LABELS, n_permutations=500, random_state=3) == first
    assert layer_statistics(theta, LABELS, n_permutations=500, random_state=4) != first
    monkeypatch.setattr("microcolumn.validation._MOST_ELEMENTS", 700)
    chunked = layer_statistics(theta, LABELS, n_permutations=500, random_state=3)
    assert chunked.overall_p_value == first.overall_p_value
    assert chunked.couplings.p_value == first.couplings.p_value
    few = _sparse(8, n_units=6)
    monkeypatch.setattr("microcolumn.validation._MOST_ELEMENTS", 50)
    small = layer_statistics(few, list("aabbcc"))
    monkeypatch.undo()
    assert small.overall_p_value == layer_statistics(few, list("aabbcc")).overall_p_value


def test_labels_of_any_name_are_tested_as_layers_are():
    rng = np.random.default_rng(0)
    theta = Parameters(b=np.zeros(6), W=rng.normal(size=(6, 2)))
    labels = ["FS", "RS", "RS", "FS", "FS", "RS"]
    units = Units("abcdef", layer=labels, labels={"cell_type": labels})
    by_layer, by_type = (
        layer_statistics(theta, units, group_by=name) for name in ("layer", "cell_type")
    )
    assert by_type.overall_p_value == by_layer.overall_p_value
    assert "units by cell type: FS: 3, RS: 3" in str(by_type)
    assert "layer" not in str(by_type)
    assert [row["cell_type"] for row in by_type.to_rows()] == [r.layer for r in by_layer.hidden]
    assert layer_statistics(theta, units.grouped_by("cell_type")).group_by == "cell_type"

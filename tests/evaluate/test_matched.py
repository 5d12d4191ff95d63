"""Couplings and groups of matched cells, on intervals that are written down and on words."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import microcolumn as mc
from microcolumn.errors import BadArgument, BadInput
from microcolumn.evaluate import Intervals, matched_couplings, matched_groups
from microcolumn.evaluate.estimates import Estimates
from microcolumn.words_info import WordsInfo


def intervals_of(J, errors, names):
    """Intervals with these couplings, (n, n), and errors; biases do not matter."""
    rows, columns = np.triu_indices(len(J), 1)
    zeros = np.zeros(len(J))
    return Intervals(
        model="Ising",
        level=0.95,
        names=tuple(names),
        biases=Estimates.of(zeros, zeros + 0.1, 0.95, np.inf),
        pairs=np.column_stack((rows, columns)),
        couplings=Estimates.of(J[rows, columns], errors[rows, columns], 0.95, np.inf),
        n_words=1000,
        alike=1.0,
        notes=(),
    )


def symmetric(values):
    return np.triu(values, 1) + np.triu(values, 1).T


def two_days(n=9, noise=0.2, seed=0):
    """Couplings of the same cells, which the second day names and orders otherwise."""
    rng = np.random.default_rng(seed)
    J = symmetric(rng.normal(scale=0.5, size=(n, n)))
    errors = symmetric(rng.uniform(0.5, 1.5, size=(n, n))) * noise
    days = [J + symmetric(rng.normal(size=(n, n))) * errors for _ in range(2)]
    order = rng.permutation(n)
    first = intervals_of(days[0], errors, [f"a{k}" for k in range(n)])
    second = intervals_of(
        days[1][np.ix_(order, order)], errors[np.ix_(order, order)], [f"b{k}" for k in order]
    )
    return first, second, {f"a{k}": f"b{k}" for k in range(n)}, days, errors


def test_pairs_are_those_of_the_cells_that_both_have_by_their_names():
    first, second, match, days, errors = two_days()
    del match["a3"]
    match["a4"] = "another unit"
    found = matched_couplings(first, second, match)
    assert found.cells == tuple((f"a{k}", f"b{k}") for k in (0, 1, 2, 5, 6, 7, 8))
    assert len(found.first) == 21
    for row in found.to_rows():
        k, j = int(row["unit"][1:]), int(row["partner"][1:])
        assert (row["first"], row["second"]) == (days[0][k, j], days[1][k, j])
        assert row["first_stderr"] == row["second_stderr"] == errors[k, j]


def test_the_correlation_weighs_pairs_by_their_errors():
    first, second, match, days, errors = two_days()
    found = matched_couplings(first, second, match)
    upper = np.triu_indices(9, 1)
    weights = 1.0 / (2.0 * errors[upper] ** 2)
    covariance = np.cov(days[0][upper], days[1][upper], aweights=weights)
    scale = np.sqrt(covariance[0, 0] * covariance[1, 1])
    assert found.correlation == pytest.approx(covariance[0, 1] / scale)


def test_q_values_are_of_the_difference_and_its_error():
    first, second, match, days, errors = two_days()
    found = matched_couplings(first, second, match)
    upper = np.triu_indices(9, 1)
    z = (days[1][upper] - days[0][upper]) / (np.sqrt(2.0) * errors[upper])
    q = stats.false_discovery_control(2.0 * stats.norm.sf(np.abs(z)))
    assert found.q_value == pytest.approx(q)


def test_the_same_cells_are_told_from_others_and_others_are_not():
    same, others = [], []
    for seed in range(25):
        first, second, match, *_ = two_days(seed=seed, noise=0.4)
        rng = np.random.default_rng(seed)
        wrong = dict(zip(match, rng.permutation([*match.values()]).tolist(), strict=True))
        same.append(matched_couplings(first, second, match).p_value)
        others.append(matched_couplings(first, second, wrong).p_value)
    assert np.mean(np.array(same) < 0.05) > 0.9
    assert stats.kstest(others, "uniform").pvalue > 0.01


def test_pairs_that_one_recording_does_not_determine_are_left_out():
    first, second, match, *_ = two_days()
    unknown = first.couplings.stderr.copy()
    unknown[0] = np.nan
    couplings = Estimates.of(first.couplings.estimate, unknown, 0.95, np.inf)
    found = matched_couplings(replace(first, couplings=couplings), second, match)
    assert len(found.first) == 35
    assert ("a0", "a1") not in zip(found.unit, found.partner, strict=True)
    assert np.isfinite(found.correlation)
    nothing = Estimates.of(first.couplings.estimate, np.full(36, np.nan), 0.95, np.inf)
    with pytest.raises(BadInput, match="fewer than three pairs"):
        matched_couplings(replace(first, couplings=nothing), second, match)


def test_the_sentence_has_the_numbers():
    first, second, match, *_ = two_days()
    found = matched_couplings(first, second, match)
    assert str(found).startswith("9 cells are in both recordings; the couplings of 36 pairs ")
    assert f"correlate by {found.correlation:.2f} ({found.expected:z.2f} if" in str(found)


@pytest.mark.parametrize(
    "match",
    [{}, {"a0": "b0", "a1": "b1"}, {f"a{k}": "b0" for k in range(9)}, None],
    ids=["none", "two", "all one", "other names"],
)
def test_too_few_cells_and_cells_taken_twice_are_refused(match):
    first, second, *_ = two_days()
    for compared in (matched_couplings, matched_groups):
        given = (first, second) if compared is matched_couplings else (RBM_A, RBM_B)
        with pytest.raises(BadArgument) as caught:
            compared(*given, match)
        assert caught.value.argument == "match"


def rbm(W, names):
    """A model with these weights, (n_units, n_hidden), of words that name their units."""
    theta = mc.Parameters(np.full(len(names), -3.0), W=W, c=np.full(W.shape[1], -4.0))
    words = mc.Words.from_array(np.eye(len(names)), 0.020, units=mc.Units(names))
    model = mc.RBM.from_parameters(theta)
    model.words_info_ = WordsInfo.of(words)
    return model


WEIGHTS = np.zeros((12, 3))
WEIGHTS[:4, 0], WEIGHTS[4:8, 1], WEIGHTS[8:, 2] = 3.0, 3.0, 3.0
RBM_A = rbm(WEIGHTS, [f"a{k}" for k in range(12)])
RBM_B = rbm(WEIGHTS[::-1, :2], [f"b{k}" for k in range(12)][::-1])


def test_groups_are_found_again_in_the_order_of_the_second_recordings_units():
    match = {f"a{k}": f"b{k}" for k in range(12)}
    found = matched_groups(RBM_A, RBM_B, match)
    assert [(each.hidden, each.hidden_again) for each in found[:2]] == [("h0", "h0"), ("h1", "h1")]
    assert [each.similarity for each in found[:2]] == pytest.approx([1.0, 1.0])
    assert [each.recurs for each in found] == [True, True, False]
    assert (found[2].hidden_again, found[2].similarity) == ("", 0.0)


def test_the_p_value_of_a_group_is_the_share_of_identities_that_would_do():
    """Of choices of 4 of 12 cells for a group, 2 of 495 are a group of the second recording."""
    found = matched_groups(RBM_A, RBM_B, {f"a{k}": f"b{k}" for k in range(12)})
    expected = (1 + 999 * 2 / 495) / 1000
    assert found[0].p_value == pytest.approx(expected, abs=3e-3 * 2)


def test_cells_that_one_recording_lacks_do_not_count():
    match = {f"a{k}": f"b{k}" for k in (0, 1, 2, 3, 4, 5)}
    found = matched_groups(RBM_A, RBM_B, match)
    assert [each.hidden for each in found] == ["h0", "h1"]  # the third has no weight to these


def test_models_of_arrays_have_no_cells():
    nameless = mc.RBM.from_parameters(RBM_A.parameters_)
    with pytest.raises(BadArgument) as caught:
        matched_groups(RBM_A, nameless)
    assert caught.value.argument == "second"

from itertools import product

import numpy as np
import pytest
from scipy.special import logsumexp

import microcolumn as mc
from microcolumn.errors import BadArgument, BadInput, BadType
from microcolumn.incomplete import IncompleteWords

ISING = mc.Ising.from_parameters(mc.Parameters(b=np.zeros(4), J=1.0 - np.eye(4)))
RBM = mc.RBM.from_parameters(mc.Parameters(b=np.zeros(4), W=np.ones((4, 1)), c=[-1.0]))


def _matrix(n_bins=60, n_units=4, seed=0, share=0.3):
    """Zeros, ones and NaN, of which no bin is missing as a whole."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n_bins, n_units)) < 0.4).astype(float)
    X[rng.random(X.shape) < share] = np.nan
    X[:, 0] = np.nan_to_num(X[:, 0])
    return X


def test_words_are_the_distinct_rows_with_their_gaps():
    X = _matrix()
    words = IncompleteWords.from_array(X, bin_width=0.01)
    np.testing.assert_array_equal(words.expand(), X)
    distinct = {tuple(row) for row in np.where(np.isnan(X), 2, X).tolist()}
    shown = np.where(words.missing, 2, words.X)
    assert {tuple(row) for row in shown.tolist()} == distinct
    assert len(words) == len(distinct)
    assert words.counts.sum() == words.n_bins == 60
    assert not words.X[words.missing].any()


def test_rates_are_those_of_the_bins_in_which_a_unit_was_observed():
    X, weights = _matrix(), np.arange(1.0, 61.0)
    np.testing.assert_allclose(IncompleteWords.from_array(X).rates, np.nanmean(X, axis=0))
    weighted = IncompleteWords.from_array(X, sample_weight=weights)
    masked = np.ma.masked_invalid(X)
    np.testing.assert_allclose(weighted.rates, np.ma.average(masked, axis=0, weights=weights))
    np.testing.assert_allclose(weighted.observed, weights @ ~np.isnan(X))


def test_a_mask_says_the_same_as_nan():
    X = _matrix()
    masked = np.ma.array(np.nan_to_num(X, nan=7.0), mask=np.isnan(X))
    np.testing.assert_array_equal(IncompleteWords.from_array(masked).expand(), X)


def test_bins_in_which_no_unit_was_observed_are_left_out_and_end_an_epoch():
    X = _matrix(20)
    X[[5, 6]] = np.nan
    words = IncompleteWords.from_array(X)
    assert words.bins.tolist() == [0, 1, 2, 3, 4, *range(7, 20)]
    assert words.cells.epoch_starts.tolist() == [0, 5]
    np.testing.assert_array_equal(words.expand(), X[words.bins])


def test_windows_keep_their_gaps_and_cross_no_epoch():
    X = _matrix(20)
    windows = IncompleteWords.from_array(X, epoch_starts=[0, 12]).embed(3)
    first = [*range(10), *range(12, 18)]
    np.testing.assert_array_equal(windows.expand(), [X[t : t + 3].ravel() for t in first])
    assert (windows.n_dims, windows.n_units, windows.window) == (12, 4, 3)
    turned = windows.reordered([3, 2, 1, 0])
    np.testing.assert_array_equal(turned.expand(), [X[t : t + 3, ::-1].ravel() for t in first])


def test_parts_of_a_split_are_bins_with_their_weights():
    X, weights = _matrix(), np.arange(1.0, 61.0)
    words = IncompleteWords.from_array(X, sample_weight=weights)
    parts = words.split(0.5, by="blocks", random_state=0)
    for part in parts:
        np.testing.assert_array_equal(part.expand(), X[part.bins])
        np.testing.assert_array_equal(part.weights, weights[part.bins])
        assert part.counts.sum() == pytest.approx(weights[part.bins].sum())
    assert sum(part.n_bins for part in parts) == 60


def test_axes_with_trials_may_have_gaps():
    X = _matrix().reshape(3, 20, 4)
    words = IncompleteWords.from_array(X, dims="trials bins units")
    np.testing.assert_array_equal(words.expand(), X.reshape(-1, 4))
    assert words.cells.epoch_starts.tolist() == [0, 20, 40]


def test_units_with_intervals_of_their_own_are_observed_in_bins_that_lie_inside():
    trains = [np.arange(0.005, 2.0, 0.05), np.arange(0.015, 2.0, 0.07)]
    words = mc.Recording(trains, mc.Units("ab"), epochs=[[0.0, 1.0], [1.2, 2.0]]).bin(0.1)
    found = IncompleteWords.from_intervals(words, {"b": [[0.15, 0.7], [1.2, 1.55]]})
    starts = [*np.arange(10) / 10, *(1.2 + np.arange(8) / 10)]
    inside = [
        any(a < t + 1e-6 and t + 0.1 < b + 1e-6 for a, b in [(0.15, 0.7), (1.2, 1.55)])
        for t in starts
    ]
    expected = words.expand().astype(float)
    expected[~np.array(inside), 1] = np.nan
    np.testing.assert_array_equal(found.expand(), expected)
    np.testing.assert_allclose(found.clock.times_s(found.bins, 0.1), starts)


def test_completions_are_all_that_the_words_may_be():
    words = IncompleteWords.from_array(_matrix(seed=3))
    completions = words.completions()
    assert len({tuple(row) for row in completions.words.X.tolist()}) == len(completions.words)
    for k, (start, size) in enumerate(zip(completions.starts, completions.sizes, strict=True)):
        rows = completions.words.X[completions.rows[start : start + size]]
        choices = [
            (0, 1) if gap else (bit,) for bit, gap in zip(words.X[k], words.missing[k], strict=True)
        ]
        assert sorted(map(tuple, rows.tolist())) == sorted(product(*choices))
    np.testing.assert_allclose(completions.words.rates, words.rates)
    assert completions.words.counts.sum() == pytest.approx(words.counts.sum())


def test_weights_of_completions_are_summed_without_overflow():
    words = IncompleteWords.from_array(_matrix(seed=3))
    completions = words.completions()
    log_weights = 1000.0 * np.random.default_rng(0).normal(size=len(completions.words))
    log_sums, shares = completions.log_sums(log_weights)
    for k, (start, size) in enumerate(zip(completions.starts, completions.sizes, strict=True)):
        own = log_weights[completions.rows[start : start + size]]
        assert log_sums[k] == pytest.approx(logsumexp(own))
        np.testing.assert_allclose(shares[start : start + size], np.exp(own - logsumexp(own)))


def test_its_text_says_how_much_is_missing():
    words = IncompleteWords.from_array([[0, 1], [1, np.nan], [0, np.nan], [0, 1]])
    shown = (
        "IncompleteWords(2 units, 4 bins of 20 ms, 3 distinct words, 25.0 % of the cells missing)"
    )
    assert repr(words) == shown
    assert repr(words.embed(2)).startswith("IncompleteWords(2 units x 2 bins, 3 windows of 40 ms")


def test_more_completions_than_can_be_summed_are_refused():
    X = np.zeros((50, 40))
    X[:2, 5:30] = np.nan
    with pytest.raises(BadInput, match=r"one of them 2\^25; leave out units or bins"):
        mc.Ising().fit(IncompleteWords.from_array(X))


def test_entries_that_are_no_bits_and_units_never_observed_are_refused():
    X = _matrix()
    X[7, 2] = 3.0
    with pytest.raises(BadArgument, match=r"X\[7, 2\] is 3"):
        IncompleteWords.from_array(X)
    X[:, 2] = np.nan
    with pytest.raises(BadInput, match="unit '2' was observed in no bin"):
        IncompleteWords.from_array(X)


def test_gaps_of_another_shape_or_of_unknown_units_are_refused():
    words = mc.Words.from_array(np.eye(4))
    for missing in (np.zeros((4, 3), dtype=bool), np.zeros((4, 4))):
        with pytest.raises(BadArgument, match="pass truth values, 4 bins by 4 units"):
            IncompleteWords.from_words(words, missing)
    with pytest.raises(BadArgument, match="'x'"):
        IncompleteWords.from_intervals(words, {"x": [[0.0, 1.0]]})
    with pytest.raises(BadArgument, match="single bins"):
        IncompleteWords.from_words(words.embed(2), np.zeros((3, 8), dtype=bool))


@pytest.mark.parametrize(
    "use",
    [
        lambda words: ISING.conditional(words),
        lambda words: RBM.hidden(words),
        lambda words: mc.objectives.negative_log_likelihood(mc.Parameters(b=np.zeros(4)), words),
        lambda words: mc.tune(["Ising"], words),
        lambda words: mc.compare(["Ising"], words),
        lambda words: mc.evaluate.predict(ISING, words),
        lambda words: mc.evaluate.adequacy(ISING, words),
        lambda words: mc.objectives.pair_rates(words),
        lambda words: mc.evaluate.pattern_statistics(ISING, words),
        lambda words: mc.evaluate.assemblies([RBM], words),
        lambda words: mc.Words.concatenate([words]),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_needs_complete_words_refuses_others(use):
    with pytest.raises((BadInput, BadType), match=r"complete words|missing cells|IncompleteWords"):
        use(IncompleteWords.from_array(_matrix()))

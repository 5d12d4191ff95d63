"""What groups gain, against sums over words."""

import numpy as np
import pytest
from drawing import draw
from planted_comparison import compared

import microcolumn as mc
from microcolumn.evaluate import pool
from microcolumn.evaluate.time_errors import N_CELLS
from microcolumn.plot import cumulative_gain, gain_by_activity, group_gain
from microcolumn.plot.gain_sources import percent


@pytest.fixture(scope="module")
def test():
    return mc.simulate.microcolumn(n_units=6, minutes=2, seed=0).bin(0.020)


@pytest.fixture(scope="module")
def models(test):
    return {"Ising": mc.Ising(l1=1e-3).fit(test), "RBM 3": mc.RBM(3, l1=1e-4).fit(test)}


@pytest.fixture(scope="module")
def gain(models, test):
    """Bits/s that each word adds to the gain."""
    nats = models["RBM 3"].score_samples(test) - models["Ising"].score_samples(test)
    return nats / np.log(2.0) / 0.020 / test.n_bins


def test_rows_are_recordings_with_intervals_in_per_cent_and_their_mean():
    levels = ({"Ising": 10.0, "RBM 2": 12.0}, {"Ising": 8.0, "RBM 2": 8.2, "KPairwise": 8.1})
    both = dict(zip(("A", "$B"), map(compared, levels), strict=True))
    ax = draw(group_gain, both)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["A", "\\$B", "all"]
    marks = [line for line in ax.lines if line.get_marker() in "oD" and len(line.get_xdata()) == 1]
    values = [float(line.get_xdata()[0]) for line in marks]
    # K-pairwise is closer to the groups than the Ising model, by its interval.
    assert values[:2] == pytest.approx([20.0, 100.0 * 0.1 / 8.1])
    pairs = [each.groups for each in both.values()]
    for each, pair, below in zip(both.values(), pairs, (10.0, 8.1), strict=True):
        ends = tuple(100.0 * end / below for end in pair.interval)
        assert percent(each)[1] == pytest.approx(ends)
    ratios = [c.relative(p.first, p.second) for c, p in zip(both.values(), pairs, strict=True)]
    mean = pool(ratios)  # of ratios, where 1 is no gain
    assert values[2] == pytest.approx(100.0 * (mean.mean.value - 1.0))
    ends = [sorted(line.get_xdata()) for line in ax.lines if line.get_linewidth() == 1.8][2]
    assert ends == pytest.approx([100.0 * (mean.low - 1.0), 100.0 * (mean.high - 1.0)])
    assert ax.texts[0].get_text() == "+20 %"


def test_one_recording_has_no_mean():
    ax = draw(group_gain, compared({"Ising": 10.0, "RBM 2": 9.9}))
    assert len(ax.get_yticklabels()) == 1
    assert ax.texts[0].get_text() == "\N{MINUS SIGN}1.0 %"


def test_the_gain_so_far_is_the_sum_over_the_words_so_far(models, test, gain):
    ax = draw(cumulative_gain, models, test)
    [line] = [each for each in ax.lines if each.get_label() == "RBM 3 over Ising"]
    time, so_far = line.get_data()
    edges = np.ceil(np.arange(N_CELLS + 1) * test.n_bins / N_CELLS).astype(int)
    np.testing.assert_allclose(time, 100.0 * edges / test.n_bins, atol=1e-9)
    np.testing.assert_allclose(so_far, [gain[:edge].sum() for edge in edges], atol=1e-9)
    pair = mc.compare(models, test).groups
    assert so_far[-1] == pytest.approx(pair.bits_per_second)
    # Half-way, 95 % of the lines are within 1.96 halves of the error at the end.
    band = ax.collections[0].get_paths()[0].vertices
    assert np.ptp(band[np.abs(band[:, 0] - 50.0) < 0.1, 1]) == pytest.approx(
        1.96 * pair.stderr, rel=0.01
    )


def test_bars_are_sums_over_words_with_so_many_active_units(models, test, gain):
    ax = draw(gain_by_activity, models, test)
    n_active = test.X.sum(axis=1)[test.index]
    expected = [gain[n_active == k].sum() for k in range(n_active.max() + 1)]
    heights = [bar.get_height() for bar in ax.patches]
    np.testing.assert_allclose(heights, expected, atol=1e-9)
    assert sum(heights) == pytest.approx(mc.compare(models, test).groups.bits_per_second)


def test_of_several_splits_bars_are_means_and_dots_are_splits():
    found = compared({"Ising": 10.0, "RBM 2": 12.0})  # half of each at none and at two active units
    ax = draw(gain_by_activity, found)
    assert [bar.get_height() for bar in ax.patches] == pytest.approx([1.0, 0.0, 1.0])
    [dots] = [line for line in ax.lines if line.get_marker() == "o"]
    each = 0.5 * (2.0 + np.array([0.1, -0.1, 0.05, -0.05]))
    assert sorted(dots.get_ydata()) == pytest.approx(sorted([*each, *each, 0.0, 0.0, 0.0, 0.0]))


def test_many_numbers_of_active_units_share_bars_and_keep_the_sum():
    rng = np.random.default_rng(0)
    words = mc.Words.from_array(rng.random((3000, 90)) < rng.beta(0.5, 0.8, (3000, 1)), 0.02)
    models = {
        "rates": mc.Independent().fit(words),
        "tracking": mc.models.PopulationTracking().fit(words),
        "RBM 2": mc.RBM(2, objective="mpf").fit(words),
    }
    ax = draw(gain_by_activity, models, words)
    assert len(ax.patches) <= 40
    total = mc.compare(models, words).groups.bits_per_second
    assert sum(bar.get_height() for bar in ax.patches) == pytest.approx(total)

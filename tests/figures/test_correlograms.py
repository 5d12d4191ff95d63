from dataclasses import replace

import numpy as np
import pytest
from matplotlib.patches import StepPatch

from microcolumn.figures._correlograms import correlogram
from microcolumn.recording import Recording
from microcolumn.survey import suggest_bin_width


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(0)
    volleys = rng.uniform(1.0, 599.0, 2000)
    trains = [np.sort(volleys + rng.normal(0.0, 0.006, volleys.size)) for _ in range(3)]
    return suggest_bin_width(Recording(trains))


def dashed(axes):
    return [float(line.get_xdata()[0]) for line in axes.lines if line.get_linestyle() == "--"]


def steps(axes):
    [found] = [each for each in axes.patches if isinstance(each, StepPatch)]
    return found


def test_dashed_lines_enclose_the_peak_at_half_its_height(result):
    (axes,) = correlogram(result).axes
    left, right = dashed(axes)
    assert right - left == pytest.approx(result.peak_width_s * 1e3)
    assert left == -right
    smoothed = axes.lines[0]
    at_line = np.interp(right, *smoothed.get_data())
    peak, far = smoothed.get_ydata().max(), np.median(smoothed.get_ydata())
    assert at_line == pytest.approx((peak + far) / 2, rel=0.05)


def test_counts_are_drawn_relative_to_chance(result):
    (axes,) = correlogram(result).axes
    counts, edges, baseline = steps(axes).get_data()
    np.testing.assert_allclose((edges[1:] + edges[:-1]) / 2, result.lags_s * 1e3, atol=1e-9)
    np.testing.assert_allclose(counts, result.counts / result.chance)
    assert baseline == 1.0
    assert axes.lines[1].get_ydata()[0] == 1.0
    assert "chance" in axes.get_ylabel()


def test_the_title_states_the_suggestion_and_the_label_the_measured_width(result):
    (axes,) = correlogram(result).axes
    assert axes.get_title() == "Suggested bins: 20 ms"
    assert [text.get_text() for text in axes.texts] == [
        f"{result.peak_width_s * 1e3:.1f} ± {result.peak_stderr_s * 1e3:.1f} ms"
    ]


def test_without_a_peak_there_are_no_dashed_lines_and_the_title_says_so(result):
    (axes,) = correlogram(replace(result, peak_width_s=np.nan)).axes
    assert dashed(axes) == []
    assert axes.get_title() == "Suggested bins: 20 ms (no central peak)"


def test_a_neuron_sorted_twice_does_not_stretch_the_axis(result):
    """With a thousand times chance at lag 0 the axis still ends above everything else."""
    middle = result.counts.size // 2
    counts = result.counts.copy()
    counts[middle - 1 : middle + 2] = 1000.0 * result.chance[middle]
    figure = correlogram(replace(result, counts=counts))
    (axes,) = figure.axes
    others = np.delete(counts / result.chance, [middle - 1, middle, middle + 1])
    highest = max(others.max(), (result.smoothed / result.chance).max())
    assert highest < axes.get_ylim()[1] < 1.2 * highest
    assert others.min() - 0.1 * highest < axes.get_ylim()[0] < others.min()
    [shade] = [each for each in axes.patches if each is not steps(axes)]
    assert (shade.get_x(), shade.get_x() + shade.get_width()) == (-1.5, 1.5)
    assert "dead time, to 1e+03 \N{MULTIPLICATION SIGN} chance" in [
        text.get_text() for text in axes.get_legend().get_texts()
    ]


def test_nothing_is_shaded_where_the_middle_fits_the_axis(result):
    figure = correlogram(result)
    (axes,) = figure.axes
    assert len(axes.patches) == 1
    assert axes.get_ylim()[1] > (result.counts / result.chance).max()
    assert len(axes.get_legend().get_texts()) == 3


def test_lags_longer_than_every_epoch_are_left_blank(tmp_path):
    short = Recording([[0.01, 0.02], [0.015]], epochs=[[0.0, 0.05]])
    figure = correlogram(suggest_bin_width(short))
    figure.savefig(tmp_path / "short.png")
    drawn = steps(figure.axes[0]).get_data().values
    assert np.isnan(drawn[0])
    assert np.isfinite(drawn[drawn.size // 2])


def test_recordings_without_pairs_can_be_drawn(tmp_path):
    figure = correlogram(suggest_bin_width(Recording([[1.0]])))
    figure.savefig(tmp_path / "empty.pdf")
    assert [text.get_text() for text in figure.axes[0].texts] == ["no pairs of units"]

"""The simulated movie: it repeats exactly, may drive all units alike, and may be all there is."""

import numpy as np
import pytest

import microcolumn as mc


def psth(recording, bin_width=0.1):
    """Bins with a spike of each unit at each moment of the movie, summed over its showings."""
    words = recording.truth.repeats.within(recording.bin(bin_width))
    _, moment = recording.truth.repeats.locate(words)
    counts = np.zeros((moment.max() + 1, words.n_units))
    np.add.at(counts, moment, words.expand())
    return counts


def mean_correlation(counts):
    correlations = np.corrcoef(counts.T)
    return correlations[np.triu_indices_from(correlations, 1)].mean()


@pytest.mark.parametrize(("shared", "low", "high"), [(0.0, -0.15, 0.15), (1.0, 0.5, 1.0)])
def test_a_shared_movie_drives_all_units_alike(shared, low, high):
    recording = mc.simulate.microcolumn(
        6, 10, 1, movie_minutes=0.25, movie_spread=1.0, movie_shared=shared, coupled=False
    )
    assert low < mean_correlation(psth(recording)) < high


def test_uncoupled_units_have_no_common_drive_and_no_synapse():
    truth = mc.simulate.microcolumn(6, 1, 0, coupled=False).truth
    assert not truth.gains.any()
    assert truth.synapses == ()


def test_a_movie_without_spread_leaves_no_trace():
    still = mc.simulate.microcolumn(6, 10, 1, movie_minutes=0.25, movie_spread=0.0, coupled=False)
    moving = mc.simulate.microcolumn(6, 10, 1, movie_minutes=0.25, movie_spread=1.0, coupled=False)
    relative = [psth(r).var(axis=0) / psth(r).mean(axis=0) for r in (still, moving)]
    assert np.median(relative[0]) < 1.3 < 3.0 < np.median(relative[1])


def test_repeats_say_when_the_movie_was_shown():
    truth = mc.simulate.microcolumn(2, 1, 0, movie_minutes=0.4).truth
    assert truth.repeats.starts_s.tolist() == [0.0, 24.0, 48.0]
    assert truth.repeats.duration_s == truth.movie_s == 24.0

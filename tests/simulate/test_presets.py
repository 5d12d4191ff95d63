import numpy as np
import pytest

import microcolumn as mc


def test_sizes_are_those_of_the_paper():
    sizes = {name: (p.n_units, p.multiunit, p.minutes) for name, p in mc.simulate.PRESETS.items()}
    assert sizes == {"B4": (23, False, 60), "T6": (36, False, 60), "B4MU": (28, True, 60)}


@pytest.mark.integration
@pytest.mark.parametrize("name", ["B4", "T6", "B4MU"])
def test_statistics_are_those_of_the_paper_and_of_cortex(name):
    recording = mc.simulate.preset(name, seed=1)
    settings = mc.simulate.PRESETS[name]
    assert recording.n_units == settings.n_units
    assert recording.duration_s == 3600
    assert np.all(recording.units.multiunit == settings.multiunit)
    per_bin = counts(recording, 0.020, 3600)
    assert np.mean(per_bin == 1) == pytest.approx(0.024, abs=0.003)
    assert np.mean(per_bin > 1) == pytest.approx(0.009, abs=0.002)
    layer = np.array(recording.units.layer)
    pairs = np.triu_indices(recording.n_units, 1)
    correlation = np.corrcoef(per_bin > 0)[pairs]
    within = (layer[:, None] == layer)[pairs]
    assert 0.02 < correlation.mean() < 0.06
    assert np.mean(correlation[within] > 0) > 0.8
    assert correlation[within].mean() > 5 * correlation[~within].mean() > 0
    assert 15 <= peak_width_ms(recording) <= 25


def counts(recording, bin_s, duration_s):
    """Spikes per unit and bin, shape (n_units, n_bins), from whole samples of the clock."""
    samples_per_bin, n_bins = round(30_000 * bin_s), round(duration_s / bin_s)
    found = np.zeros((recording.n_units, n_bins), dtype=np.int64)
    for row, train in zip(found, recording.trains, strict=True):
        bins = np.rint(train * 30_000).astype(np.int64) // samples_per_bin
        row += np.bincount(bins[bins < n_bins], minlength=n_bins)
    return found


def peak_width_ms(recording, longest_ms=60):
    """Width at half height of the correlogram summed over pairs within layers, four minutes."""
    per_ms = counts(recording, 0.001, 240)
    spectra = np.fft.rfft(per_ms, 2 * per_ms.shape[1])
    layer = np.array(recording.units.layer)
    power = -np.sum(np.abs(spectra) ** 2, axis=0)  # pairs of a unit with itself do not count
    for name in set(layer):
        power += np.abs(spectra[layer == name].sum(axis=0)) ** 2
    lagged = np.fft.irfft(power)
    correlogram = np.concatenate([lagged[-longest_ms:], lagged[: longest_ms + 1]])
    smooth = np.convolve(correlogram, np.full(5, 0.2), "valid")
    shoulders = np.concatenate([smooth[:10], smooth[-10:]]).mean()
    assert smooth.argmax() == pytest.approx(smooth.size // 2, abs=3)
    above = np.flatnonzero(smooth > (smooth.max() + shoulders) / 2)
    return above[-1] - above[0] + 1


def test_presets_have_nothing_in_common_also_with_the_same_seed():
    # Volleys of a layer made its counts of different presets correlate by about 0.5.
    recordings = [mc.simulate.preset(name, minutes=3.0) for name in mc.simulate.PRESETS]
    by_layer = [
        counts(each, 0.1, 180)[[layer == "IV" for layer in each.units.layer]].sum(axis=0)
        for each in recordings
    ]
    correlation = np.corrcoef(by_layer)[np.triu_indices(3, 1)]
    assert np.abs(correlation).max() < 0.15


@pytest.mark.integration
@pytest.mark.parametrize("name", ["B4", "T6", "B4MU"])
def test_hidden_units_beat_pairs_and_pairs_beat_rates_on_held_out_words(name):
    recording = mc.simulate.preset(name)
    train, test = recording.bin(0.020).split(0.5, by="words", random_state=0)
    settings = {"l1": 1e-3, "objective": "mpf"}
    ising = mc.Ising(**settings).fit(train)
    rates = mc.Independent().fit(train)
    assert lead(ising, rates, test) > 5
    richer = [mc.RBM(n_hidden=10, **settings)]
    if name != "T6":  # its semi-restricted model's log Z takes half a minute
        richer.append(mc.SemiRBM(n_hidden=10, **settings))
    for model in richer:
        assert lead(model.fit(train), ising, test) > 3


def lead(better, worse, words):
    """Difference of scores in its standard errors, over the same words."""
    pair = mc.compare({"better": better, "worse": worse}, words).pair("better", "worse")
    return pair.bits_per_second / pair.stderr

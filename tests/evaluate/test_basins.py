"""Basins are those of a descent over all words, listed."""

from itertools import product

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.errors import BadArgument, BadInput
from microcolumn.evaluate import basins


def _bottom(energies, word):
    """Flip the bit that lowers the energy most until none does; ``energies`` by word."""
    while True:
        flipped = [(*word[:n], 1 - word[n], *word[n + 1 :]) for n in range(len(word))]
        lowest = min(flipped, key=energies.__getitem__)
        if energies[lowest] >= energies[word]:
            return word
        word = lowest


def _all_words(n):
    return np.array(list(product((0, 1), repeat=n)), dtype=np.uint8)


def _ising(n, rng):
    J = np.triu(rng.normal(size=(n, n)), 1)
    return mc.Ising.from_parameters(mc.Parameters(b=rng.normal(size=n), J=J + J.T))


def _semi_rbm(n, rng):
    J = np.triu(rng.normal(size=(n, n)), 1)
    W, c = 2.0 * rng.normal(size=(n, 3)), rng.normal(size=3)
    return mc.SemiRBM.from_parameters(mc.Parameters(b=rng.normal(size=n), J=J + J.T, W=W, c=c))


@pytest.mark.parametrize("make", [_ising, _semi_rbm])
@pytest.mark.parametrize("seed", range(5))
def test_each_word_lies_in_the_basin_that_brute_force_descends_to(make, seed):
    model, words = make(8, np.random.default_rng(seed)), _all_words(8)
    energies = dict(zip(map(tuple, words.tolist()), model.energy(words), strict=True))
    found = basins(model, words)
    expected = [_bottom(energies, tuple(word)) for word in words.tolist()]
    assert list(map(tuple, found.minima[found.index].tolist())) == expected


@pytest.mark.parametrize("make", [_ising, _semi_rbm])
def test_all_words_find_all_local_minima(make):
    model, words = make(7, np.random.default_rng(7)), _all_words(7)
    energy = model.energy(words)
    flips = np.arange(128)[:, None] ^ (1 << np.arange(7))
    minima = words[(energy[:, None] < energy[flips]).all(axis=1)]
    assert {*map(tuple, basins(model, words).minima.tolist())} == {*map(tuple, minima.tolist())}


def test_energies_are_above_that_of_silence():
    model, words = _ising(6, np.random.default_rng(1)), _all_words(6)
    found = basins(model, words)
    theta, x = model.parameters_, found.minima.astype(float)
    expected = -(x @ theta.b + np.einsum("kn,nm,km->k", x, theta.J, x))
    assert found.energy == pytest.approx(expected)


def test_shares_of_words_are_those_counted_and_largest_first():
    model, rng = _ising(6, np.random.default_rng(2)), np.random.default_rng(3)
    words = _all_words(6)[rng.integers(64, size=500)]
    found = basins(model, words)
    assert found.occupancy == pytest.approx(np.bincount(found.index) / 500)
    assert np.all(np.diff(found.occupancy) <= 0.0)
    assert found.over_time(1)[0] == pytest.approx(found.occupancy)
    parts = found.over_time(7)
    assert parts.sum(axis=1) == pytest.approx(np.ones(7))
    first = found.index[: len(np.array_split(found.index, 7)[0])]
    assert parts[0, 0] == pytest.approx(np.mean(first == 0))


def test_there_are_at_most_as_many_stretches_as_words():
    found = basins(_ising(3, np.random.default_rng(0)), [[0, 0, 0], [1, 1, 1]])
    assert len(found.over_time(100)) == 2


def test_without_couplings_there_is_one_basin():
    model = mc.Ising.from_parameters(mc.Parameters(b=[-1.0, 2.0, -3.0], J=np.zeros((3, 3))))
    assert basins(model, _all_words(3)).minima.tolist() == [[0, 1, 0]]


def test_planted_groups_are_basins_at_the_times_they_fire():
    rng = np.random.default_rng(4)
    on = rng.random((6000, 2)) < 0.03
    X = rng.random((6000, 8)) < np.where(np.repeat(on, 4, axis=1), 0.9, 0.01)
    words = mc.Words.from_array(X, bin_width=0.020)
    found = basins(mc.Ising(l1=1e-4).fit(words), words)
    assert found.units[0] == "-"
    assert {*found.units[1:3]} == {"0 1 2 3", "4 5 6 7"}
    fired = np.isin(found.index, [found.units.index("0 1 2 3")])
    assert np.corrcoef(fired, on[:, 0])[0, 1] > 0.85
    assert found.times_s[:3] == pytest.approx([0.0, 0.02, 0.04])


def test_the_order_of_units_in_the_words_does_not_matter():
    recording = mc.simulate.microcolumn(n_units=6, minutes=1)
    words = recording.bin()
    model = mc.Ising(l1=1e-4).fit(words)
    other = recording.take([5, 4, 3, 2, 1, 0]).bin()
    assert basins(model, words).occupancy == pytest.approx(basins(model, other).occupancy)


def test_windows_name_bins():
    words = mc.simulate.microcolumn(n_units=3, minutes=1).bin().embed(2)
    model = mc.Ising(l1=1e-3).fit(words)
    assert basins(model, words).names[0] == "0@-1"


def test_it_prints_basins_with_their_share():
    text = str(basins(_ising(4, np.random.default_rng(5)), _all_words(4)))
    assert "basins of 16 words" in text
    assert "share of words" in text


def test_what_has_no_energy_is_refused():
    mixture = mc.models.BernoulliMixture(n_components=2).fit(_all_words(3))
    with pytest.raises(TypeError, match="energy"):
        basins(mixture, _all_words(3))
    found = basins(_ising(3, np.random.default_rng(0)), _all_words(3))
    with pytest.raises(BadArgument) as caught:
        found.over_time(0)
    assert caught.value.argument == "n_stretches"
    with pytest.raises(BadInput):
        basins(_ising(3, np.random.default_rng(0)), [[0, 1]])

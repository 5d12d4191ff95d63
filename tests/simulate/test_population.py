import numpy as np
import pytest

from microcolumn.simulate import population
from microcolumn.simulate.population import (
    _EXCITATION,
    _INHIBITION,
    _REFRACTORY,
    _ar1,
    _Connection,
    _respond,
)


@pytest.fixture(scope="module")
def words():
    return population(seed=0)


def test_the_same_seed_gives_the_same_bits_and_another_seed_others():
    first, second, other = (population(8, 2, seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(first.expand(), second.expand())
    assert first.units.ids == second.units.ids
    assert not np.array_equal(first.expand(), other.expand())


def test_length_and_units_are_as_asked(words):
    assert words.n_bins == 90_000
    assert words.duration_s == pytest.approx(1800.0)
    assert words.n_units == 20
    assert set(words.units.layer) == {"II/III", "IV", "V/VI"}
    assert np.all(np.diff(words.units.depth_um) > 0)
    assert list(words.units.layer) == sorted(words.units.layer)  # from the surface down
    assert population(3, 1, bin_width=0.005).n_bins == 12_000


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_all_units_fire_at_cortical_rates(seed):
    rates = population(seed=seed).rates
    assert 0.015 < rates.mean() < 0.035
    assert rates.min() > 0.003
    assert rates.max() < 0.12


@pytest.mark.parametrize("seed", [0, 1])
def test_units_of_a_layer_are_correlated_more_than_units_of_different_layers(seed):
    words = population(seed=seed)
    correlation = np.corrcoef(words.expand().T.astype(float))
    layer = np.array(words.units.layer)
    same = layer[:, None] == layer[None, :]
    pairs = ~np.eye(layer.size, dtype=bool)
    assert correlation[same & pairs].mean() > 0.05
    assert correlation[same & pairs].mean() > 5 * np.abs(correlation[~same].mean())


def test_whole_layers_fire_together_more_often_than_independent_units_would(words):
    in_layer = np.array(words.units.layer) == "V/VI"
    active = words.expand()[:, in_layer].sum(axis=1)
    rng = np.random.default_rng(0)
    independent = (rng.random((words.n_bins, in_layer.sum())) < words.rates[in_layer]).sum(axis=1)
    assert np.count_nonzero(active >= 4) > 20 * max(1, np.count_nonzero(independent >= 4))


def test_spikes_are_those_of_a_walk_through_time_bin_by_bin():
    rng = np.random.default_rng(5)
    log_odds = rng.normal(-0.5, 1.0, size=(4, 300))
    connections = [
        _Connection(0, 1, _EXCITATION),
        _Connection(1, 2, _INHIBITION),
        _Connection(0, 3, _EXCITATION),
    ]
    expected = np.zeros((4, 300), dtype=bool)
    for t in range(300):
        for n in range(4):
            total = log_odds[n, t]
            if t > 0 and expected[n, t - 1]:
                total += _REFRACTORY
            total += sum(c.log_odds for c in connections if c.target == n and expected[c.source, t])
            expected[n, t] = total > 0
    assert np.array_equal(_respond(log_odds, connections), expected)
    assert not np.array_equal(expected, log_odds > 0)


def test_latent_processes_have_unit_variance_from_the_start_and_the_asked_memory():
    rng = np.random.default_rng(1)
    runs = np.array([_ar1(50, 0.5, rng) for _ in range(4000)])
    np.testing.assert_allclose(runs.var(axis=0), 1.0, atol=0.12)
    lagged = (runs[:, 1:] * runs[:, :-1]).mean()
    assert lagged == pytest.approx(np.exp(-0.5), abs=0.02)


def test_one_unit_and_one_bin_are_enough():
    words = population(1, minutes=0.020 / 60)
    assert words.X.shape == (1, 1)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"n_units": 0}, "n_units is 0; simulate at least 1 unit"),
        ({"minutes": 0.0}, "minutes is 0.0; the recording must hold at least one bin"),
        ({"minutes": np.inf}, "minutes is inf; the recording must hold"),
        ({"bin_width": -0.02}, "bin_width is -0.02; it must be a positive number of seconds"),
    ],
)
def test_a_bad_argument_is_one_sentence(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        population(**arguments)

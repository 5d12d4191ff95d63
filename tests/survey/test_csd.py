import contextlib
import io

import numpy as np
import pytest
from planted_lfp import CONDUCTIVITY_S_PER_M, Sink, planted_lfp, potential_mv

from microcolumn.io import LFP
from microcolumn.survey._csd import current_source_density, flash_response

pytest.importorskip("elephant")

EVEN = np.arange(100.0, 1700.0, 100.0)
TIME_S = np.arange(100) / 1000.0


def random_lfp(n_samples=2000, n_channels=6, **more):
    rng = np.random.default_rng(1)
    depths = 100.0 * np.arange(n_channels)
    return LFP(rng.normal(size=(n_samples, n_channels)), 1000.0, depths, "surface", **more)


def test_the_response_is_the_average_around_flashes_less_its_mean_before_them():
    lfp = random_lfp(start_s=10.0)
    response = flash_response(lfp, [10.5, 11.0, 11.2506])
    expected = np.mean([lfp.samples[k - 50 : k + 200] for k in (500, 1000, 1251)], axis=0).T
    expected = expected - expected[:, :50].mean(axis=1, keepdims=True)
    np.testing.assert_allclose(response.mean_mv, expected, atol=1e-14)
    np.testing.assert_allclose(response.time_s, np.arange(-50, 200) / 1000.0)
    assert response.n_flashes == 3
    assert response.notes == ()


def test_alternating_signs_cancel_a_response_that_every_flash_gives():
    lfp, flashes = planted_lfp([Sink(700.0, 0.04)], EVEN, n_flashes=7, noise_mv=0.0)
    response = flash_response(LFP(lfp, 1000.0, EVEN, "surface", start_s=2.0), flashes)
    assert np.abs(response.mean_mv).max() > 0.02
    np.testing.assert_allclose(response.plus_minus_mv, 0.0, atol=1e-15)


def test_contacts_come_from_superficial_to_deep_whatever_the_order_of_channels():
    lfp = random_lfp()
    order = [3, 0, 5, 1, 2, 4]
    shuffled = LFP(lfp.samples[:, order], 1000.0, lfp.depth_um[order], "surface")
    plain, sorted_again = flash_response(lfp, [1.0]), flash_response(shuffled, [1.0])
    np.testing.assert_array_equal(sorted_again.depth_um, lfp.depth_um)
    np.testing.assert_array_equal(sorted_again.mean_mv, plain.mean_mv)
    from_tip = flash_response(LFP(lfp.samples, 1000.0, 500.0 - lfp.depth_um, "tip"), [1.0])
    np.testing.assert_array_equal(from_tip.depth_um, 500.0 - lfp.depth_um)
    np.testing.assert_array_equal(from_tip.mean_mv, plain.mean_mv)


def test_channels_of_equal_depth_are_averaged_and_it_is_said():
    lfp = random_lfp(n_channels=10)
    pairs = LFP(lfp.samples, 1000.0, np.repeat(np.arange(5.0), 2), "surface")
    response = flash_response(pairs, [1.0])
    single = flash_response(lfp, [1.0]).mean_mv
    np.testing.assert_allclose(response.mean_mv, (single[::2] + single[1::2]) / 2, atol=1e-15)
    assert "10 channels lie at 5 depths" in response.notes[0]


def test_only_the_windows_around_flashes_are_read():
    class Disk:
        shape = (1_000_000_000, 6)
        n_read = 0

        def __getitem__(self, rows):
            self.n_read += rows.stop - rows.start
            return np.ones((rows.stop - rows.start, 6), dtype=np.int16)

    disk = Disk()
    flash_response(LFP(disk, 1000.0, 100.0 * np.arange(6), "surface"), [5.0, 900_000.0])
    assert disk.n_read == 500


def test_a_channel_with_nan_is_named_with_its_time():
    lfp = random_lfp()
    lfp.samples[1100, 4] = np.nan
    with pytest.raises(ValueError, match=r"channel 4 of the LFP holds nan at 1\.1 s"):
        flash_response(lfp, [0.5, 1.0])
    kept = flash_response(lfp.take([0, 1, 2, 3, 5]), [0.5, 1.0])
    np.testing.assert_array_equal(kept.depth_um, [0.0, 100.0, 200.0, 300.0, 500.0])


def test_even_contacts_give_minus_conductivity_times_the_second_difference():
    potential = np.random.default_rng(2).normal(size=(EVEN.size, 30))
    grid, csd, method = current_source_density(potential, EVEN, smoothing_um=0.0)
    second = potential[:-2] - 2.0 * potential[1:-1] + potential[2:]
    expected_a_per_m3 = -CONDUCTIVITY_S_PER_M * second * 1e-3 / (100e-6) ** 2
    np.testing.assert_allclose(csd[1:-1], 1e-3 * expected_a_per_m3, rtol=1e-10)
    np.testing.assert_allclose(grid, EVEN)
    assert method == "StandardCSD"


@pytest.mark.parametrize("method", ["StandardCSD", "KCSD1D"])
def test_wide_planted_currents_are_recovered_in_their_unit(method):
    sink = Sink(800.0, 0.02, size=2.0, width_um=150.0)
    depths = np.arange(0.0, 1750.0, 50.0)
    potential = potential_mv([sink], depths, TIME_S, radius_um=3000.0).T
    grid, csd, used = current_source_density(
        potential, depths, method=method, smoothing_um=0.0, source_radius_um=3000.0
    )
    assert used == method
    height = np.argmax(sink.course(TIME_S))
    expected = sink.profile(grid) * sink.course(TIME_S)[height]
    inner = (grid > 200.0) & (grid < 1500.0)
    np.testing.assert_allclose(csd[inner, height], expected[inner], atol=0.2)


def test_kcsd_on_principal_components_equals_elephant_on_all_samples():
    import neo
    import quantities as pq
    from elephant.current_source_density import estimate_csd

    depths = np.delete(EVEN, [4, 9])[:10]
    rng = np.random.default_rng(3)
    potential = potential_mv([Sink(500.0, 0.02)], depths, TIME_S[::4]).T
    potential = potential + 0.002 * rng.normal(size=potential.shape)
    grid, csd, method = current_source_density(potential, depths, smoothing_um=0.0)
    assert method == "KCSD1D"
    with contextlib.redirect_stdout(io.StringIO()):
        direct = estimate_csd(
            neo.AnalogSignal(potential.T * pq.mV, sampling_rate=250.0 * pq.Hz),
            coordinates=(depths * pq.um)[:, np.newaxis],
            method="KCSD1D",
            sigma=0.3,
            h=0.5,
            R_init=0.1,
            gdx=1.1 / 111.5,
            lambdas=np.logspace(0, -10, 11),
        )
    np.testing.assert_allclose(csd, direct.magnitude.T, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(grid, np.linspace(100.0, 1200.0, 111))


def test_depths_that_decrease_give_the_same_currents():
    for depths in (EVEN, np.delete(EVEN, 5)):
        potential = potential_mv([Sink(700.0, 0.02)], depths, TIME_S[::10]).T
        grid, csd, _ = current_source_density(potential, depths)
        upward, same, _ = current_source_density(potential, 2000.0 - depths)
        np.testing.assert_allclose(upward, 2000.0 - grid)
        np.testing.assert_allclose(same, csd, atol=1e-9)

import math

import pytest

from microcolumn.evaluate import LayerStatistics, SplitScore
from microcolumn.evaluate._layers import CouplingContrast, HiddenUnitLayer
from microcolumn.evaluate._splits import model_score
from microcolumn.evaluate._summaries import LayersResult, WindowResult, predictions_of
from microcolumn.models import ModelSpec

ISING = ModelSpec("Ising")


def grown(*curves, block_stderr=0.1):
    """A model of two units whose splits follow the given curves over the window."""
    results = []
    for values in zip(*curves, strict=True):
        rows = [SplitScore(k, value, block_stderr) for k, value in enumerate(values)]
        results.append(model_score(ISING, rows, 2))
    window = tuple(range(1, len(results) + 1))
    return WindowResult("cells", "spatiotemporal", window, {"Ising": tuple(results)}, 1.0)


GROWN = grown([1.0, 3.0, 3.1], [2.0, 4.0, 3.9], [2.0, 4.0, 4.0])


def test_steps_are_paired_over_splits_and_per_neuron():
    first, second = GROWN.steps("Ising")
    assert (first.bits_per_second, first.stderr) == (1.0, 0.0)
    assert second.bits_per_second == pytest.approx(0.0)
    # The variance of 0.05, 0 and -0.05, times 1/3 + 1 for three splits that overlap.
    assert second.stderr == pytest.approx(math.sqrt(0.0025 * 4 / 3))


def test_the_last_clear_step_is_the_one_beyond_two_standard_errors():
    assert GROWN.last_step("Ising") == 2
    assert grown([3.0, 2.0], [3.0, 2.1], [3.2, 2.2]).last_step("Ising") is None


def test_one_split_takes_its_steps_by_the_block_errors():
    [step] = grown([1.0, 1.5], block_stderr=0.3).steps("Ising")
    assert step.stderr == pytest.approx(0.3 * math.sqrt(2) / 2)
    assert grown([1.0, 1.5], block_stderr=0.3).last_step("Ising") is None
    assert grown([1.0, 1.5], block_stderr=0.1).last_step("Ising") == 2


def test_lags_that_are_not_computed_leave_a_gap():
    whole = grown([1.0, 2.0, 3.0], [1.1, 2.0, 3.1], [1.0, 2.1, 3.1])
    first, _, last = whole.models["Ising"]
    found = WindowResult("cells", "spatiotemporal", (1, 2, 3), {"Ising": (first, None, last)}, 1.0)
    assert found.steps("Ising") == [None, None]
    assert found.last_step("Ising") is None


def row(split, position=0, given="rest", roc_area=0.8):
    return {
        "given": given,
        "position": position,
        "unit": f"u{position}",
        "rate_hz": 2.0,
        "gain_bits_per_second": 1.0 + split,
        "roc_area": roc_area,
        "brier": 0.02,
        "rate_brier": 0.04,
    }


def test_units_without_spikes_in_a_test_part_take_the_other_areas():
    calibrations = [{"given": "rest", "error": 0.01}, {"given": "rest", "error": 0.03}]
    rows = [[row(0), row(0, 1, roc_area=math.nan)], [row(1, roc_area=0.9), row(1, 1, roc_area=0.7)]]
    found = predictions_of(ISING, rows, calibrations)["rest"]
    assert [unit.roc_area for unit in found.units] == pytest.approx([0.85, 0.7])
    assert math.isnan(found.units[1].roc_stderr)
    assert found.roc_area == pytest.approx(0.775)
    assert found.units[0].stderr == pytest.approx(0.5)
    assert found.units[0].brier_skill == 0.5
    assert found.gain_per_unit == 1.5
    assert found.calibration_error == pytest.approx(0.02)


def test_a_unit_that_never_spikes_has_no_skill():
    silent = row(0, roc_area=math.nan) | {"brier": 0.0, "rate_brier": 0.0}
    [unit] = predictions_of(ISING, [[silent]], [])["rest"].units
    assert math.isnan(unit.brier_skill)
    assert math.isnan(unit.roc_area)


def layer_statistics(shares, p_value, couplings=None):
    hidden = tuple(HiddenUnitLayer(0, "IV", 1.0, share, 0.5, p, p, p) for share, p in shares)
    return LayerStatistics(
        layers=("IV", "V/VI"),
        n_units=(2, 2),
        window=1,
        hidden=hidden,
        overall_share=0.7 if hidden else math.nan,
        overall_expected=0.5 if hidden else math.nan,
        overall_p_value=p_value,
        couplings=couplings,
        signed_couplings=None,
        n_permutations=999,
        exact=False,
        notes=(),
    )


def test_layers_are_summed_up_over_hidden_units_and_splits():
    each = (
        layer_statistics([(0.6, 0.01), (0.9, 0.04)], 0.01),
        layer_statistics([(0.8, 0.5)], 0.2),
        layer_statistics([], math.nan),  # no live hidden unit
    )
    found = LayersResult(ModelSpec("RBM", 5), (0, 1, 2), each, (2, 2, 0))
    assert found.n_significant == (2, 0, 0)
    assert found.overall_p_values[:2] == (0.01, 0.2)
    assert math.isnan(found.overall_p_values[2])
    assert (found.overall_share, found.overall_expected) == (0.7, 0.5)
    assert found.contrast() is None


def test_without_hidden_units_there_is_no_share():
    contrast = CouplingContrast(0.2, 0.1, 0.03)
    found = LayersResult(ISING, (0,), (layer_statistics([], math.nan, contrast),), (0,))
    assert math.isnan(found.overall_share)
    assert found.contrast() == (0.2, 0.1, (0.03,))
    assert found.contrast("signed_couplings") is None

import math
from dataclasses import replace

import numpy as np
import pytest
from planted_scores import planted_score

from microcolumn.evaluate import LayerStatistics
from microcolumn.evaluate._layer_results import CouplingContrast, HiddenUnitLayer
from microcolumn.evaluate.splits import model_score
from microcolumn.evaluate.summaries import LayersResult, WindowResult, predictions_of
from microcolumn.models import ModelSpec

ISING = ModelSpec("Ising")
RBM = ModelSpec("RBM", 3)


def grown(ising, rbm):
    """Two models of two units whose splits follow the given curves over the window.

    Half of the words are trained on; test words give the models errors of 0.1 and 0.16 bits/s.
    """
    found = {}
    for spec, curves, stderr in ((ISING, ising, 0.1), (RBM, rbm, 0.16)):
        results = []
        for values in zip(*curves, strict=True):
            rows = [planted_score(k, value, stderr) for k, value in enumerate(values)]
            results.append(model_score(spec, rows, 2, 0.5))
        found[spec.model] = tuple(results)
    window = tuple(range(1, len(found["Ising"]) + 1))
    return WindowResult("cells", "spatiotemporal", window, found, 0.5)


#: The RBM's lead over the Ising model is 1 bit/s, then 3, whatever the splits have in common.
FLAT = ([1.0, 3.0, 3.1], [2.0, 4.0, 3.9], [2.0, 4.0, 4.0], [0.0, 2.0, 2.0])
LEADING = tuple(
    [a + 1.0 + e, b + 1.5, c + 3.0 - e]
    for (a, b, c), e in zip(FLAT, (0.02, 0.0, -0.02, 0.01), strict=True)
)


def test_gains_over_the_ising_model_are_paired_over_splits_per_unit_and_corrected():
    found = grown(FLAT, LEADING)
    gains = found.gains()["RBM"]
    assert [pair.bits_per_second for pair in gains] == pytest.approx([0.50125, 0.75, 1.49875])
    # Test words of both models have errors in common. Training parts share a quarter of how well
    # they do: the square of the half of all words that two of them share.
    noise = np.array([0.02, 0.0, -0.02, 0.01]) / 2
    parts = np.array([0.03**2, noise.var(ddof=1) * (1 / 3 + 1 / 4)])
    assert gains[0].stderr == pytest.approx(math.sqrt(parts.sum()))
    assert gains[0].df == pytest.approx(parts.sum() ** 2 / (parts**2 / [10, 3]).sum())
    assert [pair.n_tests for pair in gains] == [3] * 3


def test_growth_is_the_gain_at_the_longest_words_minus_that_at_the_shortest():
    growth = grown(FLAT, LEADING).growth()["RBM"]
    assert growth.bits_per_second == pytest.approx(0.9975)
    # What test words add to errors is the same at all lengths and cancels.
    noise = -np.array([0.02, 0.0, -0.02, 0.01])
    assert growth.stderr == pytest.approx(noise.std(ddof=1) * math.sqrt(1 / 3 + 1 / 4))
    assert (growth.df, growth.n_tests) == (pytest.approx(3.0), 1)
    assert growth.differs
    # Both models gain as much by longer words: the gain of one over the other does not grow.
    level = grown(FLAT, [[v + 1.0 + 0.1 * (-1) ** k for v in c] for k, c in enumerate(FLAT)])
    assert level.growth()["RBM"].verdict in ("same", "undecided")


def test_windows_that_are_not_computed_leave_a_gap():
    whole = grown(FLAT, LEADING)
    cut = {name: (first, None, last) for name, (first, _, last) in whole.models.items()}
    found = replace(whole, models=cut)
    first, gap, last = found.gains()["RBM"]
    assert gap is None
    assert (first, last) == tuple(whole.gains()["RBM"][::2])
    assert found.growth()["RBM"] == whole.growth()["RBM"]
    without_last = {name: (*each[:2], None) for name, each in whole.models.items()}
    assert replace(whole, models=without_last).growth() == {"RBM": None}


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

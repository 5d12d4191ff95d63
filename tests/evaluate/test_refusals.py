"""What cannot be evaluated is refused by a sentence that names it."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import microcolumn as mc
from microcolumn import evaluate
from microcolumn.evaluate import BlockSplit
from microcolumn.evaluate._layers import layer_statistics
from microcolumn.evaluate.bootstrap import block_bins_of

BITS = np.random.default_rng(0).random((30, 4)) < 0.4
WORDS = mc.Words.from_array(BITS)
WEIGHTED = mc.Words.from_array(BITS, sample_weight=np.full(30, 2.0))
ISING = mc.Ising.from_parameters(mc.Parameters(b=np.zeros(4), J=np.zeros((4, 4))))
LARGE = mc.Independent.from_parameters(mc.Parameters(b=np.zeros(34)))
WINDOWS = mc.Words.from_array(np.random.default_rng(0).random((20, 17)) < 0.3).embed(2)
HALF = np.full(4, 0.5)
LAYERS = ["a", "a", "b", "b"]
NOT_FITTED = mc.RBM()
PREDICTED = evaluate.predict(ISING, WORDS, positions=[2, 0])
PAIRS = evaluate.effective_interactions(ISING, order=2)
FITTED = mc.Ising(l1=0.1).fit(WORDS)


def gain(units=None, **options):
    return evaluate.conditional_gain(ISING, WORDS, units, HALF, **options)


REFUSALS = [
    (lambda: evaluate.adequacy(ISING, BITS[:9]), ValueError, "pass at least 10"),
    (lambda: evaluate.adequacy(ISING, WEIGHTED), ValueError, "words carry weights"),
    (lambda: evaluate.adequacy("RBM", BITS), TypeError, "model is a str"),
    (lambda: evaluate.assemblies([], WORDS), ValueError, "models is empty"),
    (lambda: evaluate.assemblies([ISING, LARGE], WORDS), ValueError, "a model has 34 bits"),
    (lambda: evaluate.refits(NOT_FITTED, WORDS, 0), ValueError, "n_refits is 0"),
    (lambda: list(BlockSplit(1).split(BITS)), ValueError, "n_splits is 1"),
    (lambda: list(BlockSplit(200).split(BITS)), ValueError, "30 bins are too few for 200"),
    (lambda: block_bins_of(WORDS, 0), ValueError, "block_bins is 0"),
    (lambda: block_bins_of(WORDS, 16), ValueError, "at most half of them"),
    (lambda: block_bins_of(WORDS, 2.5), TypeError, "block_bins is 2.5"),
    (lambda: block_bins_of(WORDS, True), TypeError, "whole number"),
    (lambda: evaluate.choose_l1([ISING], WORDS, WORDS), TypeError, "model is a list"),
    (lambda: evaluate.choose(mc.models.Tree(), WORDS, WORDS, ()), ValueError, "grid is empty"),
    (lambda: evaluate.choose([], WORDS, WORDS), TypeError, "model is a list"),
    (lambda: mc.compare({}, WORDS), ValueError, "models is empty"),
    (lambda: gain([4]), ValueError, "positions names position 4"),
    (lambda: gain([-1]), ValueError, "positions names position -1"),
    (lambda: gain([]), ValueError, "positions is empty"),
    (lambda: gain([0.5]), TypeError, r"positions\[0\] is 0.5"),
    (lambda: gain([True]), TypeError, r"positions\[0\] is True"),
    (lambda: gain(given="future"), ValueError, "given is 'future'"),
    (
        lambda: evaluate.conditional_gain(LARGE, WINDOWS, [0], np.full(34, 0.3), given="past"),
        ValueError,
        "more than 16|an earlier bin",
    ),
    (lambda: evaluate.predict(LARGE, WINDOWS, given="past"), ValueError, "more than 16"),
    (lambda: evaluate.predict(ISING, BITS[:, :3]), ValueError, "words have 3 bits"),
    (lambda: evaluate.predict(ISING, WORDS, positions=[1, 1]), ValueError, "position 1 twice"),
    (lambda: evaluate.predict(ISING, WORDS, positions=1), TypeError, "positions is 1"),
    (lambda: evaluate.predict(ISING, WORDS, baseline=[0.5]), ValueError, "baseline has shape"),
    (lambda: PREDICTED.stretch(5.0, 6.0), ValueError, "no predicted bin"),
    (lambda: PREDICTED.stretch(0.2, 0.1), ValueError, "no predicted bin"),
    (lambda: evaluate.roc(PREDICTED, 1), ValueError, "unit 1 was not predicted"),
    (lambda: evaluate.roc(PREDICTED, "a"), TypeError, "unit is 'a'"),
    (lambda: evaluate.calibration(PREDICTED, 0, n_groups=0), ValueError, "n_groups is 0"),
    (lambda: evaluate.skill(PREDICTED), ValueError, "never fitted"),
    (lambda: evaluate.explainable(BITS[:9]), ValueError, "pass at least 10"),
    (lambda: evaluate.explainable(BITS, HALF[:3]), ValueError, r"baseline has shape \(3,\)"),
    (lambda: evaluate.explainable(WEIGHTED), ValueError, "words carry weights"),
    (lambda: evaluate.effective_interactions(ISING, order=1), ValueError, "order is 1"),
    (lambda: evaluate.effective_interactions([1.0]), TypeError, "source is a list"),
    (lambda: PAIRS.strongest(3), ValueError, "order is 3"),
    (lambda: PAIRS.strongest(2, -1), ValueError, "k is -1"),
    (lambda: PAIRS.explained([[0, 1, 0]]), ValueError, "words have 3 bits"),
    (lambda: evaluate.intervals(ISING, WORDS, level=1.0), ValueError, "between 0 and 1"),
    (lambda: layer_statistics(ISING, LAYERS, n_permutations=0), ValueError, "n_permutations is 0"),
    (lambda: layer_statistics(ISING, LAYERS, random_state=-1), ValueError, "random_state is -1"),
    (lambda: layer_statistics(FITTED, ["a", "b"], window=2), ValueError, "window is 2"),
    (lambda: layer_statistics(BITS, LAYERS), TypeError, "model is an array"),
    (lambda: layer_statistics(NOT_FITTED, LAYERS), NotFittedError, "not fitted"),
    (lambda: evaluate.pattern_statistics(ISING, BITS[:, :3]), ValueError, "words have 3 bits"),
    (lambda: evaluate.sequence_gain(ISING, WORDS), TypeError, "does not predict from the past"),
    (lambda: evaluate.synchrony(BITS, n_samples=10), ValueError, "n_samples is for models"),
    (lambda: evaluate.synchrony(BITS, initial=BITS), ValueError, "initial is for models"),
    (lambda: evaluate.synchrony(ISING, n_samples=0), ValueError, "n_samples is 0"),
    (lambda: evaluate.synchrony(NOT_FITTED), NotFittedError, "not fitted"),
    (lambda: evaluate.beyond_stimulus({}, WORDS, WORDS, None), ValueError, "models is empty"),
    (lambda: mc.tune([], WORDS), ValueError, "models is empty"),
    (lambda: mc.tune(["Ising", mc.Ising()], WORDS), ValueError, "two models are called Ising"),
    (lambda: mc.tune(["Boltzmann"], WORDS), ValueError, "'Boltzmann' names no model"),
    (lambda: mc.tune([3], WORDS), TypeError, "models has an int"),
    (lambda: mc.tune(["Tree"], WORDS, l1_values=[0.1]), ValueError, "settings of their own"),
]


@pytest.mark.parametrize(("call", "error", "phrase"), REFUSALS)
def test_what_cannot_be_evaluated_is_named(call, error, phrase):
    with pytest.raises(error, match=phrase):
        call()

import math
from dataclasses import replace

import numpy as np
import pytest
from planted_scores import planted_score

from microcolumn.evaluate.splits import compare_splits, model_score
from microcolumn.models import ModelSpec

ISING = ModelSpec("Ising")
WHERE = {"recording": "cells", "experiment": "instantaneous"}


def scores(values, **fields):
    return [planted_score(k, value, 0.1, **fields) for k, value in enumerate(values)]


def compared(values):
    """A comparison of models by name, with the given scores per split."""
    found = {ModelSpec.of(name): scores(each) for name, each in values.items()}
    return compare_splits(found, 10, 0.5, **WHERE)


def test_scores_are_means_over_splits_for_the_population_and_per_unit():
    result = model_score(ISING, scores([3.0, 4.0, 8.0]), 5, 0.5)
    assert (result.bits_per_second, result.per_neuron) == (5.0, 1.0)
    of_training = np.var([3.0, 4.0, 8.0], ddof=1) * (0.25 / 0.75 + 1 / 3)
    assert result.stderr == pytest.approx(math.sqrt(0.1**2 + of_training))


def test_sizes_are_averaged_and_every_split_is_kept_in_order():
    rows = [
        planted_score(2, 1.0, l1=4e-3, n_nonzero=10, n_couplings=3, n_live_hidden=1),
        planted_score(0, 1.0, l1=1e-3, n_nonzero=20, n_couplings=6, n_live_hidden=4),
    ]
    result = model_score(ModelSpec("SemiRBM", 5), rows, 5, 0.5)
    assert (result.n_nonzero, result.n_couplings, result.n_live_hidden) == (15, 4.5, 2.5)
    assert result.l1 == (1e-3, 4e-3)
    assert [score.split for score in result.splits] == [0, 2]


def test_splits_without_a_finite_score_do_not_count():
    result = model_score(ISING, scores([3.0, math.nan, 5.0, -math.inf]), 5, 0.5)
    assert (result.bits_per_second, result.n_splits) == (4.0, 2)
    assert model_score(ISING, scores([math.nan]), 5, 0.5) is None


def test_all_pairs_are_there_with_one_margin_and_can_be_asked_for_in_either_order():
    found = compared({"Ising": [1.0, 3.2, 0.9], "RBM 5": [3.0, 3.1, 3.0]})
    assert [(pair.first, pair.second) for pair in found.pairs] == [
        ("RBM 5", "Ising"),
        ("RBM 5", "Independent"),
        ("Ising", "Independent"),
    ]
    assert {pair.margin for pair in found.pairs} == {0.02 * found.best.bits_per_second}
    forth, back = found.pair("RBM 5", "Ising"), found.pair("Ising", "RBM 5")
    assert forth.bits_per_second == -back.bits_per_second
    assert (forth.n_better, forth.n_worse) == (back.n_worse, back.n_better) == (2, 1)
    assert str(forth) == str(back)
    zero = found.pair("Independent", "Ising")
    assert zero.bits_per_second == pytest.approx(-found.scores["Ising"].bits_per_second)


def test_a_model_with_a_spurious_mode_in_one_split_is_in_no_rank_and_no_pair():
    names = {"Ising": [3.0, 4.0], "RBM 5": [50.0, 60.0], "KPairwise": [1.0, 2.0]}
    found = {ModelSpec.of(name): scores(each) for name, each in names.items()}
    for name, k, mass in (("RBM 5", 1, 0.46), ("KPairwise", 0, 0.009)):
        rows = found[ModelSpec.of(name)]
        rows[k] = replace(rows[k], spurious_mass=mass)
    whole = compare_splits(found, 10, 0.5, **WHERE)
    assert [model.name for model in whole.models] == ["Ising", "KPairwise"]
    assert "RBM 5" not in {name for pair in whole.pairs for name in (pair.first, pair.second)}
    [false] = whole.unranked
    assert (false.name, false.spurious_mass) == ("RBM 5", 0.46)
    assert whole.best.name == "Ising"
    said = "RBM 5: spurious mode: 46 % of the model's mass on words never seen"
    assert whole.statements[-1] == said
    row = whole.table.splitlines()[-1]
    assert "spurious mode: 46 %" in row
    assert "60" not in row


def test_where_all_models_have_a_spurious_mode_the_answer_says_only_that():
    found = compare_splits({ISING: scores([9.0], spurious_mass=0.5)}, 10, 0.5, **WHERE)
    assert found.answer == "Ising: spurious mode: 50 % of the model's mass on words never seen."
    assert "spurious mode: 50 %" in found.table
    with pytest.raises(ValueError, match=r"no model can be ranked.*raise l1"):
        _ = found.best

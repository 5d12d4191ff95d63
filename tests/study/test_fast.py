"""What a faster comparison of words of many bits leaves out."""

import pytest
from small_study import recording

from microcolumn.models import ModelSpec, from_bytes
from microcolumn.study import Experiment
from microcolumn.study._compute import Task, execute, split_words
from microcolumn.study._jobs import Job, specs_of


def test_semi_restricted_models_are_left_out_of_long_words_unless_models_are_chosen():
    fast = Experiment("fast", fast_above_bits=64)
    assert "SemiRBM" in [spec.name for spec in specs_of(fast, 64, 1)]
    assert "SemiRBM" not in [spec.name for spec in specs_of(fast, 65, 1)]
    assert "SemiRBM" not in [spec.name for spec in specs_of(fast, 13, 5)]
    chosen = Experiment("fast", fast_above_bits=64, models=("Ising", "SemiRBM"))
    assert "SemiRBM 10" in [spec.name for spec in specs_of(chosen, 300, 1)]
    whole = Experiment("whole")
    assert "SemiRBM" in [spec.name for spec in specs_of(whole, 300, 1)]


@pytest.mark.parametrize(("fast_above_bits", "n_decades"), [(2, 2), (None, 3)])
def test_k_pairwise_is_fitted_fast_like_other_alternatives(fast_above_bits, n_decades):
    words = recording().bin(0.020)
    experiment = Experiment("e", models="KPairwise", l1="coarse", fast_above_bits=fast_above_bits)
    job = Job("fit", "A", "e", 1, 0, ModelSpec("KPairwise"))
    result = execute(Task("d0", job, experiment, words, {}, {}))
    assert result.error == ""
    fits = [from_bytes(row["file"]) for row in result.rows["fits"]]
    assert {fit.tol for fit in fits} == {1e-4 if fast_above_bits else None}
    train, _, _ = split_words(words, experiment, 1, 0)
    strongest = max(each["l1"] for each in fits[0].grid(train))
    assert strongest / min(fit.l1 for fit in fits) == pytest.approx(10.0**n_decades)

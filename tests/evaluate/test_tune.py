"""Settings are chosen on a part of the words, and the models fitted to all of them."""

import numpy as np
import pytest

import microcolumn as mc


@pytest.fixture(scope="module")
def words():
    return mc.simulate.microcolumn(n_units=6, minutes=6, seed=0).bin()


def test_the_best_is_fitted_to_all_words_at_the_chosen_penalty(words):
    model = mc.Ising()
    tuned = mc.tune(model, words, random_state=3)
    train, validation = words.split(0.8, by="blocks", random_state=3)
    l1 = mc.evaluate.choose_l1(model, train, validation).best.l1
    assert tuned.best is tuned.models["Ising"]
    np.testing.assert_array_equal(tuned.best.J_, mc.Ising(l1=l1).fit(words).J_)
    assert not hasattr(model, "parameters_")


def test_several_models_are_ranked_by_their_validation_scores(words):
    tuned = mc.tune(["Independent", mc.Ising(), "KPairwise", mc.models.PopulationTracking()], words)
    assert list(tuned.models) == ["Independent", "Ising", "KPairwise", "PopulationTracking"]
    assert all(model.n_features_in_ == 6 for model in tuned.models.values())
    chosen = [row for row in tuned.to_rows() if row["chosen"]]
    assert tuned.best is tuned.models[chosen[0]["model"]]
    assert sorted(row["model"] for row in chosen) == sorted(tuned.models)
    scores = [row["bits_per_second"] for row in tuned.to_rows()]
    assert scores == sorted(scores, reverse=True)
    frame = tuned.to_dataframe()
    assert len(frame) == len(tuned.to_rows())
    assert frame.chosen.sum() == 4
    assert str(tuned).count("\n") == 4


def test_compare_fits_what_is_not_fitted(words):
    found = mc.compare(["Independent", "Ising", "KPairwise"], words)
    train, test = words.split(0.5, by="blocks", random_state=0)
    tuned = mc.tune(["Independent", "Ising", "KPairwise"], train)
    assert str(mc.compare(tuned, test)) == str(mc.compare(tuned.models, test)) == str(found)
    fitted = tuned.models
    assert found.scores["Ising"].bits_per_second == pytest.approx(
        mc.score(fitted["Ising"], test).bits_per_second
    )
    mixed = mc.compare({"Ising": fitted["Ising"], "KPairwise": "KPairwise"}, test, train=train)
    assert mixed.scores["KPairwise"].bits_per_second == found.scores["KPairwise"].bits_per_second

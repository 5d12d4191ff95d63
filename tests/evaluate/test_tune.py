"""Settings are chosen on a part of the words, and the models fitted to all of them."""

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.evaluate import choose_l1, choose_n_hidden


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


def grouped(n_units, n_groups, n_bins=6000):
    """Words of units of equal groups, each of which is up in 8 % of the bins, apart in time."""
    rng = np.random.default_rng(0)
    up = rng.random((n_bins, max(n_groups, 1))) < 0.08 * (n_groups > 0)
    of_unit = up[:, np.arange(n_units) % up.shape[1]]
    spikes = rng.random((n_bins, n_units)) < np.where(of_unit, 0.7, 0.03)
    return mc.Words.from_array(spikes, bin_width=0.02)


@pytest.mark.parametrize(("n_groups", "n_live"), [(4, range(4, 8)), (0, range(1))])
def test_a_penalty_leaves_as_many_of_the_first_ten_as_groups_are_planted(n_groups, n_live):
    train, validation = grouped(20, n_groups).split(0.8, random_state=0)
    found = choose_n_hidden(mc.RBM(), train, validation, (3e-4, 3e-3))
    assert (found.best.n_hidden, found.others) == (10, ())
    assert found.best.n_live_hidden_ in n_live


def test_more_groups_than_ten_ask_for_twice_as_many_hidden_units():
    words, l1_values = grouped(24, 12), (1e-3,)
    tuned = mc.tune("RBM", words, l1_values=l1_values)
    assert tuned.best.n_hidden == 20
    parts = words.split(0.8, random_state=0)
    by_hand = [choose_l1(mc.RBM(m), *parts, l1_values) for m in (10, 20)]
    found = tuned.choices["RBM"]
    assert 12 <= found.best.n_live_hidden_ <= 15  # dead ones end the path
    for ours, theirs in zip((*found.others, found), by_hand, strict=True):
        np.testing.assert_array_equal(ours.best.W_, theirs.best.W_)
        assert ours.l1_values == theirs.l1_values
    assert str(found) == f"20 hidden units, {by_hand[1]}"
    gain = mc.score(by_hand[1].best, parts[1], by_hand[0].best)
    assert gain.bits_per_second > gain.stderr
    tried = {row["settings"]: row["chosen"] for row in tuned.to_rows()}
    assert tried == {"n_hidden 10, l1 0.001": False, "n_hidden 20, l1 0.001": True}


def test_more_live_hidden_units_that_gain_nothing_are_not_taken():
    train, validation = grouped(12, 3, n_bins=500).split(0.8, random_state=0)
    found = choose_n_hidden(mc.RBM(), train, validation, [3e-4])
    [larger] = found.others
    assert (found.best.n_hidden, larger.best.n_hidden) == (10, 20)
    assert found.best.n_live_hidden_ > 7
    gain = mc.score(larger.best, validation, found.best)
    assert gain.bits_per_second <= gain.stderr
    few = grouped(8, 4, n_bins=500).split(0.8, random_state=0)  # hidden units enough
    assert choose_n_hidden(mc.RBM(), *few, [3e-4]).others == ()


@pytest.mark.parametrize(
    ("words", "n_hidden", "n_tried"), [((18, 9, 2000), 10, 1), ((22, 11, 3000), 20, 3)]
)
def test_coarse_strengths_are_tried_for_a_larger_number_if_it_gains(words, n_hidden, n_tried):
    found = choose_n_hidden(mc.RBM(), *grouped(*words).split(0.8, random_state=0), "coarse")
    [other] = found.others
    by_size = {each.best.n_hidden: each for each in (found, other)}
    assert found.best.n_hidden == n_hidden
    assert by_size[10].best.l1 in by_size[20].l1_values
    assert [len(by_size[m].l1_values) for m in (10, 20)] == [3, n_tried]


def test_a_name_without_a_number_is_a_model_with_auto_and_other_numbers_are_kept():
    words, l1_values = grouped(5, 1, 2000), (1e-3, 1e-2)
    model = mc.SemiRBM(n_hidden="auto")
    auto, named = (mc.tune(each, words, l1_values=l1_values) for each in (model, "SemiRBM"))
    assert list(auto.models) == list(named.models) == ["SemiRBM"]
    assert (auto.best.n_hidden, model.n_hidden) == (10, "auto")
    np.testing.assert_array_equal(auto.best.W_, named.best.W_)
    kept = mc.tune(["RBM 2", mc.RBM(3), "Ising mpf"], words, l1_values=l1_values)
    assert [kept.models[f"RBM {m}"].n_hidden for m in (2, 3)] == [2, 3]
    assert kept.models["Ising mpf"].objective == "mpf"
    assert kept.choices["RBM 2"].l1_values == l1_values
    scores = mc.compare(["RBM", "RBM 3"], words).scores
    assert scores["RBM"].chosen.startswith("10 hidden units, l1 ")
    assert scores["RBM 3"].chosen.startswith("l1 ")

"""Models are scored on words of their own units, bins and windows, in any order of the units."""

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.evaluate.activation import hidden_activation

REVERSED = [5, 4, 3, 2, 1, 0]


@pytest.fixture(scope="module")
def recording():
    return mc.simulate.microcolumn(n_units=6, minutes=2, seed=0)


@pytest.fixture(scope="module")
def words(recording):
    return recording.bin(0.020)


@pytest.fixture(scope="module")
def model(words):
    return mc.RBM(n_hidden=3).fit(words)


SCORES = {
    "excess": lambda model, words: mc.score(model, words),
    "compare": lambda model, words: mc.compare({"model": model}, words),
    "gain": lambda model, words: mc.evaluate.conditional_gain(model, words),
    "predict": lambda model, words: mc.evaluate.predict(model, words),
    "patterns": lambda model, words: mc.evaluate.pattern_statistics(model, words),
    "synchrony": lambda model, words: mc.evaluate.synchrony(model, n_samples=10, initial=words),
    "past": lambda model, words: mc.evaluate.predict(model, words, given="past"),
    "activation": hidden_activation,
    "interactions": lambda model, words: mc.evaluate.effective_interactions(model).explained(words),
}


@pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)
def test_other_bins_windows_and_units_are_one_sentence(recording, words, model, score):
    narrow = recording.take(REVERSED).bin(0.005)
    with pytest.raises(ValueError, match=r"bins of 20 ms, not of 5 ms.*; bin at 0\.02 s"):
        score(model, narrow)
    with pytest.raises(ValueError, match=r"words of 1 bins, not of 2"):
        score(model, words.embed(2))
    with pytest.raises(ValueError, match=r"unit '5', which is not in the words"):
        score(model, words.subset([4, 3, 2, 1, 0]))
    names = mc.Units([*"01234", "new"])
    with pytest.raises(ValueError, match=r"unit '5', which is not in the words"):
        score(model, mc.Words.from_array(words.expand(), units=names))


def test_the_order_of_the_units_does_not_matter(recording, words, model):
    turned = recording.take(REVERSED).bin(0.020)
    score = mc.score(model, words)
    again = mc.score(model, turned)
    assert float(again) == pytest.approx(float(score), rel=1e-12)
    assert again.stderr == pytest.approx(score.stderr, rel=1e-9)
    assert float(score) != pytest.approx(float(mc.score(model, turned.expand())), rel=0.01), (
        "an array is taken as it is"
    )


@pytest.mark.parametrize("window", [1, 2])
def test_predictions_and_gains_come_in_the_models_order(recording, words, window):
    embedded = words.embed(window)
    turned = recording.take(REVERSED).bin(0.020).embed(window)
    model = mc.Ising().fit(embedded)
    for given in ("rest", "past"):
        expected, found = (
            mc.evaluate.predict(model, each, given=given, positions=[0, 4])
            for each in (embedded, turned)
        )
        assert found.units.ids == expected.units.ids == ("0", "4")
        np.testing.assert_allclose(found.probability, expected.probability, rtol=1e-9)
        assert np.array_equal(found.spikes, expected.spikes)
        gains = [
            mc.evaluate.conditional_gain(model, each, given=given) for each in (embedded, turned)
        ]
        np.testing.assert_allclose(gains[0], gains[1], rtol=1e-9)


def test_statistics_of_patterns_stay_with_the_rows_of_the_words(recording, words, model):
    turned = recording.take(REVERSED).bin(0.020)
    found = mc.evaluate.pattern_statistics(model, turned)
    assert np.array_equal(found.X, turned.X[:, ::-1])
    by_word = dict(zip(map(tuple, found.X.tolist()), found.model, strict=True))
    for word, probability in zip(words.X, np.exp(model.score_samples(words.X)), strict=True):
        assert by_word[tuple(word.tolist())] == pytest.approx(probability)


def test_activation_interactions_and_starts_follow_the_units(recording, words, model):
    turned = recording.take(REVERSED).bin(0.020)
    means = [hidden_activation(model, each).mean for each in (words, turned)]
    np.testing.assert_allclose(means[0], means[1], rtol=1e-9)
    explained = [
        mc.evaluate.effective_interactions(model).explained(each) for each in (words, turned)
    ]
    np.testing.assert_allclose(explained[0].fraction, explained[1].fraction, rtol=1e-9)


def test_models_in_different_orders_are_compared_by_their_units(recording, words, model):
    turned = mc.Ising().fit(recording.take(REVERSED).bin(0.020))
    straight = mc.Ising().fit(words)
    found = mc.compare({"RBM": model, "Ising": turned}, words)
    expected = mc.compare({"RBM": model, "Ising": straight}, words)
    for name in ("RBM", "Ising"):
        assert found.scores[name].bits_per_second == pytest.approx(
            expected.scores[name].bits_per_second, rel=1e-6
        )
    with pytest.raises(ValueError, match="'RBM' and 'Ising' have their units in different orders"):
        mc.compare({"RBM": model, "Ising": turned}, words.expand())
    mixed = {"Ising": turned, "of an array": mc.RBM(n_hidden=3).fit(words.expand())}
    scores = mc.compare(mixed, words, baseline=mc.Independent().fit(words)).scores
    assert scores["of an array"].bits_per_second == pytest.approx(
        expected.scores["RBM"].bits_per_second, rel=1e-9
    )


def test_a_baseline_of_other_bins_is_refused_and_one_in_another_order_taken(
    recording, words, model
):
    turned = mc.Independent().fit(recording.take(REVERSED).bin(0.020))
    expected = mc.score(model, words, mc.Independent().fit(words))
    found = mc.score(model, words, turned)
    assert float(found) == pytest.approx(float(expected), rel=1e-12)
    gain = mc.evaluate.conditional_gain(model, words, baseline=turned)
    np.testing.assert_allclose(gain, mc.evaluate.conditional_gain(model, words), rtol=1e-12)
    with pytest.raises(ValueError, match="10 ms as in the baseline"):
        mc.score(model, words, mc.Independent().fit(recording.bin(0.010)))


def test_an_array_has_the_models_bin_width_and_no_other(recording):
    words = recording.bin(0.010)
    model = mc.Ising().fit(words)
    assert mc.score(model, words.expand()) == mc.score(model, words)
    with pytest.raises(ValueError, match=r"bin_width is 0.02 s.* 0.01 s"):
        mc.score(model, words.expand(), bin_width=0.020)


def test_layers_are_the_models_own_or_those_of_a_table_in_any_order(recording, model):
    own = mc.evaluate.layer_statistics(model)
    assert own.layers == tuple(sorted(set(recording.units.layer)))
    for layer in (recording.units, recording.units.take(REVERSED), recording.units.layer):
        assert mc.evaluate.layer_statistics(model, layer) == own
    with pytest.raises(ValueError, match="unit '5'"):
        mc.evaluate.layer_statistics(model, recording.units.take([0, 1, 2, 3, 4]))

"""Reliable interactions: closed form, missing mass, and scores that divide by it."""

from itertools import product

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.energy import log_weight

ALL = {n: np.array(list(product([0, 1], repeat=n)), dtype=np.uint8) for n in (1, 2, 4)}


def _words(n_units=4, n_words=5000, seed=0):
    rng = np.random.default_rng(seed)
    together = rng.random((n_words, 1)) < 0.15
    return (rng.random((n_words, n_units)) < np.where(together, 0.6, 0.08)).astype(np.uint8)


def _frequencies(X):
    """Frequency of each of all words, with one more word of independent units."""
    rates, words = X.mean(axis=0), ALL[X.shape[1]]
    prior = np.prod(np.where(words, rates, 1.0 - rates), axis=1)
    counts = np.array([(word == X).all(axis=1).sum() for word in words])
    return (counts + prior) / (len(X) + 1), counts


@pytest.fixture(scope="module")
def fitted():
    return mc.ReliableInteractions(n_min=100).fit(_words())


def test_reliable_words_have_their_frequency_and_the_rest_follows_by_recursion(fitted):
    """From the definition: beta of each reliable word, words of few active units first."""
    words, (p, counts) = ALL[4], _frequencies(_words())
    is_reliable = (counts > 100) | (words.sum(axis=1) <= 1)
    assert 0 < (~is_reliable).sum() < 11
    beta = {}
    for k in sorted(np.flatnonzero(is_reliable), key=lambda k: words[k].sum()):
        within = [s for s in beta if all(words[k][list(s)])]
        own = tuple(np.flatnonzero(words[k]).tolist())
        beta[own] = np.log(p[k]) - sum(beta[s] for s in within)
    published = np.array([sum(v for s, v in beta.items() if all(word[list(s)])) for word in words])
    log_p = fitted.score_samples(words) + np.log(fitted.mass_)
    np.testing.assert_allclose(log_p, published, atol=1e-10)
    np.testing.assert_allclose(log_p[is_reliable], np.log(p[is_reliable]), atol=1e-10)


def test_the_mass_is_what_the_formula_sums_up_to_and_scores_divide_by_it(fitted):
    p = np.exp(fitted.score_samples(ALL[4]))
    assert p.sum() == pytest.approx(1.0, abs=1e-12)
    assert fitted.mass_ == pytest.approx(np.exp(fitted.log_partition().value))
    assert abs(fitted.mass_ - 1.0) > 1e-4, "not a distribution"
    assert fitted.log_partition().method == "exact"


def test_with_every_word_reliable_nothing_is_missing():
    model = mc.ReliableInteractions(n_min=1).fit(np.repeat(ALL[4], 20, axis=0))
    assert model.mass_ == pytest.approx(1.0, abs=1e-9)
    assert len(model.reliable_) == 11
    np.testing.assert_allclose(model.interactions_, 0.0, atol=1e-9)


def test_it_recovers_an_interaction_of_three_units():
    rng = np.random.default_rng(0)
    p = np.exp(ALL[4] @ np.full(4, -1.5) + 2.0 * ALL[4][:, :3].all(axis=1))
    X = ALL[4][rng.choice(16, size=200_000, p=p / p.sum())]
    model = mc.ReliableInteractions(n_min=50).fit(X)
    order = {tuple(np.flatnonzero(word)): beta
             for word, beta in zip(model.reliable_, model.interactions_, strict=True)}  # fmt: skip
    assert order[0, 1, 2] == pytest.approx(2.0, abs=0.1)
    assert order[0, 1] == pytest.approx(0.0, abs=0.1)


def test_samples_and_log_odds_are_those_of_the_normalised_model(fitted):
    p = np.exp(fitted.score_samples(ALL[4]))
    drawn = fitted.sample(10_000, random_state=0)
    share = np.bincount(drawn @ [8, 4, 2, 1], minlength=16) / len(drawn)
    assert (np.abs(share - p) / np.sqrt(p * (1.0 - p) / len(drawn))).max() < 4.5
    on, off = ALL[4].copy(), ALL[4].copy()
    on[:, 1], off[:, 1] = 1, 0
    expected = fitted.score_samples(on) - fitted.score_samples(off)
    np.testing.assert_allclose(fitted.log_odds(ALL[4], [1])[:, 0], expected, atol=1e-10)


def test_the_mass_of_many_units_is_estimated_with_an_error():
    """Twice twelve units that know nothing of each other: their masses multiply."""
    X = _words(2, 4000)
    pair = mc.ReliableInteractions(n_min=1).fit(X)
    rng = np.random.default_rng(1)
    wide = np.column_stack([X, rng.random((4000, 20)) < 0.001]).astype(np.uint8)
    model = mc.ReliableInteractions(n_min=3).fit(wide)
    log_z = model.log_partition()
    assert log_z.method == "ais"
    assert log_z.converged
    # The sum factorises over units that are in no interaction.
    free = ~model.reliable_.any(axis=0)
    assert free.sum() >= 15
    rest = mc.ReliableInteractions(n_min=3).fit(wide[:, ~free])
    by_hand = np.log1p(np.exp(model.b_[free])).sum() + np.logaddexp.reduce(
        log_weight(rest._theta(), _numbered((~free).sum()))
        + _numbered((~free).sum()) @ (model.b_[~free] - rest.b_)
    )
    assert pair.mass_ == pytest.approx(1.0, abs=1e-9)
    assert abs(log_z.value - model.log_silent_ - by_hand) < 4.0 * log_z.stderr + 0.02


def _numbered(n):
    return ((np.arange(1 << n)[:, None] >> np.arange(n)) & 1).astype(np.uint8)


@pytest.mark.parametrize(
    "X",
    [np.zeros((1, 2)), np.zeros((30, 1)), np.ones((30, 2)), np.eye(2)[[0] * 20 + [1] * 20]],
    ids=["one word", "silent", "always on", "exclusive"],
)
def test_no_word_is_impossible(X):
    p = np.exp(mc.ReliableInteractions().fit(X).score_samples(ALL[X.shape[1]]))
    assert (p > 0.0).all()
    assert p.sum() == pytest.approx(1.0, abs=1e-9)


def test_whole_weights_are_repeated_rows():
    weights = np.arange(1, 17)
    weighted = mc.ReliableInteractions(5).fit(ALL[4], sample_weight=weights)
    repeated = mc.ReliableInteractions(5).fit(np.repeat(ALL[4], weights, axis=0))
    np.testing.assert_allclose(
        weighted.score_samples(ALL[4]), repeated.score_samples(ALL[4]), atol=1e-9
    )


def test_files_hold_the_same_model(fitted, tmp_path):
    fitted.save(tmp_path / "model.safetensors")
    read = mc.load(tmp_path / "model.safetensors")
    assert np.array_equal(read.score_samples(ALL[4]), fitted.score_samples(ALL[4]))
    assert read.mass_ == fitted.mass_
    assert read.size_ == fitted.size_


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("reliable", lambda a: a[:, 1:]),
        ("reliable", lambda a: a * 0),
        ("interactions", lambda a: a[1:]),
        ("log_silent", lambda a: a * np.inf),
        ("log_z", lambda a: a[:3]),
    ],
)
def test_files_that_make_no_sense_are_refused(fitted, name, change):
    arrays = fitted._arrays()
    arrays[name] = change(arrays[name])
    with pytest.raises(ValueError, match=name):
        mc.ReliableInteractions._from_arrays(arrays, {"n_min": 100})


def test_validation_chooses_how_often_is_reliable():
    words = mc.Words.from_array(_words())
    train, held = words.split(0.5, random_state=0)
    choice = mc.choose(mc.ReliableInteractions(), train, held)
    assert choice.best.n_min in {setting["n_min"] for setting in choice.settings}
    assert len(choice.fits) == 5

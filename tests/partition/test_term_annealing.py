"""Annealing of sums of terms, against exact sums."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from microcolumn.partition._importance_weights import log_mean
from microcolumn.partition._local_terms import ExactTerms, LocalTerms
from microcolumn.partition._term_annealing import annealed_log_partition
from microcolumn.partition._term_chains import TermChains, climbed, drawn_words


def _terms(rng, n_units=5, n_terms=8):
    inputs = np.array([rng.permutation(n_units)[:3] for _ in range(n_terms)], dtype=np.int32)
    tables = rng.normal(size=(n_terms, 1)) * (rng.random((n_terms, 8)) < 0.4)
    return LocalTerms(rng.normal(-1.0, 1.0, n_units), inputs, tables)


def _exact(terms):
    """All words, their probabilities, log Z and rates."""
    n = terms.n_units
    log_p, log_z = ExactTerms(n, terms.inputs).log_probabilities(terms)
    words = ((np.arange(1 << n)[:, None] >> np.arange(n)) & 1).astype(np.uint8)
    p = np.exp(log_p)
    return words, p / p.sum(), log_z, p @ words


def test_forward_and_reverse_estimates_scatter_about_log_z_as_their_errors_say():
    rng = np.random.default_rng(7)
    z, steps = [], np.arange(16) / 16
    for _ in range(60):
        terms = _terms(rng)
        words, p, log_z, rates = _exact(terms)
        logits, base = np.log(rates) - np.log1p(-rates), -np.log1p(-rates).sum()
        up = TermChains(terms, np.zeros((256, 5)), rng, logits).run(steps, np.full(16, 1 / 16))
        value, stderr = log_mean(base + up.log_weights)
        starts = words[rng.choice(len(words), size=256, p=p)]
        back = np.concatenate([[1.0], steps[:0:-1]])
        down = TermChains(terms, starts, rng, logits)
        down.run(back, np.full(16, 1 / 16), backwards=True)
        negative, reverse_stderr = log_mean(-base - down.log_weights)
        z.append([(value - log_z) / stderr, (-negative - log_z) / reverse_stderr])
    mean, spread = np.mean(z, axis=0), np.std(z, axis=0)
    assert (np.abs(mean) < 0.5).all()
    assert ((spread > 0.75) & (spread < 1.3)).all()


@pytest.mark.parametrize("counting", [False, True])
def test_chains_draw_the_words_of_the_model(counting):
    rng = np.random.default_rng(3)
    terms = _terms(rng)
    if counting:  # with a place left open
        inputs = terms.inputs.copy()
        inputs[::2, 2] = -1
        terms = LocalTerms(terms.b, inputs, rng.normal(size=(8, 4)), counting=True)
    words = ((np.arange(32)[:, None] >> np.arange(5)) & 1).astype(np.uint8)
    p = np.exp(terms.log_weights(words))
    p /= p.sum()
    drawn = drawn_words(terms, 8_000, np.zeros(5), rng)
    share = np.bincount(drawn @ (1 << np.arange(5)), minlength=32) / len(drawn)
    assert (np.abs(share - p) / np.sqrt(p * (1.0 - p) / len(drawn))).max() < 4.5


def test_climbing_ends_where_no_single_flip_leads_up():
    rng = np.random.default_rng(4)
    terms = _terms(rng, 8, 12)
    peaks = climbed(terms, rng.integers(0, 2, (20, 8)))
    height = terms.log_weights(peaks)
    for unit in range(8):
        flipped = peaks.copy()
        flipped[:, unit] ^= 1
        assert (terms.log_weights(flipped) <= height + 1e-12).all()


def test_annealing_finds_log_z_and_says_so():
    rng = np.random.default_rng(0)
    terms = _terms(rng, 8, 12)
    words, p, log_z, rates = _exact(terms)
    data = words[rng.choice(len(words), size=500, p=p)]
    found = annealed_log_partition(terms, rates, data, rng)
    assert found.converged
    assert found.method == "ais"
    assert abs(found.value - log_z) < 4.0 * found.stderr
    assert abs(found.reverse - log_z) < 4.0 * found.reverse_stderr
    assert found.lower_bound <= log_z + 1e-9


def test_a_mode_that_no_annealed_chain_reaches_is_not_overlooked():
    """All of 24 units active together hold a tenth of the mass, far from everything else."""
    inputs = np.arange(24, dtype=np.int32)[None]
    b = np.full(24, -4.0)
    tables = np.zeros((1, 25))
    tables[0, 24] = 24 * 4.0 + np.log(0.1)
    terms = LocalTerms(b, inputs, tables, counting=True)
    silent = np.zeros((10, 24), dtype=np.uint8)
    rates = np.full(24, 1.0 / (1.0 + np.exp(4.0)))
    with pytest.warns(ConvergenceWarning, match="known words alone|search found"):
        found = annealed_log_partition(terms, rates, silent, np.random.default_rng(0), last=512)
    assert not found.converged

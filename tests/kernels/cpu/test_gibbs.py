"""Gibbs sweeps against a plain NumPy chain that draws the same numbers, and exact probabilities."""

import itertools

import numpy as np
import pytest
from flips import log_odds
from scipy import stats
from scipy.special import expit
from threads import on_one_and_all

from microcolumn.energy import log_weight
from microcolumn.kernels import GibbsChains
from microcolumn.kernels.cpu.gibbs import CHAINS, REFRESH, _advance_groups
from microcolumn.parameters import Parameters


def _model(kind, n_units, seed, scale=1.0, n_hidden=5):
    rng = np.random.default_rng(seed)
    J = W = c = v = None
    if kind in ("ising", "kpairwise", "srbm", "all terms"):
        J = np.triu(rng.normal(scale=0.4, size=(n_units, n_units)), 1)
        J = J + J.T
    if kind in ("rbm", "srbm", "counted rbm", "all terms"):
        W, c = rng.normal(scale=scale, size=(n_units, n_hidden)), rng.normal(size=n_hidden)
    if kind in ("kpairwise", "counted rbm", "all terms"):
        v = np.concatenate([[0.0, 0.0], rng.normal(size=n_units - 1)])
    return Parameters.trusted(rng.normal(size=n_units) - 0.5, J, W, c, v)


def _chains(theta, n_chains, seed, logits=0.0, start=0):
    """Chains of a model, by default silent and with a base of fair coins."""
    words = np.zeros((n_chains, theta.n_visible), np.uint8)
    words[:] = start
    return GibbsChains(theta.arrays, words, np.full(theta.n_visible, logits), seed)


def _run(chains, betas, increments=0.0, backwards=False):
    chains.advance(np.column_stack([betas, np.broadcast_to(increments, len(betas))]), backwards)
    return chains


def _philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        p0, p1 = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & 0xFFFFFFFF, (p0 >> 32) ^ c[3] ^ k[1], p0 & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def _uniform(seed, chain, sweep, position, stream):
    words = _philox((chain, sweep, position // 4, stream), (seed & 0xFFFFFFFF, seed >> 32))
    j = position % 4
    return (2 * ((words[j] << 20) | (words[(j + 1) % 4] & 0xFFFFF)) + 1) / 2**53


def _reference_chain(theta, logits, x, betas, increments, seed, chain, backwards):
    """One chain by the definitions of docs/method.md, section 2, word by word and site by site."""
    x = np.array(x)
    log_w = 0.0
    order = list(range(theta.n_visible))[:: -1 if backwards else 1]
    for sweep, (beta, increment) in enumerate(zip(betas, increments, strict=True)):
        for position, n in enumerate(order):
            odds = (1 - beta) * logits[n] + beta * log_odds(theta, x[None], n)[0]
            flip_odds = odds if x[n] == 0 else -odds
            u = _uniform(seed, chain, sweep, position, int(backwards))
            x[n] ^= int(u < expit(flip_odds))
        log_w += increment * (log_weight(theta, x[None])[0] - logits @ x)
    return x, log_w


CASES = {
    "independent": _model("independent", 5, 0),
    "ising": _model("ising", 6, 1),
    "rbm": _model("rbm", 5, 2),
    "srbm": _model("srbm", 7, 3),
    "kpairwise": _model("kpairwise", 6, 1),
    "rbm with a potential": _model("counted rbm", 6, 2),
    "srbm with a potential": _model("all terms", 7, 3),
    "one unit": Parameters(b=[0.3]),
    "all units on and off": Parameters(
        b=[0.5, 0.0, 0.5], J=np.zeros((3, 3)), v=[0.0, 0.0, -4.0, 1.0]
    ),
    "hundreds of saturated hidden units": Parameters(
        b=[-1.0, 0.5, 2.0, -0.3],
        W=np.random.default_rng(17).choice([-20.0, 20.0], size=(4, 300)),
        c=np.random.default_rng(18).normal(scale=20.0, size=300),
    ),
    "several blocks": _model("srbm", 5, 4, scale=80.0, n_hidden=9),
    "beyond the range of exp": _model("srbm", 5, 5, scale=500.0),
    "beyond it with a potential": _model("all terms", 5, 5, scale=500.0),
}


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_log_weights_follow_the_definition_along_a_path(case, backwards):
    theta = CASES[case]
    rng = np.random.default_rng(6)
    logits = rng.normal(size=theta.n_visible)
    betas, increments = np.linspace(0, 1, 12), rng.random(12)
    start = rng.integers(0, 2, (CHAINS + 3, theta.n_visible))
    seed = 0x123456789ABCDEF
    chains = _run(_chains(theta, len(start), seed, logits, start), betas, increments, backwards)
    for chain in (0, 1, CHAINS - 1, CHAINS, CHAINS + 2):
        x, log_w = _reference_chain(
            theta, logits, start[chain], betas, increments, seed, chain, backwards
        )
        np.testing.assert_array_equal(chains.words[chain], x)
        np.testing.assert_allclose(chains.log_weights[chain], log_w, rtol=1e-12, atol=1e-12)


def test_the_cases_cover_products_in_blocks_and_the_careful_form():
    blocks = _chains(CASES["several blocks"], 1, 0).tables
    assert len(blocks.block_ends) > 1
    assert not blocks.careful
    assert _chains(CASES["beyond the range of exp"], 1, 0).tables.careful


def _state_by_definition(theta, words):
    fields = np.zeros(words.shape) if theta.J is None else 2.0 * words @ theta.J
    z = theta.c + words @ theta.W
    return fields, z, np.logaddexp(0.0, z).sum(axis=1)


def _by_chain(rows, n_chains):
    return rows.transpose(0, 2, 1).reshape(-1, rows.shape[1])[:n_chains]


@pytest.mark.parametrize(
    ("n_sweeps", "tolerance"), [(1, 1e-13), (REFRESH, 1e-11), (REFRESH + 1, 1e-13)]
)
@pytest.mark.parametrize("scale", [1.0, 500.0])
def test_kept_state_agrees_with_a_refresh(n_sweeps, tolerance, scale):
    theta = _model("srbm", 9, 7, scale=scale, n_hidden=6)
    chains = _run(_chains(theta, 40, 8), np.full(n_sweeps, 0.3))
    fields, z, hidden_log = _state_by_definition(theta, chains.words.astype(float))
    state = chains.state
    np.testing.assert_allclose(_by_chain(state.fields, 40), fields, atol=tolerance)
    kept = _by_chain(state.inputs, 40)
    kept = kept if chains.tables.careful else np.log(kept)
    np.testing.assert_allclose(kept, z, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(
        state.hidden_log.reshape(-1)[:40], hidden_log, rtol=tolerance, atol=tolerance
    )


def _scan_matrix(theta, logits, beta, backwards):
    """Transition matrix of one scan over all words, from the conditionals alone."""
    words = np.array(list(itertools.product([0, 1], repeat=theta.n_visible)))
    index = {tuple(word): i for i, word in enumerate(words)}
    matrix = np.eye(len(words))
    for n in range(theta.n_visible)[:: -1 if backwards else 1]:
        step = np.zeros_like(matrix)
        on = expit((1 - beta) * logits[n] + beta * log_odds(theta, words, n))
        for i, word in enumerate(words):
            for value, probability in ((1, on[i]), (0, 1 - on[i])):
                target = word.copy()
                target[n] = value
                step[i, index[tuple(target)]] += probability
        matrix = matrix @ step
    return words, matrix


@pytest.mark.parametrize("kind", ["srbm", "all terms"])
@pytest.mark.parametrize("backwards", [False, True])
def test_one_sweep_has_the_exact_transition_probabilities(backwards, kind):
    theta = _model(kind, 3, 10)
    logits, beta = np.array([0.5, -1.0, 0.2]), 0.7
    words, matrix = _scan_matrix(theta, logits, beta, backwards)
    n_chains = 20_000
    for i in (0, 5):
        start = np.tile(words[i], (n_chains, 1))
        chains = _chains(theta, n_chains, 11 + i, logits, start)
        ends = _run(chains, [beta], backwards=backwards).words @ (1 << np.arange(3)[::-1])
        counts = np.bincount(ends, minlength=8)
        assert stats.chisquare(counts, n_chains * matrix[i]).pvalue > 1e-3


def test_results_are_the_same_for_any_number_of_threads_and_any_length_of_calls():
    theta = _model("srbm", 9, 13)
    betas = np.linspace(0, 1, 300)

    def advanced(length=300):
        chains = _chains(theta, 150, 14)
        for start in range(0, 300, length):
            _run(chains, betas[start : start + length], 1 / 300)
        return chains.words, chains.log_weights

    first, *others = *on_one_and_all(advanced), advanced(length=7)
    for words, log_weights in others:
        np.testing.assert_array_equal(words, first[0])
        np.testing.assert_array_equal(log_weights, first[1])


def test_a_chain_does_not_depend_on_how_many_run_beside_it():
    theta = _model("rbm", 6, 15)
    few, many = (_run(_chains(theta, n, 16), np.linspace(0, 1, 50)) for n in (5, 200))
    np.testing.assert_array_equal(few.words, many.words[:5])


def test_the_kernel_is_compiled_once_for_each_of_its_two_ways():
    for theta in CASES.values():
        _run(_chains(theta, 3, 0), [1.0])
    assert len(_advance_groups.signatures) == 2

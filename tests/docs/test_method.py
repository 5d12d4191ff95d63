"""The formulas of docs/method.md, by brute force on small models, against the package.

Nothing here uses the package's kernels for its own side: energies are sums over joint states of
units and hidden units, and everything else is written out from them.
"""

import math
import re
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.objectives._data_moments import DataMoments
from microcolumn.packing import packed
from microcolumn.solvers._certificate import gain_of
from microcolumn.solvers._log_ratio import log_ratio

METHOD = (Path(__file__).parents[2] / "docs" / "method.md").read_text()
KINDS = {"Ising": mc.Ising, "RBM": mc.RBM, "SemiRBM": mc.SemiRBM}


def random_parameters(kind, n_units=4, n_hidden=3, seed=0):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.normal(size=(n_units, n_units)), 1)
    hidden = {} if kind == "Ising" else {"W": rng.normal(size=(n_units, n_hidden))}
    if hidden:
        hidden["c"] = rng.normal(size=n_hidden)
    J = None if kind == "RBM" else upper + upper.T
    return mc.Parameters(b=rng.normal(-0.5, 1.0, size=n_units), J=J, **hidden)


def all_words(n_units):
    return np.array(list(product((0, 1), repeat=n_units)))


def log_weight(theta, x):
    """Section 2, log p~(x): the logarithm of a sum over all hidden states."""
    x = np.asarray(x, dtype=float)
    visible = theta.b @ x + (0.0 if theta.J is None else x @ theta.J @ x)
    if theta.W is None:
        return visible
    return math.log(
        sum(
            math.exp(visible + np.dot(h, theta.c + theta.W.T @ x))
            for h in product((0, 1), repeat=theta.c.size)
        )
    )


def probabilities(theta):
    """Every word and its probability."""
    X = all_words(theta.b.size)
    weights = np.exp([log_weight(theta, x) for x in X])
    return X, weights / weights.sum()


def flipped(x, n):
    return np.where(np.arange(len(x)) == n, 1 - x, x)


def pseudolikelihood(theta, X, shares):
    """Section 3, S: minus the mean log probability of each bit given the others."""
    total = 0.0
    for x, q in zip(X, shares, strict=True):
        here = math.exp(log_weight(theta, x))
        there = [math.exp(log_weight(theta, flipped(x, n))) for n in range(len(x))]
        total -= q * sum(math.log(here / (here + weight)) for weight in there)
    return total


def tiny_words(n_words=300, n_units=4, seed=1):
    """Units that share a drive, so that fits keep couplings and hidden units."""
    rng = np.random.default_rng(seed)
    driven = rng.random((n_words, 1)) < 0.25
    return (rng.random((n_words, n_units)) < np.where(driven, 0.7, 0.1)).astype(int)


def distinct(X):
    words, counts = np.unique(X, axis=0, return_counts=True)
    return words, counts / counts.sum()


@pytest.mark.parametrize("kind", KINDS)
def test_energy_posterior_conditional_and_normaliser_are_sums_over_joint_states(kind):
    theta = random_parameters(kind)
    model = KINDS[kind].from_parameters(theta)
    theta = model.parameters_  # with hidden units that are off in the silent word
    X, p = probabilities(theta)
    log_weights = np.array([log_weight(theta, x) for x in X])
    assert model.energy(X) == pytest.approx(-log_weights, rel=1e-12)
    assert model.log_partition().value == pytest.approx(np.log(np.exp(log_weights).sum()))
    by_word = {tuple(x): value for x, value in zip(X, p, strict=True)}
    for n in range(4):
        on = [by_word[*x[:n], 1, *x[n + 1 :]] for x in X]
        off = [by_word[*x[:n], 0, *x[n + 1 :]] for x in X]
        assert model.conditional(X, n) == pytest.approx(np.divide(on, np.add(on, off)))
    if theta.W is not None:
        assert model.hidden(X) == pytest.approx(1.0 / (1.0 + np.exp(-theta.c - X @ theta.W)))
    if theta.J is None:  # with units and hidden units exchanged Z stays the same
        exchanged = mc.Parameters(b=theta.c, W=theta.W.T, c=theta.b)
        by_hand = sum(math.exp(log_weight(exchanged, h)) for h in all_words(3))
        assert mc.log_partition(theta, "exact-hidden").value == pytest.approx(math.log(by_hand))


def test_turning_a_hidden_unit_round_changes_only_a_constant():
    theta = random_parameters("SemiRBM")
    turned = np.array([1.0, -1.0, 1.0])  # hidden unit 1
    other = mc.Parameters(
        b=theta.b + theta.W[:, 1], J=theta.J, W=theta.W * turned, c=theta.c * turned
    )
    X = all_words(4)
    before, after = (np.array([log_weight(each, x) for x in X]) for each in (theta, other))
    assert before - after == pytest.approx(np.full(16, theta.c[1]))
    on, off = (1.0 / (1.0 + np.exp(-each.c - X @ each.W))[:, 1] for each in (theta, other))
    assert on == pytest.approx(1.0 - off)
    here, there = (mc.SemiRBM.from_parameters(each) for each in (theta, other))
    assert (here.c_ <= 0.0).all()
    for name in ("b_", "J_", "W_", "c_"):  # models are kept in one orientation
        assert getattr(here, name) == pytest.approx(getattr(there, name))
    before, after = (
        mc.evaluate.effective_interactions(theta),
        mc.evaluate.effective_interactions(other),
    )
    for table in ("singles", "pairs", "triplets"):
        assert getattr(after, table) == pytest.approx(getattr(before, table), abs=1e-12)


def test_flow_and_likelihoods_are_stationary_where_the_data_follow_the_model():
    theta = random_parameters("SemiRBM")
    X, p = probabilities(theta)
    data = mc.Words.from_array(X, sample_weight=p)
    for objective in (mc.objectives.mpf, mc.objectives.pseudolikelihood):
        _, gradient = objective(theta, data)
        for name in "bJWc":
            assert getattr(gradient, name) == pytest.approx(0.0, abs=1e-13)
    value, gradient = mc.objectives.negative_log_likelihood(theta, data)
    assert value == pytest.approx(-(p @ np.log(p)))
    # Elsewhere the likelihood's gradient is the model's expectations minus the data's.
    words, shares = distinct(tiny_words())
    _, gradient = mc.objectives.negative_log_likelihood(theta, tiny_words())
    sigmoid = [1.0 / (1.0 + np.exp(-theta.c - x @ theta.W)) for x in (X, words)]
    assert gradient.b == pytest.approx(p @ X - shares @ words)
    pairs = np.einsum("u,un,um->nm", p, X, X) - np.einsum("u,un,um->nm", shares, words, words)
    assert pytest.approx(pairs - np.diag(np.diag(pairs))) == gradient.J
    cross = X.T @ (p[:, None] * sigmoid[0]) - words.T @ (shares[:, None] * sigmoid[1])
    assert pytest.approx(cross) == gradient.W
    assert gradient.c == pytest.approx(p @ sigmoid[0] - shares @ sigmoid[1])


def test_dead_hidden_units_change_nothing_and_have_the_slope_of_the_biases():
    theta, data = random_parameters("RBM"), tiny_words()
    W = theta.W.copy()
    W[:, 1] = 0.0
    dead = mc.Parameters(b=theta.b, W=W, c=theta.c)
    without = mc.Parameters(b=theta.b, W=W[:, [0, 2]], c=theta.c[[0, 2]])
    (K, gradient), (expected, _) = (mc.objectives.mpf(each, data) for each in (dead, without))
    assert pytest.approx(expected, rel=1e-13) == K
    assert gradient.W[:, 1] == pytest.approx(gradient.b / (1.0 + math.exp(-theta.c[1])))
    model, smaller = mc.RBM.from_parameters(dead), mc.RBM.from_parameters(without)
    constant = math.log1p(math.exp(-abs(theta.c[1])))
    assert smaller.energy(data) - model.energy(data) == pytest.approx(np.full(len(data), constant))
    assert model.n_live_hidden_ == 2


def test_ratios_of_hidden_factors_and_the_corrected_appendix_hold():
    z, w = np.meshgrid(np.linspace(-20, 20, 41), np.linspace(-5, 5, 11))
    on, off = 1.0 / (1.0 + np.exp(-z)), 1.0 / (1.0 + np.exp(z))
    ratio = np.exp(np.logaddexp(0.0, z + w) - np.logaddexp(0.0, z))
    assert on * np.expm1(w) + 1.0 == pytest.approx(ratio, rel=1e-6)
    assert off + on * np.exp(w) == pytest.approx(ratio, rel=1e-12)
    assert on * np.exp(w) / (off + on * np.exp(w)) == pytest.approx(1.0 / (1.0 + np.exp(-z - w)))
    # Section 9: with E = x'Jx, biases on the diagonal as in the paper's appendix B.
    rng = np.random.default_rng(0)
    J = rng.normal(size=(5, 5))
    J = J + J.T
    for x in all_words(5):
        for n in range(5):
            y = flipped(x, n)
            expected = 2 * (2 * x[n] - 1) * (J @ x)[n] - J[n, n]
            assert x @ J @ x - y @ J @ y == pytest.approx(expected)


def test_drawn_words_stand_for_the_normaliser_as_often_as_all_sources_would_draw_them():
    thetas = [random_parameters("SemiRBM", seed=seed) for seed in (0, 1)]
    X, target = all_words(4).astype(np.uint8), random_parameters("SemiRBM", seed=2)
    rng, sources, drawn = np.random.default_rng(0), [], []
    for theta, n_draws in zip(thetas, (70, 30), strict=True):
        weights = np.exp([log_weight(theta, x) for x in X])
        words = X[rng.choice(16, size=n_draws, p=weights / weights.sum())]
        sources.append(mc.objectives.Draws.of(theta, packed(words), math.log(weights.sum())))
        drawn += [tuple(word) for word in words]
    total, log_p = 0.0, {}
    for x in sorted(set(drawn)):
        expected = sum(
            source.n_draws * math.exp(log_weight(source.theta, x) - source.log_mass)
            for source in sources
        )
        log_p[x] = log_weight(target, x)
        total += drawn.count(x) / expected * math.exp(log_p[x])
    data = mc.Words.from_array(tiny_words())
    pool = mc.objectives.WordPool.of(sources)
    value, _ = mc.objectives.SampledLikelihood(DataMoments(data), pool)(target)
    assert np.exp(pool.log_masses(target)).sum() == pytest.approx(total, rel=1e-12)
    mean = np.mean([log_weight(target, x) for x in tiny_words()])
    assert value == pytest.approx(math.log(total) - mean, rel=1e-12)


def test_the_ratio_of_normalisers_solves_its_equation_and_the_gain_is_its_formula():
    rng = np.random.default_rng(0)
    ahead, back = rng.normal(-0.5, 1.0, size=40), rng.normal(0.5, 1.0, size=90)
    (ratio, _), shift = log_ratio(ahead, back), math.log(90 / 40)
    left = sum(1.0 / (1.0 + math.exp(-(u - ratio + shift))) for u in ahead)
    right = sum(1.0 / (1.0 + math.exp(-(ratio - u - shift))) for u in back)
    assert left == pytest.approx(right, rel=1e-8)
    alone, _ = log_ratio(np.zeros(0), back)
    assert alone == pytest.approx(-math.log(np.mean(np.exp(-back))))
    slopes, variances = rng.normal(size=(4, 5)), rng.random(5)
    products = [slopes[a] * slopes[b] for a, b in permutations(range(4), 2)]
    assert gain_of(slopes, variances)[0] == pytest.approx(
        0.5 * (np.mean(products, axis=0) / variances).sum()
    )


def test_every_reference_is_listed_once_and_cited():
    text, _, listed = METHOD.partition("## References")
    entries = re.findall(r"^- (\S+) .*?\((\d{4})\) (.*)$", listed, flags=re.MULTILINE)
    titles = [title for *_, title in entries]
    assert len(titles) == len(set(titles)) > 40
    for name, year, _ in entries:
        found = re.search(rf"{name}\b.{{0,60}}?{year}", text, flags=re.DOTALL)
        assert found, f"{name} {year} is not cited"

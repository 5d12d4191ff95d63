"""The formulas of docs/method.md, by brute force on small models, against the package.

Nothing here uses the package's kernels for its own side: energies are sums over joint states of
units and hidden units, and everything else is written out from them.
"""

import math
import re
from itertools import combinations, permutations, product
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


def flow(theta, X, shares):
    """Section 3, K: all single flips of each word."""
    total = 0.0
    for x, q in zip(X, shares, strict=True):
        neighbours = [flipped(x, n) for n in range(len(x))]
        here = log_weight(theta, x)
        total += q * sum(math.exp(0.5 * (log_weight(theta, y) - here)) for y in neighbours)
    return total


def flow_gradient(theta, X, shares):
    """Section 3, the gradient term by term: b, J, W, c."""
    n_units, n_hidden = theta.b.size, 0 if theta.c is None else theta.c.size
    b, J = np.zeros(n_units), np.zeros((n_units, n_units))
    W, c = np.zeros((n_units, n_hidden)), np.zeros(n_hidden)
    for x, q in zip(X, shares, strict=True):
        here, d = log_weight(theta, x), 1 - 2 * x
        G = [
            0.5 * q * math.exp(0.5 * (log_weight(theta, flipped(x, n)) - here))
            for n in range(n_units)
        ]
        b += G * d
        J += np.outer(G * d, x) + np.outer(x, G * d)
        for i in range(n_hidden):
            z = theta.c[i] + theta.W[:, i] @ x
            turned = 1.0 / (1.0 + np.exp(-z - d * theta.W[:, i]))
            through_z = G @ (turned - 1.0 / (1.0 + math.exp(-z)))
            W[:, i] += G * d * turned + x * through_z
            c[i] += through_z
    np.fill_diagonal(J, 0.0)
    return b, J, W, c


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


def test_interactions_are_signed_sums_around_silence_and_a_pair_counts_twice():
    theta = random_parameters("SemiRBM")
    found = mc.evaluate.effective_interactions(theta)

    def expected(units):
        subsets = [s for size in range(len(units) + 1) for s in combinations(units, size)]
        signs = [(-1) ** (len(units) - len(s)) for s in subsets]
        words = [np.isin(range(4), s).astype(int) for s in subsets]
        return sum(s * log_weight(theta, x) for s, x in zip(signs, words, strict=True))

    for n in range(4):
        assert found.singles[n] == pytest.approx(expected((n,)))
    for pair in combinations(range(4), 2):
        assert found.pairs[pair] == pytest.approx(expected(pair))
        assert found.direct[pair] == 2.0 * theta.J[pair]
    for triplet in combinations(range(4), 3):
        assert found.triplets[triplet] == pytest.approx(expected(triplet))


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


@pytest.mark.parametrize("kind", KINDS)
def test_flow_is_the_sum_over_flips_and_its_gradient_follows_the_convention(kind):
    theta, (X, shares) = random_parameters(kind), distinct(tiny_words())
    K, gradient = mc.objectives.mpf(theta, tiny_words())
    assert pytest.approx(flow(theta, X, shares), rel=1e-12) == K
    for name, expected in zip("bJWc", flow_gradient(theta, X, shares), strict=True):
        if getattr(theta, name) is not None:
            assert getattr(gradient, name) == pytest.approx(expected, rel=1e-10, abs=1e-14)
    if theta.J is not None:  # sum(gradient * dJ) is the change for a symmetric step
        step = np.zeros((4, 4))
        step[1, 3] = step[3, 1] = 1e-5
        up, down = (
            mc.Parameters(b=theta.b, J=theta.J + sign * step, W=theta.W, c=theta.c)
            for sign in (1, -1)
        )
        change = 0.5 * (flow(up, X, shares) - flow(down, X, shares))
        assert (gradient.J * step).sum() == pytest.approx(change, rel=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_pseudolikelihood_is_each_bit_given_the_others_with_its_slopes(kind):
    theta, (X, shares) = random_parameters(kind), distinct(tiny_words())
    S, gradient = mc.objectives.pseudolikelihood(theta, tiny_words())
    assert pytest.approx(pseudolikelihood(theta, X, shares), rel=1e-12) == S
    conditionals = KINDS[kind].from_parameters(theta)
    p = np.array([conditionals.conditional(X, n) for n in range(4)]).T
    assert pytest.approx(-shares @ np.log(np.where(X == 1, p, 1 - p)).sum(axis=1)) == S
    for n in range(4):
        step = 1e-5 * (np.arange(4) == n)
        up, down = (
            mc.Parameters(b=theta.b + sign * step, J=theta.J, W=theta.W, c=theta.c)
            for sign in (1, -1)
        )
        change = pseudolikelihood(up, X, shares) - pseudolikelihood(down, X, shares)
        assert gradient.b[n] == pytest.approx(change / 2e-5, abs=1e-8)


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


def test_fits_satisfy_the_conditions_of_the_penalised_problem_and_nest():
    data, l1 = tiny_words(), 0.02
    X, shares = distinct(data)
    objectives = {}
    for kind, cls in KINDS.items():
        settings = {} if kind == "Ising" else {"n_hidden": 2}
        model = cls(l1=l1, objective="mpf", **settings).fit(data)
        theta = model.parameters_
        penalty = l1 * (np.abs(model.J_).sum() + np.abs(model.W_).sum())
        objectives[kind] = model.objective_
        assert model.objective_ == pytest.approx(flow(theta, X, shares) + penalty, rel=1e-12)
        b, J, W, c = flow_gradient(theta, X, shares)
        violations = [*np.abs(b), *np.abs(c)]
        has_J = theta.J is not None
        entries = [(J, model.J_)] * has_J + [(W, model.W_)] * (kind != "Ising")
        for g, value in entries:
            at_zero = np.maximum(np.abs(g) - l1, 0.0)
            violations += [*np.where(value != 0.0, np.abs(g + l1 * np.sign(value)), at_zero).flat]
        assert max(violations) == pytest.approx(model.optimality_, abs=1e-12)
        assert max(violations) <= 1e-8
        assert model.n_couplings_ + model.n_live_hidden_ > 0
    assert objectives["SemiRBM"] <= min(objectives["RBM"], objectives["Ising"]) + 1e-12


def test_folding_one_unit_at_a_time_gives_the_partition_function():
    theta = random_parameters("Ising", n_units=6)
    outer, inner = [0, 1, 2], [3, 4, 5]
    table = np.array([theta.b[inner] @ y + y @ theta.J[3:, 3:] @ y for y in all_words(3)])
    total = 0.0
    for a in all_words(3):
        v = np.exp(table)
        for j in inner:  # the slowest bit of the table first
            low, high = np.split(v, 2)
            v = low + math.exp(2.0 * theta.J[outer, j] @ a) * high
        total += math.exp(theta.b[outer] @ a + a @ theta.J[:3, :3] @ a) * float(v[0])
    assert mc.log_partition(theta, "exact").value == pytest.approx(math.log(total), rel=1e-13)


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


def test_score_is_the_mean_log_ratio_per_second_with_its_block_error_and_floor():
    window, width = 2, 0.005
    train, held = (mc.Words.from_array(tiny_words(200, 3, seed), width) for seed in (2, 3))
    silent = mc.Words.from_array(np.pad(tiny_words(200, 3), ((0, 0), (0, 1))), width)
    floored = mc.Independent().fit(silent).b_[-1]
    assert floored == pytest.approx(math.log(0.5 / 201) - math.log1p(-0.5 / 201))

    model = mc.Ising(l1=0.01).fit(train.embed(window))
    words = held.embed(window)
    X, p = probabilities(model.parameters_)
    log_p = {tuple(x): math.log(value) for x, value in zip(X, p, strict=True)}
    bits = held.expand()
    windows = np.hstack([bits[:-1], bits[1:]])  # oldest bin first
    trained = train.expand()
    rates = np.hstack([trained[:-1], trained[1:]]).mean(axis=0)
    base = windows @ np.log(rates) + (1 - windows) @ np.log1p(-rates)
    gains = (np.array([log_p[tuple(x)] for x in windows]) - base) / math.log(2.0)
    score = mc.score(model, words)
    assert score.bits_per_second == pytest.approx(gains.mean() / (window * width))

    n, length = len(gains), max(math.ceil(len(gains) / 100), 10 * window)
    twice = np.tile(gains, 2)
    means = np.array([twice[k : k + length].mean() for k in range(n)])
    variance = ((means - gains.mean()) ** 2).mean() / (n / length - 1)
    assert score.stderr == pytest.approx(math.sqrt(variance) / (window * width))

    # The check of log Z: the ten most frequent training words, weighted by their shares.
    patterns, counts = np.unique(np.hstack([trained[:-1], trained[1:]]), axis=0, return_counts=True)
    top = np.argsort(-counts, kind="stable")[:10]
    q = counts[top] / counts.sum()
    terms = [log_weight(model.parameters_, x) for x in patterns[top]] - np.log(q)
    assert model.log_partition().frequent_words == pytest.approx(np.average(terms, weights=q))


@pytest.mark.parametrize("given", ["rest", "past"])
def test_predictions_are_conditional_probabilities_and_gains_are_per_bin(given):
    words = mc.Words.from_array(tiny_words(120, 2), 0.010).embed(2)
    theta = random_parameters("SemiRBM", n_units=4)
    model = mc.SemiRBM.from_parameters(theta)
    X, p = probabilities(theta)
    windows, rates = words.expand(), np.full(4, 0.2)
    expected = np.empty((len(windows), 2))
    for k, x in enumerate(windows):
        for unit in (2, 3):  # of the newest bin, which comes last
            known = [0, 1] if given == "past" else [n for n in range(4) if n != unit]
            same = (X[:, known] == x[known]).all(axis=1)
            expected[k, unit - 2] = p[same & (X[:, unit] == 1)].sum() / p[same].sum()
    prediction = mc.evaluate.predict(model, words, given=given, baseline=rates)
    assert prediction.probability == pytest.approx(expected, abs=1e-9)
    newest = windows[:, 2:]
    gain = np.log2(np.where(newest, expected, 1 - expected))
    gain -= np.log2(np.where(newest, 0.2, 0.8))
    found = mc.evaluate.conditional_gain(model, words, baseline=rates, given=given)
    assert found == pytest.approx(gain.mean(axis=0) / 0.010)


def test_layer_p_values_count_all_arrangements_of_the_labels():
    theta = random_parameters("SemiRBM", n_units=6, n_hidden=2)
    labels = np.array(["II/III"] * 3 + ["IV"] * 3)
    found = mc.evaluate.layer_statistics(theta, labels)
    sizes = np.abs(theta.W)

    def statistics(arrangement):
        by_layer = np.array([sizes[arrangement == layer].sum(axis=0) for layer in ("II/III", "IV")])
        largest = by_layer.max(axis=0)
        same = arrangement[:, None] == arrangement
        pairs = ~np.eye(6, dtype=bool)
        strength = np.abs(theta.J)
        contrast = strength[same & pairs].mean() - strength[~same].mean()
        return [*largest / sizes.sum(axis=0), largest.sum() / sizes.sum(), contrast]

    every = np.array([statistics(np.array(a)) for a in sorted(set(permutations(labels.tolist())))])
    assert len(every) == math.comb(6, 3) == 1 + found.n_permutations
    p = (every >= np.array(statistics(labels)) - 1e-9).mean(axis=0)
    tested = [row.p_value for row in found.hidden] + [
        found.overall_p_value,
        found.couplings.p_value,
    ]
    assert tested == pytest.approx(p)


def test_bins_are_closed_below_open_above_and_only_full_ones_count():
    # A spike on an edge, one half a picosecond before it, two in one bin, one after the last.
    trains = [[0.0, 0.020, 0.041, 0.042, 0.0699], [0.040 - 5e-13, 0.0599]]
    recording = mc.Recording(trains, epochs=[[0.0, 0.0699]])
    binning = recording.binning(0.020)
    assert binning.words.expand().tolist() == [[1, 0], [1, 0], [1, 1]]
    assert (binning.n_binned, binning.n_in_tails) == (6, 1)
    assert binning.single_fraction == pytest.approx(2 / 6)
    assert binning.multiple_fraction == pytest.approx(2 / 6)


def test_every_reference_is_listed_once_and_cited():
    text, _, listed = METHOD.partition("## References")
    entries = re.findall(r"^- (\S+) .*?\((\d{4})\) (.*)$", listed, flags=re.MULTILINE)
    titles = [title for *_, title in entries]
    assert len(titles) == len(set(titles)) > 40
    for name, year, _ in entries:
        found = re.search(rf"{name}\b.{{0,60}}?{year}", text, flags=re.DOTALL)
        assert found, f"{name} {year} is not cited"

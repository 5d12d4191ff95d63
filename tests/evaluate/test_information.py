"""Entropies against enumeration, closed forms and published values."""

import math

import numpy as np
import pytest
from planted_lattice import coupling_slopes, square_lattice

import microcolumn as mc
from microcolumn.errors import BadType
from microcolumn.evaluate import information
from microcolumn.models import BernoulliMixture, DichotomizedGaussian, KPairwise

BITS = math.log(2.0)


def binary_entropy(rates):
    """Bits of independent units."""
    return float(np.sum(-rates * np.log2(rates) - (1 - rates) * np.log2(1 - rates)))


@pytest.mark.parametrize("kind", ["independent", "ising", "kpairwise", "rbm", "srbm"])
def test_entropy_of_a_small_model_is_that_of_all_its_words(kind, random_model, distribution):
    model = random_model(kind, 3, n_units=5)
    words, p = zip(*distribution(model).items(), strict=True)
    p = np.array(p)
    entropy = -float(p @ np.log2(p))
    result = information(model)
    assert result.entropy[0] == pytest.approx(entropy, abs=1e-10)
    below = binary_entropy(p @ np.array(words)) - entropy
    assert result.multi_information[0] == pytest.approx(below, abs=1e-10)
    assert (result.method, result.entropy_stderr[0]) == (("exact",), 0.0)


@pytest.mark.parametrize("n_hidden", [0, 3])
def test_entropy_of_twenty_units_is_that_of_a_million_words(n_hidden):
    rng = np.random.default_rng(0)
    J = 0.15 * rng.normal(size=(20, 20))
    b, W = rng.normal(-1.5, 0.5, 20), 0.4 * rng.normal(size=(20, n_hidden))
    J = np.triu(J, 1) + np.triu(J, 1).T
    model_class = mc.SemiRBM if n_hidden else mc.Ising
    theta = mc.Parameters(b, J, *((W, np.zeros(n_hidden)) if n_hidden else ()))
    # log p~ of all words by adding one unit after the other to those before it.
    log_p, fields = np.zeros(1), np.zeros((1, 20))
    z = np.zeros((1, n_hidden))
    for k in range(20):
        with_unit = log_p + b[k] + fields[:, k]
        log_p = np.concatenate([log_p, with_unit])
        fields = np.concatenate([fields, fields + 2.0 * J[k]])
        z = np.concatenate([z, z + W[k]])
    log_p = log_p + np.logaddexp(0.0, z).sum(axis=1)
    log_p -= np.logaddexp.reduce(log_p)
    expected = -float(np.exp(log_p) @ log_p) / BITS
    [entropy] = information(model_class.from_parameters(theta)).entropy
    assert entropy == pytest.approx(expected, abs=1e-9)


def test_entropy_of_many_independent_units_is_a_closed_form():
    rates = np.linspace(0.01, 0.6, 200)
    model = mc.Independent.from_parameters(mc.Parameters(b=np.log(rates / (1 - rates))))
    result = information(model)
    assert result.entropy[0] == pytest.approx(binary_entropy(rates), rel=1e-12)
    assert result.multi_information[0] == pytest.approx(0.0, abs=1e-10)


def test_entropy_of_a_flat_model_is_that_of_its_number_and_of_which_units():
    """The closed form of flat models (Macke et al. 2011): H(K) + the mean of log2 (n choose K)."""
    v = np.array([0.0, 0.0, 0.5, 1.3, 1.0, -0.5, 0.2])
    model = KPairwise.from_parameters(mc.Parameters(b=np.full(6, -1.0), v=v))
    ways = np.array([math.comb(6, k) for k in range(7)])
    p = ways * np.exp(v - np.arange(7))
    p /= p.sum()
    expected = float(-p @ np.log2(p) + p @ np.log2(ways))
    assert information(model).entropy[0] == pytest.approx(expected, abs=1e-10)


def test_a_lattice_of_sixteen_spins_has_its_published_energies():
    """Numbers of states of the 4 x 4 lattice by energy: 20,524 of them at zero (OEIS A364781)."""
    energies = np.array([32, 24, 20, 16, 12, 8, 4])
    numbers = np.array([2, 32, 64, 424, 1728, 6688, 13568])
    energy = np.concatenate([-energies, [0], energies])
    number = np.concatenate([numbers, [20524], numbers])
    assert number.sum() == 2**16
    weights = number * np.exp(-0.4 * energy)
    z = weights.sum()
    expected = (math.log(z) + 0.4 * (weights @ energy) / z) / BITS
    [entropy] = information(mc.Ising.from_parameters(square_lattice(4, 0.4))).entropy
    assert entropy == pytest.approx(expected, abs=1e-9)


def test_sampled_entropy_of_a_lattice_is_that_of_kaufman():
    """Kaufman (1949) has log Z of 36 spins in closed form; entropy is log Z - K d log Z / dK."""
    log_z, slope, _ = coupling_slopes(6, 0.3)
    model = mc.Ising.from_parameters(square_lattice(6, 0.3))
    model = model.with_log_partition(model.log_partition("ais", random_state=0))
    result = information(model, n_samples=4000)
    assert result.method == ("gibbs",)
    error = result.entropy[0] - (log_z - 0.3 * slope) / BITS
    assert abs(error) < 4.0 * result.entropy_stderr[0] < 1.0


@pytest.mark.parametrize("seed", range(3))
def test_errors_of_drawn_words_are_honest(seed):
    """Ten copies of a small model have ten times its entropy; log Z is exact by its hidden side."""
    rng = np.random.default_rng(seed)
    theta = mc.Parameters(b=rng.normal(-1, 1, 3), W=rng.normal(size=(3, 1)), c=[-0.5])
    one = information(mc.RBM.from_parameters(theta))
    W = np.kron(np.eye(10), theta.W)
    ten = mc.RBM.from_parameters(mc.Parameters(np.tile(theta.b, 10), None, W, np.full(10, -0.5)))
    drawn = information(ten, n_samples=3000, random_state=seed)
    assert drawn.method == ("samples",)
    for name in ("entropy", "multi_information"):
        error = getattr(drawn, name)[0] - 10.0 * getattr(one, name)[0]
        assert abs(error) < 4.0 * getattr(drawn, f"{name}_stderr")[0] < 0.4


def test_the_error_includes_that_of_log_z():
    rng = np.random.default_rng(0)
    theta = mc.Parameters(b=rng.normal(-1, 1, 30), W=rng.normal(size=(30, 4)), c=np.zeros(4))
    model = mc.RBM.from_parameters(theta)
    log_z = model.log_partition()
    worse = mc.partition.LogPartition(log_z.value, 0.5, "ais", 0.0, 0.0, converged=False)
    results = [information(each.with_log_partition(z), n_samples=500)
               for each, z in ((model, log_z), (model, worse))]  # fmt: skip
    added = math.sqrt(results[1].entropy_stderr[0] ** 2 - results[0].entropy_stderr[0] ** 2)
    assert added == pytest.approx(0.5 / BITS, rel=1e-9)
    assert results[1].method == ("samples, log Z not converged",)


def test_alternative_models_are_summed_or_drawn():
    rng = np.random.default_rng(1)
    X = rng.random((2000, 24)) < np.where(rng.random((2000, 1)) < 0.2, 0.5, 0.1)
    few = information([BernoulliMixture(2), KPairwise()][0].fit(X[:, :4]))
    assert few.method == ("exact",)
    mixture = BernoulliMixture(2).fit(X)
    assert information(mixture, n_samples=1000).method == ("samples",)
    with pytest.raises(TypeError, match="no probability"):
        information(DichotomizedGaussian().fit(X))


def test_pairs_explain_pairs_and_nothing_of_a_parity(draw):
    """A planted pair shares one bit; in a parity of three units no two depend on each other."""
    rng = np.random.default_rng(0)
    free = rng.random((20_000, 3)) < 0.5
    pair = np.column_stack([free[:, 0], free[:, 0], free[:, 2]])
    parity = np.column_stack([free[:, :2], free[:, 0] ^ free[:, 1]])
    for X, share in ((pair, 1.0), (parity, 0.0)):
        models = {"pairs": mc.Ising(l1=1e-5).fit(X), "K": KPairwise().fit(X)}
        result = information(models, X)
        assert result.names == ("data", "pairs", "K")
        assert result.entropy[0] == pytest.approx(2.0, abs=0.01)
        assert result.multi_information[0] == pytest.approx(1.0, abs=0.01)
        assert result.share[1] == pytest.approx(share, abs=0.02)
        assert math.isnan(result.share[0])
    assert result.share[2] > 0.5  # no pairs, but even numbers of active units


def test_the_data_of_a_known_model_have_its_entropy(draw, random_parameters):
    theta = random_parameters("ising", n_units=6, seed=5)
    model = mc.Ising.from_parameters(theta)
    data, exact = information(model, draw(theta, 30_000)).entropy
    result = information(model, draw(theta, 30_000))
    assert abs(data - exact) < 4.0 * result.entropy_stderr[0] < 0.1
    assert abs(result.share[1] - 1.0) < 4.0 * result.share_stderr[1]


def test_with_too_few_words_a_share_is_a_lower_limit():
    X = np.random.default_rng(0).random((300, 30)) < 0.3
    result = information(mc.Independent().fit(X), X)
    assert math.isnan(result.share_stderr[1])
    assert ">= 0 %" in str(result)
    assert result.method == ("words, too few", "exact")


def test_windows_and_seconds_are_those_of_the_words():
    rng = np.random.default_rng(0)
    words = mc.Words.from_array(rng.random((500, 2)) < 0.5, bin_width=0.01).embed(2)
    result = information(mc.Ising().fit(words), words)
    np.testing.assert_allclose(result.bits_per_second, result.entropy / 0.02)
    rows = result.to_rows()
    assert [row["name"] for row in rows] == ["data", "Ising"]
    assert rows[1]["bits_per_second"] == result.bits_per_second[1]
    alone = information(mc.Ising().fit(words))
    assert alone.bits_per_second[0] == result.bits_per_second[1]


def test_one_unit_has_no_correlations():
    X = np.random.default_rng(0).random((100, 1)) < 0.3
    result = information(mc.Independent().fit(X), X)
    assert np.isnan(result.share).all()
    assert "nan" not in str(result)


def test_what_cannot_be_used_is_refused():
    X = np.random.default_rng(0).random((100, 3)) < 0.3
    model = mc.Ising().fit(X)
    with pytest.raises(ValueError, match="at least 2"):
        information(model, n_samples=1)
    with pytest.raises(ValueError, match="weights"):
        information(model, mc.Words.from_array(X, sample_weight=np.arange(100.0)))
    with pytest.raises(ValueError, match="not fitted"):
        information(mc.Ising())
    with pytest.raises(TypeError, match="HistoryGLM"):
        information(mc.models.HistoryGLM().fit(mc.Words.from_array(X)))
    windows = mc.Words.from_array(X).embed(2)
    with pytest.raises(TypeError, match="conditional"):
        information(mc.Ising(objective="conditional").fit(windows))


def test_words_with_missing_cells_are_refused():
    X = np.random.default_rng(0).integers(0, 2, size=(50, 3)).astype(float)
    model = mc.Independent().fit(X)
    X[0, 0] = np.nan
    with pytest.raises(BadType, match="pass complete Words") as caught:
        information(model, mc.IncompleteWords.from_array(X, 0.02))
    assert caught.value.argument == "words"

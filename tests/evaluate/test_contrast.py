"""Contrasts of two conditions, by closed forms and by brute force over exchanges."""

from itertools import product

import numpy as np
import pytest
from scipy.special import expit, logit, xlogy

import microcolumn as mc
from microcolumn.errors import BadArgument, BadInput
from microcolumn.evaluate import contrast

N_VISITS, LENGTH, WIDTH = 15, 400, 0.020
UNITS = mc.Units("abcd", depth_um=[200.0, 300.0, 900.0, 950.0], layer=["II", "II", "IV", "IV"])
#: Visit of each bin, and whether it is of the second condition.
VISIT = np.repeat(np.arange(N_VISITS), LENGTH)
SECOND = VISIT % 2 == 1


def halves(X, units=UNITS):
    """Words of either condition of bins in turn."""
    starts = np.arange(0, len(X), LENGTH)
    words = mc.Words.from_array(X, WIDTH, units=units, epoch_starts=starts)
    return [words._take(np.flatnonzero(k == SECOND)) for k in (False, True)]


def bits(p, seed=0):
    return (np.random.default_rng(seed).random((SECOND.size, 4)) < p).astype(np.uint8)


def coupled(strength, seed=0):
    """Units of which the first two fire together by a log odds ratio (n_bins,)."""
    rng, X = np.random.default_rng(seed), bits(0.3, seed)
    X[:, 1] = rng.random(len(X)) < expit(-1.0 + strength * X[:, 0])
    return X


@pytest.fixture(scope="module")
def more_of_d():
    """The last unit fires more in the second condition."""
    X = bits(np.where(SECOND[:, None], [0.2, 0.1, 0.2, 0.3], [0.2, 0.1, 0.2, 0.2]))
    return X, contrast(*halves(X), mc.Independent(), names=["dark", "light"])


def contrasts_by_hand(values):
    """Difference in each round of 15 visits of equal length, by the definition."""
    means = np.array([values[k == VISIT] for k in range(N_VISITS)])
    found = []
    for k in range(1, N_VISITS, 2):
        before = means[k - 1] if k == 1 else means[k - 1, LENGTH // 2 :]
        after = means[k + 1] if k == N_VISITS - 2 else means[k + 1, : LENGTH // 2]
        times = [0.5 + 0.25 * (k > 1), 0.5 + 0.25 * (k < N_VISITS - 2)]  # from the middle, visits
        share = times[1] / sum(times)
        outer = share * before.mean(axis=0) + (1.0 - share) * after.mean(axis=0)
        noise = share**2 / len(before) + (1.0 - share) ** 2 / len(after) + 1.0 / LENGTH
        found.append((outer - means[k].mean(axis=0), 1.0 / noise))
    differences, weights = map(np.array, zip(*found, strict=True))
    return differences * (weights / weights.sum())[:, None]


def test_all_together_is_tested_by_brute_force_over_exchanges():
    X = bits(np.where(SECOND[:, None], 0.2, [0.2, 0.2, 0.2, 0.225]), seed=3)
    d = contrasts_by_hand(X.astype(float))
    information = np.cov(X.T, bias=True) + 4.0 / (len(X) * 0.1**2) * np.eye(4)
    products = np.triu(d @ np.linalg.solve(information, d.T), 2)
    signs = np.array([[1.0, *each] for each in product((1.0, -1.0), repeat=len(d) - 1)])
    sums = np.einsum("si,ij,sj->s", signs, products, signs)
    expected = np.mean(sums >= products.sum() - 1e-9 * np.abs(products).sum())
    assert 0.02 < expected < 0.98
    assert contrast(*halves(X), mc.Independent()).p_value == pytest.approx(expected)


def test_rates_are_those_of_the_words_and_a_change_is_named(more_of_d):
    X, result = more_of_d
    rates = result.rates
    np.testing.assert_allclose(rates.a, X[~SECOND].mean(axis=0) / WIDTH)
    np.testing.assert_allclose(rates.b, X[SECOND].mean(axis=0) / WIDTH)
    np.testing.assert_allclose(
        rates.difference.estimate, np.log(rates.a / rates.b), atol=3 * rates.difference.stderr.max()
    )
    assert rates.sure().tolist() == [False, False, False, True]
    assert result.differs
    assert result.statement().startswith("dark and light differ (p = ")
    assert "in 1 of 4 rates and 0 of 6 couplings" in result.statement()


def test_errors_are_those_of_independent_words_where_words_are(more_of_d):
    _, result = more_of_d
    a, b = result.rates.a * WIDTH, result.rates.b * WIDTH
    n = [(~SECOND).sum(), SECOND.sum()]
    expected = np.sqrt((1.0 - a) / (a * n[0]) + (1.0 - b) / (b * n[1]))
    stderr = result.rates.difference.stderr
    assert (stderr >= 0.999 * expected).all()
    np.testing.assert_allclose(stderr, expected, rtol=0.5)


def test_layers_have_the_mean_of_their_units(more_of_d):
    _, result = more_of_d
    layers, each = result.rates.by_layer, result.rates.difference.estimate
    assert layers.labels == (("II",), ("IV",))
    np.testing.assert_allclose(layers.difference.estimate, each.reshape(2, 2).mean(axis=1))
    np.testing.assert_allclose(layers.a, np.sqrt(result.rates.a[::2] * result.rates.a[1::2]))
    assert result.couplings.by_layer.labels == (("II", "II"), ("II", "IV"), ("IV", "IV"))


def test_entropies_of_independent_units_are_known(more_of_d):
    X, result = more_of_d
    for part, estimate in zip((X[~SECOND], X[SECOND]), result.entropy, strict=True):
        p = part.mean(axis=0)
        bits_per_word = -(xlogy(p, p) + xlogy(1.0 - p, 1.0 - p)).sum() / np.log(2.0)
        assert estimate.value == pytest.approx(bits_per_word / WIDTH, abs=2.0 * estimate.stderr)
    assert result.entropy_difference.value < 0.0
    assert result.entropy_p_value < 0.05


def test_the_gain_is_the_divergence_of_the_conditions(more_of_d):
    _, result = more_of_d
    # Half the sum of both divergences of one unit with 0.2 and 0.3.
    nats = 0.5 * 0.1 * (logit(0.3) - logit(0.2))
    expected = nats / np.log(2.0) / WIDTH
    assert result.gain.value == pytest.approx(expected, abs=4.0 * result.gain.stderr)


def test_a_coupling_that_changes_is_named_and_has_the_log_odds_of_its_table():
    X = coupled(np.where(SECOND, 0.5, 2.0))
    result = contrast(*halves(X), mc.Ising(l1=1e-4))
    couplings = result.couplings
    assert couplings.labels[0] == ("a", "b")
    assert couplings.sure().tolist() == [True] + [False] * 5
    for value, inside in ((couplings.a[0], ~SECOND), (couplings.b[0], SECOND)):
        table = np.bincount(X[inside, :2] @ [2, 1], minlength=4)
        expected = np.log(table[0] * table[3] / (table[1] * table[2])) / 2.0
        # Other units, which are independent, are in the regressions too.
        assert value == pytest.approx(expected, abs=0.02)
    assert couplings.difference.estimate[0] == pytest.approx(0.75, abs=0.15)


def test_conditions_one_after_the_other_are_not_told_from_a_drift():
    X = bits(np.where(np.arange(SECOND.size)[:, None] < 3000, 0.2, 0.3))
    result = contrast(X[:3000], X[3000:], mc.Independent())
    assert result.p_value < 0.05
    assert not result.differs
    assert result.statement().endswith("with 1 visit each, a drift would look the same")


def test_an_even_rise_is_no_difference_where_conditions_alternate():
    X = bits(np.linspace(0.1, 0.4, SECOND.size)[:, None], seed=1)
    result = contrast(*halves(X), mc.Independent())
    assert not result.differs
    assert result.statement().startswith("no difference between a and b beyond chance (p = ")


def test_groups_are_hidden_units_and_rows_name_all():
    X = bits(0.1)
    X[np.random.default_rng(9).random(len(X)) < np.where(SECOND, 0.15, 0.05)] = 1
    result = contrast(*halves(X), mc.RBM(2, l1=1e-4, random_state=0))
    assert result.groups.sure().any()
    kinds = {row["kind"] for row in result.to_rows()}
    assert kinds == {"rates", "couplings", "groups", "rates by layer", "couplings by layer"}
    assert len(result.to_rows()) == 4 + 6 + len(result.groups.labels) + 2 + 3
    told = result.as_dict()
    assert told["answer"] == result.statement()
    assert set(told["p_values"]) == {"rates", "couplings", "groups", "entropy"}
    assert "largest" in str(result)
    assert contrast(*halves(X), mc.Ising(l1=1e-3)).groups is None


def test_a_silent_unit_and_pairs_that_hardly_meet_have_no_difference():
    X = bits([0.2, 0.2, 0.004, 0.0])
    result = contrast(*halves(X), mc.Ising(l1=1e-3))
    assert np.isnan(result.rates.difference.estimate).tolist() == [False, False, False, True]
    known = np.isfinite(result.couplings.difference.estimate)
    assert [label for label, it in zip(result.couplings.labels, known, strict=True) if it] == [
        ("a", "b")
    ]
    assert not np.isnan(result.p_value)


def test_the_same_seed_gives_the_same_numbers_and_units_may_be_in_any_order(more_of_d):
    X, result = more_of_d
    first, second = halves(X)
    again = contrast(first, second.subset([2, 0, 3, 1]), mc.Independent())
    np.testing.assert_array_equal(again.rates.b, result.rates.b)
    assert again.p_value == result.p_value


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"model": "Ising"}, "model"),
        ({"model": mc.models.DichotomizedGaussian()}, "model"),
        ({"names": ["a", "a"]}, "names"),
        ({"names": "ab"}, "names"),
        ({"words_b": bits(0.2)[:3000].repeat(2, axis=1)}, "words"),
        ({"words_a": mc.Words.from_array(bits(0.2)).embed(2)}, "words"),
    ],
)
def test_what_it_cannot_use_is_refused(change, argument):
    X = bits(0.2)
    given = {"words_a": X[:3000], "words_b": X[3000:], "model": mc.Independent()} | change
    with pytest.raises(BadInput) as caught:
        contrast(given.pop("words_a"), given.pop("words_b"), given.pop("model"), **given)
    assert isinstance(caught.value, BadArgument)
    assert caught.value.argument == argument

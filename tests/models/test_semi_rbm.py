"""Paths of a semi-restricted machine that starts from the two models nested in it."""

import pytest
from fitting_problems import volleys
from hypothesis import given, settings, strategies as st

import microcolumn as mc
from microcolumn.models import to_bytes

L1_VALUES = [1e-3, 4e-3, 1e-2]


def _volleys(seed):
    return mc.Words.from_array(volleys(seed, n_words=300))


def _nested(words, l1_values=L1_VALUES, n_hidden=3, **settings):
    hidden = {name: settings.pop(name) for name in ("n_init", "random_state") if name in settings}
    ising = mc.Ising(**settings).fit_path(words, l1_values)
    return ising, mc.RBM(n_hidden, **settings, **hidden).fit_path(words, l1_values)


def _assert_same_bits(paths, others):
    for model, other in zip(paths, others, strict=True):
        assert to_bytes(model) == to_bytes(other)


@pytest.mark.parametrize(
    "settings",
    [
        {"tol": 1e-8},
        {"tol": 1e-8, "n_init": 2, "random_state": 5},
        {"tol": 1e-8, "objective": "mpf"},
    ],
)
def test_given_paths_change_no_bit_where_their_settings_agree(settings):
    words = _volleys(0)
    model = mc.SemiRBM(3, **settings)
    alone = model.fit_path(words, L1_VALUES)
    _assert_same_bits(model.fit_path(words, L1_VALUES, nested=_nested(words, **settings)), alone)


@settings(deadline=None, max_examples=4)
@given(
    seed=st.integers(0, 10_000),
    common_cause=st.booleans(),
    first=st.sampled_from([1e-4, 1e-3, 5e-3]),
)
def test_nothing_nested_lies_below_at_default_tolerances(
    random_parameters, draw, seed, common_cause, first
):
    X = draw(random_parameters("ising", 5, scale=0.8, seed=seed), 200, seed)
    words = _volleys(seed) if common_cause else mc.Words.from_array(X)
    l1_values = [first, 4 * first]
    settings = {"max_iter": 20_000}
    nested = _nested(words, l1_values, **settings)
    both = mc.SemiRBM(3, **settings).fit_path(words, l1_values, nested=nested)
    for whole, ising, rbm in zip(both, *nested, strict=True):
        # Both sides are sums over the same words; only their rounding may differ.
        assert whole.objective_ <= min(ising.objective_, rbm.objective_) + 1e-13


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # one iteration
def test_the_given_solutions_are_where_the_fit_starts():
    words = _volleys(3)
    stopped = mc.SemiRBM(3, max_iter=1).fit_path(words, [1e-3])[0]
    nested = _nested(words, [1e-3])
    led = mc.SemiRBM(3, max_iter=1).fit_path(words, [1e-3], nested=nested)[0]
    assert led.objective_ <= min(path[0].objective_ for path in nested) < stopped.objective_


@pytest.mark.parametrize(
    ("change", "error", "sentence"),
    [
        (lambda i, r: [i, r, r], TypeError, "nested is not a pair; pass"),
        (lambda i, r: 3, TypeError, "nested is not a pair; pass"),
        (lambda i, r: (i, 3), ValueError, "no RBM for each of 3 l1; pass"),
        (lambda i, r: (i[:2], r), ValueError, "no Ising for each of 3 l1; pass"),
        (lambda i, r: (i, r[:1]), ValueError, "no RBM for each of 3 l1; pass"),
        (lambda i, r: (r, i), TypeError, "has an RBM in place of Ising; pass"),
        (lambda i, r: (i, [mc.RBM(3)] * 3), ValueError, "has RBM with .*, not .*"),
        (lambda i, r: (i[::-1], r), ValueError, r"has Ising with {.*0\.01.*}, not {.*0\.001"),
        (lambda i, r: (i, r[::-1]), ValueError, r"has RBM with {.*0\.01.*}, not {.*0\.001"),
    ],
)
def test_paths_that_do_not_fit_are_one_sentence(change, error, sentence):
    words = _volleys(4)
    with pytest.raises(error, match=sentence) as caught:
        mc.SemiRBM(3).fit_path(words, L1_VALUES, nested=change(*_nested(words)))
    assert "\n" not in str(caught.value)

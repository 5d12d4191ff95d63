import numpy as np
import pytest

from microcolumn.energy import log_weight
from microcolumn.parameters import Parameters

PAIR = [[0.0, 0.5], [0.5, 0.0]]


@pytest.mark.parametrize(
    ("arguments", "kind", "n_hidden"),
    [
        ({}, "independent", 0),
        ({"J": PAIR}, "ising", 0),
        ({"W": np.zeros((2, 3))}, "rbm", 3),
        ({"J": PAIR, "W": np.ones((2, 1)), "c": [0.5]}, "srbm", 1),
    ],
)
def test_the_kind_follows_from_the_parameters_that_are_there(arguments, kind, n_hidden):
    theta = Parameters(b=[-1, -2], **arguments)
    assert theta.kind == kind
    assert theta.n_visible == 2
    assert theta.n_hidden == n_hidden
    assert theta.live.shape == (n_hidden,)
    assert theta.b.dtype == np.float64


def test_hidden_biases_are_zero_where_they_are_left_out():
    assert Parameters(b=[0.0], W=[[1.0, 2.0]]).c.tolist() == [0.0, 0.0]


def test_dropping_dead_hidden_visible_keeps_the_distribution():
    W = np.array([[1.0, 0.0, -2.0], [0.5, 0.0, 0.0]])
    theta = Parameters(b=[-1.0, 0.3], J=PAIR, W=W, c=[0.1, 2.0, -0.7])
    X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert theta.live.tolist() == [True, False, True]
    live, log_factor = theta.only_live()
    assert live.n_hidden == 2
    np.testing.assert_allclose(log_weight(live, X) + log_factor, log_weight(theta, X), rtol=1e-14)


def test_a_model_whose_hidden_visible_are_all_dead_becomes_one_without_them():
    theta = Parameters(b=[-1.0, 0.3], J=PAIR, W=np.zeros((2, 2)), c=[1.0, 900.0])
    live, log_factor = theta.only_live()
    assert live.kind == "ising"
    assert log_factor == pytest.approx(np.log1p(np.e) + 900.0)
    assert live.only_live() == (live, 0.0)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"b": []}, "b is empty; a model needs at least one unit"),
        ({"b": 1.0}, "b has 0 dimensions; it needs 1"),
        ({"b": [[0.0, 0.0]]}, "b has 2 dimensions; it needs 1"),
        ({"b": [0.0, np.nan]}, r"b\[1\] is nan; all parameters must be finite"),
        ({"J": [0.0, 0.0]}, "J has 1 dimensions; it needs 2"),
        ({"J": np.zeros((3, 3))}, r"J has shape \(3, 3\) for 2 units; it must be square"),
        ({"J": np.eye(2)}, r"J\[0, 0\] is 1.0; the diagonal must be zero \(use b for biases\)"),
        ({"J": [[0, 1], [2, 0]]}, r"J\[0, 1\] is 1.0 but J\[1, 0\] is 2.0; pass a symmetric J"),
        ({"J": [[0, np.inf], [np.inf, 0]]}, r"J\[0, 1\] is inf; all parameters must be finite"),
        ({"W": np.zeros((3, 1))}, "W has 3 rows for 2 units; it needs one per unit"),
        ({"W": np.zeros((2, 3)), "c": [0, 0]}, "c has 2 entries for 3 columns of W; it needs one"),
        ({"c": [0.0]}, "c is given without W; hidden biases need hidden weights"),
    ],
)
def test_inconsistent_parameters_are_one_sentence(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        Parameters(**{"b": [0.0, 0.0], **arguments})


def test_changing_the_callers_arrays_later_changes_nothing():
    b, W = np.zeros(2), np.ones((2, 3))
    theta = Parameters(b=b, W=W)
    b[0], W[0, 0] = 5.0, 5.0
    assert theta.b[0] == 0.0
    assert theta.W[0, 0] == 1.0


def test_trusted_arrays_are_taken_as_they_are(random_parameters):
    theta = random_parameters("srbm")
    same = Parameters.trusted(theta.b, theta.J, theta.W, theta.c)
    assert same.kind == "srbm"
    assert all(getattr(same, name) is getattr(theta, name) for name in ("b", "J", "W", "c"))

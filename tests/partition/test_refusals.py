"""What cannot be summed, annealed or sampled is refused by a sentence with a remedy."""

import numpy as np
import pytest

from microcolumn.parameters import Parameters
from microcolumn.partition import (
    annealing_convergence,
    exact_expectations,
    exact_samples,
    gibbs_samples,
    log_partition,
)
from microcolumn.partition.ais import annealed_importance_sampling
from microcolumn.partition.exact import exact_log_partition

SMALL = Parameters(b=[0.0, 1.0])
COUPLED = Parameters(b=np.zeros(60), J=0.1 * (1 - np.eye(60)))
HIDDEN = Parameters(b=np.zeros(2), J=np.array([[0.0, 1.0], [1.0, 0.0]]), W=np.ones((2, 1)))


def annealed(**options):
    return lambda: annealed_importance_sampling(SMALL, **options)


def drawn(**options):
    return lambda: gibbs_samples(SMALL, **{"n_samples": 5} | options)


def converging(**options):
    return lambda: annealing_convergence(SMALL, **{"steps": (1,)} | options)


WHOLE = "pass a whole number"
REFUSALS = [
    (annealed(base="data"), ValueError, "base is 'data'; choose one of"),
    (annealed(base="uniform", rates=[0.1, 0.1]), ValueError, "given with base='uniform'"),
    (annealed(rates=[0.1]), ValueError, r"rates has shape \(1,\)"),
    (annealed(rates=[0.1, 1.5]), ValueError, r"rates\[1\] is 1.5"),
    (annealed(rates=["a", "b"]), ValueError, "rates cannot be"),
    (annealed(random_state=-1), ValueError, "random_state is -1"),
    (annealed(random_state="a"), TypeError, "random_state is 'a'"),
    (annealed(words=[[0, 1, 1]]), ValueError, "words has 3 columns"),
    (annealed(words=[[0, 2]]), ValueError, r"X\[0, 1\] is 2"),
    (annealed(n_chains=1), ValueError, "n_chains is 1"),
    (annealed(n_chains=2.5), TypeError, f"n_chains is 2.5; {WHOLE}"),
    (annealed(n_steps=0), ValueError, "n_steps is 0"),
    (annealed(n_steps=9, max_steps=8), ValueError, "n_steps is 9"),
    (annealed(n_steps="a"), TypeError, f"n_steps is 'a'; {WHOLE}"),
    (annealed(max_steps=True), TypeError, f"max_steps is True; {WHOLE}"),
    (annealed(tolerance_bits=0.0), ValueError, "tolerance_bits is 0.0"),
    (annealed(tolerance_bits="a"), TypeError, "tolerance_bits is 'a'"),
    (drawn(n_samples=0), ValueError, "n_samples is 0"),
    (drawn(n_samples=2.5), TypeError, f"n_samples is 2.5; {WHOLE}"),
    (drawn(thin=0), ValueError, "thin is 0"),
    (drawn(thin="a"), TypeError, f"thin is 'a'; {WHOLE}"),
    (drawn(n_sweeps=-1), ValueError, "n_sweeps is -1"),
    (drawn(n_sweeps=True), TypeError, f"n_sweeps is True; {WHOLE}"),
    (drawn(n_chains=0), ValueError, "n_chains is 0"),
    (drawn(random_state=-1), ValueError, "random_state is -1"),
    (drawn(random_state=1.5), TypeError, "random_state is 1.5"),
    (drawn(initial=[[0, 1, 1]]), ValueError, "initial has 3 columns"),
    (drawn(initial=[[0, 3]]), ValueError, r"X\[0, 1\] is 3"),
    (converging(steps=()), ValueError, "from 1 on that increase"),
    (converging(steps=(8, 8)), ValueError, "from 1 on that increase"),
    (converging(n_chains=1), ValueError, "n_chains is 1"),
    (converging(exact="yes"), ValueError, "'auto' or None"),
    (lambda: annealing_convergence("Ising"), TypeError, "parameters_"),
    (lambda: log_partition("model"), TypeError, "theta is a str; pass a model's parameters_"),
    (lambda: log_partition(SMALL, "guess"), ValueError, "method is 'guess'"),
    (lambda: log_partition(SMALL, "exact", n_chains=3), TypeError, "takes no option 'n_chains'"),
    (lambda: log_partition(SMALL, n_chain=7), TypeError, "'n_chain' is no option"),
    (lambda: log_partition(COUPLED, n_chain=7), TypeError, "'n_chain' is no option"),
    (lambda: exact_log_partition(COUPLED), ValueError, "60 units .*; use method='ais'"),
    (lambda: exact_log_partition(HIDDEN, side="hidden"), ValueError, "method='exact-visible'"),
    (lambda: exact_expectations(COUPLED), ValueError, "60 units .*gibbs_samples"),
    (
        lambda: exact_samples(COUPLED, 1, np.random.default_rng(0)),
        ValueError,
        "60 units .*; draw them by Gibbs sampling",
    ),
]


@pytest.mark.parametrize(("call", "error", "phrase"), REFUSALS)
def test_what_cannot_be_done_is_refused_with_a_remedy(call, error, phrase):
    with pytest.raises(error, match=phrase):
        call()

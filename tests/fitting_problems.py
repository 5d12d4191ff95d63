"""Words that hidden units describe better than pairs, and fits as models set them up."""

import numpy as np
from scipy.special import logit

from microcolumn.penalties import L1
from microcolumn.solvers import Problem


def volleys(seed, n_units=5, n_words=150):
    """Words with a common cause, which hidden units describe better than pairs."""
    rng = np.random.default_rng(seed)
    volley = rng.random((n_words, 1)) < 0.15
    return (rng.random((n_words, n_units)) < np.where(volley, 0.7, 0.05)).astype(np.uint8)


def problem_of(X, objective, **options):
    """A fit to words, by default of models with three hidden units, from one random start."""
    settings = {
        "objective": objective(X),
        "biases": logit(np.clip(X.mean(axis=0), 1e-3, 1.0 - 1e-3)),
        "penalty": L1,
        "fixed": ~X.any(axis=0) | X.all(axis=0),
        "never_coactive": X.T.astype(int) @ X == 0,
        "covariance": np.atleast_2d(np.cov(X.T, bias=True)),
        "n_hidden": 3,
        "n_init": 1,
        "seed": np.random.SeedSequence(0),
        "tol": 1e-8,
        "max_iter": 2000,
    }
    return Problem(**settings | options)

"""Predicting the newest bin: time per state and hidden unit, distance from the processor's peak.

Run as ``python benchmarks/past.py``. Windows of the 10 most active units of the simulated B4
recording at 10 window of 6.7 ms; RBMs of 100 hidden units, penalised and not. Times are processor
time of one thread, best of several runs; plain NumPy, with the same hidden units left out and
the same products, runs beside. Its time is that of a sample of the pasts, scaled up.
"""

import time
import warnings

import numba
import numpy as np
from machine import least, most_active, peak_multiply_adds, print_machine
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc
from microcolumn.evaluate._prediction import log_odds_given_past

#: Words that NumPy is timed on.
SAMPLE = 2000


def windows(n_windows=100_000):
    """Training windows, and held-out ones."""
    words = most_active(mc.simulate.preset("B4").bin(0.0067), 10).embed(10)
    train, test = words.split(0.04, by="blocks", random_state=0)
    held, _ = test.split(n_windows / test.n_bins, by="blocks", random_state=0)
    return train, held


def past_in_numpy(theta, X, n):
    """Log odds of the newest bin by products over all states, one hidden unit after the other."""
    first = theta.n_visible - n
    states = ((np.arange(1 << n)[:, None] >> np.arange(n)) & 1).astype(float)
    W = theta.W[:, np.any(theta.W[first:] != 0.0, axis=0)]
    factors = np.exp(W[first:].T @ states.T)
    z = theta.c[np.any(theta.W[first:] != 0.0, axis=0)] + X[:, :first] @ W[:first]
    odds = np.empty((len(X), n))
    for start in range(0, len(X), 16):
        on, off = expit(z[start : start + 16]), expit(-z[start : start + 16])
        log_w = np.tile(states @ theta.b[first:], (len(on), 1))
        product, ratio = np.ones_like(log_w), np.empty_like(log_w)
        for i, factor in enumerate(factors):
            np.multiply(on[:, i, None], factor, out=ratio)
            ratio += off[:, i, None]
            product *= ratio
            if i % 50 == 49:  # before the product could overflow
                log_w += np.log(product)
                product[:] = 1.0
        log_w += np.log(product)
        weights = np.exp(log_w - log_w.max(axis=1, keepdims=True))
        active = weights @ states
        odds[start : start + 16] = np.log(active / (weights.sum(axis=1, keepdims=True) - active))
    return odds


def rest_in_numpy(theta, X, n):
    """Log odds of each bit of the newest bin given all others, by softplus."""
    odds = np.empty((len(X), n))
    for k in range(n):
        unit = theta.n_visible - n + k
        z = theta.c + X @ theta.W - X[:, unit, None] * theta.W[unit]
        change = np.logaddexp(0.0, z + theta.W[unit]) - np.logaddexp(0.0, z)
        odds[:, k] = theta.b[unit] + change.sum(axis=1)
    return odds


def report_past(theta, words, peak):
    n, first = words.n_units, words.n_dims - words.n_units
    pasts = np.unique(words.X[:, :first], axis=0)
    n_used = int(np.any(theta.W[first:] != 0.0, axis=0).sum())
    seconds = least(time.thread_time, lambda: log_odds_given_past(theta, words), 3)
    chosen = words.X[:: len(words) // SAMPLE].astype(float)
    reference = past_in_numpy(theta, chosen, n)
    plain = least(time.thread_time, lambda: past_in_numpy(theta, chosen, n), 1)
    plain *= len(pasts) / len(chosen)
    found, past = log_odds_given_past(theta, words)
    error = np.abs(found[past][:: len(words) // SAMPLE] / reference - 1.0).max()
    per_element = seconds / (len(pasts) * 2.0**n * max(n_used, 1))
    print(
        f"  given the past: {len(pasts):,} pasts x {1 << n} states x {n_used} hidden units, "
        f"NumPy {plain:.2f} s, kernel {seconds:.3f} s, ratio {plain / seconds:.0f}\n"
        f"    {1e9 * per_element:.4f} ns per (past, state, hidden unit), "
        f"{1.0 / per_element / peak:.0%} of the multiplications at peak; "
        f"largest relative difference {error:.0e}"
    )


def report_rest(model, words):
    theta, n = model.parameters_, words.n_units
    chosen = words.X[:: len(words) // SAMPLE].astype(float)
    plain = least(time.thread_time, lambda: rest_in_numpy(theta, chosen, n), 1)
    plain *= len(words) / len(chosen)
    seconds = least(time.thread_time, lambda: mc.evaluate.predict(model, words), 3)
    found = mc.evaluate.predict(model, words).log_odds[:: len(words) // SAMPLE]
    error = np.abs(found - rest_in_numpy(theta, chosen, n)).max()
    print(
        f"  given the rest: {len(words):,} words x {n} units x {model.n_live_hidden_} live hidden "
        f"units, NumPy {plain:.2f} s, predict {seconds:.3f} s, ratio {plain / seconds:.0f}; "
        f"largest difference {error:.0e} nats"
    )


def main():
    warnings.simplefilter("ignore", ConvergenceWarning)
    print_machine()
    numba.set_num_threads(1)
    peak = peak_multiply_adds()
    print(f"peak: {1e9 / peak:.4f} ns per multiply-add in float64, one thread")
    train, held = windows()
    print(held)
    for l1 in (1e-3, 0.0):
        model = mc.RBM(n_hidden=100, l1=l1, objective="mpf", max_iter=50).fit(train)
        print(f"RBM, 100 hidden units, l1 = {l1:g}")
        report_past(model.parameters_, held, peak)
        report_rest(model, held)


if __name__ == "__main__":
    main()

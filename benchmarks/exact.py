"""Exact sums: time per state, distance from the processor's peak, ratio to plain NumPy.

Run as ``python benchmarks/exact.py``. Times are processor time of one thread, best of several
runs after compilation; the peak is measured in the same run by multiply-adds that never leave
the registers. ``--quick`` leaves out the sum over 2^36 states.
"""

import argparse
import time

import numba
import numpy as np
from machine import least, peak_multiply_adds, print_machine
from scipy.special import logsumexp

from microcolumn.energy import log_weight
from microcolumn.parameters import Parameters
from microcolumn.partition import exact_expectations, exact_samples, log_partition


def random_model(n_units, n_hidden=0, couplings=True, seed=0):
    """Couplings and weights about as strong as those of fitted models."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.normal(0.0, 0.3, (n_units, n_units)), 1)
    J = upper + upper.T if couplings else None
    b = rng.normal(-2.0, 1.0, n_units)
    if n_hidden == 0:
        return Parameters(b=b, J=J)
    W = rng.normal(0.0, 1.0, (n_units, n_hidden))
    return Parameters(b=b, J=J, W=W, c=rng.normal(-1.0, 1.0, n_hidden))


def report_sums(peak, quick):
    print(f"\n{'one core':<34}{'seconds':>9}{'ns/state':>10}{'operations':>12}{'of peak':>9}")
    cases = [
        ("Ising, 24 units", random_model(24), 5),
        ("Ising, 30 units", random_model(30), 5),
        ("Ising, 36 units", random_model(36), 1),
        ("sRBM, 24 units, 25 hidden", random_model(24, 25), 3),
        ("RBM, 150 units, 20 hidden", random_model(150, 20, couplings=False), 5),
    ]
    for name, theta, repeats in cases:
        if quick and theta.n_visible == 36:
            continue
        result = log_partition(theta, "exact")
        seconds = least(
            time.thread_time,
            lambda theta=theta: log_partition(theta, "exact", progress=False),
            repeats,
        )
        n_summed = theta.n_visible if result.side == "visible" else theta.n_hidden
        fraction = result.n_operations / seconds / peak
        print(
            f"{name:<34}{seconds:>9.4f}{1e9 * seconds / 2.0**n_summed:>10.4f}"
            f"{result.n_operations:>12.2e}{fraction:>9.0%}"
        )


def report_expectations():
    print(f"\n{'expectations, all cores':<34}{'ms':>9}{'ns/state':>10}")
    for name, theta in (
        ("Ising, 20 units", random_model(20)),
        ("Ising, 26 units", random_model(26)),
        ("sRBM, 20 units, 25 hidden", random_model(20, 25)),
        ("sRBM, 23 units, 25 hidden", random_model(23, 25)),
    ):
        seconds = least(time.perf_counter, lambda theta=theta: exact_expectations(theta))
        print(f"{name:<34}{1e3 * seconds:>9.2f}{1e9 * seconds / 2.0**theta.n_visible:>10.4f}")
    theta = random_model(26)
    seconds = least(
        time.perf_counter, lambda: exact_samples(theta, 10_000, np.random.default_rng(0))
    )
    print(f"{'10,000 samples, Ising, 26 units':<34}{1e3 * seconds:>9.2f}")


def report_ratio():
    theta = random_model(20)
    words = (np.arange(1 << 20)[:, None] >> np.arange(20)) & 1
    enumerated = least(time.thread_time, lambda: logsumexp(log_weight(theta, words)), 2)
    folded = least(time.thread_time, lambda: log_partition(theta, "exact-visible"))
    print(
        f"\nIsing, 20 units, one core: enumeration in NumPy {1e3 * enumerated:.0f} ms, "
        f"matrix products {1e3 * folded:.2f} ms, ratio {enumerated / folded:.0f}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="leave out the 36 units")
    quick = parser.parse_args().quick
    threads = numba.get_num_threads()
    print_machine()
    numba.set_num_threads(1)
    peak = peak_multiply_adds()
    print(f"peak: {peak / 1e9:.1f} G multiply-adds/s in float64 = {1e9 / peak:.4f} ns each")
    report_sums(peak, quick)
    report_ratio()
    numba.set_num_threads(threads)
    report_expectations()


if __name__ == "__main__":
    main()

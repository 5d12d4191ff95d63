"""Annealed Gibbs sweeps: core time per site update, distance from the peak, ratio to NumPy.

    python benchmarks/ais.py            # 500 chains x 10,000 sweeps x 23 units x 25 hidden units
    python benchmarks/ais.py --quick    # a tenth of the sweeps

Core time is processor time summed over all threads. The NumPy alternative keeps the same state
(fields, exp of the hidden inputs) and is vectorised over chains and hidden units. Proposals are
bound by the multipliers, so the share of their peak is stated, and highest where nothing flips
(activity 0); a flip rewrites a row of fields and hidden inputs and is bound by the stores.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from machine import least, peak_multiply_adds, print_machine

from microcolumn.parameters import Parameters
from microcolumn.partition import log_partition
from microcolumn.partition.ais import annealed_importance_sampling
from microcolumn.partition.gibbs import Sampler

N_UNITS, N_HIDDEN, N_CHAINS = 23, 25, 500
# Operations of one site update that need a multiplier, per chain: each hidden unit takes a
# multiply-add and a multiply, the logarithm 14 and a division (10 cycles of the multiplier), the
# exponential 19, a quarter of a Philox block 5 and the comparison 6.
OPERATIONS = 2 * N_HIDDEN + 14 + 10 + 19 + 5 + 6


def model(bias: float) -> Parameters:
    """A semi-restricted machine with weights as they come out of fits, and sparse words."""
    rng = np.random.default_rng(0)
    J = np.triu(rng.normal(scale=0.1, size=(N_UNITS, N_UNITS)), 1)
    W = rng.normal(scale=0.3, size=(N_UNITS, N_HIDDEN))
    return Parameters(b=np.full(N_UNITS, bias), J=J + J.T, W=W, c=rng.normal(size=N_HIDDEN) - 1.0)


def sweeps(theta: Parameters, n_sweeps: int) -> Sampler:
    betas = np.linspace(0.0, 1.0, n_sweeps + 1)
    sampler = Sampler(theta, N_CHAINS, seed=1, base_logits=theta.b)
    return sampler.run(betas[:-1], np.diff(betas), progress=False)


def numpy_sweeps(theta: Parameters, n_sweeps: int) -> np.ndarray:
    """The same annealing in NumPy; log weights of all chains."""
    rng = np.random.default_rng(1)
    n = theta.n_visible
    up, down = np.exp(theta.W), np.exp(-theta.W)
    x = np.zeros((n, N_CHAINS))
    fields = np.zeros((n, N_CHAINS))
    inputs = np.repeat(np.exp(theta.c)[:, None], N_CHAINS, axis=1)
    hidden_log = np.log1p(inputs).sum(axis=0)
    log_w = np.zeros(N_CHAINS)
    for beta in np.arange(n_sweeps) / n_sweeps:
        uniforms = rng.random((n, N_CHAINS))
        for k in range(n):
            direction = 1.0 - 2.0 * x[k]
            factor = np.where(x[k] > 0, down[k][:, None], up[k][:, None])
            moved = inputs * factor
            proposed = np.log(np.prod(1.0 + moved, axis=0))
            visible = direction * (theta.b[k] + fields[k])
            log_odds = beta * (visible + proposed - hidden_log)
            log_odds += (1.0 - beta) * direction * theta.b[k]
            flipped = uniforms[k] * np.exp(-log_odds) < 1.0 - uniforms[k]
            where = np.flatnonzero(flipped)
            step = direction[where]
            inputs[:, where] = moved[:, where]
            hidden_log[where] = proposed[where]
            fields[:, where] += 2.0 * theta.J[k][:, None] * step
            x[k, where] += step
        log_w += (0.5 * np.einsum("nc,nc->c", x, fields) + hidden_log) / n_sweeps
    return log_w


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the sweeps")
    n_sweeps = 1000 if parser.parse_args().quick else 10_000
    print_machine()
    peak = peak_multiply_adds()
    updates = N_CHAINS * N_UNITS
    print(f"{N_CHAINS} chains x {n_sweeps:,} sweeps x {N_UNITS} units x {N_HIDDEN} hidden units")
    print(
        f"{OPERATIONS} multiplier operations per site update, peak {peak / 1e9:.1f} per ns and core"
    )
    for bias in (-60.0, -4.0, -3.0, -2.0, 0.0):
        theta = model(bias)
        rate = sweeps(theta, 200).words.mean()
        core = least(time.process_time, lambda theta=theta: sweeps(theta, n_sweeps), 3)
        alternative = least(time.process_time, lambda theta=theta: numpy_sweeps(theta, 20), 3)
        ours, theirs = core / (updates * n_sweeps), alternative / (updates * 20)
        print(
            f"activity {rate:5.1%}: {ours * 1e9:5.2f} ns of core time per site update, "
            f"{OPERATIONS / peak / ours:.0%} of peak, {theirs / ours:.0f} x faster than NumPy"
        )
    theta = model(-3.0)
    result = annealed_importance_sampling(theta, random_state=0)
    exact = log_partition(theta, method="exact")
    print(
        f"whole estimate, forward and reverse: {result.seconds:.2f} s, {result.n_steps} steps, "
        f"log Z = {result.value:.5f} +- {result.stderr:.5f}, reverse {result.reverse:.5f}, "
        f"exact {exact.value:.5f} ({exact.seconds:.2f} s)"
    )


if __name__ == "__main__":
    main()

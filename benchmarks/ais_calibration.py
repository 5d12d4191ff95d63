"""Annealed importance sampling: honest error bars, and missed modes flagged.

    python benchmarks/ais_calibration.py               # 300 models per base, 20 seeds per mode
    python benchmarks/ais_calibration.py --models 60 --seeds 3

First part: random models of 8 to 14 units, every kind, weak to strong couplings, default settings;
z = (estimate - exact) / stderr must look standard normal (mean within 0.2 of 0, standard deviation
between 0.8 and 1.25), forward and reverse, from both bases. Second part: 20 units with a second
mode (all active together) that holds 1 % of the mass: an estimate called converged must lie within
four standard errors of the exact value.
"""

from __future__ import annotations

import argparse
import math
import warnings

import numpy as np
from machine import print_machine
from scipy.optimize import brentq
from scipy.special import gammaln, logsumexp
from sklearn.exceptions import ConvergenceWarning

from microcolumn.energy import log_weight
from microcolumn.parameters import Parameters
from microcolumn.partition.ais import annealed_importance_sampling

KINDS = ("ising", "rbm", "srbm")
STRENGTHS = (0.3, 1.0, 2.0, 3.0)
MODE_UNITS, MODE_MASS = 20, 0.01


def random_model(rng: np.random.Generator, kind: str, n_units: int, strength: float) -> Parameters:
    J = W = c = None
    if kind != "rbm":
        J = np.triu(rng.normal(size=(n_units, n_units)), 1) * strength / math.sqrt(n_units)
        J = J + J.T
    if kind != "ising":
        n_hidden = int(rng.integers(1, n_units + 6))
        W = rng.normal(size=(n_units, n_hidden)) * 3.0 * strength / math.sqrt(n_units)
        c = rng.normal(size=n_hidden) - 1.0
    return Parameters(b=rng.normal(size=n_units) * 0.7 - 1.5, J=J, W=W, c=c)


def enumerated(theta: Parameters) -> float:
    n = theta.n_visible
    words = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    return float(logsumexp(log_weight(theta, words)))


def calibration(n_models: int, base: str) -> bool:
    rng = np.random.default_rng(2012)
    scores, converged = [], 0
    for seed in range(n_models):
        n_units, strength = int(rng.integers(8, 15)), float(rng.choice(STRENGTHS))
        theta = random_model(rng, KINDS[seed % 3], n_units, strength)
        exact = enumerated(theta)
        result = annealed_importance_sampling(theta, base=base, random_state=seed)
        converged += result.converged
        scores.append(
            (
                (result.value - exact) / result.stderr,
                (result.reverse - exact) / result.reverse_stderr,
            )
        )
    z = np.array(scores)
    means, deviations = z.mean(axis=0), z.std(axis=0, ddof=1)
    print(
        f"base {base:8s} {n_models} models, {converged} converged: forward z mean {means[0]:+.3f}, "
        f"sd {deviations[0]:.3f}, largest {np.abs(z[:, 0]).max():.2f}; "
        f"reverse z mean {means[1]:+.3f}, sd {deviations[1]:.3f}"
    )
    return bool(abs(means[0]) < 0.2 and 0.8 < deviations[0] < 1.25)


def planted(log_weight_of_k, bracket: tuple[float, float]) -> tuple[float, float]:
    """Parameter that gives the words with half of the units or more ``MODE_MASS``, and log Z."""
    k = np.arange(MODE_UNITS + 1)
    binomials = gammaln(MODE_UNITS + 1) - gammaln(k + 1) - gammaln(MODE_UNITS - k + 1)

    def gap(parameter: float) -> float:
        logs = binomials + log_weight_of_k(parameter, k)
        high = logsumexp(logs[2 * k >= MODE_UNITS])
        return float(high - logsumexp(logs) - math.log(MODE_MASS))

    solution = brentq(gap, *bracket)
    return solution, float(logsumexp(binomials + log_weight_of_k(solution, k)))


def planted_ising(coupling: float) -> tuple[Parameters, float]:
    bias, log_z = planted(lambda b, k: b * k + coupling * k * (k - 1), (-20.0, 0.0))
    J = np.full((MODE_UNITS, MODE_UNITS), coupling)
    np.fill_diagonal(J, 0.0)
    return Parameters(b=np.full(MODE_UNITS, bias), J=J), log_z


def planted_rbm(weight: float) -> tuple[Parameters, float]:
    c, log_z = planted(lambda c, k: -3.0 * k + np.logaddexp(0, c + weight * k), (-40 * weight, 0.0))
    W = np.full((MODE_UNITS, 1), weight)
    return Parameters(b=np.full(MODE_UNITS, -3.0), W=W, c=[c]), log_z


def mode_is_found_or_flagged(name: str, theta: Parameters, exact: float, base: str, seeds: int):
    found = flagged = wrong = 0
    for seed in range(seeds):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            result = annealed_importance_sampling(
                theta, base=base, max_steps=8000, random_state=seed
            )
        right = abs(result.value - exact) < 4 * result.stderr
        found += result.converged and right
        flagged += not result.converged
        wrong += result.converged and not right
    print(f"{name:12s} base {base:8s} {found} found, {flagged} flagged, {wrong} confidently wrong")
    return wrong == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=20)
    arguments = parser.parse_args()
    print_machine()
    passed = [calibration(arguments.models, base) for base in ("rates", "uniform")]
    cases = {f"Ising {j}": planted_ising(j) for j in (0.1, 0.15, 0.2, 0.25, 0.3, 0.5)}
    cases |= {f"RBM {w}": planted_rbm(w) for w in (4.0, 5.0, 6.0, 8.0)}
    passed += [
        mode_is_found_or_flagged(name, theta, exact, base, arguments.seeds)
        for name, (theta, exact) in cases.items()
        for base in ("rates", "uniform")
    ]
    print("all bars met" if all(passed) else "a bar is missed")
    raise SystemExit(0 if all(passed) else 1)


if __name__ == "__main__":
    main()

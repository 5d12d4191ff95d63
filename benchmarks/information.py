"""Entropies and heat capacities: honest errors.

    python benchmarks/information.py               # 60 models, two and a half minutes of one core
    python benchmarks/information.py --models 20

z = (estimate - exact) / stderr must look standard normal. Exact values are sums over all words.
Entropies of models of 12 to 16 units are estimated as those of large ones are, from words by Gibbs
chains and log Z by annealing; heat capacities from chains that cool down, at seven temperatures;
entropies of data from as many words of the same models as half an hour has bins of 20 ms.
"""

from __future__ import annotations

import argparse
import math
import warnings

import numpy as np
from machine import print_machine
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc
from microcolumn.evaluate import heat_capacity, information
from microcolumn.evaluate._heat_capacity import _cooled
from microcolumn.evaluate._information import _sampled

GRID = np.array([0.5, 0.7, 0.85, 1.0, 1.25, 1.6, 2.0])


def random_model(rng: np.random.Generator) -> mc.Ising:
    """Sparse units with couplings as recordings have them."""
    n = int(rng.integers(12, 17))
    J = np.triu(rng.normal(0.05, 0.15, size=(n, n)), 1)
    return mc.Ising.from_parameters(mc.Parameters(rng.normal(-2.5, 0.8, n), J + J.T))


def drawn_entropy(model: mc.Ising, rng: np.random.Generator) -> tuple[float, float]:
    """Entropy from Gibbs chains and annealing, nats, and its error.

    Three copies are too large for exact samples, and have three times the entropy.
    """
    theta = model.parameters_
    three = mc.Parameters(np.tile(theta.b, 3), np.kron(np.eye(3), theta.J))
    log_z = mc.log_partition(three, method="ais", random_state=rng)
    copies = mc.Ising.from_parameters(three).with_log_partition(log_z)
    values, _ = _sampled(copies, 10_000, None, rng)
    return values[0] / 3.0, values[1] / 3.0


def report(name: str, z: NDArray[np.float64]) -> None:
    beyond = float(np.mean(np.abs(z) > 1.96))
    print(f"{name:22} n {z.size:4}  mean {z.mean():+.2f}  sd {z.std(ddof=1):.2f}  "
          f"beyond 1.96: {100 * beyond:.0f} %")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=60)
    n_models = parser.parse_args().models
    print_machine()
    warnings.simplefilter("error", ConvergenceWarning)
    z: dict[str, list[float]] = {"entropy, drawn": [], "entropy, data": [], "heat capacity": []}
    for seed in range(n_models):
        rng = np.random.default_rng(seed)
        model = random_model(rng)
        [exact] = information(model).entropy * math.log(2.0)
        value, stderr = drawn_entropy(model, rng)
        z["entropy, drawn"].append((value - exact) / stderr)
        data = information(model, model.sample(90_000, random_state=rng))
        own, error = data.entropy[0] * math.log(2.0), data.entropy_stderr[0] * math.log(2.0)
        z["entropy, data"].append((own - exact) / error)
        summed = heat_capacity(model, temperatures=GRID).per_unit[0] * model.n_features_in_
        cooled, errors = _cooled(model.parameters_, GRID, rng)
        z["heat capacity"] += ((cooled - summed) / errors).tolist()
    for name, values in z.items():
        report(name, np.array(values))


if __name__ == "__main__":
    main()

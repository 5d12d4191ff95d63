"""Mixtures and hidden Markov modes of a large population: time, memory, and ways to do a pass.

    python benchmarks/mixtures.py [mixture | markov]

1,000 units with 3 % of the bits active and 80 states that last a while, 360,000 words, 60 modes.
Prints processor seconds, passes and the largest resident size of the process, whose bars are 5
minutes on two cores and 4 GB; then the time of one pass by the kernel, by a sparse matrix of SciPy
and by dense products, on a part of the words.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np
from machine import least, print_machine
from scipy import sparse
from scipy.special import softmax

import microcolumn as mc
from microcolumn.models._components import Components
from microcolumn.objectives.sparse_words import SparseWords

N_UNITS, N_WORDS, N_STATES, N_MODES, N_PART = 1_000, 360_000, 80, 60, 20_000


def population() -> mc.Words:
    """Words of states that last ten bins on average."""
    rng = np.random.default_rng(0)
    rates = rng.gamma(2.0, 0.015, N_UNITS)
    states = np.clip(rates * rng.gamma(0.6, 1.0 / 0.6, (N_STATES, N_UNITS)), 1e-4, 0.9)
    changes = np.cumsum(rng.random(N_WORDS) < 0.1)
    state = rng.integers(0, N_STATES, changes[-1] + 1)[changes]
    X = np.empty((N_WORDS, N_UNITS), dtype=np.uint8)
    for start in range(0, N_WORDS, 10_000):
        part = slice(start, start + 10_000)
        X[part] = rng.random(X[part].shape, dtype=np.float32) < states[state[part]]
    return mc.Words.from_array(X)


def print_fit(
    model: mc.models.BernoulliMixture | mc.models.HiddenMarkovModes, words: mc.Words
) -> None:
    processor, wall = time.process_time(), time.perf_counter()
    model.fit(words)
    processor, wall = time.process_time() - processor, time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{type(model).__name__} with {model.size_}: {processor:.0f} s of processor time, "
        f"{wall:.0f} s, {model.n_iter_} passes, {model.certificate_}, the last pass added "
        f"{model.last_gain_:.1g} nats per word; {peak:.2f} GB at most"
    )


def print_passes(words: mc.Words) -> None:
    """One pass over a part of the words, in three ways."""
    rng = np.random.default_rng(1)
    modes, log_weights = (
        rng.uniform(0.01, 0.06, (N_MODES, N_UNITS)),
        np.full(N_MODES, -np.log(N_MODES)),
    )
    rows = rng.choice(len(words), N_PART, replace=False)
    X, counts = words.X[rows], words.counts[rows]
    listed, csr = SparseWords.of(X), sparse.csr_array(X, dtype=np.float64)
    dense, components = X.astype(np.float64), Components.of(modes, log_weights)
    logits, silent = components.logits[:, :N_MODES], components.silent[:N_MODES]

    def by_matrix(matrix: np.ndarray) -> np.ndarray:
        shares = counts[:, None] * softmax(silent + matrix @ logits, axis=1)
        return matrix.T @ shares

    np.testing.assert_allclose(components.sums(listed, counts)[0], by_matrix(csr).T, rtol=1e-9)
    for name, call in {
        "kernel": lambda: components.sums(listed, counts),
        "SciPy CSR": lambda: by_matrix(csr),
        "dense BLAS": lambda: by_matrix(dense),
    }.items():
        seconds = least(time.process_time, call, 3)
        print(f"  {name:10} {seconds * 1e3:7.1f} ms of processor time for {N_PART:,} words")


def main() -> None:
    print_machine()
    words = population()
    print(words)
    asked = sys.argv[1:] or ["mixture", "markov"]
    if "mixture" in asked:
        print_fit(mc.models.BernoulliMixture(n_components=N_MODES), words)
        print_passes(words)
    if "markov" in asked:
        print_fit(mc.models.HiddenMarkovModes(n_modes=N_MODES), words)


if __name__ == "__main__":
    main()

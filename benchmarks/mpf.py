"""Minimum probability flow, value and gradient: ratio to NumPy, core time, distance from the peak.

Pseudolikelihood, which the same kernel computes too, is timed beside it.

    python benchmarks/mpf.py

Wall time of the whole evaluation (tables, kernel, gradient) with all threads, against two versions
in NumPy on the same distinct words, in one run:

- vectorised: the definition, with logaddexp and expit, over arrays (word, unit, hidden unit); the
  bars are set against this one;
- with tables: NumPy is given the trick of docs/method.md, section 3 as well, which needs no
  transcendental
  function but one logarithm per element. It is bound by memory, as every step is an array.

Both take as many words at a time as leave the arrays in the cache: with larger chunks they are two
to ten times slower. Core time is processor time of one thread. Operations are those per (word,
unit, hidden unit) of the kernel's inner loop; a processor that adds beside its multiplications is
bound by the latter.
"""

from __future__ import annotations

import time

import numba
import numpy as np
from machine import least, peak_multiply_adds, print_machine
from scipy.special import expit

import microcolumn as mc
from microcolumn.objectives import MinimumProbabilityFlow, Objective, PseudoLikelihood
from microcolumn.parameters import Parameters
from microcolumn.words import Words

# Forward: 1 addition, 1 multiplication. Backward: 2 additions, 3.5 multiplications. Both of a
# pair of hidden units share a running product, hence the half.
ADDITIONS, MULTIPLICATIONS = 3.0, 4.5
#: Elements of the arrays of the NumPy versions, 2 MB: the fastest of all powers of two here.
CHUNK = 1 << 18


def sparse_words(n_units: int, n_distinct: int, rate: float) -> Words:
    """Distinct words of independent units with log-normal rates, at random."""
    rng = np.random.default_rng(0)
    rates = rng.lognormal(sigma=0.5, size=n_units)
    X = rng.random((2 * n_distinct, n_units)) < rates * rate / rates.mean()
    words = Words.from_array(X)
    return Words.from_array(words.X[rng.permutation(words.X.shape[0])[:n_distinct]])


def paper_words(n_distinct: int) -> Words:
    """Simulated words of 23 units, 3-4 % active: the distinct ones of three hours."""
    words = mc.simulate.microcolumn(n_units=23, minutes=180, seed=0).bin()
    most = np.sort(np.argsort(-words.counts, kind="stable")[:n_distinct])
    return Words.from_array(words.X[most], sample_weight=words.counts[most])


def model(n_units: int, n_hidden: int) -> Parameters:
    """Weights as they come out of fits: small, hidden units mostly off."""
    rng = np.random.default_rng(1)
    J = np.triu(rng.normal(scale=0.1, size=(n_units, n_units)), 1)
    return Parameters(
        b=rng.normal(size=n_units) - 3.0,
        J=J + J.T,
        W=rng.normal(scale=0.2, size=(n_units, n_hidden)) if n_hidden else None,
        c=rng.normal(size=n_hidden) - 1.0 if n_hidden else None,
    )


def numpy_flow(theta: Parameters, words: Words, tables: bool) -> tuple[float, Parameters]:
    """K and its gradient in NumPy, some words at a time."""
    all_weights = words.counts / words.counts.sum()
    grow1, shrink1 = np.expm1(theta.W), np.expm1(-theta.W)
    K, b, J = 0.0, np.zeros_like(theta.b), np.zeros_like(theta.J)
    W, c = np.zeros_like(theta.W), np.zeros_like(theta.c)
    step = max(1, CHUNK // theta.W.size)
    for first in range(0, words.X.shape[0], step):
        X, weights = words.X[first : first + step], all_weights[first : first + step]
        x = X.astype(float)
        d, z = 1.0 - 2.0 * x, theta.c + x @ theta.W
        s = expit(z)
        if tables:
            change = np.where(X[:, :, None] == 1, shrink1, grow1)
            f = 1.0 + s[:, None, :] * change
            hidden = np.log(f).sum(axis=2)
            flipped = s[:, None, :] * (1.0 + change) / f  # sigmoid(z) with the bit flipped
        else:
            moved = z[:, None, :] + d[:, :, None] * theta.W
            hidden = np.logaddexp(0, moved).sum(axis=2) - np.logaddexp(0, z).sum(axis=1)[:, None]
            flipped = expit(moved)
        g = 0.5 * weights[:, None] * np.exp(0.5 * (d * (theta.b + 2.0 * x @ theta.J) + hidden))
        K += 2.0 * g.sum()
        b += (d * g).sum(axis=0)
        J += (d * g).T @ x
        through = np.einsum("un,uni->ui", g, flipped) - g.sum(axis=1)[:, None] * s
        c += through.sum(axis=0)
        # An active bit has a share in what flows through z, except where it is flipped itself.
        W += x.T @ through
        W += np.einsum("un,uni->ni", d * g, flipped)
    J = J + J.T
    np.fill_diagonal(J, 0.0)
    return K, Parameters(b=b, J=J, W=W, c=c)


def check(found: tuple[float, Parameters], expected: tuple[float, Parameters]) -> None:
    """Both versions must agree before their times are compared."""
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-9)
    for name in "bJWc":
        one, other = getattr(found[1], name), getattr(expected[1], name)
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-9 * np.abs(other).max())


def wall_time(objective: MinimumProbabilityFlow, theta: Parameters) -> float:
    """Seconds of an evaluation with all threads, the least of four seconds' worth of them.

    Threads wait for each other, so a single one that another process holds up delays them all.
    """
    ends, times = time.perf_counter() + 4.0, []
    while time.perf_counter() < ends:
        started = time.perf_counter()
        objective(theta)
        times.append(time.perf_counter() - started)
    return min(times)


def core_time(objective: Objective, theta: Parameters) -> float:
    """Seconds of processor time of an evaluation with one thread."""
    n_threads = numba.get_num_threads()
    numba.set_num_threads(1)
    seconds = least(time.process_time, lambda: objective(theta), 50)
    numba.set_num_threads(n_threads)
    return seconds


def print_pseudolikelihood(words: Words, theta: Parameters) -> None:
    """Core time of pseudolikelihood against that of flow, measured in turns."""
    objectives = MinimumProbabilityFlow(words), PseudoLikelihood(words)
    times = [[core_time(objective, theta) for objective in objectives] for _ in range(3)]
    flow, other = np.min(times, axis=0)
    print(f"  pseudolikelihood: {other * 1e3:.3f} ms of core time, {other / flow:.2f} x flow")


def compare(words: Words, n_hidden: int, bar: float, peak: float) -> None:
    n_words, n_units = words.X.shape
    theta = model(n_units, n_hidden)
    elements = n_words * n_units * n_hidden
    print(
        f"\n{n_units} units, {n_hidden} hidden, {n_words:,} distinct words with "
        f"{words.X.sum(axis=1).mean():.1f} active units on average: {elements / 1e6:.1f} M elements"
    )
    theirs = {}
    for name, tables in (("vectorised", False), ("with tables", True)):
        check(MinimumProbabilityFlow(words)(theta), numpy_flow(theta, words, tables))
        theirs[name] = least(
            time.perf_counter, lambda tables=tables: numpy_flow(theta, words, tables)
        )
        nanoseconds = theirs[name] / elements * 1e9
        print(f"  NumPy, {name}: {theirs[name] * 1e3:.1f} ms, {nanoseconds:.1f} ns per element")
    objective = MinimumProbabilityFlow(words)
    core, wall = core_time(objective, theta), wall_time(objective, theta)
    share = MULTIPLICATIONS * elements / core / peak
    ratio = theirs["vectorised"] / wall
    print(
        f"  here: {wall * 1e3:.3f} ms, {core / elements * 1e9:.3f} ns of core time per element, "
        f"{share:.0%} of the multipliers' peak; {ratio:.0f} x NumPy (bar {bar:.0f}: "
        f"{'kept' if ratio >= bar else 'MISSED'}), {theirs['with tables'] / wall:.0f} x tables"
    )
    print_pseudolikelihood(words, theta)


def ising(n_units: int, peak: float) -> None:
    words, theta = sparse_words(n_units, 5_000, 0.05), model(n_units, 0)
    pairs = n_units * int(words.X.sum(dtype=np.int64))
    print(
        f"\nIsing, {n_units} units, {words.X.shape[0]:,} distinct words: {pairs / 1e6:.1f} M "
        "(word, active unit, unit), a multiplication and an addition each"
    )
    core = core_time(MinimumProbabilityFlow(words), theta)
    print(
        f"  {core * 1e3:.3f} ms of core time, "
        f"{core / pairs * 1e9:.3f} ns per (word, active unit, unit), "
        f"{core / words.X.size * 1e9:.2f} ns per (word, unit), "
        f"{pairs / core / peak:.0%} of the multipliers' peak"
    )
    print_pseudolikelihood(words, theta)


def main() -> None:
    print_machine()
    peak = peak_multiply_adds()
    print(
        f"peak of one core: {peak / 1e9:.1f} multiplications or multiply-adds per ns; "
        f"{MULTIPLICATIONS} of them and {ADDITIONS} additions per element"
    )
    compare(paper_words(5_000), 25, 60.0, peak)
    compare(sparse_words(150, 4_000, 0.05), 150, 100.0, peak)
    ising(100, peak)


if __name__ == "__main__":
    main()

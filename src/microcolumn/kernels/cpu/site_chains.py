"""Functions of a few units, potentials of a few sums over units, and chains of both.

Function j is a table over the patterns of its inputs. The pattern of a word is a number whose bit i
says whether input i is active. Tables are (n_functions, 2**n_inputs), inputs (n_functions,
n_inputs).

Potential k is a function V_k of the score s_k = a_k'x, plus x'Jx for the first one where there are
couplings. In each segment between two knots its slope is an exponential of the score, or constant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ...validation import Bits, Floats
from ..arrays import PotentialArrays, TableArrays
from ..compile import kernel, subroutine
from ..loops.threads import threads_for

#: Site updates times functions of a unit of about a fifth of a second.
_CALL_OPERATIONS = 2e8


def table_values(tables: TableArrays, words: Bits) -> Floats:
    """Value of each function for each word, shape (n_words, n_functions)."""
    out = np.empty((len(words), len(tables.inputs)))
    with threads_for(float(len(words)) * tables.inputs.size):
        _values(words, *tables, out)
    return out


def pattern_sums(tables: TableArrays, words: Bits, weights: Floats) -> Floats:
    """Summed weight of the words with each pattern of each function, the shape of the tables."""
    out = np.zeros(tables.tables.shape)
    with threads_for(float(len(words)) * tables.inputs.size):
        _pattern_weights(words, weights, tables.inputs, out)
    return out


class SiteChains:
    """Chains that a kernel moves by Gibbs steps of single units, as :class:`.GibbsChains`.

    Each chain has a random stream of its own, by the 64 bits of ``seed``. ``advance`` is the kernel
    and ``model`` what it needs; a step costs about ``per_site`` operations.
    """

    def __init__(
        self,
        advance: Callable[..., None],
        model: Any,
        per_site: float,
        words: NDArray[np.generic],
        seed: int,
    ) -> None:
        self._advance, self._model, self._per_site = advance, model, per_site
        self._words, self._log_weights = words.astype(np.uint8), np.zeros(len(words))
        streams = np.random.default_rng(seed)
        self._states = streams.integers(1, 2**64, size=(len(words), 4), dtype=np.uint64)

    @property
    def words(self) -> Bits:
        """Current word of each chain, shape (n_chains, n_units)."""
        return self._words.copy()

    @property
    def log_weights(self) -> Floats:
        """Accumulated log importance weight of each chain (nats), shape (n_chains,)."""
        return self._log_weights.copy()

    @property
    def sweeps_per_call(self) -> int:
        """Sweeps of about a fifth of a second, so that Ctrl-C and progress bars respond."""
        return max(1, int(_CALL_OPERATIONS / (self._words.size * self._per_site)))

    def advance(self, path: Floats, backwards: bool) -> None:
        """Sweep once per row (beta, increment) of ``path``, as :meth:`.GibbsChains.advance`."""
        chains = self._words, self._log_weights, self._states
        self._advance(*chains, self._model, path, backwards)


def table_chains(
    b: Floats, tables: TableArrays, words: NDArray[np.generic], base_logits: Floats, seed: int
) -> SiteChains:
    """Chains of biases ``b`` (n_units,) and functions of a few units."""
    per_site = 10.0 + tables.inputs.size / b.size
    return SiteChains(_advance_tables, _chain_tables(b, tables, base_logits), per_site, words, seed)


def potential_chains(
    b: Floats,
    potentials: PotentialArrays,
    words: NDArray[np.generic],
    base_logits: Floats,
    seed: int,
) -> SiteChains:
    """Chains of biases ``b`` (n_units,) and potentials of sums over units."""
    axes, *others = potentials
    arrays = b, base_logits, axes.T, *others
    model = _ChainPotentials(*(np.ascontiguousarray(array) for array in arrays))
    per_site = 10.0 + 20.0 * len(axes) + 0.1 * len(model.couplings)
    return SiteChains(_advance_potentials, model, per_site, words, seed)


def _chain_tables(b: Floats, tables: TableArrays, base_logits: Floats) -> _ChainTables:
    """Tables of the kernel, with the functions of each unit listed."""
    function, place = np.indices(tables.inputs.shape).reshape(2, -1)
    units = tables.inputs.ravel()
    order = np.argsort(units, kind="stable")
    ends = np.cumsum(np.bincount(units, minlength=b.size))
    return _ChainTables(
        biases=np.ascontiguousarray(b),
        inputs=np.ascontiguousarray(tables.inputs),
        tables=np.ascontiguousarray(tables.tables),
        first=np.concatenate([[0], ends]).astype(np.intp),
        function=function[order].astype(np.int32),
        step=np.int32(1) << place[order].astype(np.int32),
        base_logits=np.array(base_logits, dtype=np.float64),
    )


class _ChainTables(NamedTuple):
    """What chains need to know of a model and of the base of their path."""

    biases: np.ndarray  # (n_units,)
    inputs: np.ndarray  # (n_functions, n_inputs), int32
    tables: np.ndarray  # (n_functions, n_patterns)
    first: np.ndarray  # (n_units + 1,): where the functions of each unit begin in the next two
    function: np.ndarray  # (n_entries,), int32
    step: np.ndarray  # (n_entries,), int32: what the unit adds to the pattern of that function
    base_logits: np.ndarray  # (n_units,): logits of the independent model at beta = 0


@subroutine(forceinline=True)
def _pattern_of(word, inputs):
    """Pattern that some inputs have in a word."""
    pattern = 0
    for place in range(inputs.size):
        if word[inputs[place]]:
            pattern += 1 << place
    return pattern


# Adds up the weights of the words that have each pattern of each function.
# Cost: one operation per word and input of a function; functions in parallel, words in order.
# Pinned by tests/energy/test_tables.py to sums in plain Python.
@kernel(parallel=True)
def _pattern_weights(words, weights, inputs, out):
    """Add to ``out`` (n_functions, n_patterns)."""
    for j in prange(inputs.shape[0]):
        for u in range(words.shape[0]):
            out[j, _pattern_of(words[u], inputs[j])] += weights[u]


# Values of the functions for each word.
# Cost: one operation per word and input of a function.
# Pinned by tests/energy/test_tables.py to sums in plain Python.
@kernel(parallel=True)
def _values(words, inputs, tables, out):
    """Fill ``out`` (n_words, n_functions)."""
    for u in prange(words.shape[0]):
        for j in range(inputs.shape[0]):
            out[u, j] = tables[j, _pattern_of(words[u], inputs[j])]


@subroutine(forceinline=True)
def _uniform(state):
    """The next number in [0, 1) of xoshiro256++ (Blackman and Vigna 2021), four words of state."""
    total = state[0] + state[3]
    mixed = ((total << np.uint64(23)) | (total >> np.uint64(41))) + state[0]
    shifted = state[1] << np.uint64(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = (state[3] << np.uint64(45)) | (state[3] >> np.uint64(19))
    return (mixed >> np.uint64(11)) * 2.0**-53


@subroutine(forceinline=True)
def _sweep_tables(word, patterns, model, beta, backwards, state):
    """Gibbs steps of all units of a chain: by how much log p~ - base'x rises."""
    n_units, rise = word.size, 0.0
    for position in range(n_units):
        n = n_units - 1 - position if backwards else position
        bit, gain = np.int32(word[n]), model.biases[n]
        for entry in range(model.first[n], model.first[n + 1]):
            j, step = model.function[entry], model.step[entry]
            off = patterns[j] - bit * step
            gain += model.tables[j, off + step] - model.tables[j, off]
        base = model.base_logits[n]
        odds = beta * gain + (1.0 - beta) * base
        # u < sigmoid(odds), exact at both ends
        u = _uniform(state)
        on = np.int32(u * np.exp(-odds) < 1.0 - u)
        if on != bit:
            change = on - bit
            word[n] = on
            rise += change * (gain - base)
            for entry in range(model.first[n], model.first[n + 1]):
                patterns[model.function[entry]] += change * model.step[entry]
    return rise


# A run of Gibbs sweeps of all chains: sweep k at beta = path[k, 0], then
# log w += path[k, 1] * (log p~(x) - base'x), with patterns and log p~ kept as units flip.
# Cost per chain, sweep and unit: two table entries per function of the unit, an exponential.
# Pinned by tests/partition/test_tables.py.
@kernel(parallel=True)
def _advance_tables(words, log_weights, states, model, path, backwards):
    """Advance the chains ``words`` (n_chains, n_units) in place, each with a stream of its own."""
    n_functions = model.inputs.shape[0]
    for chain in prange(words.shape[0]):
        word, state = words[chain], states[chain]
        patterns = np.empty(n_functions, dtype=np.int32)
        excess = 0.0
        for j in range(n_functions):
            patterns[j] = _pattern_of(word, model.inputs[j])
            excess += model.tables[j, patterns[j]]
        for n in range(word.size):
            if word[n]:
                excess += model.biases[n] - model.base_logits[n]
        for k in range(path.shape[0]):
            excess += _sweep_tables(word, patterns, model, path[k, 0], backwards, state)
            log_weights[chain] += path[k, 1] * excess


class _ChainPotentials(NamedTuple):
    """What chains need to know of a model and of the base of their path."""

    biases: np.ndarray  # (n_units,)
    base_logits: np.ndarray  # (n_units,): logits of the independent model at beta = 0
    axes: np.ndarray  # (n_units, n_potentials)
    couplings: np.ndarray  # (n_units, n_units), or empty
    first: np.ndarray  # (n_potentials + 1,): where the segments of each potential begin
    knots: np.ndarray  # (n_segments,): where segments begin; the first of each ends there
    values: np.ndarray  # (n_segments,): V at the knot
    slopes: np.ndarray  # (n_segments,): its slope there
    bends: np.ndarray  # (n_segments,): change of the logarithm of the slope by the score


@subroutine(forceinline=True)
def _value(model, k, score):
    """V_k at a score."""
    m, last = model.first[k], model.first[k + 1] - 1
    while m < last and model.knots[m + 1] <= score:
        m += 1
    step, bend = score - model.knots[m], model.bends[m]
    if bend != 0.0:
        step = np.expm1(bend * step) / bend
    return model.values[m] + model.slopes[m] * step


@subroutine(forceinline=True)
def _sweep_potentials(word, scores, values, flipped, fields, model, beta, backwards, state):
    """Gibbs steps of all units of a chain: by how much log p~ - base'x rises."""
    n_units, n_potentials, rise = word.size, scores.size, 0.0
    for position in range(n_units):
        n = n_units - 1 - position if backwards else position
        bit = np.int32(word[n])
        sign = 1.0 - 2.0 * bit
        gain = model.biases[n]
        for k in range(n_potentials):
            step = model.axes[n, k]
            if k == 0 and fields.size:
                step += 2.0 * fields[n]
            flipped[k] = _value(model, k, scores[k] + sign * step)
            gain += sign * (flipped[k] - values[k])
        base = model.base_logits[n]
        odds = beta * gain + (1.0 - beta) * base
        # u < sigmoid(odds), exact at both ends
        u = _uniform(state)
        on = np.int32(u * np.exp(-odds) < 1.0 - u)
        if on != bit:
            word[n] = on
            rise += sign * (gain - base)
            for k in range(n_potentials):
                scores[k] += sign * model.axes[n, k]
                values[k] = flipped[k]
            if fields.size:
                scores[0] += sign * 2.0 * fields[n]
                for m in range(n_units):
                    fields[m] += sign * model.couplings[n, m]
    return rise


# A run of Gibbs sweeps of all chains: sweep k at beta = path[k, 0], then
# log w += path[k, 1] * (log p~(x) - base'x), with scores and log p~ kept as units flip.
# Cost per chain, sweep and unit: an exponential, and one more with a search for each potential.
# Pinned by tests/energy/test_potentials.py.
@kernel(parallel=True)
def _advance_potentials(words, log_weights, states, model, path, backwards):
    """Advance the chains ``words`` (n_chains, n_units) in place, each with a stream of its own."""
    n_units, n_potentials = model.axes.shape
    n_coupled = model.couplings.shape[0]
    for chain in prange(words.shape[0]):
        word, state = words[chain], states[chain]
        scores, values = np.zeros(n_potentials), np.zeros(n_potentials)
        flipped, fields = np.zeros(n_potentials), np.zeros(n_coupled)
        excess = 0.0
        for n in range(n_units):
            if word[n]:
                excess += model.biases[n] - model.base_logits[n]
                for k in range(n_potentials):
                    scores[k] += model.axes[n, k]
                if n_coupled:
                    scores[0] += 2.0 * fields[n]
                    for m in range(n_units):
                        fields[m] += model.couplings[n, m]
        for k in range(n_potentials):
            values[k] = _value(model, k, scores[k])
            excess += values[k]
        for k in range(path.shape[0]):
            excess += _sweep_potentials(
                word, scores, values, flipped, fields, model, path[k, 0], backwards, state
            )
            log_weights[chain] += path[k, 1] * excess

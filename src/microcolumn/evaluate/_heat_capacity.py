"""Heat capacity over temperature, beside populations without structure (docs/information.md)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, softmax
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..energy import log_weight
from ..errors import Unsupported
from ..formatting import number, text_table
from ..models import WordModel
from ..notebook import AsText
from ..parameters import Parameters
from ..partition.gibbs import Sampler, new_seed
from ..partition.importance_weights import effective_sample_size
from ..validation import Floats, check_entries, expect, random_generator, real_array, whole_number
from ..words import Words, check_single_bins
from ._model_words import listed_log_probability
from ._synchrony import synchrony
from .inputs import words_for
from .significance import with_error

#: Chains that cool, sweeps per unit of inverse temperature, and words of a chain per temperature.
_N_CHAINS, _COOLING, _N_ROUNDS = 500, 1000, 20
#: Chains that must count at a temperature, by their weights.
_FEWEST_CHAINS = 50
#: Share of the flat model's weight on the largest number of active units seen that cuts it off.
_CUT_OFF = 1e-3


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HeatCapacity(AsText):
    """Heat capacity per unit of a model, of its fits to fewer units, and of flat models.

    A flat model has the same distribution of the number of active units and nothing else: all words
    of as many active units have the same probability. Arrays (n_sizes, n_temperatures) are in units
    of Boltzmann's constant, means over random subsets of units.

    Parameters
    ----------
    model : str
        Name of the model's class.
    sizes : ndarray of int64, shape (n_sizes,)
        Units of each population, increasing; the last are all.
    temperatures : ndarray, shape (n_temperatures,)
        Increasing; the model is at 1.
    per_unit, stderr : ndarray
        Of the model, with the standard error: over subsets; of all units over chains, 0 of a sum.
        NaN where chains that cooled down are no longer in equilibrium.
    flat : ndarray
        Of the flat models. NaN where it hangs on numbers of active units that were never drawn.
    """

    model: str
    sizes: NDArray[np.int64]
    temperatures: Floats
    per_unit: Floats
    stderr: Floats
    flat: Floats

    def __str__(self) -> str:
        header = ("units", "T = 1", "peak", "at T", "flat, T = 1", "peak", "at T")
        rows, m = [], int(np.searchsorted(self.temperatures, 1.0))
        for k, n in enumerate(self.sizes):
            own, flat = (self._peak(values[k]) for values in (self.per_unit, self.flat))
            error = with_error(self.per_unit[k, m], self.stderr[k, m])
            rows.append((f"{n}", error, *own, number(self.flat[k, m]), *flat))
        return (
            f"{self.model}: heat capacity per unit, in units of Boltzmann's constant\n"
            f"{text_table(header, rows)}\n"
            "Flat models have the same distribution of the number of active units and no other "
            "structure. A heat capacity that grows with the number of units, and a peak near "
            "T = 1, are expected wherever units are correlated and randomly subsampled, as in flat "
            "models (Nonnenmacher et al. 2017): they are no evidence of criticality."
        )

    def _peak(self, values: Floats) -> tuple[str, str]:
        """The highest value and its temperature; none at the edge, where it may lie beyond."""
        place = int(np.argmax(np.nan_to_num(values, nan=-1.0)))
        if place in (0, values.size - 1) or np.isnan(values[place - 1 : place + 2]).any():
            return "-", "-"
        return number(values[place]), number(self.temperatures[place])


def heat_capacity(
    model: WordModel,
    words: Words | ArrayLike | None = None,
    *,
    temperatures: ArrayLike | None = None,
    n_subsets: int = 5,
    random_state: int | np.random.Generator | None = 0,
) -> HeatCapacity:
    """Heat capacity per unit over temperature, with the control of Nonnenmacher et al. (2017).

    At temperature T words have probability p(x)^(1/T), normalised; the heat capacity is the
    variance of log p there over T^2. Up to 20 units it is a sum over all words. Beyond, chains of a
    model with an energy cool down from fair coins, weighted as in annealed importance sampling.

    Parameters
    ----------
    model : WordModel
        A fitted model.
    words : Words or array_like, shape (n_words, n_units), optional
        The words of single bins that it was fitted to; then it is also fitted to subsets of units.
    temperatures : array_like, shape (n_temperatures,), optional
        1 is added. By default 41 from 0.5 to 2.
    n_subsets : int
        Random subsets of a fifth of all units, of two fifths and so on, with ``words`` only.
    random_state : int, Generator or None
        Source of subsets and chains.

    Examples
    --------
    >>> from microcolumn.models import Independent
    >>> coins = Independent.from_parameters(Parameters(b=[2.0, 2.0]))
    >>> heat_capacity(coins, temperatures=[1.0, 2.0]).per_unit.round(3)  # (b / 2T / cosh(b / 2T))^2
    array([[0.42 , 0.197]])
    """
    kind: Any = WordModel
    check_is_fitted(expect("model", model, kind, "a fitted model of words"))
    whole_number("n_subsets", n_subsets, least=2)
    usual = 2.0 ** np.linspace(-1.0, 1.0, 41)
    grid = real_array("temperatures", usual if temperatures is None else temperatures, "pass some")
    check_entries("temperatures", grid, (grid > 0.0) & (grid < np.inf), "pass positive numbers")
    grid = np.union1d(grid, 1.0)
    rng, n_units, rows, sizes = random_generator(random_state), model.n_features_in_, [], set[int]()
    if words is not None:
        held = words_for(model, words, None)
        check_single_bins(held)
        sizes = {n for k in range(1, 5) if 1 < (n := n_units * k // 5) < n_units}
    for n in sorted(sizes):
        subsets = [held.subset(rng.permutation(n_units)[:n]) for _ in range(n_subsets)]
        fits = (clone(model).fit(subset) for subset in subsets)
        own, _, flat = np.array([_capacities(fit, grid, rng) for fit in fits]).swapaxes(0, 1)
        error = own.std(axis=0, ddof=1) / math.sqrt(n_subsets)
        rows.append([own.mean(axis=0), error, flat.mean(axis=0)])
    rows.append([*_capacities(model, grid, rng)])
    all_sizes = np.array([*sorted(sizes), n_units], dtype=np.int64)
    per_unit = np.array(rows).swapaxes(0, 1) / all_sizes[:, None]
    return HeatCapacity(type(model).__name__, all_sizes, grid, *per_unit)


def _capacities(
    model: WordModel, grid: Floats, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """Heat capacity of all units, its error, and that of the flat model, at each temperature."""
    log_p = listed_log_probability(model)
    if log_p is not None:
        n_active = np.bitwise_count(np.arange(log_p.size))
        shares = np.bincount(n_active, np.exp(log_p), model.n_features_in_ + 1)
        own = _capacity(log_p, np.zeros(1), grid), np.zeros(grid.size)
        return *own, flat_capacity(shares.astype(np.float64), grid)
    theta: Parameters | None = model._theta() if hasattr(model, "_theta") else None
    if theta is None:
        problem = f"{type(model).__name__} has no energy, and more units than can be summed"
        raise Unsupported(problem, "use at most 20 units, or another model such as Ising")
    active = synchrony(model, random_state=rng).probability
    return *_cooled(theta.drop_dead_units()[0], grid, rng), flat_capacity(active, grid)


def _capacity(log_p: Floats, log_number: Floats, grid: Floats) -> Floats:
    """Heat capacity where ``exp(log_number)`` words each have these log probabilities."""
    out = np.empty(grid.size)
    for k, temperature in enumerate(grid):
        p = softmax(log_number + log_p / temperature)
        out[k] = p @ (log_p - p @ log_p) ** 2 / temperature**2
    return out


def flat_capacity(active: Floats, grid: Floats) -> Floats:
    """Heat capacity of the model under which only the number of active units matters.

    ``active`` (n_units + 1,) is its distribution. NaN where the largest number seen cuts it off.
    """
    n, seen = active.size - 1, np.flatnonzero(active > 0.0)
    log_number = gammaln(n + 1.0) - gammaln(seen + 1.0) - gammaln(n - seen + 1.0)
    log_p = np.log(active[seen]) - log_number
    last = softmax(log_number + log_p / grid[:, None], axis=1)[:, -1]
    is_cut = (seen[-1] < n) & (last > _CUT_OFF)
    return np.where(is_cut, np.nan, _capacity(log_p, log_number, grid))


def _cooled(theta: Parameters, grid: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Heat capacity and its standard error from chains that cool down from fair coins."""
    coins = np.zeros(theta.n_visible)
    chains = Sampler(theta, _N_CHAINS, seed=new_seed(rng), base_logits=coins)
    capacity, stderr = np.full((2, grid.size), np.nan)
    beta = 0.0
    for k in range(grid.size)[::-1]:
        start, beta = beta, 1.0 / float(grid[k])
        path = np.linspace(start, beta, math.ceil((beta - start) * _COOLING) + 1)
        chains.run(path[:-1], increments=np.diff(path))
        if effective_sample_size(chains.log_weights) < _FEWEST_CHAINS:
            break  # colder chains are even less alike
        rounds = (chains.run([beta]).words for _ in range(_N_ROUNDS))
        log_p = np.array([log_weight(theta, words) for words in rounds])
        weights = softmax(chains.log_weights)
        squared = ((log_p - weights @ log_p.mean(axis=0)) ** 2).mean(axis=0)
        capacity[k] = beta**2 * (weights @ squared)
        stderr[k] = np.sqrt(np.sum((weights * (beta**2 * squared - capacity[k])) ** 2))
    return capacity, stderr

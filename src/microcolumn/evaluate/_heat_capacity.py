"""Heat capacity over temperature, beside populations without structure (docs/information.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, softmax
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..energy import log_weight
from ..errors import BadArgument, Unsupported
from ..formatting import text_table
from ..models import WordModel
from ..notebook import AsText
from ..parameters import Parameters
from ..partition.gibbs import Sampler, new_seed
from ..partition.importance_weights import effective_sample_size
from ..tables import AsTable
from ..validation import (
    Floats,
    check_entries,
    check_increasing,
    expect,
    listed,
    random_generator,
    real_vector,
    whole_number,
)
from ..words import Words, check_single_bins
from ._model_words import listed_log_probability
from ._synchrony import synchrony
from .inputs import words_for
from .significance import with_error

#: Chains that cool, sweeps per unit of inverse temperature, and words of a chain per temperature.
_N_CHAINS, _COOLING, _N_ROUNDS = 500, 1000, 20
#: Chains that must count at a temperature, by their weights.
_FEWEST_CHAINS = 50
#: Share of the flat model's weight on the largest number of active units that cuts it off.
_CUT_OFF = 1e-3
#: Sizes of populations, and the smallest as a share of the whole.
_N_SIZES, _SMALLEST = 5, 0.2


class _Curve(NamedTuple):
    """Heat capacity at each temperature with its error, of all units, and P(k units active)."""

    capacity: Floats
    stderr: Floats
    active: Floats


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HeatCapacity(AsText, AsTable):
    """Heat capacity per unit of a model, of its fits to fewer units, and of flat models.

    A flat model has the same distribution of the number of active units, and nothing else: all
    words of as many active units have the same probability. All arrays (n_sizes, n_temperatures)
    are in units of Boltzmann's constant.

    Parameters
    ----------
    model : str
        Name of the model's class.
    sizes : ndarray of int64, shape (n_sizes,)
        Units of each population, increasing; the last are all.
    temperatures : ndarray, shape (n_temperatures,)
        Increasing; the model is at 1.
    per_unit, stderr : ndarray
        Heat capacity of the model over the number of units, a mean over subsets, and its standard
        error: of all units by sampling, 0 of an exact sum; else over subsets, NaN of a single one.
        NaN where chains that cool down did not stay in equilibrium.
    flat : ndarray
        Of the flat models, mean over subsets. NaN where it hangs on numbers of active units that
        drawn words do not show.
    n_subsets : int
        Random subsets of units of each size below the last.
    """

    model: str
    sizes: NDArray[np.int64]
    temperatures: Floats
    per_unit: Floats
    stderr: Floats
    flat: Floats
    n_subsets: int

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per size and temperature."""
        columns = {"per_unit": self.per_unit, "stderr": self.stderr, "flat": self.flat}
        return [
            {"n_units": int(n), "temperature": float(t)}
            | {name: float(values[k, m]) for name, values in columns.items()}
            for k, n in enumerate(self.sizes)
            for m, t in enumerate(self.temperatures)
        ]

    @property
    def at_one(self) -> int:
        """Column of temperature 1."""
        return int(np.searchsorted(self.temperatures, 1.0))

    def __str__(self) -> str:
        header = ("units", "at T = 1", "peak", "at T", "flat, at T = 1", "peak", "at T")
        rows = []
        for k, n in enumerate(self.sizes):
            m = self.at_one
            cells = [with_error(self.per_unit[k, m], self.stderr[k, m]), f"{self.flat[k, m]:.2f}"]
            peaks = [self._peak(values[k]) for values in (self.per_unit, self.flat)]
            rows.append((f"{n}", cells[0], *peaks[0], cells[1], *peaks[1]))
        return (
            f"{self.model}: heat capacity per unit, in units of Boltzmann's constant\n"
            f"{text_table(header, rows)}\n"
            "Flat models have the same distribution of the number of active units and no other "
            "structure. A heat capacity that grows with the number of units, and a peak near "
            "T = 1, are expected wherever units are correlated and randomly subsampled, as in flat "
            "models (Nonnenmacher et al. 2017): they are no evidence of criticality."
        )

    def _peak(self, values: Floats) -> tuple[str, str]:
        if np.isnan(values).all():
            return "-", "-"
        place = int(np.nanargmax(values))
        at_edge = place in (0, values.size - 1)  # the peak may lie beyond
        return f"{values[place]:.2f}", f"{self.temperatures[place]:.2f}{'?' * at_edge}"


def heat_capacity(
    model: WordModel,
    words: Words | ArrayLike | None = None,
    *,
    temperatures: ArrayLike | None = None,
    sizes: Sequence[int] | None = None,
    n_subsets: int = 5,
    random_state: int | np.random.Generator | None = 0,
) -> HeatCapacity:
    """Heat capacity per unit over temperature, with the control that Nonnenmacher et al. ask for.

    At temperature T words have probability p(x)^(1/T), normalised, and the heat capacity is the
    variance of log p there over T^2. Up to 20 units it is a sum over all words; beyond, chains
    cool down from fair coins, weighted as in annealed importance sampling, which takes a model with
    an energy.

    With ``words`` the model is also fitted to random subsets of the units, so that one sees how the
    heat capacity grows with the population, and how that of models without any structure does.

    Parameters
    ----------
    model : WordModel
        A fitted model.
    words : Words or array_like, shape (n_words, n_units), optional
        The words of single bins that it was fitted to.
    temperatures : array_like, shape (n_temperatures,), optional
        Positive and increasing; 1 is added. By default 41 from 0.5 to 2.
    sizes : sequence of int, optional
        Units of the subsets, increasing; by default four sizes from a fifth of all units. With
        ``words`` only.
    n_subsets : int
        Random subsets of each size.
    random_state : int, Generator or None
        Source of subsets and chains.

    Examples
    --------
    >>> from microcolumn.models import Independent
    >>> coins = Independent.from_parameters(Parameters(b=[2.0, 2.0]))
    >>> result = heat_capacity(coins, temperatures=[1.0, 2.0])
    >>> result.per_unit.round(3)  # b^2 / (4 T^2 cosh(b / 2T)^2)
    array([[0.42 , 0.197]])
    """
    kind: Any = WordModel
    check_is_fitted(expect("model", model, kind, "a fitted model of words"))
    grid, rng = _grid(temperatures), random_generator(random_state)
    n_units = model.n_features_in_
    held = None if words is None else words_for(model, words, None)
    if held is not None:
        check_single_bins(held)
    elif sizes is not None:
        raise BadArgument("sizes", "are given without words", "pass the words to fit subsets to")
    smaller = [] if held is None else _sizes(sizes, n_units)
    curves = []
    for n in smaller:
        chosen = [
            rng.permutation(n_units)[:n] for _ in range(whole_number("n_subsets", n_subsets, 1))
        ]
        assert held is not None
        fits = (clone(model).fit(held.subset(positions)) for positions in chosen)
        curves.append([_curve(fit, grid, rng) for fit in fits])
    curves.append([_curve(model, grid, rng)])
    each_size = [*smaller, n_units]
    per_unit, stderr, flat = (np.zeros((len(each_size), grid.size)) for _ in range(3))
    for k, (n, own) in enumerate(zip(each_size, curves, strict=True)):
        values = np.array([curve.capacity for curve in own]) / n
        per_unit[k], stderr[k] = values.mean(axis=0), own[0].stderr / n
        if n < n_units:
            over = values.std(axis=0, ddof=1) if len(own) > 1 else np.full(grid.size, np.nan)
            stderr[k] = over / math.sqrt(len(own))
        flat[k] = np.mean([flat_capacity(curve.active, grid) for curve in own], axis=0) / n
    name, all_sizes = type(model).__name__, np.array(each_size, dtype=np.int64)
    return HeatCapacity(name, all_sizes, grid, per_unit, stderr, flat, n_subsets)


def _grid(temperatures: ArrayLike | None) -> Floats:
    if temperatures is None:
        temperatures = 2.0 ** np.linspace(-1.0, 1.0, 41)
    grid = real_vector("temperatures", temperatures, np.size(temperatures), "temperature")
    positive = (grid > 0.0) & (grid < np.inf)
    check_entries("temperatures", grid, positive, "temperatures must be positive")
    check_increasing("temperatures", grid, "they must increase")
    return np.union1d(grid, 1.0)


def _sizes(sizes: Sequence[int] | None, n_units: int) -> list[int]:
    if sizes is None:
        least = max(2.0, _SMALLEST * n_units)
        sizes = np.unique(np.linspace(least, n_units, _N_SIZES).astype(int))[:-1].tolist()
    given = [whole_number("sizes", n, 2) for n in listed("sizes", sizes, "pass numbers of units")]
    check_increasing("sizes", np.array(given), "they must increase")
    if given and given[-1] >= n_units:
        problem = f"names {given[-1]} of {n_units} units"
        raise BadArgument("sizes", problem, "leave out all of them, which are always there")
    return given


def _curve(model: WordModel, grid: Floats, rng: np.random.Generator) -> _Curve:
    log_p = listed_log_probability(model)
    if log_p is not None:
        n = model.n_features_in_
        active = np.bincount(np.bitwise_count(np.arange(1 << n)), np.exp(log_p), n + 1)
        capacity = _capacity(log_p, np.zeros(1), grid)
        return _Curve(capacity, np.zeros(grid.size), active.astype(np.float64))
    theta: Parameters | None = model._theta() if hasattr(model, "_theta") else None
    if theta is None:
        problem = f"{type(model).__name__} has no energy, and more units than can be summed"
        raise Unsupported(problem, "use at most 20 units, or another model such as Ising")
    active = synchrony(model, random_state=rng).probability
    return _Curve(*_cooled(theta, grid, rng), active)


def _capacity(log_p: Floats, log_number: Floats, grid: Floats) -> Floats:
    """Heat capacity where ``exp(log_number)`` words have each of the probabilities."""
    out = np.empty(grid.size)
    for k, temperature in enumerate(grid):
        p = softmax(log_number + log_p / temperature)
        out[k] = p @ (log_p - p @ log_p) ** 2 / temperature**2
    return out


def flat_capacity(active: Floats, grid: Floats) -> Floats:
    """Heat capacity of the model under which only the number of active units matters.

    ``active`` (n_units + 1,) is its distribution. NaN where the largest number that occurs cuts it
    off.
    """
    n, seen = active.size - 1, np.flatnonzero(active > 0.0)
    log_number = gammaln(n + 1.0) - gammaln(seen + 1.0) - gammaln(n - seen + 1.0)
    log_p = np.log(active[seen]) - log_number
    out = _capacity(log_p, log_number, grid)
    if seen[-1] < n:
        weights = softmax(log_number + log_p / grid[:, None], axis=1)
        out[weights[:, -1] > _CUT_OFF] = np.nan
    return out


def _cooled(theta: Parameters, grid: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Heat capacity and its standard error from chains that cool down from fair coins."""
    live, _ = theta.drop_dead_units()
    coins = np.zeros(live.n_visible)
    chains = Sampler(live, _N_CHAINS, seed=new_seed(rng), base_logits=coins)
    capacity, stderr = np.full((2, grid.size), np.nan)
    beta = 0.0
    for k in range(grid.size)[::-1]:
        target = 1.0 / float(grid[k])
        path = np.linspace(beta, target, math.ceil((target - beta) * _COOLING) + 1)
        chains.run(path[:-1], increments=np.diff(path))
        beta = target
        if effective_sample_size(chains.log_weights) < _FEWEST_CHAINS:
            break  # colder chains are even less alike
        rounds = (chains.run([beta]).words for _ in range(_N_ROUNDS))
        log_p = np.array([log_weight(live, words) for words in rounds])
        weights = softmax(chains.log_weights)
        squared = (log_p - weights @ log_p.mean(axis=0)) ** 2
        by_chain = squared.mean(axis=0)
        variance = float(weights @ by_chain)
        capacity[k] = variance * beta**2
        stderr[k] = math.sqrt(float(np.sum((weights * (by_chain - variance)) ** 2))) * beta**2
    return capacity, stderr

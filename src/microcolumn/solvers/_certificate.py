"""How far a fit is from its optimum.

For objectives that are computed exactly this is the largest violation of the optimality
conditions. Where the likelihood's gradient is sampled, fresh chains that had no part in the fit
judge it: at the optimum their moments differ from the data's, penalty counted, by no more than
their own noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from ..layout import Layout
from ..notebook import AsText
from ..objectives.sparse_words import SparseWords
from ..packing import packed
from ..parameters import Parameters
from ..partition.gibbs import Sampler, new_seed
from ..validation import Bits, Floats
from ..words import Words
from ._gain import Fisher, gain_of
from ._sampler_settings import SamplerSettings
from ._spread import FlipRates, SpreadDraws, grown, independent_words, weights_of, with_potential
from ._strata import Stratum

if TYPE_CHECKING:
    from ._stochastic import Effort, SampledProblem

#: Groups of each half of the chains, by which the error of the gain is found, and batches of each
#: group, by which those of the slopes are.
_GROUPS, _BATCHES = 8, 8
#: Mean square of the z-scores beyond which a fit has not converged. At the optimum it is 1 on
#: average, but moments are correlated: one burst more among the chains raises all, and the mean
#: square of one set of chains is between a half and two.
MOST_MEAN_SQUARE = 3.0
#: Standard errors by which the slope of a zero must exceed the penalty for it to be judged.
CLEARLY = 4.0
#: Standard error below which a moment does not vary: only rounding sets it apart from a constant.
_CONSTANT = 1e-7
#: Words of a kind by whose number the mass of all is known.
_SEEN = 64
#: Standard errors by which a gain must exceed what may be left for a fit not to have converged.
_CERTAIN = 2.0
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True, repr=False)
class Certificate(AsText):
    """How far a fit is from its optimum; printed, it is a sentence.

    Parameters
    ----------
    converged : bool
        Whether the fit may be called a solution.
    optimality : float
        Largest violation of the optimality conditions, per entry of the parameters. For a
        sampled likelihood it includes the noise of the fresh chains.
    mean_square_z : float, optional
        Of a sampled likelihood: mean square of the violations in units of their own standard
        errors, over all parameters that are not zero; 1 at the optimum.
    n_moments : int, optional
        Parameters that it is the mean over.
    chains_agree : float, optional
        The same for the difference between chains that started from data and chains that were
        annealed from independent units; 1 if all chains have reached the model.
    gain, gain_stderr : float, optional
        Likelihood that is still to be gained, nats per word. Of a sampled likelihood what the best
        step by one half of the chains gains, judged by the other half, with its standard error; it
        may be negative where there is nothing to gain, and far from the optimum one step does not
        gain all. Else by what the last steps have gained, rather too much than too little.
    n_rounds : int, optional
        Rounds of drawing words and fitting to them.

    Examples
    --------
    >>> print(Certificate(True, 3e-9))
    optimality 3e-09
    """

    converged: bool
    optimality: float
    mean_square_z: float | None = None
    n_moments: int | None = None
    chains_agree: float | None = None
    gain: float | None = None
    gain_stderr: float | None = None
    n_rounds: int | None = None

    def gain_bits_per_second(self, bin_width: float) -> tuple[float, float]:
        """Likelihood still to be gained and its standard error, for bins of so many seconds."""
        if self.gain is None or self.gain_stderr is None:
            return 0.0, 0.0
        scale = 1.0 / (math.log(2.0) * bin_width)
        return self.gain * scale, self.gain_stderr * scale

    def __str__(self) -> str:
        if self.mean_square_z is None:
            left = (
                "" if self.gain is None else f", {self.gain:.1g} nats per word still to be gained"
            )
            return f"optimality {self.optimality:.2g}{left}"
        return (
            f"mean square z {self.mean_square_z:.2f} over {self.n_moments} moments of fresh "
            f"chains, {'' if self.converged else 'at least '}{self.gain:.2g} ± "
            f"{self.gain_stderr:.2g} nats per word still to be gained"
        )


class _Moments(NamedTuple):
    """Slopes of log p~ over chains, and the words that these show.

    ``groups`` (n_groups, layout.size) are means over groups of chains, ``variance`` (layout.size,)
    that of their mean; ``words`` (n_words, n_visible) count by ``weights`` (n_words,).
    """

    groups: Floats
    variance: Floats
    words: Bits
    weights: Floats


def sampled_certificate(
    rng: np.random.Generator,
    theta: Parameters,
    problem: SampledProblem,
    effort: Effort,
    spread: SpreadDraws | None = None,
    strata: tuple[Stratum, ...] = (),
) -> Certificate:
    """Judge a fit by fresh chains, half of them from data, half annealed from independent units.

    ``spread`` are words of the search that are spread over all numbers of active units: the
    potential that spreads them is taken over. Where the search has ``strata``, each half stays in
    the first one and anneals words of the others anew (docs/method.md, section 5).
    """
    penalty, settings = problem.penalty, problem.settings
    layout = replace(problem.layout, basis=None)  # numbers of active units have errors each
    walled = with_potential(theta, strata[0].potential) if strata else theta
    chains = _starts(walled, problem.data.words, rng, settings, spread)
    halves = [
        _stratified_moments(rng, theta, layout, each, problem, strata)
        if strata
        else _chain_moments(theta, layout, each, settings, spread)
        for each in chains
    ]
    first, second = (half.groups.mean(axis=0) for half in halves)
    mean, data = 0.5 * (first + second), layout.pack_gradient(problem.data(theta)[1])
    summed = halves[0].variance + halves[1].variance
    variance = 0.25 * summed
    # What chains hardly ever show has no variance there. At the optimum it would have the data's:
    # that of a bit, but for hidden units.
    expected = np.maximum(data * (layout.multiplicity - data), 0.0) / layout.n_tied
    expected[layout.weights] = expected[layout.hidden_biases] = 0.0
    n_words = settings.judging_chains * settings.judging_words
    variance = np.maximum(variance, expected / n_words)
    errors, apart, apart_errors = np.sqrt(variance), first - second, np.sqrt(summed)
    x, slopes = layout.pack(theta), mean - data
    penalty.add_subgradient(x, layout, slopes)
    # Zeros are judged where they clearly should not be zero: noise alone moves none of them.
    is_judged = (x != 0.0) | _is_bias(layout) | (np.abs(slopes) > CLEARLY * errors)
    is_judged &= errors > _CONSTANT  # not so the biases of dead hidden units
    z = slopes[is_judged] / errors[is_judged]
    z_apart = apart[is_judged] / np.maximum(apart_errors, 2.0 * errors)[is_judged]
    n_moments = int(is_judged.sum())
    mean_square = float((z**2).mean()) if n_moments else 0.0
    agree = float((z_apart**2).mean()) if n_moments else 0.0
    of_data = problem.data.words.X, problem.data.words.counts
    fishers = [Fisher.of(theta, layout, [(half.words, half.weights), of_data]) for half in halves]
    by_group = [half.groups - data for half in halves]
    gain, gain_stderr = gain_of(x, layout, penalty, by_group, fishers)
    more_to_gain = gain - _CERTAIN * gain_stderr > problem.negligible(x)
    return Certificate(
        converged=max(mean_square, agree) <= MOST_MEAN_SQUARE and not more_to_gain,
        optimality=float(np.abs(slopes / layout.multiplicity).max(initial=0.0)),
        mean_square_z=mean_square,
        n_moments=n_moments,
        chains_agree=agree,
        gain=gain,
        gain_stderr=gain_stderr,
        n_rounds=effort.n_rounds,
    )


def _starts(
    theta: Parameters,
    words: Words,
    rng: np.random.Generator,
    settings: SamplerSettings,
    spread: SpreadDraws | None,
) -> list[Sampler]:
    """Chains at words of the data, and chains annealed from independent units at their rates.

    Where words are ``spread`` over all numbers of active units, so are both.
    """
    half = settings.judging_chains // 2
    shares = words.counts / words.counts.sum()
    picked = words.X[rng.choice(len(words), size=half, p=shares)]
    logits = logit(np.clip(words.rates, 1e-3, 1.0 - 1e-3))
    if spread is not None:
        biased = with_potential(theta, spread.bias)
        totals = rng.choice(spread.bias.size, size=half, p=spread.shares)
        starts = grown(rng, picked, totals), independent_words(rng, logits, totals)
        return [Sampler(biased, half, seed=new_seed(rng), initial=start) for start in starts]
    from_data = Sampler(theta, half, seed=new_seed(rng), initial=picked)
    annealed = Sampler(theta, half, seed=new_seed(rng), base_logits=logits)
    annealed.run(np.linspace(0.0, 1.0, settings.judging_settling))
    return [from_data, annealed]


def _chain_moments(
    theta: Parameters,
    layout: Layout,
    sampler: Sampler,
    settings: SamplerSettings,
    spread: SpreadDraws | None,
) -> _Moments:
    """Of chains as they are; batches of them are independent, words of one chain are not."""
    words = _judging_words(sampler, settings)
    if spread is not None:
        rates = FlipRates.of(with_potential(theta, spread.bias), packed(words), np.ones(len(words)))

        def weigh(places: Places) -> Floats:
            return weights_of(theta, rates.only(places), spread.bias, settings)

        member = np.arange(len(words)) * _GROUPS // len(words)
        return _weighted_moments(theta, layout, words, member, weigh)
    n, weights = _GROUPS * _BATCHES, np.ones(len(words) // (_GROUPS * _BATCHES))
    parts = words.reshape(n, -1, layout.n_visible)
    batches = np.stack([_moments(theta, layout, part, weights) for part in parts])
    groups = batches.reshape(_GROUPS, _BATCHES, -1).mean(axis=1)
    return _Moments(groups, batches.var(axis=0) / (n - 1), words, np.ones(len(words)))


def _judging_words(sampler: Sampler, settings: SamplerSettings) -> Bits:
    """Words of chains after they have settled, those of each chain one after the other."""
    sampler.run(np.ones(settings.judging_settling))
    between = np.ones(settings.judging_between)
    snapshots = [sampler.run(between).words for _ in range(settings.judging_words)]
    return np.stack(snapshots, axis=1).reshape(-1, sampler.n_units)


def _stratified_moments(
    rng: np.random.Generator,
    theta: Parameters,
    layout: Layout,
    sampler: Sampler,
    problem: SampledProblem,
    strata: tuple[Stratum, ...],
) -> _Moments:
    """The same of chains in the first stratum, and of annealed words in the others."""
    settings, data = problem.settings, problem.data.words
    first, frequent = strata[0], data.X[np.argmax(data.counts)]
    words = _judging_words(sampler, settings)
    steps = settings.judging_chains // 8, 2 * settings.annealing_steps
    annealed = [stratum.annealed(rng, theta, *steps) for stratum in strata[1:]]
    parts = [words[first.holds(words)], *(each for each, _ in annealed)]
    log_weights = np.zeros(len(parts[0]))
    is_frequent = (parts[0] == frequent).all(axis=1)
    for stratum, (each, log_weight) in zip(strata[1:], annealed, strict=True):
        inside = np.where(stratum.holds(each), log_weight + math.log(len(each)), -np.inf)
        log_weights = np.append(log_weights, inside)
    words, sizes = np.concatenate(parts), [len(part) for part in parts]
    member = np.concatenate([np.arange(size) * _GROUPS // size for size in sizes])
    part = np.repeat(np.arange(len(sizes)), sizes)
    log_p = float(SparseWords.of(frequent[None]).log_weights(theta)[0])

    def weigh(places: Places) -> Floats:
        counts = np.bincount(part[places])
        n_frequent = np.count_nonzero(is_frequent[places[: counts[0]]])
        is_seen = n_frequent >= _SEEN
        log_mass = log_p - math.log(n_frequent / counts[0]) if is_seen else first.log_mass
        logs = log_weights[places] + np.where(part[places] == 0, log_mass, 0.0)
        logs -= np.log(counts[part[places]])
        return np.asarray(np.exp(logs - logs.max()))

    return _weighted_moments(theta, layout, words, member, weigh)


def _weighted_moments(
    theta: Parameters,
    layout: Layout,
    words: Bits,
    member: Places,
    weigh: Callable[[Places], Floats],
) -> _Moments:
    """The same of words that count by weights, which some of them together decide.

    All groups share the masses, so groups are left out one by one, with their part in these (the
    jackknife), and what each of them changes stands for its own mean. ``member`` (n_words,) is the
    group of each word.
    """
    n = _GROUPS

    weights = weigh(np.arange(len(words)))
    whole = _moments(theta, layout, words, weights)
    without = [np.flatnonzero(member != k) for k in range(n)]
    means = [_moments(theta, layout, words[places], weigh(places)) for places in without]
    groups = n * whole - (n - 1) * np.stack(means)
    return _Moments(groups, groups.var(axis=0) / (n - 1), words, weights)


def _moments(theta: Parameters, layout: Layout, words: Bits, weights: Floats) -> Floats:
    """Mean over words of the slopes of log p~ along the coordinates."""
    moments = theta.moments(words.astype(np.float64), weights / weights.sum())
    return layout.pack_gradient(moments)


def _is_bias(layout: Layout) -> NDArray[np.bool_]:
    """Which coordinates no penalty holds at zero, shape (layout.size,)."""
    first, second, third, _ = layout.offsets
    is_bias = np.zeros(layout.size, dtype=bool)
    is_bias[first:second] = is_bias[third:] = True
    return is_bias

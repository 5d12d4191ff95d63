"""Annealed importance sampling of log Z, checked by the reverse run (docs/method.md, section 5)."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from ..energy import log_weight
from ..errors import BadArgument
from ..packing import unique_rows
from ..parameters import Parameters
from ..validation import Bits, Floats, positive_number, random_generator, whole_number
from ._branches import Branch, Part, branches_of, share_of, start_from_samples, total
from ._samples import exact_samples
from ._shares import modes_of
from .cost import USUAL, PartitionSettings, operations
from .gibbs import Base, RandomState, base_logits, new_seed, words_of_units
from .importance_weights import ROUNDING, doubt_of, effect, effective_sample_size, log_mean
from .modes import annealed_shortly, find_modes
from .result import LogPartition

#: Words with two units flipped are added around a peak in models of at most so many units.
_MOST_UNITS_OF_PAIRS = 200


def annealed_importance_sampling(
    theta: Parameters,
    *,
    base: Base = "rates",
    rates: ArrayLike | None = None,
    words: ArrayLike | None = None,
    n_chains: int = 500,
    n_steps: int = 1000,
    max_steps: int = 100_000,
    tolerance_bits: float = 0.02,
    random_state: RandomState = 0,
    progress: bool | None = None,
    settings: PartitionSettings = USUAL,
) -> LogPartition:
    """Estimate log Z by annealing, doubling the steps until forward and reverse run agree.

    A search for modes comes first. From each of them runs a path of its own, and log Z is the
    logarithm of the sum of their parts; most models have one mode.

    ``converged`` of the result says that the estimate settled within the tolerance, that the
    reverse estimate agrees within it and within three standard errors, that the reverse run found
    no mass that the forward chains missed, and that no words are known that hold more than Z. If
    not, a ConvergenceWarning says why. The result does not depend on the number of threads.

    Parameters
    ----------
    base : {"rates", "uniform"}
        Where the path starts: the independent model at the units' firing rates, or fair coins.
        Where the model has several modes, the path of each starts at that mode's own rates.
    rates : array_like, shape (n_units,), optional
        Probability of each unit to be active in a word; taken from ``words`` if those are given
        instead, and from a short annealed Gibbs run of the model if neither is. Kept away from
        0 and 1 by 0.001.
    words : array_like, shape (n_words, n_units), optional
        Data words. The search starts from them, too, and the reverse run where the model is too
        large for exact samples. With them the result says which modes the data show.
    n_chains : int
        Number of forward chains of each path, fewer for light modes; the reverse run has twice as
        many.
    n_steps : int
        Number of inverse temperatures of the first run; they are equally spaced (denser spacing
        at either end measured up to 50 % more variance on random models).
    max_steps : int
        Largest number of steps to try.
    tolerance_bits : float
        What the estimate may move on doubling, its standard error, and its distance from the
        reverse estimate, all in bits.
    random_state : int, Generator or None
        Source of the seeds.
    progress : bool, optional
        Show a bar once a run takes longer than a few seconds; by default on a terminal only.
    settings : PartitionSettings
        Whether exact samples are drawn, and how many modes are looked for.
    """
    whole_number("n_chains", n_chains, least=2)  # a standard error needs them
    whole_number("max_steps", max_steps)
    positive_number("tolerance_bits", tolerance_bits, "it must be a positive number of bits")
    if not 1 <= whole_number("n_steps", n_steps) <= max_steps:
        raise BadArgument("n_steps", f"is {n_steps}", f"it must be from 1 to max_steps={max_steps}")
    data = None if words is None else words_of_units(words, theta.n_visible, "words")
    started = time.perf_counter()
    rng = random_generator(random_state)
    live, log_factor = theta.drop_dead_units()
    logits = base_logits(live, base, rates, data, rng)
    run = _Annealing.of(live, logits, data, n_chains, rng, progress, settings)
    if base == "rates":
        run.maybe_switch_base()
    doubt = run.run_until_converged(n_steps, max_steps, tolerance_bits * math.log(2.0))
    if doubt is not None:
        warnings.warn(
            f"annealed importance sampling has not converged after {run.n_steps} steps of "
            f"{n_chains} chains: {doubt}; raise max_steps or n_chains, or sum exactly if the model "
            "allows it",
            ConvergenceWarning,
            stacklevel=2,
        )
    log_z, reverse = run.log_z, total([branch.reverse_part for branch in run.branches])
    # Of a site update: two per hidden unit, and a random number, log and exp.
    n_operations = float(run.n_sweeps) * live.n_visible * (2 * live.n_hidden + 90)
    return LogPartition(
        value=log_z.value + log_factor,
        stderr=log_z.stderr,
        method="ais",
        n_operations=n_operations,
        seconds=time.perf_counter() - started,
        converged=doubt is None,
        effective_sample_size=run.effective_sample_size,
        reverse=reverse.value + log_factor,
        reverse_stderr=reverse.stderr,
        n_steps=run.n_steps,
        trace=tuple((steps, value + log_factor, stderr) for steps, value, stderr in run.trace),
        lower_bound=run.bound[0] + log_factor,
        modes=modes_of(live, run.branches, data, run.search_rng),
    )


@dataclass(eq=False)
class _Annealing:
    """All branches of a model, run until their sum passes all checks."""

    theta: Parameters
    branches: list[Branch]
    other_words: list[Bits]  # data and samples, apart from words of the branches' chains
    shares: Floats | None  # of exact samples that lie in each mode
    n_samples: int
    search_rng: np.random.Generator
    n_steps: int = 0
    trace: list[tuple[int, float, float]] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        theta: Parameters,
        logits: Floats,
        data: Bits | None,
        n_chains: int,
        rng: np.random.Generator,
        progress: bool | None,
        settings: PartitionSettings,
    ) -> _Annealing:
        """Search for modes, and prepare a branch for each."""
        search_rng = np.random.default_rng(new_seed(rng))
        # Of 1000 words at least one lies in a mode that holds 1 % of the mass with probability
        # 0.99996, of 500 only with 0.993.
        samples = None
        if operations(theta) <= settings.exact_samples:
            samples = exact_samples(theta, 2 * n_chains, search_rng)
        others = [words for words in (data, samples) if words is not None]
        starts = np.concatenate(others) if others else None
        modes = find_modes(theta, starts, search_rng, most=settings.most_modes)
        branches = branches_of(theta, modes, n_chains, rng, progress)
        shares = None
        if len(branches) == 1:
            only = branches[0]
            only.path, only.n_chains = only.path._replace(base_logits=logits), n_chains
            if samples is not None:
                only.starts, only.equilibrated = samples, True
            elif data is not None:
                only.starts = data
        elif samples is not None:
            shares = start_from_samples(theta, branches, samples, search_rng)
        n_samples = 0 if samples is None else len(samples)
        return cls(theta, branches, others, shares, n_samples, search_rng)

    def maybe_switch_base(self) -> None:
        """Start from the rates of the only mode where these lead to more mass, or much more surely.

        Estimates are too low on average, so a higher one is better.
        """
        only = self.branches[0]
        if not only.alone:
            return
        own_logits = np.log(only.mode.rates) - np.log1p(-only.mode.rates)
        given, own = (
            Part(*annealed_shortly(self.theta, expit(logits), self.search_rng))
            for logits in (only.path.base_logits, own_logits)
        )
        surer = own.stderr < 0.2 * given.stderr and own.value > given.value - 2.0 * given.stderr
        if own.value > given.value + 0.3 or (surer and given.stderr > 0.1):
            only.path = only.path._replace(base_logits=own_logits)

    @property
    def log_z(self) -> Part:
        """Log Z by the forward runs."""
        return total([branch.part for branch in self.branches])

    @property
    def n_sweeps(self) -> int:
        return sum(branch.n_sweeps for branch in self.branches)

    @property
    def effective_sample_size(self) -> float:
        """Equally weighted chains that carry as much information, all branches together."""
        sizes = np.array([effective_sample_size(branch.forward) for branch in self.branches])
        shares = share_of(self.branches)
        return float(1.0 / np.sum(shares[shares > 0.0] ** 2 / sizes[shares > 0.0]))

    @property
    def bound(self) -> tuple[float, int, Bits]:
        """The sum over all words that are known (:func:`lower_bound`)."""
        met = [words for branch in self.branches for words in (*branch.words, branch.mode.words)]
        peaks = np.stack([branch.mode.peak for branch in self.branches])
        return lower_bound(self.theta, self.other_words + met, peaks)

    def run_until_converged(self, n_steps: int, max_steps: int, tolerance: float) -> str | None:
        """Double the steps of every branch that needs it; the check that failed, or None."""
        unsettled = list(self.branches)
        doubt = None
        for steps in _doublings(n_steps, max_steps):
            self.n_steps = steps
            for branch in unsettled:
                branch.run_forward(steps)
                branch.verified = False
            self.trace.append((steps, *self.log_z))
            unsettled = [branch for branch in unsettled if not self._settled(branch, tolerance)]
            if unsettled and steps < max_steps:
                continue
            doubt, unsettled = self._failed_check(unsettled, tolerance)
            if doubt is None:
                break
        return doubt

    def _settled(self, branch: Branch, tolerance: float) -> bool:
        """Whether a branch moved the sum by little on doubling, and adds little to its error."""
        share = float(share_of(self.branches)[branch.number])
        allowed = tolerance / math.sqrt(len(self.branches))
        changes = (effect(branch.moved, share), effect(branch.part.stderr, share))
        return all(change < allowed for change in changes)

    def _failed_check(
        self, unsettled: list[Branch], tolerance: float
    ) -> tuple[str | None, list[Branch]]:
        """The first check that failed, and the branches to run on for it."""
        doubts: list[str | None] = []
        shares, stderr = share_of(self.branches), self.log_z.stderr
        for branch in self.branches:
            if branch.verified:
                continue
            stayed = branch.run_reverse(branch.n_steps)
            share, settled = float(shares[branch.number]), branch not in unsettled
            doubt: str | None = "no chain stayed there"
            if stayed:
                doubt = doubt_of(branch.forward, branch.reverse, settled, tolerance, share, stderr)
            branch.verified = doubt is None
            if doubt is not None:
                place = "" if branch.alone else f"in the mode {branch.mode.place}, "
                doubts.append(f"{place}{doubt}")
        again = [branch for branch in self.branches if not branch.verified]
        if not again:
            doubts = [self._crossing(tolerance), self._sampled()]
        # What is proven comes first.
        failed = [doubt for doubt in (self._excess(), *doubts) if doubt is not None]
        return (failed[0], again or list(self.branches)) if failed else (None, [])

    def _crossing(self, tolerance: float) -> str | None:
        """Whether chains of one mode found more in another than that mode's own chains did."""
        log_z = self.log_z.value
        for branch in self.branches:
            for k, weights in branch.elsewhere.items():
                parts = [Part(*log_mean(weights)), self.branches[k].part]
                theirs, own = (math.exp(min(part.value - log_z, 300.0)) for part in parts)
                errors = [theirs * parts[0].stderr, own * parts[1].stderr if own else 0.0]
                excess = theirs - own
                if excess > tolerance and excess > 3.0 * math.hypot(*errors):
                    return (
                        f"chains from the mode {branch.mode.place} found {excess:.2%} of the mass "
                        f"in the mode {self.branches[k].mode.place} that its own chains missed"
                    )
        return None

    def _sampled(self) -> str | None:
        """Whether exact samples lie in the modes as often as the parts of the sum say."""
        if self.shares is None:
            return None
        shares = share_of(self.branches)
        errors = shares * np.array([branch.part.stderr for branch in self.branches])
        expected = np.sqrt(shares * (1.0 - shares) / self.n_samples + errors**2)
        for branch, gap, error in zip(
            self.branches, self.shares - shares, expected + 1.0 / self.n_samples, strict=True
        ):
            if abs(gap) > 4.0 * error:
                return (
                    f"{self.shares[branch.number]:.2%} of exact samples lie in the mode "
                    f"{branch.mode.place}, which has {shares[branch.number]:.2%} of the sum"
                )
        return None

    def _excess(self) -> str | None:
        """Whether words are known that hold more than Z by far more than its error."""
        log_z, (bound, n_words, heaviest) = self.log_z, self.bound
        if bound <= log_z.value + 3.0 * log_z.stderr + ROUNDING:
            return None
        word = "".join(map(str, heaviest))
        return (
            f"{n_words:,} known words alone sum to log Z = {bound:.6g}, which is "
            f"{(bound - log_z.value) / math.log(2.0):.3g} bits more; the heaviest is {word}"
        )


def lower_bound(theta: Parameters, words: Sequence[Bits], peaks: Bits) -> tuple[float, int, Bits]:
    """Log of the sum of p~ (nats) over distinct words, their number, and the heaviest (n_units,).

    They are the given ``words``, arrays (n_words, n_units), the ``peaks`` (n_modes, n_units), which
    are the most probable words of the modes, and all words one or two flips away from the peaks.
    """
    distinct, _ = unique_rows(np.concatenate([*words, *map(_neighbours, peaks)]))
    logs = log_weight(theta, distinct)
    return float(np.logaddexp.reduce(logs)), len(distinct), distinct[np.argmax(logs)]


def _neighbours(peak: Bits) -> Bits:
    """A word and those that differ from it in one unit, or two where there are few units."""
    n = peak.size
    flips = [np.zeros((1, n), dtype=np.uint8), np.eye(n, dtype=np.uint8)]
    if n <= _MOST_UNITS_OF_PAIRS:
        first, second = np.triu_indices(n, 1)
        pairs = np.zeros((first.size, n), dtype=np.uint8)
        pairs[np.arange(first.size), first] = pairs[np.arange(first.size), second] = 1
        flips.append(pairs)
    return np.concatenate(flips) ^ peak


def _doublings(first: int, last: int) -> Iterator[int]:
    while first < last:
        yield first
        first *= 2
    yield last

"""Choose the penalty of a model, or its size, on words that the fit has not seen."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from ..errors import BadArgument, BadType
from ..models import AlternativeModel, HistoryGLM, PopulationModel, SemiRBM
from ..models.penalised import Effort, PenalisedModel
from ..models.sequence import SequenceModel
from ..notebook import AsText
from ..objectives import further_l1, l1_grid, largest_l1
from ..parameters import Parameters
from ..partition import LogPartition
from ..partition.cost import EXACT_CHOICE, operations
from ..validation import expect, kind_of
from ..words import Words, as_words
from ._score import Score, score, sequence_gain

#: Grids that are made for the words, and their strengths per factor of ten.
AUTOMATIC = {"auto": 3, "coarse": 1}
#: How often a grid is extended by a factor of ten at either end.
_MOST_EXTENSIONS = 2
#: Share of a model's mass in modes without a training word at which it is not chosen.
_MOST_SPURIOUS_MASS = 0.01
#: Bits of a word from which on annealing begins with fewer steps.
_MANY_BITS = 64
_FIRST_STEPS, _FEW_STEPS = 500, 125
#: Strengths in a row that are worse than the best one and end a grid of likelihood fits.
_WORSE_IN_A_ROW = {"auto": 2, "coarse": 1}
#: Decades below the strongest penalty at which hidden units begin.
_FIRST_DECADES = 2
#: Share of the standard error of a score below which another is as good.
EQUAL = 0.02
#: Standard error of a fit's own log Z up to which it is used, nats.
_MOST_STDERR = 0.01
#: Most steps of annealing unless asked, as many as :func:`microcolumn.log_partition` takes.
MAX_STEPS = 100_000

FIRST = 10  # hidden units with which the choice of their number begins
#: Fits and their scores on the validation part by strength of the penalty.
_Scored = dict[float, tuple[PenalisedModel, Score]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Choice(AsText):
    """Fits of a model at several settings, and the one that a validation part prefers.

    Parameters
    ----------
    settings : tuple of dict
        What was tried, by increasing ``l1``; with ``n_hidden`` where that was chosen, too.
    fits : tuple of models
        At each of them, with their log Z.
    scores : tuple of Score
        Of each on the validation part; of hidden Markov modes, those of spike trains.
    best_index : int
        Position of the fit that is preferred.
    others : tuple of Choice
        At the other numbers of hidden units that were tried.
    """

    settings: tuple[dict[str, Any], ...]
    fits: tuple[Any, ...]
    scores: tuple[Score, ...]
    best_index: int
    others: tuple[Choice, ...] = ()

    @property
    def best(self) -> Any:
        """The fit that is preferred."""
        return self.fits[self.best_index]

    @property
    def l1_values(self) -> tuple[float, ...]:
        """All strengths of the penalty, increasing; empty where something else was chosen."""
        return tuple(e["l1"] for e in self.settings if e.keys() - {"n_hidden"} == {"l1"})

    @property
    def is_at_end(self) -> bool:
        """Whether a strength beyond those tried might be better still."""
        values = self.l1_values
        return bool(values) and is_at_end(self.best.l1, values, self.best.n_nonzero_)

    def __str__(self) -> str:
        own = self.settings[self.best_index]
        if values := self.l1_values:
            size = f"{own['n_hidden']} hidden units, " if "n_hidden" in own else ""
            ends = f"from {values[0]:g} to {values[-1]:g}"
            return f"{size}l1 {self.best.l1:g} of {len(values)} {ends}"
        chosen = ", ".join(f"{name} {value}" for name, value in own.items())
        return f"{chosen or 'nothing to choose'} of {len(self.settings)}"


def choose_l1(
    model: PenalisedModel,
    train: Words | ArrayLike,
    validation: Words | ArrayLike,
    l1_values: str | Sequence[float] = "auto",
    *,
    nested: tuple[Sequence[Any], Sequence[Any]] | None = None,
    max_steps: int = MAX_STEPS,
    coarse: bool | None = None,
    start: Parameters | None = None,
) -> Choice:
    """Fit along a path of L1 strengths and choose one on the validation part.

    Parameters
    ----------
    model : Ising, KPairwise, RBM or SemiRBM
        Whose settings except ``l1`` hold for all fits; it is left as it is.
    train, validation : Words or array_like, shape (n_words, n_units)
        Words to fit and to choose by.
    l1_values : {"auto", "coarse"} or sequence of float
        Strengths, increasing. ``"auto"`` goes from :func:`microcolumn.objectives.largest_l1` down
        over three decades in 10 values, ``"coarse"`` in 4, and a decade further, at most twice each
        way, while the best lies at an end, then to 0; an end is no end where nothing is coupled.
        By likelihood, models with hidden units go from a rather weak strength to stronger ones, and
        those whose likelihood is sampled but convex from strong to weak; both end with the second
        strength in a row that is worse than the best (``"coarse"``: the first).
    nested : (list of Ising, list of RBM), optional
        Of a SemiRBM: fits to the same words that it starts from where their ``l1`` is the same.
    max_steps : int
        Most steps of annealing, where log Z is out of reach of exact sums.
    coarse : bool, optional
        Whether fits with hidden units or drawn words end early, but for the one preferred if its
        likelihood is summed; by default those with hidden units, where strengths are made here.

    start : Parameters, optional
        Where the first fit starts; with hidden units one more start.

    Returns
    -------
    Choice
        The highest score wins, of equals the largest l1. Fits with more than 1 % of their mass
        in modes without any training word come last, and those whose log Z has not converged: it
        may be too small. Where the likelihood is sampled, log Z of the chosen fit alone is found
        anew; others have that of the words that they drew (``method`` is ``"chains"``).

    Examples
    --------
    >>> words = mc.simulate.microcolumn(n_units=6, minutes=1).bin()
    >>> choose_l1(mc.Ising(), *words.split(0.8), [1e-4, 1e-3]).best.l1
    0.001
    """
    expect("model", model, PenalisedModel, "one model with a penalty, such as RBM()")
    train, validation = as_words(train), as_words(validation)
    per_decade = AUTOMATIC.get(l1_values) if isinstance(l1_values, str) else None
    if per_decade is None and (isinstance(l1_values, str) or not len(l1_values)):
        raise BadArgument("l1_values", f"is {l1_values!r}", "pass 'auto', 'coarse' or numbers")
    scored: _Scored = {}
    extensions = {-1: 0, 1: 0}
    leg: _Leg | None = _first_leg(model, train, l1_values)
    is_hidden = hasattr(model, "n_hidden")
    is_coarse = (per_decade is not None and is_hidden) if coarse is None else coarse
    is_coarse &= is_hidden or model._is_sampled(train.n_dims)
    effort: Effort = "coarse" if is_coarse else "whole"
    while leg is not None:
        tried: list[float] = []
        for fit in _fits(model, train, leg, nested, scored, effort, start):
            scored[fit.l1] = _with_score(fit, validation, max_steps)
            tried.append(fit.l1)
            if leg.has_turned(tried, _best(scored)):
                break
        best, leg = _normalise_best(scored, validation, max_steps), None
        strengths = sorted(scored)
        if per_decade is not None and is_at_end(best, strengths, scored[best][0].n_nonzero_):
            way = -1 if best == strengths[0] else 1
            if extensions[way] < _MOST_EXTENSIONS:
                leg = _further_leg(model, further_l1(best, way, per_decade), way)
            elif way < 0:
                leg = _Leg((0.0,))
            extensions[way] += 1
    if is_coarse and not model._is_sampled(train.n_dims):
        best = _polish_best(model, train, validation, scored, max_steps)
    fits, scores = zip(*(scored[l1] for l1 in strengths), strict=True)
    settings = tuple({"l1": fit.l1} for fit in fits)
    return Choice(settings, fits, scores, strengths.index(best))


class _Leg(NamedTuple):
    """Strengths in the order in which they are tried, and when to stop."""

    strengths: tuple[float, ...]
    patience: int | None = None  # strengths in a row that are no better than the best one

    def has_turned(self, tried: Sequence[float], best: float) -> bool:
        """Whether the scores of those tried, in this order, have begun to fall."""
        since = len(tried) - 1 - tried.index(best) if best in tried else len(tried)
        return self.patience is not None and since >= self.patience


def _first_leg(model: PenalisedModel, train: Words, l1_values: str | Sequence[float]) -> _Leg:
    """The strengths to begin with.

    Weak penalties take by far the longest. Models whose problem is convex come to them last; hidden
    units, which die under strong penalties and do not come back, begin with a rather weak one.
    """
    if not isinstance(l1_values, str):
        return _Leg(tuple(l1_values))
    per_decade = AUTOMATIC[l1_values]
    grid = l1_grid(largest_l1(train, model.objective), per_decade)
    if not model.is_by_likelihood or grid == (0.0,):
        return _Leg(grid)
    patience = _WORSE_IN_A_ROW[l1_values]
    if hasattr(model, "n_hidden"):
        return _Leg(grid[-(_FIRST_DECADES * per_decade + 1) :], patience)
    if not model._is_sampled(train.n_dims):
        return _Leg(grid)
    return _Leg(
        (*grid[::-1], *further_l1(grid[0], -_MOST_EXTENSIONS, per_decade)[::-1], 0.0), patience
    )


def _further_leg(model: PenalisedModel, strengths: tuple[float, ...], way: int) -> _Leg:
    """Strengths beyond an end, the nearest first where weak ones take long."""
    if not (model.is_by_likelihood and hasattr(model, "n_hidden")):
        return _Leg(strengths)
    return _Leg(strengths[::way], 1)


def preferred(
    merits: dict[float, tuple[Any, ...]], errors: dict[float, float], within: float = EQUAL
) -> float:
    """The largest l1 of the highest merits, the last being scores ``within`` standard errors."""
    first = max(merits, key=lambda l1: merits[l1])
    *others, highest = merits[first]
    least = highest - within * (0.0 if math.isnan(errors[first]) else errors[first])
    return max(l1 for l1, (*each, score) in merits.items() if each == others and score >= least)


def merits_of(score: float, converged: bool, spurious_mass: float | None) -> tuple[Any, ...]:
    """What a fit is chosen by, the most important first; ``score`` may be NaN.

    ``spurious_mass`` is None where it is not known.
    """
    is_true = spurious_mass is None or not spurious_mass > _MOST_SPURIOUS_MASS
    is_known = not math.isnan(score)
    return is_true, converged, is_known, score if is_known else 0.0


def quick_log_partition(model: PopulationModel, max_steps: int = MAX_STEPS) -> LogPartition:
    """Exact where that takes seconds, else annealed; if that fails, exact at no higher a cost."""
    cost = operations(model.parameters_)
    if cost > EXACT_CHOICE:
        first = _FIRST_STEPS if model.n_features_in_ < _MANY_BITS else _FEW_STEPS
        steps = {"n_steps": min(first, max_steps), "max_steps": max_steps}
        estimate = model.log_partition("ais", progress=False, **steps)
        if estimate.converged or cost > estimate.n_operations:
            return estimate
    return model.log_partition("exact", progress=False)


def _with_score(
    fit: PenalisedModel, validation: Words, max_steps: int
) -> tuple[PenalisedModel, Score]:
    """A fit with log Z, its own where it was sampled and may be relied upon, and its score."""
    if not fit.is_conditional:
        log_z = fit._log_z_by_fit
        if log_z is None or not log_z.converged or log_z.stderr > _MOST_STDERR:
            log_z = quick_log_partition(fit, max_steps)
        fit = fit.with_log_partition(log_z)
    return fit, score(fit, validation)


def _best(scored: _Scored) -> float:
    """The preferred strength of those tried."""
    merits = {}
    for l1, (_, kept) in scored.items():
        merits[l1] = merits_of(kept.bits_per_second, kept.converged, kept.spurious_mass)
    return preferred(merits, {l1: kept.stderr for l1, (_, kept) in scored.items()})


def _normalise_best(scored: _Scored, validation: Words, max_steps: int) -> float:
    """The preferred strength, once log Z of its fit does not come from the fit itself.

    What the path of fits was off by there holds for all of them.
    """
    while True:
        best = _best(scored)
        if scored[best][1].normaliser != "chains":
            return best
        own = scored[best][0].log_partition()
        log_z = quick_log_partition(scored[best][0], max_steps)
        for l1, (fit, _) in scored.items():
            by_fit, shift = fit.log_partition(), log_z.value - own.value
            if l1 == best:
                by_fit, shift = log_z, 0.0
            elif by_fit.method != "chains" or not log_z.converged:
                continue
            fit = fit.with_log_partition(by_fit.shifted(shift))
            scored[l1] = fit, score(fit, validation)


def _polish_best(
    model: PenalisedModel, train: Words, validation: Words, scored: _Scored, max_steps: int
) -> float:
    """The preferred strength, once its coarse fit has gone on to the end."""
    polished: set[float] = set()
    while (best := _best(scored)) not in polished:
        start = scored[best][0].parameters_
        [(_, fit)] = model._walk(train, [best], start=start, effort="polish")
        scored[best] = _with_score(fit, validation, max_steps)
        polished.add(best)
    return best


def _fits(
    model: PenalisedModel,
    train: Words,
    leg: _Leg,
    nested: tuple[Sequence[Any], Sequence[Any]] | None,
    scored: _Scored,
    effort: Effort,
    start: Parameters | None = None,
) -> Iterator[PenalisedModel]:
    """Fits along a leg, made when asked for; the first begins at the nearest fit, or at ``start``.

    A SemiRBM takes the models nested in it from ``nested``, as far as they are there.
    """
    strengths, n_known = leg.strengths, 0
    if nested is not None and isinstance(model, SemiRBM):
        paths = [{member.l1: member for member in path} for path in nested]
        known = tuple(takewhile(lambda l1: all(l1 in path for path in paths), strengths))
        n_known = len(known)
        ising, rbm = ([path[l1] for l1 in known] for path in paths)
        starts = model._nested_starts(train, known, (ising, rbm))
        yield from (fit for _, fit in model._walk(train, known, starts, effort=effort))
    rest = strengths[n_known:]
    if scored and rest:
        start = scored[min(scored, key=lambda l1: abs(l1 - rest[0]))][0].parameters_
    yield from (fit for _, fit in model._walk(train, rest, start=start, effort=effort))


def is_at_end(l1: float, strengths: Sequence[float], n_nonzero: float) -> bool:
    """Whether ``l1`` is the first or the last of several increasing strengths.

    There is nothing below 0, and nothing above where no coupling and weight is left.
    """
    first, last = l1 == strengths[0] and l1 > 0.0, l1 == strengths[-1] and n_nonzero > 0
    return len(strengths) > 1 and (first or last)


def choose(
    model: AlternativeModel | HistoryGLM,
    train: Words | ArrayLike,
    validation: Words | ArrayLike,
    grid: Sequence[dict[str, Any]] | None = None,
) -> Choice:
    """Fit an alternative model at several settings and choose among them on the validation part.

    Parameters
    ----------
    model : AlternativeModel or HistoryGLM
        Whose other settings hold for all fits; it is left as it is.
    train, validation : Words or array_like, shape (n_words, n_units)
        Words to fit and words to choose by.
    grid : sequence of dict, optional
        Settings to try; by default those that the model finds worth trying (``model.grid``).

    Returns
    -------
    Choice
        The highest score wins, of equals the first; fits that have not converged or have no finite
        score come last.

    Examples
    --------
    >>> words = mc.simulate.microcolumn(n_units=6, minutes=1).bin()
    >>> choose(mc.models.BernoulliMixture(), *words.split(0.8)).best.size_
    '2 components'
    """
    if not hasattr(model, "fit_grid"):
        raise BadType(
            "model", f"is {kind_of(model)}", "pass one alternative, for example KPairwise()"
        )
    train, validation = as_words(train), as_words(validation)
    settings = tuple(model.grid(train) if grid is None else grid)
    if not settings:
        raise BadArgument("grid", "is empty", "list at least one set of settings")
    fits = tuple(model.fit_grid(train, settings))
    # Held-out words, or held-out trains of a model that knows the past.
    gain = sequence_gain if isinstance(model, SequenceModel) else score
    scores = tuple(gain(fit, validation) for fit in fits)
    merits = [_merits(fit, score) for fit, score in zip(fits, scores, strict=True)]
    return Choice(settings, fits, scores, max(range(len(fits)), key=merits.__getitem__))


def _merits(fit: AlternativeModel | HistoryGLM, score: Score) -> tuple[Any, ...]:
    """What a fit is chosen by, the most important first."""
    certificate = getattr(fit, "certificate_", None)
    converged = certificate is None or certificate.converged
    is_known = math.isfinite(score.bits_per_second)
    return score.converged, converged, is_known, score.bits_per_second if is_known else 0.0

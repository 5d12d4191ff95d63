"""Models fitted by minimising an objective plus a penalty."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, ClassVar, Literal, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from ..energy import BERNOULLI, GAUSSIAN
from ..errors import BadArgument, BadType
from ..incomplete import AnyWords, IncompleteWords
from ..kernels import one_blas_thread
from ..layout import NEVER_COACTIVE
from ..objectives import (
    ConditionalLikelihood,
    MinimumProbabilityFlow,
    NegativeLogLikelihood,
    Objective,
    PseudoLikelihood,
    largest_l1,
)
from ..parameters import Parameters
from ..partition.cost import COUNTED, EXACT_FIT, side_operations
from ..penalties import L1, Penalty
from ..solvers import (
    FitResult,
    NestedStarts,
    Problem,
    SamplerSettings,
    fit_path,
    walk_likelihood_path,
)
from ..solvers.resolution import resolution
from ..validation import Floats, expect
from ..words import Words
from ._base import PopulationModel
from ._fit_data import FitData
from ._settings import COUNT, OBJECTIVE, SWITCH, TOLERANCE, check_settings, seed_of, setting

#: Couplings and biases of recordings stay below this; log odds of e**15 take millions of words.
_NATURAL = 15.0
#: Share of the words that end a fit of unpenalised hidden units, and the fewest words with one.
_KEPT, _FEWEST_TO_SPLIT = 0.1, 100
#: What to do about a fit that is not at its end.
_FURTHER = "raise max_iter, l1 or tol"
_UNBOUNDED = (
    "without a penalty hidden units have no finite optimum, and these words are too few to keep "
    "some apart that could end the fit: use l1 > 0"
)
#: What a coarse fit may leave to be gained, in units of what others may.
_COARSE = 20.0

Effort = Literal["whole", "coarse", "polish"]
Model = TypeVar("Model", bound="PenalisedModel")


@dataclass(eq=False, repr=False, kw_only=True)
class PenalisedModel(PopulationModel):
    """Fitting, shared by Ising, KPairwise, RBM and SemiRBM; see those for the parameters.

    Attributes
    ----------
    objective_ : float
        Penalised objective at the solution.
    optimality_ : float
        Largest violation of the penalised problem's optimality conditions: the certificate. What
        ``fit`` leaves out of the problem has no part in it.
    certificate_ : Certificate
        How far the fit is from its optimum, whatever the objective.
    n_iter_ : int
        Iterations of the solver from the start that won; a start may be another model's solution.
    """

    #: Tolerance where none is given.
    _strict: ClassVar[float] = 1e-10

    #: How a sampled likelihood draws words.
    _sampler: ClassVar[SamplerSettings] = SamplerSettings()

    objective: str = setting("likelihood", OBJECTIVE)
    n_init: int = setting(1, COUNT)
    tol: float | None = setting(None, TOLERANCE)
    max_iter: int = setting(5000, COUNT)
    random_state: Any = 0
    tie_bins: bool = setting(False, SWITCH)

    def fit(
        self,
        X: AnyWords | ArrayLike,
        y: None = None,
        sample_weight: ArrayLike | None = None,
        *,
        start: Parameters | None = None,
    ) -> Self:
        """Fit to words.

        Units that never or always fire have no finite optimum: they keep the floored bias of the
        independent model and get no couplings. Without a penalty the coupling of an Ising model's
        units that never fire together has none either: it is -20, where its slope is gone. Where
        others run away, as with a unit that repeats another, a ConvergenceWarning says so.

        Weights of hidden units have no finite optimum without a penalty. A tenth of the words, in
        blocks of time, then validates: the fit ends where their objective no longer falls.

        Parameters
        ----------
        X, y, sample_weight
            As in :class:`WordModel`. ``IncompleteWords`` are fitted by likelihood, exactly summed
            over what missing cells may have been; models with hidden units then need l1 > 0.
        start : Parameters, optional
            Where to start: the only start of an Ising model, one more for models with hidden
            units.
        """
        words = self._training_words(X, sample_weight)
        [(_, result)] = self._results(words, [self.l1], start)
        self._set_result(result, words, stacklevel=3)
        if result.parameters.n_hidden and not result.parameters.live.any():
            complete = X.completions().words if isinstance(X, IncompleteWords) else words
            warnings.warn(self._dead_units_message(complete), UserWarning, stacklevel=2)
        return self

    def _check_incomplete(self) -> None:
        """Cells are summed out of the likelihood alone, under priors that do not count words."""
        if self._kind == "kpairwise":
            super()._check_incomplete()
        if self.objective != "likelihood":
            problem = f"is {self.objective!r}, which does not know words with missing cells"
            raise BadArgument("objective", problem, "use objective='likelihood'")

    def _dead_units_message(self, words: Words) -> str:
        """What a model without a live hidden unit is, in a sentence with the remedy."""
        though = ""
        if self._penalty(self.l1).strength < 0.1 * largest_l1(words, self.objective):
            though = ", though couplings pay at ten times that penalty"
        left = "an Ising model" if self.n_couplings_ else "a model of independent units"
        name = f"{type(self).__name__} with l1={self.l1:g}"
        return f"{name} has no live hidden unit, so that it is {left}{though}; lower l1"

    def fit_path(self, X: Words | ArrayLike, l1_values: Sequence[float]) -> list[Self]:
        """Fit at each L1 strength, each solution the start of the next.

        Parameters
        ----------
        X : Words or array_like, shape (n_words, n_units)
            Binary words.
        l1_values : sequence of float
            Values of ``l1``; small to large keeps most hidden units alive.

        Returns
        -------
        list
            One fitted copy of this model per strength, in the order given.
        """
        return in_order(self._walk(X, l1_values))

    def _walk(
        self,
        X: Words | ArrayLike,
        l1_values: Sequence[float],
        nested: NestedStarts | None = None,
        start: Parameters | None = None,
        effort: Effort = "whole",
    ) -> Iterator[tuple[int, Self]]:
        """Fitted copies with their places among the strengths, as the solver makes them.

        A ``"coarse"`` fit ends before it is worth as much as the data can tell, ``"polish"`` goes
        on from ``start`` alone.
        """
        named = clone(self)
        words = named._training_words(X, None)
        for k, result in named._results(words, l1_values, start, nested, effort=effort):
            model = clone(self).set_params(l1=l1_values[k])
            if hasattr(named, "feature_names_in_"):
                model.feature_names_in_ = named.feature_names_in_
            model._set_result(result, words, stacklevel=5)
            yield k, model

    def _results(
        self,
        words: Words,
        l1_values: Sequence[float],
        start: Parameters | None,
        nested: NestedStarts | None = None,
        objective: Callable[[Words], Objective] | None = None,
        effort: Effort = "whole",
        data: FitData | None = None,
    ) -> Iterator[tuple[int, FitResult]]:
        """Fits at each strength with their places among them, as the solver makes them.

        They are of another objective than the model's own where one is given, and of ``data`` where
        ``words`` only stand for these.
        """
        self._check_settings(l1_values)
        made = self._objective if objective is None else objective
        if isinstance(words, IncompleteWords):
            if self._is_unbounded(l1_values):
                problem = "is 0, where hidden units are validated on complete words"
                raise BadArgument("l1", problem, "use l1 > 0 for words with missing cells")
            data = FitData.of_incomplete(words)
            words = data.words
        if data is not None:
            made = partial(NegativeLogLikelihood, data=data.mean_log_weight)
        tied_bins = self._tied_bins(words)
        if start is not None:
            self._check_start(start, words.n_dims)
        # Vectors here are too short for BLAS threads to pay, and sums must not depend on them.
        with one_blas_thread():
            data = FitData.of(words) if data is None else data
            seed, never = seed_of(self.random_state), data.pairs == 0.0
            np.fill_diagonal(never, False)
            is_sampled = self._is_sampled(words.n_dims)
            problem = Problem(
                objective=PseudoLikelihood(words) if is_sampled else made(words),
                penalty=self._penalty_on(words),
                biases=np.log(data.floored) - np.log1p(-data.floored),
                fixed=data.fixed,
                never_coactive=never,
                covariance=data.pairs - np.outer(data.pairs.diagonal(), data.pairs.diagonal()),
                n_hidden=int(getattr(self, "n_hidden", 0)),
                n_init=self.n_init,
                seed=seed,
                tol=self._strict if self.tol is None else self.tol,
                max_iter=self.max_iter,
                resolution=self._resolution(words, effort),
                draws=effort != "polish",
                parts=self._parts(words, l1_values, seed, made),
                basis=self._potential_basis(words),
                proxy=PseudoLikelihood(words) if self.is_by_likelihood else None,
                hidden=self._hidden,
                tied_bins=tied_bins,
            )
            given = l1_values, start, nested
            if is_sampled:
                more = self._sampler, data.mean_log_weight
                yield from walk_likelihood_path(self._kind, problem, words, *given, *more)
            else:
                yield from enumerate(fit_path(self._kind, problem, *given))

    def _tied_bins(self, words: Words) -> int:
        """Bins whose couplings and weights are tied; 1 where none are."""
        n_hidden = int(getattr(self, "n_hidden", 0))
        if not self.tie_bins or words.window == 1:
            return 1
        if self.is_conditional:
            problem = "has nothing to tie: the newest bin has one coupling for each lag as it is"
            raise BadArgument("tie_bins", problem, "leave it out")
        if getattr(self, "group_l1", 0.0):
            remedy = "set one of them alone"
            raise BadArgument("group_l1", "has no groups where weights are tied", remedy)
        if n_hidden % words.window:
            lower = max(n_hidden // words.window, 1) * words.window
            raise BadArgument(
                "n_hidden",
                f"is {n_hidden}, but tied bins have an equal number each",
                f"give a multiple of the window, such as {lower}",
            )
        return words.window

    def _resolution(self, words: Words, effort: Effort) -> float:
        """What a fit may leave to be gained, nats per word; 0 where ``tol`` alone counts."""
        if not self.is_by_likelihood or self.tol is not None:
            return 0.0
        return resolution(words) * (_COARSE if effort == "coarse" else 1.0)

    @property
    def is_by_likelihood(self) -> bool:
        """Whether fits maximise the likelihood, of words or of the newest bin of windows."""
        return self.objective == "likelihood" or self.is_conditional

    def _is_sampled(self, n_units: int) -> bool:
        """Whether the likelihood is out of reach of exact sums."""
        n_hidden = int(getattr(self, "n_hidden", 0)) if self._hidden is BERNOULLI else 0
        has_pairs = self._kind != "rbm" or self._hidden is GAUSSIAN
        cost = min(side_operations(n_units, n_hidden, has_pairs))
        if self._kind == "kpairwise":
            cost *= COUNTED
        return self.objective == "likelihood" and cost > EXACT_FIT

    def _parts(
        self,
        words: Words,
        l1_values: Sequence[float],
        seed: np.random.SeedSequence,
        made: Callable[[Words], Objective],
    ) -> tuple[Objective, Objective] | None:
        """Objectives on nine tenths of the words and on the rest, for unpenalised hidden units."""
        enough = words.n_bins >= _FEWEST_TO_SPLIT * words.window
        if not (self._is_unbounded(l1_values) and enough):
            return None
        rng = np.random.default_rng(seed)
        fitted, kept = words.split(1.0 - _KEPT, by="blocks", random_state=rng)
        return made(fitted), made(kept)

    def _is_unbounded(self, l1_values: Sequence[float]) -> bool:
        """Whether hidden units have no finite optimum at one of the strengths."""
        has_gates = hasattr(self, "n_hidden") and self._hidden is BERNOULLI
        return has_gates and any(self._penalty(l1).strength == 0.0 for l1 in l1_values)

    def _penalty(self, l1: float) -> Penalty:
        return L1(l1)

    def _penalty_on(self, words: Words) -> Callable[[float], Penalty]:
        """Penalty at each L1 strength for fits to these words."""
        return self._penalty

    def _potential_basis(self, words: Words) -> Floats | None:
        """Coordinates of a potential that suit these words; None for models without."""
        return None

    def _objective(self, words: Words) -> Objective:
        if self.is_conditional:
            return ConditionalLikelihood(words)
        if self.objective == "mpf":
            return MinimumProbabilityFlow(words)
        if self.objective == "pseudolikelihood":
            return PseudoLikelihood(words)
        return NegativeLogLikelihood(words)

    def _set_result(self, result: FitResult, words: Words, stacklevel: int) -> None:
        """Become the fitted model; ``stacklevel`` leads warnings to the caller's own line."""
        self._set_parameters(result.parameters, words)
        self.objective_ = result.objective
        self.optimality_ = result.optimality
        self.certificate_ = result.certificate
        self.n_iter_ = max(result.n_iter, 1)
        self._log_z_by_fit = result.log_partition
        theta = result.parameters
        # Couplings of pairs that are never coactive are given.
        free = np.zeros(0) if theta.J is None else theta.J[theta.J != NEVER_COACTIVE]
        largest = float(np.abs(np.concatenate([theta.b, free])).max())
        has_gates = theta.n_hidden > 0 and not theta.is_gaussian
        unbounded = has_gates and self._penalty(self.l1).strength == 0.0
        if result.converged and (self.l1 != 0.0 or unbounded or largest <= _NATURAL):
            return
        if result.converged:
            problem = (
                f"without a penalty has no finite optimum on these words: a parameter reached "
                f"{largest:.3g}, as where one unit repeats another; use l1 > 0"
            )
        else:
            reason = (
                f"its optimality conditions are violated by {result.optimality:.2g} after "
                f"{result.n_iter} iterations"
            )
            remedy = _UNBOUNDED if unbounded and result.n_iter < self.max_iter else _FURTHER
            if result.sampled is not None:
                reason, remedy = _still_to_gain(self, words), "raise max_iter or l1"
            problem = f"with l1={self.l1:g} is not converged: {reason}; {remedy}"
        warnings.warn(f"{type(self).__name__} {problem}", ConvergenceWarning, stacklevel=stacklevel)

    def _check_start(self, start: Parameters, n_units: int) -> None:
        expect("start", start, Parameters, "Parameters, for example a fitted model's parameters_")
        wanted = self._kind, n_units, getattr(self, "n_hidden", 0), self._hidden
        if (start.kind, start.n_visible, start.n_hidden, start.hidden) != wanted:
            raise BadArgument(
                "start",
                f"is a model of kind {start.kind!r} with {start.n_visible} units and "
                f"{start.n_hidden} hidden units",
                f"it must be {wanted[0]!r} with {wanted[1]} and {wanted[2]}",
            )

    def _check_settings(self, l1_values: Sequence[float]) -> None:
        """Refuse settings that break the declared constraints, each in one sentence."""
        if not isinstance(l1_values, Sequence | np.ndarray):
            raise BadType("l1_values", f"is {l1_values!r}", "pass a sequence of numbers")
        for l1 in l1_values:
            check_settings(self, self.get_params(deep=False) | {"l1": l1})


def in_order(walked: Iterator[tuple[int, Model]]) -> list[Model]:
    """Models by their places among the strengths."""
    return [model for _, model in sorted(walked, key=itemgetter(0))]


def _still_to_gain(model: PenalisedModel, words: Words) -> str:
    """What the certificate of a sampled likelihood says, in bits/s."""
    certificate = model.certificate_
    gain, stderr = certificate.gain_bits_per_second(words.bin_width * words.window)
    return (
        f"moments of fresh chains differ from the optimality conditions with a mean square z of "
        f"{certificate.mean_square_z:.2g} (chains among each other "
        f"{certificate.chains_agree:.2g}; 1 is expected), and at least {gain:.2g} ± "
        f"{stderr:.1g} bits/s are still to be gained"
    )

"""Models fitted by minimising an objective plus an L1 penalty."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from ..objectives import MinimumProbabilityFlow, NegativeLogLikelihood
from ..parameters import Parameters
from ..solvers import FitResult, Problem, fit_path
from ..solvers._l1 import Objective
from ..solvers._layout import APART
from ..solvers._paths import Inside
from ..words import Words
from ._base import HiddenFeatures, PopulationModel, check_whole, floored_rates, is_number

_OBJECTIVES = ("mpf", "likelihood")
_DEVICES = ("auto", "cpu")
#: Words handled at once when pairs are looked for, so that memory stays bounded.
_CHUNK_WORDS = 1 << 14
#: Couplings and biases of recordings stay below this; log odds of e**15 take millions of words.
_NATURAL = 15.0


class PenalisedModel(PopulationModel):
    """Fitting, shared by Ising, RBM and SemiRBM; see those for the parameters.

    Attributes
    ----------
    objective_ : float
        Penalised objective at the solution.
    optimality_ : float
        Largest violation of the penalised problem's optimality conditions: the certificate. What
        ``fit`` leaves out of the problem has no part in it.
    n_iter_ : int
        Iterations of the solver from the start that won; a start may be another model's solution.
    """

    l1: float
    objective: str
    complement: bool
    device: str
    n_init: int
    tol: float
    max_iter: int
    random_state: Any
    n_hidden: int

    objective_: float
    optimality_: float
    n_iter_: int

    def fit(
        self,
        X: Words | ArrayLike,
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

        Parameters
        ----------
        X : Words or array_like, shape (n_words, n_units)
            Binary words.
        y : None
            Not used; there for scikit-learn.
        sample_weight : array_like, shape (n_words,), optional
            Weight of each row of an array.
        start : Parameters, optional
            Where to start: the only start of an Ising model, one more for models with hidden
            units.
        """
        words = self._training_words(X, sample_weight)
        [result] = self._results(words, [self.l1], start)
        self._take_over(result, words, stacklevel=3)
        return self

    def fit_path(self, X: Words | ArrayLike, penalties: Sequence[float]) -> list[Self]:
        """Fit at each penalty, each solution the start of the next.

        Parameters
        ----------
        X : Words or array_like, shape (n_words, n_units)
            Binary words.
        penalties : sequence of float
            Values of ``l1``; small to large keeps most hidden units alive.

        Returns
        -------
        list
            One fitted copy of this model per penalty, in the order given.
        """
        return self._fitted_copies(X, penalties)

    def _fitted_copies(
        self, X: Words | ArrayLike, penalties: Sequence[float], inside: Inside | None = None
    ) -> list[Self]:
        named = clone(self)
        words = named._training_words(X, None)
        results = named._results(words, penalties, None, inside)
        models = []
        for l1, result in zip(penalties, results, strict=True):
            model = clone(self).set_params(l1=l1)
            if hasattr(named, "feature_names_in_"):
                model.feature_names_in_ = named.feature_names_in_
            model._take_over(result, words, stacklevel=4)
            models.append(model)
        return models

    def _results(
        self,
        words: Words,
        penalties: Sequence[float],
        start: Parameters | None,
        inside: Inside | None = None,
    ) -> list[FitResult]:
        self._check_settings(penalties)
        if start is not None:
            self._check_start(start, words.n_dims)
        floored = floored_rates(words)
        problem = Problem(
            objective=self._objective(words),
            biases=np.log(floored) - np.log1p(-floored),
            # From the bits: rounding may leave the rate of an always active unit below 1.
            held=np.asarray(~words.X.any(axis=0) | words.X.all(axis=0)),
            apart=_never_together(words),
            n_hidden=self._n_hidden(),
            n_init=self.n_init,
            seed=_seed(self.random_state),
            tol=self.tol,
            max_iter=self.max_iter,
        )
        # Vectors here are too short for BLAS threads to pay, and sums must not depend on them.
        with threadpool_limits(limits=1, user_api="blas"):
            return fit_path(self._kind, problem, penalties, start, inside)

    def _objective(self, words: Words) -> Objective:
        if self.objective == "mpf":
            return MinimumProbabilityFlow(words, complement=self.complement)
        return NegativeLogLikelihood(words)

    def _take_over(self, result: FitResult, words: Words, stacklevel: int) -> None:
        """Become the fitted model; ``stacklevel`` leads warnings to the caller's own line."""
        self._adopt(result.parameters, words)
        self.objective_ = result.objective
        self.optimality_ = result.optimality
        self.n_iter_ = max(result.n_iter, 1)
        largest = _largest_free(result.parameters)
        if self.l1 == 0.0 and largest > _NATURAL:
            warnings.warn(
                f"{type(self).__name__} without a penalty has no finite optimum on these words: a "
                f"parameter reached {largest:.3g}, as where one unit repeats another; use l1 > 0",
                ConvergenceWarning,
                stacklevel=stacklevel,
            )
        if not result.converged:
            warnings.warn(
                f"{type(self).__name__} with l1={self.l1:g} is not converged: its optimality "
                f"conditions are violated by {result.optimality:.2g} (tol={self.tol:g}) after "
                f"{result.n_iter} iterations; raise max_iter, l1 or tol",
                ConvergenceWarning,
                stacklevel=stacklevel,
            )

    def _n_hidden(self) -> int:
        return 0

    def _check_start(self, start: Parameters, n_units: int) -> None:
        if not isinstance(start, Parameters):
            raise TypeError(
                f"start is a {type(start).__name__}; pass Parameters, for example a fitted "
                "model's parameters_"
            )
        wanted = self._kind, n_units, self._n_hidden()
        if (start.kind, start.n_visible, start.n_hidden) != wanted:
            raise ValueError(
                f"start is a model of kind {start.kind!r} with {start.n_visible} units and "
                f"{start.n_hidden} hidden units; it must be {wanted[0]!r} with {wanted[1]} "
                f"and {wanted[2]}"
            )

    def _check_settings(self, penalties: Sequence[float]) -> None:
        if not isinstance(penalties, Sequence | np.ndarray):
            raise TypeError(f"penalties is {penalties!r}; pass a sequence of numbers")
        for l1 in penalties:
            if not (is_number(l1) and 0.0 <= l1 < np.inf):
                raise ValueError(f"l1 is {l1!r}; the penalty must be a finite number, 0 or more")
        if self.objective not in _OBJECTIVES:
            raise ValueError(f"objective is {self.objective!r}; choose 'mpf' or 'likelihood'")
        if not isinstance(self.complement, bool | np.bool_):
            raise ValueError(f"complement is {self.complement!r}; it must be True or False")
        if self.complement and self.objective != "mpf":
            raise ValueError(
                "complement=True adds a neighbour to minimum probability flow; "
                "leave it False with objective='likelihood'"
            )
        if self.device not in _DEVICES:
            raise ValueError(f"device is {self.device!r}; choose 'auto' or 'cpu'")
        check_whole("n_init", self.n_init)
        check_whole("max_iter", self.max_iter)
        if not (is_number(self.tol) and 0.0 < self.tol < np.inf):
            raise ValueError(f"tol is {self.tol!r}; it must be a finite positive number")


class HiddenModel(HiddenFeatures, PenalisedModel):
    """Models with hidden units."""

    def __init__(
        self,
        n_hidden: int = 25,
        l1: float = 2e-3,
        *,
        objective: str = "mpf",
        complement: bool = False,
        device: str = "auto",
        n_init: int = 1,
        tol: float = 1e-8,
        max_iter: int = 5000,
        random_state: Any = 0,
    ) -> None:
        self.n_hidden = n_hidden
        self.l1 = l1
        self.objective = objective
        self.complement = complement
        self.device = device
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @classmethod
    def _settings_of(cls, theta: Parameters) -> dict[str, Any]:
        return {"n_hidden": max(theta.n_hidden, 1)}

    def _n_hidden(self) -> int:
        return int(self.n_hidden)

    def _check_settings(self, penalties: Sequence[float]) -> None:
        super()._check_settings(penalties)
        check_whole("n_hidden", self.n_hidden)


def _never_together(words: Words) -> NDArray[np.bool_]:
    """Pairs of units that no word shows active at once, shape (n_units, n_units)."""
    together = np.zeros((words.n_dims, words.n_dims), dtype=np.float32)
    for start in range(0, len(words), _CHUNK_WORDS):
        x = words.X[start : start + _CHUNK_WORDS].astype(np.float32)
        together += x.T @ x
    apart: NDArray[np.bool_] = together == 0.0
    np.fill_diagonal(apart, False)
    return apart


def _seed(random_state: Any) -> np.random.SeedSequence:
    if isinstance(random_state, Integral) and int(random_state) >= 0:
        return np.random.SeedSequence(int(random_state))
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(random_state.integers(2**32, size=4).tolist())
    if random_state is None or isinstance(random_state, np.random.RandomState):
        state = check_random_state(random_state)
        return np.random.SeedSequence(state.randint(2**31, size=4).tolist())
    raise ValueError(
        f"random_state is {random_state!r}; pass a whole number, 0 or more, a Generator, a "
        "RandomState or None"
    )


def _largest_free(theta: Parameters) -> float:
    """Largest bias or coupling, those of pairs kept apart aside."""
    J = np.zeros(0) if theta.J is None else theta.J[theta.J != APART]
    return float(np.abs(np.concatenate([theta.b, J.ravel()])).max())

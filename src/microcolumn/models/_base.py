"""What all models of the paper's family share: parameters, energies, log Z, samples.

Subclasses say which parameters they have; the rest is here.
"""

import warnings
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ..energy import BERNOULLI, HiddenUnit, hidden_mean, log_weight
from ..errors import BadArgument, BadInput, Unsupported
from ..incomplete import AnyWords, IncompleteWords
from ..kernels import flip_changes
from ..layout import Layout
from ..objectives.conditional import log_conditional
from ..parameters import Floats, Kind, Parameters
from ..partition import (
    LogPartition,
    can_sample_exactly,
    exact_samples,
    gibbs_samples,
    log_partition,
)
from ..partition.frequent import frequent_words_check
from ..validation import check_binary, expect, one_of, whole_number
from ..words import Words
from ._saving import Arrays, checked_arrays
from ._word_model import WordModel
from ._words_estimator import Size, in_time
from .spec import CONDITIONAL

#: Arrays that a file keeps parameters in, and those of the training words.
PARAMETERS = {
    "b": "float64 n",
    "J": "float64 n n",
    "W": "float64 n h",
    "c": "float64 h",
    "v": "float64 n+1",
}
_OF_DATA = {"kept_words": "uint8 k n", "frequent_words": "uint8 f n", "frequencies": "float64 f"}


class PopulationModel(WordModel):
    """A model of the paper's family: a distribution over words with an energy.

    Attributes
    ----------
    parameters_ : Parameters
        The fitted J, b, W, c, v as one object. Hidden units are always off in the silent word,
        ``c_ <= 0``; see :meth:`Parameters.canonical_sign`.
    """

    _kind: ClassVar[Kind]
    _hidden: ClassVar[HiddenUnit] = BERNOULLI
    _fitted_numbers = ("objective_", "optimality_", "n_iter_", *WordModel._fitted_numbers)

    l1: float  # strength of the L1 penalty of those that have one
    parameters_: Parameters
    _log_partition: LogPartition | None
    _log_z_by_fit: LogPartition | None = None
    _frequent: tuple[NDArray[np.uint8], Floats]
    _kept_words: NDArray[np.uint8]

    @property
    def J_(self) -> Floats:
        """Couplings, shape (n_units, n_units); zero where the model has none."""
        return self._part("J")

    @property
    def b_(self) -> Floats:
        """Biases, shape (n_units,)."""
        return self._part("b")

    @property
    def W_(self) -> Floats:
        """Weights, shape (n_units, n_hidden)."""
        return self._part("W")

    @property
    def c_(self) -> Floats:
        """Hidden biases, shape (n_hidden,)."""
        return self._part("c")

    def _part(self, name: str) -> Floats:
        """A copy of one of the parameters; zeros where the model has none."""
        part: Floats | None = getattr(self._theta(), name)
        n = self.n_features_in_
        none = {"J": (n, n), "W": (n, 0), "c": (0,), "v": (n + 1,)}
        return np.zeros(none[name]) if part is None else part.copy()

    def _size(self) -> Size:
        theta, n_couplings = self.parameters_, np.count_nonzero(self.J_) // 2
        n_nonzero, n_free = n_couplings + np.count_nonzero(self.W_), self._coordinates()[1].sum()
        return Size(n_free, n_nonzero, n_couplings, int(theta.live.sum()))

    @classmethod
    def from_parameters(cls, theta: Parameters) -> Self:
        """Make a ready model from parameters without fitting; they may lack J or W.

        Hidden units that are on in the silent word are turned (:meth:`Parameters.canonical_sign`),
        so ``energy`` may differ from that of ``theta`` by a constant; no probability does.
        It has no training rates, so ``microcolumn.score`` needs an explicit baseline, no
        ``window_``, and an ``words_info_`` of None.
        """
        expect("theta", theta, Parameters, "Parameters")
        _, parts = _KINDS[cls._kind]
        J, v = (
            None if part is not None and not part.any() and letter not in parts else part
            for letter, part in (("J", theta.J), ("v", theta.v))
        )
        theta = Parameters(theta.b, J, theta.W, theta.c, v, theta.hidden, theta.term)
        suitable, needed = _KINDS.get(theta.kind, ("", {"more than any model has"}))
        has_other_units = theta.W is not None and theta.hidden is not cls._hidden
        if not needed <= parts or has_other_units:
            remedy = "no model holds them; log_partition and gibbs_samples take them as they are"
            if suitable:
                remedy = f"use {'Gaussian' * theta.is_gaussian}{suitable}.from_parameters"
            raise BadInput(
                f"{cls.__name__} cannot hold parameters of kind {theta.kind!r} with "
                f"{theta.hidden.name} hidden units",
                remedy,
            )
        model = cls(**cls._settings_of(theta))
        model._set_parameters(theta)
        return model

    @classmethod
    def _settings_of(cls, theta: Parameters) -> dict[str, Any]:
        """Constructor arguments that parameters imply."""
        return {}

    def _facts(self) -> dict[str, str]:
        known = self._log_partition  # a notebook computes nothing
        return super()._facts() | ({} if known is None else {"log Z": str(known)})

    def energy(self, X: Words | ArrayLike) -> Floats:
        """E(x) = -log p~(x) of each word in nats, shape (n_words,)."""
        return in_time(X, -log_weight(self._theta(), self._checked(X)))

    def hidden(self, X: Words | ArrayLike) -> Floats:
        """Mean of each hidden unit given each word, shape (n_words, n_hidden).

        That is p(h_i = 1 | x), below 1/2 in the silent word, or the input of a Gaussian unit.
        """
        return in_time(X, hidden_mean(self._theta(), self._checked(X)))

    def _log_odds(self, bits: NDArray[np.uint8], units: Sequence[int]) -> Floats:
        n_newest = self.n_features_in_ // getattr(self, "window_", 1)
        if min(units, default=0) < self.n_features_in_ - n_newest:
            self._check_joint()
        live, _ = self._theta().drop_dead_units()
        # Flipping a silent bit makes a spike, flipping a spike silence.
        return (1.0 - 2.0 * bits[:, units]) * flip_changes(live.arrays, bits, units)

    @property
    def is_conditional(self) -> bool:
        """Whether it was fitted to predict the newest bin of windows, and knows nothing else."""
        return getattr(self, "objective", "") == CONDITIONAL

    def _check_joint(self) -> None:
        if self.is_conditional:
            problem = "objective='conditional' fits the newest bin given those before it alone"
            raise Unsupported(problem, "use objective='likelihood' for whole windows")

    def score_newest(self, X: Words | ArrayLike) -> Floats:
        """Log probability of the newest bin of windows given the bins before it, nats, (n_words,).

        All states of the newest bin are summed; it may have 16 units at most.
        """
        return in_time(X, self._score_newest(X))

    def _score_newest(self, X: Words | ArrayLike) -> Floats:
        """The same of each row of an array, or of each distinct word of ``Words``."""
        bits = self._checked(X)
        window = X.window if isinstance(X, Words) else getattr(self, "window_", 1)
        return log_conditional(self._theta(), bits, self.n_features_in_ // window)

    def _score_distinct(self, X: AnyWords | ArrayLike) -> Floats:
        if self.is_conditional and not isinstance(X, IncompleteWords):
            return self._score_newest(X)
        return super()._score_distinct(X)

    def log_partition(self, method: str = "auto", **options: Any) -> LogPartition:
        """Find log Z with its error, in nats; found once and remembered for the default method.

        Parameters
        ----------
        method : {"auto", "exact", "exact-visible", "exact-hidden", "ais"}
            See :func:`microcolumn.log_partition`.
        **options
            Passed on to it. Sampling starts from the training rates by default.
        """
        self._check_joint()
        theta = self._theta()
        default = method == "auto" and not options
        if default and self._log_partition is not None:
            return self._log_partition
        defaults = {"random_state": getattr(self, "random_state", 0)}
        if hasattr(self, "rates_"):
            defaults["words"] = self._kept_words
            if method in ("auto", "ais") and options.get("base") != "uniform":
                defaults["rates"] = self.rates_
        options = defaults | options
        result = log_partition(theta, method=method, **options)  # type: ignore[arg-type]
        if hasattr(self, "_frequent") and len(self._frequent[0]):
            estimate, doubt = frequent_words_check(theta, *self._frequent, result)
            if doubt is not None and result.converged:
                warnings.warn(
                    f"log Z may not be relied upon: {doubt}; raise max_steps or n_chains, or sum "
                    "exactly if the model allows it",
                    ConvergenceWarning,
                    stacklevel=2,
                )
            converged = result.converged and doubt is None
            result = replace(result, frequent_words=estimate, converged=converged)
        if default:
            self._log_partition = result
        return result

    def with_log_partition(self, log_z: LogPartition) -> Self:
        """Copy of this model that takes log Z as given, so that scores need no new sum.

        Parameters
        ----------
        log_z : LogPartition
            What ``log_partition()`` of the same ``parameters_`` found before; nothing checks that
            it is. It holds until the next fit, and other methods or options compute anew.
        """
        expect("log_z", log_z, LogPartition, "a LogPartition")
        if not np.isfinite(log_z.value):
            raise BadArgument("log_z", f"is {log_z.value}", "pass a finite estimate")
        self._theta()
        model = copy(self)
        model._log_partition = log_z
        return model

    def _log_probability(self, bits: NDArray[np.uint8]) -> Floats:
        return log_weight(self._theta(), bits) - self.log_partition().value

    def sample(
        self, n_samples: int = 1, random_state: Any = 0, method: str = "auto", **options: Any
    ) -> NDArray[np.uint8]:
        """Draw words from the model, shape (n_samples, n_units).

        Parameters
        ----------
        n_samples, random_state
            As in :class:`WordModel`.
        method : {"auto", "exact", "gibbs"}
            Independent exact draws, or collapsed Gibbs sampling; by default exact where the model
            is small enough.
        **options
            For Gibbs sampling: see :func:`microcolumn.partition.gibbs_samples`.
        """
        self._check_joint()
        theta = self._theta()
        whole_number("n_samples", n_samples, least=1)
        one_of("method", method, ("auto", "exact", "gibbs"))
        if method == "gibbs" or (method == "auto" and not can_sample_exactly(theta)):
            return gibbs_samples(theta, n_samples, random_state=random_state, **options)
        if options:
            raise Unsupported(
                f"exact samples take no option {next(iter(options))!r}",
                "leave it out or use method='gibbs'",
            )
        return exact_samples(theta, n_samples, random_state)

    def _arrays(self) -> Arrays:
        arrays = {name: getattr(self.parameters_, name) for name in PARAMETERS}
        if hasattr(self, "rates_"):
            arrays["kept_words"] = self._kept_words
            arrays["frequent_words"], arrays["frequencies"] = self._frequent
        return {name: array for name, array in arrays.items() if array is not None}

    @classmethod
    def _from_arrays(cls, arrays: Arrays, settings: dict[str, Any]) -> Self:
        sizes: dict[str, int] = {}
        layouts = {name: layout for name, layout in PARAMETERS.items() if name in arrays}
        given: Any = checked_arrays(arrays, layouts, sizes)
        model = cls.from_parameters(Parameters(**given, hidden=cls._hidden, term=None))
        model.set_params(**settings)
        if "rates" in arrays:
            kept, frequent, frequencies = checked_arrays(arrays, _OF_DATA, sizes).values()
            model._kept_words = check_binary(kept)
            model._frequent = check_binary(frequent) if len(frequent) else frequent, frequencies
        return model

    def _set_parameters(self, theta: Parameters, words: Words | None = None) -> None:
        """Take over fitted parameters and, after a fit, what the scores need of the data."""
        self.parameters_, _ = theta.canonical_sign()
        self._log_partition = None
        self._set_words_info(theta.n_visible, words)
        if words is not None:
            # For the plausibility check of log Z; how often incomplete words occur is not known.
            n_frequent = 0 if isinstance(words, IncompleteWords) else 10
            top = np.argsort(-words.counts, kind="stable")[:n_frequent]
            self._frequent = (words.X[top], words.counts[top] / words.counts.sum())
            self._kept_words = _representative_words(words)

    def _slopes(self, bits: NDArray[np.uint8]) -> Floats:
        """Of biases, and of couplings, weights and potentials that a penalty left other than 0."""
        theta = self._theta()
        layout, kept = self._coordinates()
        return layout.design(theta, bits, np.flatnonzero(kept))

    def _coordinates(self) -> tuple[Layout, NDArray[np.bool_]]:
        """The layout of the parameters, and which coordinates a penalty left other than 0."""
        theta = self._theta()
        tied = getattr(self, "tie_bins", False)
        layout = Layout.of(theta, tied_bins=getattr(self, "window_", 1) if tied else 1)
        parts = theta.b, theta.J, theta.W, theta.live.astype(np.float64), theta.v, theta.hidden
        of_live = Parameters.trusted(*parts, theta.term)
        kept = layout.pack(theta) != 0.0
        kept[layout.fields] = True
        kept[layout.hidden_biases] = layout.pack(of_live)[layout.hidden_biases] > 0.0
        return layout, kept

    def _theta(self) -> Parameters:
        check_is_fitted(self)
        return self.parameters_


def _representative_words(words: Words) -> NDArray[np.uint8]:
    """Words that show where the data are: some evenly spread over time, and the busiest ones.

    Annealed chains start their way back from them, and modes of the model where none of them lies
    are spurious. Rare bursts, which a few hundred words of an hour may miss, are among the busiest.
    """
    spread = np.linspace(0, words.n_bins - 1, min(words.n_bins, 500)).astype(np.intp)
    active = words.X.sum(axis=1, dtype=np.int64)
    busiest = np.argsort(-active, kind="stable")[:100]
    return np.concatenate([words.X[words.index[spread]], words.X[np.sort(busiest)]])


#: Class of each kind of model, and what it has besides biases; it can hold each kind that has less.
_KINDS: dict[Kind, tuple[str, set[str]]] = {
    "independent": ("Independent", set()),
    "ising": ("Ising", {"J"}),
    "kpairwise": ("KPairwise", {"J", "v"}),
    "independent+count": ("KPairwise", {"v"}),
    "rbm": ("RBM", {"W"}),
    "srbm": ("SemiRBM", {"J", "W"}),
}

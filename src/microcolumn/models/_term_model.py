"""Models of biases and one further term of the energy, fitted by likelihood at any size."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..energy import FreeTerm, log_weight
from ..layout import Layout
from ..parameters import Parameters
from ..partition import (
    LogPartition,
    can_sample_exactly,
    exact_samples,
    gibbs_samples,
    log_partition,
)
from ..partition.term_sums import word_probabilities
from ..solvers.term_fit import fit_term
from ..validation import Floats, random_generator
from ..words import Words
from ._alternative import AlternativeModel, warn_unless_converged
from ._settings import COUNT, POSITIVE, RANDOM_STATE, setting
from ._words_estimator import floored_rates

#: Most annealing steps.
_STEPS = 16_000
#: Chains that draw words, and words from which annealed chains start.
_MOST_CHAINS, _STARTS = 512, 4096


class Start(NamedTuple):
    """Where a fit begins."""

    theta: Parameters
    #: log Z, nats; None of independent units.
    log_z: float | None = None
    #: Units whose biases stay as they are, (n_units,); without, one prior word is counted.
    fixed: NDArray[np.bool_] | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class TermModel(AlternativeModel):
    """p(x) = exp(b'x + term) / Z; a subclass says where fits begin and what the term is made of.

    A subclass adds the setting ``l1``.
    """

    _fitted_numbers = (*AlternativeModel._fitted_numbers, "objective_", "n_iter_")
    _required_records: ClassVar[tuple[str, ...]] = ("log_z",)

    tol: float = setting(1e-6, POSITIVE)
    max_iter: int = setting(5000, COUNT)
    random_state: Any = setting(0, RANDOM_STATE)  # noqa: RUF009

    @abstractmethod
    def _start(self, words: Words, rng: np.random.Generator) -> Start:
        """Where a fit to words begins."""

    @abstractmethod
    def _take_term(self, term: FreeTerm) -> None:
        """Take over what the fitted term is made of."""

    @abstractmethod
    def _term(self) -> FreeTerm:
        """The term of the arrays that files keep."""

    def _fit(self, words: Words) -> None:
        rng, rates = random_generator(self.random_state), floored_rates(words)
        theta, log_z, fixed = self._start(words, rng)
        effort: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter, "rng": rng}
        prior = rates if fixed is None else None
        found = fit_term(theta, words, self.l1, prior=prior, fixed=fixed, log_z=log_z, **effort)
        assert found.parameters.term is not None
        self.b_ = found.parameters.b
        self._take_term(found.parameters.term)
        self.objective_, self.n_iter_ = found.objective, found.n_iter
        self.certificate_ = found.certificate
        self._log_z = annealed(found.parameters, words, rng)
        if found.log_z is not None:  # annealing knows it better than the search
            self.objective_ += self._log_z.value - found.log_z
        problem = (
            f"stopped after {self.n_iter_} steps with {self.certificate_}, which is not the "
            "optimum; raise max_iter, tol or l1"
        )
        warn_unless_converged(self, problem, stacklevel=4)

    def _theta(self) -> Parameters:
        """Biases and the term as one object."""
        return Parameters(b=self.b_, term=self._term())

    def log_partition(self) -> LogPartition:
        """Log Z, nats: the sum over all words of up to 20 units, beyond by annealing."""
        check_is_fitted(self)
        return self._log_z

    def _log_probability(self, bits: NDArray[np.uint8]) -> Floats:
        return log_weight(self._theta(), bits) - self._log_z.value

    def _draw(self, n_samples: int, rng: np.random.Generator) -> NDArray[np.uint8]:
        """Independent words of up to 20 units, beyond by Gibbs sampling."""
        theta = self._theta()
        if can_sample_exactly(theta):
            return exact_samples(theta, n_samples, rng)
        n_chains = self._chains_of(n_samples)
        return gibbs_samples(theta, n_samples, n_chains=n_chains, random_state=rng)

    def _chains_of(self, n_samples: int) -> int:
        return 0 if can_sample_exactly(self._theta()) else min(n_samples, _MOST_CHAINS)

    def _active_distribution(self) -> Floats | None:
        theta = self._theta()
        if not can_sample_exactly(theta):
            return None
        n_active = np.bitwise_count(np.arange(1 << theta.n_visible))
        p, _ = word_probabilities(theta)
        return np.bincount(n_active, p, theta.n_visible + 1).astype(np.float64)

    def _slopes(self, bits: NDArray[np.uint8]) -> Floats:
        """Of biases, and of free numbers of the term other than 0."""
        theta = self._theta()
        layout = Layout.of(theta)
        kept = layout.pack(theta) != 0.0
        kept[layout.fields] = True
        return layout.design(theta, bits, np.flatnonzero(kept))


def annealed(theta: Parameters, words: Words, rng: np.random.Generator) -> LogPartition:
    """Log Z by a sum where it is quick, else annealed from the rates of the words."""
    options: dict[str, Any] = {"random_state": rng}
    if not can_sample_exactly(theta):
        shares = words.counts / words.counts.sum()
        data = words.X[rng.choice(len(words), size=_STARTS, p=shares)]
        options |= {"rates": floored_rates(words), "words": data}
        options |= {"max_steps": _STEPS, "n_steps": 250}
    return log_partition(theta, **options)

"""What rivals share whose energy is a sum of functions of a few units each."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..energy import Tables, log_odds, log_weight
from ..parameters import Parameters
from ..partition import (
    LogPartition,
    can_sample_exactly,
    exact_samples,
    gibbs_samples,
    log_partition,
)
from ..partition._table_sums import word_probabilities
from ..validation import Floats
from ..words import Words
from ._rival import Rival
from ._words_estimator import floored_rates

#: Chains that draw words, and words from which annealed chains start.
_MOST_CHAINS, _STARTS = 512, 4096


class TableModel(Rival):
    """A rival with biases ``b_`` and functions of a few units, and a log Z of its own."""

    b_: Floats
    _log_z: LogPartition

    def _theta(self) -> Parameters:
        """Biases and functions as one object."""
        return Parameters(b=self.b_, tables=self._tables())

    @abstractmethod
    def _tables(self) -> Tables:
        """The functions with their strengths."""

    def log_partition(self) -> LogPartition:
        """Log Z, nats: the sum over all words of up to 20 units, beyond by annealing."""
        check_is_fitted(self)
        return self._log_z

    def _log_odds(self, bits: NDArray[np.uint8], units: Sequence[int]) -> Floats:
        theta = self._theta()
        return np.stack([log_odds(theta, bits, unit) for unit in units], axis=1)

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


def found_log_partition(
    theta: Parameters, words: Words, rng: np.random.Generator, max_steps: int
) -> LogPartition:
    """Log Z by a sum where it is quick, else annealed from the rates of the words."""
    options: dict[str, Any] = {"random_state": rng}
    if not can_sample_exactly(theta):
        shares = words.counts / words.counts.sum()
        data = words.X[rng.choice(len(words), size=_STARTS, p=shares)]
        options |= {"rates": floored_rates(words), "words": data, "max_steps": max_steps}
        options |= {"n_steps": min(250, max_steps)}
    return log_partition(theta, **options)

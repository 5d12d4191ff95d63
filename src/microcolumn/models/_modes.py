"""Models whose words come from one of several modes, in each of which units are independent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ..energy import number_active
from ..errors import BadArgument
from ..incomplete import IncompleteWords
from ..objectives.sparse_words import listed_words
from ..packing import distinct_pasts
from ..solvers import Certificate
from ..validation import Floats, check_entries, chunks, real_array
from ..words import Words
from ._alternative import AlternativeModel, warn_unless_converged
from ._components import Components
from ._modes_fit import Summit
from ._settings import COUNT, POSITIVE, STRENGTH, seed_of, setting

#: Fewest distinct words per mode that make more modes worth trying.
_FEWEST_WORDS = 5
#: Most that probabilities of a distribution may miss 1 by.
_ROUNDING = 1e-9


class ModesModel(AlternativeModel):
    """Words of modes, in each of which units are independent, that are so frequent."""

    modes_: Floats  # probability of a spike of each bit in each mode, (n_modes, n_bits)
    weights_: Floats  # probability of each mode in a single word, (n_modes,)

    @classmethod
    def _of(cls, by_name: dict[str, ArrayLike], **settings: Any) -> Self:
        """A ready model of arrays by their names in files."""
        arrays = {name: real_array(name, v, "pass numbers") for name, v in by_name.items()}
        for name, array in arrays.items():
            check_entries(name, array, np.isfinite(array), "pass finite numbers")
        model = cls(**settings)
        model._take_arrays(arrays)
        return model

    def _check_distributions(self, *names: str) -> None:
        """Refuse what is not positive or does not add up to 1 along the last axis."""
        for name in names:
            shares = getattr(self, name)
            adds_up = (np.abs(shares.sum(axis=-1) - 1.0) < _ROUNDING).all()
            if not (adds_up and (shares > 0.0).all()):
                problem = "must be positive and add up to 1"
                raise BadArgument(name.strip("_"), problem, "divide by the sum")

    def responsibilities(self, X: Words | ArrayLike) -> Floats:
        """Probability of each mode given each word, shape (n_words, n_modes)."""
        return self._responsibilities(self._checked(X))

    def _log_odds(self, bits: NDArray[np.uint8], units: Sequence[int]) -> Floats:
        # With responsibilities r of the whole word, P its modes and e = P / (1 - P), the odds are
        # sum_k r_k e_k where the unit was silent and 1 / sum_k (r_k / e_k) where it was active.
        chosen = np.asarray(units, dtype=np.intp)
        odds = self.modes_[:, chosen] / (1.0 - self.modes_[:, chosen])
        out = np.empty((len(bits), chosen.size))
        for part in chunks(len(bits), max(bits.shape[1], len(self.modes_))):
            r = self._responsibilities(bits[part])
            out[part] = np.where(bits[part][:, chosen], -np.log(r @ (1.0 / odds)), np.log(r @ odds))
        return out

    def log_odds_given_past(self, words: Words) -> tuple[Floats, NDArray[np.int32]]:
        """As in :class:`AlternativeModel`; modes are as probable as earlier bins make them."""
        check_is_fitted(self)
        pasts, past = distinct_pasts(words.X, words.n_units)
        n_past = pasts.shape[1]
        earlier = Components.of(self.modes_[:, :n_past], np.log(self.weights_))
        newest = self.modes_[:, n_past:]
        log_odds = np.empty((len(pasts), words.n_units))
        for part in chunks(len(pasts), max(self.modes_.shape)):
            r, _ = earlier.shares(listed_words(pasts[part]))
            log_odds[part] = log_odds_of_mixed(r, newest)
        return log_odds, past

    def _draw(self, n_samples: int, rng: np.random.Generator) -> NDArray[np.uint8]:
        """Independent words: first the mode, then the units."""
        modes = np.searchsorted(steps(self.weights_), rng.random(n_samples), side="right")
        return draw_words(self.modes_, modes, rng)

    def _log_probability(self, bits: NDArray[np.uint8]) -> Floats:
        return self._components.log_probability(listed_words(bits))

    def _log_marginal(self, words: IncompleteWords) -> Floats:
        missing = listed_words(words.missing.astype(np.uint8))
        return self._components.log_probability(listed_words(words.X), missing)

    def _responsibilities(self, bits: NDArray[np.uint8]) -> Floats:
        return self._components.shares(listed_words(bits))[0]

    @property
    def _components(self) -> Components:
        return Components.of(self.modes_, np.log(self.weights_))

    def _slopes(self, bits: NDArray[np.uint8]) -> Floats:
        """Of log odds of spikes and log weights of the modes."""
        r = self._responsibilities(bits)
        spikes = r[:, :, None] * (bits[:, None] - self.modes_)
        return np.hstack([r, spikes.reshape(len(bits), -1)])

    def _active_distribution(self) -> Floats:
        """P(k units active): Poisson-binomial in each mode."""
        return self.weights_ @ number_active(self.modes_, 1.0 - self.modes_)


@dataclass(eq=False, repr=False, kw_only=True)
class FittedByPasses(ModesModel):
    """What a mixture and a hidden Markov model share: expectation maximisation from many starts."""

    _fitted_numbers = (*AlternativeModel._fitted_numbers, "objective_", "last_gain_", "n_iter_")

    #: The setting that says how many modes there are, and numbers worth trying.
    _numbers: ClassVar[tuple[str, tuple[int, ...]]]

    smoothing: float = setting(10.0, POSITIVE)
    n_init: int = setting(3, COUNT)
    tol: float = setting(1e-5, STRENGTH)
    max_iter: int = setting(2000, COUNT)
    random_state: Any = 0

    def _check_arrays(self) -> None:
        remedy = "pass probabilities between 0 and 1 and not on them, so that every word can occur"
        check_entries("modes", self.modes_, (self.modes_ > 0.0) & (self.modes_ < 1.0), remedy)
        self._check_distributions(*list(self._kept_arrays)[1:])

    def grid(self, words: Words) -> tuple[dict[str, Any], ...]:
        """Numbers of modes up to one for five distinct words, and 1."""
        (name, numbers), most = self._numbers, max(1, len(words) // _FEWEST_WORDS)
        return tuple({name: n} for n in numbers if n <= most)

    def _search_settings(self) -> tuple[float, int, float, int, np.random.SeedSequence]:
        """Words of the prior, starts, tolerance, most passes and seed, as fits take them."""
        smoothing, seed = float(self.smoothing), seed_of(self.random_state)
        return smoothing, int(self.n_init), self.tol, int(self.max_iter), seed

    def _report(self, summit: Summit) -> None:
        """Keep how the fit ended, and warn if it is not at its end."""
        self.objective_, self.last_gain_ = -summit.objective, summit.gain
        self.n_iter_ = summit.n_passes
        self.certificate_ = Certificate(summit.gain <= self.tol, summit.violation)
        problem = (
            f"with {self._size().text} is not converged: the last of {self.n_iter_} passes still "
            f"added {summit.gain:.2g} nats per word (tol={self.tol:g}); raise max_iter or tol"
        )
        warn_unless_converged(self, problem, stacklevel=5)


def log_odds_of_mixed(shares: Floats, modes: Floats) -> Floats:
    """Log odds of a spike, shape (n_rows, n_bits), where modes have the shares (n_rows, n_modes).

    Both probabilities are sums of positive terms, so that neither loses digits.
    """
    return np.log(shares @ modes) - np.log(shares @ (1.0 - modes))


def draw_words(
    modes: Floats, numbers: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.uint8]:
    """A word of each chosen mode, shape (n_chosen, n_bits)."""
    words = np.empty((numbers.size, modes.shape[1]), dtype=np.uint8)
    for part in chunks(*words.shape):
        words[part] = rng.random(words[part].shape) < modes[numbers[part]]
    return words


def steps(weights: Floats) -> Floats:
    """Cumulative sums of probabilities without the last, which is 1 except for rounding."""
    return np.cumsum(weights, axis=-1)[..., :-1]

"""K-pairwise: couplings and a potential of the number of active units."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from ..energy import number_active
from ..errors import BadInput
from ..objectives import l1_grid, largest_l1
from ..parameters import Floats, Kind, Parameters
from ..penalties import L1, Penalty, Smoothness
from ..solvers import FitResult
from ..words import Words
from ._settings import STRENGTH, setting
from ._words_estimator import Size, floored_rates
from .penalised import PenalisedModel

#: Nats by which V is expected to bend down at each count beyond the largest that was seen.
_TAIL_BEND = 1.0
#: Strength of the smoothness penalty that the coordinates of V are made for, at least.
_LEAST_STRENGTH = 1e-10


@dataclass(eq=False, repr=False)
class KPairwise(PenalisedModel):
    """K-pairwise maximum-entropy model, log p~(x) = x'Jx + b'x + V(K), K the active bits of x.

    Without penalty and smoothing it is the one of largest entropy of all distributions with the
    data's rates, pairwise correlations and distribution of K (Tkacik et al. 2014); V(0) = V(1) = 0
    is the gauge. It is fitted by maximum likelihood alone, exactly where the sums take a tenth of a
    second, else from words that the model draws, certified by fresh chains. With windows of several
    bins K counts all bits. Second differences of V have a normal prior (docs/method.md, section
    11). Sampled fits know of those spurious modes that a search finds;
    ``log_partition().spurious_mass`` tells what is left.

    Parameters
    ----------
    l1 : float
        L1 penalty per entry of J (each pair counts twice).
    smoothing : float
        Inverse variance of the second differences of V, 1 / nats^2. With 0 the model's P(K) is the
        data's; then every number of active units must have been seen, or V has no finite optimum.
        On recordings scores hardly change between 1 and 100.
    tol : float, optional
        Largest violation of the optimality conditions that counts as converged. By default the fit
        ends where less is to be gained than 1 % of the standard error that the words allow.
    max_iter : int
        Most iterations of the solver.
    random_state : int, Generator, RandomState or None
        Seed of the words that a sampled likelihood draws.

    Examples
    --------
    >>> words = [[0, 0, 0]] * 90 + [[1, 1, 1]] * 6 + [[0, 1, 0]] * 2 + [[1, 0, 1]] * 2
    >>> model = KPairwise(l1=0.01).fit(words)
    >>> model.v_.shape, model.optimality_ < 1e-6
    ((4,), True)
    """

    _kind: ClassVar[Kind] = "kpairwise"

    # Settings of its kin that mean nothing here: flow sees no count beyond the neighbours of words,
    # the problem is convex, and the potential counts all bins alike.
    objective: ClassVar[str] = "likelihood"  # type: ignore[misc]
    tie_bins: ClassVar[bool] = False  # type: ignore[misc]
    n_init: ClassVar[int] = 1  # type: ignore[misc]
    _strict = 1e-8

    l1: float = setting(1e-4, STRENGTH)
    _: KW_ONLY
    smoothing: float = setting(10.0, STRENGTH)

    @property
    def v_(self) -> Floats:
        """Potential of the number of active bits, nats, shape (n_units + 1,)."""
        return self._part("v")

    def _size(self) -> Size:
        size = super()._size()
        return size._replace(text=f"{size.couplings:,} couplings")

    def grid(self, words: Words) -> tuple[dict[str, Any], ...]:
        """Settings worth trying on these words: strengths a factor of ten apart."""
        return tuple({"l1": l1} for l1 in l1_grid(largest_l1(words, self.objective), per_decade=1))

    def fit_grid(self, words: Words, grid: Sequence[dict[str, Any]]) -> list[Self]:
        """Fit a copy at each of some settings, as a path where they are strengths alone."""
        if all(set(settings) == {"l1"} for settings in grid):
            return self.fit_path(words, [settings["l1"] for settings in grid])
        return [clone(self).set_params(**settings).fit(words) for settings in grid]

    def _penalty_on(self, words: Words) -> Callable[[float], Penalty]:
        smoothness = Smoothness(self._strength(words), self._bends(words))
        return lambda l1: L1(l1) + smoothness

    def _strength(self, words: Words) -> float:
        # Whole weights count as that many words; see `floored_rates`.
        return self.smoothing / max(float(words.counts.sum()), words.n_bins)

    def _potential_basis(self, words: Words) -> Floats | None:
        """Coordinates t of V in which the penalised likelihood is curved like that of a bias.

        The curvature along V is that of the penalty and, where the model's P(K) is the data's, the
        covariance of the indicators of K. Without them, counts seen once in a million words and
        counts never seen would take thousands of iterations.
        """
        if words.n_dims < 2:
            return None
        shares = _seen(words)[2:] / words.counts.sum()
        second = np.diff(np.eye(words.n_dims + 1), n=2, axis=0)[:, 2:]
        strength = max(self._strength(words), _LEAST_STRENGTH)
        curvature = np.diag(shares) - np.outer(shares, shares) + strength * (second.T @ second)
        rates = np.clip(words.rates, 1e-3, 1.0 - 1e-3)
        scale = math.sqrt(float((rates * (1.0 - rates)).mean()))
        return scale * np.linalg.inv(np.linalg.cholesky(curvature)).T

    def _results(
        self, words: Words, l1_values: Sequence[float], start: Parameters | None, *options: Any,
        **named: Any,
    ) -> Iterator[tuple[int, FitResult]]:  # fmt: skip
        seen = _seen(words)
        if self.smoothing == 0.0 and not seen.all():
            never = int(np.flatnonzero(seen == 0)[0])
            raise BadInput(
                f"no word has {never} active units, so that without smoothing the potential has "
                "no finite optimum",
                "use smoothing > 0",
            )
        first = _uncoupled(words, self._bends(words)) if start is None else start
        return super()._results(words, l1_values, first, *options, **named)

    def _bends(self, words: Words) -> Floats:
        """Second differences of V that the prior expects: down beyond the largest count seen."""
        largest = int(np.flatnonzero(_seen(words))[-1])
        return np.where(np.arange(1, words.n_dims) >= largest, -_TAIL_BEND, 0.0)


def _uncoupled(words: Words, bends: Floats) -> Parameters:
    """Independent units with the potential that gives them about the data's P(K), as a start.

    From V = 0 the first steps would be so long that chains meet spurious modes on the way.
    """
    rates, n = floored_rates(words), words.n_dims
    [chances] = number_active(rates[None], 1.0 - rates[None])
    seen = _seen(words)
    largest = int(np.flatnonzero(seen)[-1])
    shares = (seen + 0.5) / (seen + 0.5).sum()
    v = np.log(shares) - np.log(np.maximum(chances, 1e-300))
    for k in range(max(largest, 1), n):  # beyond what was seen the prior leads on
        v[k + 1] = 2.0 * v[k] - v[k - 1] + bends[k - 1]
    slope = v[1] - v[0]
    v -= v[0] + slope * np.arange(n + 1)
    v[:2] = 0.0
    biases = np.log(rates) - np.log1p(-rates) + slope
    return Parameters(b=biases, J=np.zeros((n, n)), v=v)


def _seen(words: Words) -> Floats:
    """Weight of the words with each number of active bits, shape (n_dims + 1,)."""
    n_active = words.X.sum(axis=1, dtype=np.intp)
    return np.bincount(n_active, words.counts, words.n_dims + 1).astype(np.float64)

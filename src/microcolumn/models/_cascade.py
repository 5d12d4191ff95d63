"""Each unit given those before it: a cascade of logistic regressions with an L1 penalty."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from ..formatting import counted
from ..objectives import further_l1, l1_grid
from ..objectives.sparse_words import listed_words
from ..solvers import Certificate
from ..solvers.cascade import CascadeFit, CascadeRegressions
from ..validation import Bits, Floats, chunks, whole_number
from ..words import Words
from ._alternative import AlternativeModel, warn_of_regressions
from ._saving import Arrays, check_sound
from ._settings import COUNT, POSITIVE, STRENGTH, setting
from ._words_estimator import Size, floored_rates

#: Decades of strengths below the three that grids of other models span: on 54 retinal cells the
#: best one without the count lay at the lower end of three.
_MORE_DECADES = 1
#: Coefficients beyond this many nats do not come from finite optima (as for couplings).
_NATURAL = 15.0


@dataclass(eq=False, repr=False)
class CascadedLogistic(AlternativeModel):
    """Each unit given those before it, by logistic regressions with an L1 penalty.

    With the units in the order of the cascade (Park, Archer, Latimer & Pillow 2013),

        p(x) = prod_i sigmoid(+-(b_i + sum_{j<i} w_ij x_j + f_i(K_i))),    K_i = sum_{j<i} x_j,

    with + where unit i is active and steps f_i of the running count K_i (docs/method.md, section
    11). The model is normalised at any size and has exact samples. The order goes from the least to
    the most active unit, bin by bin of a window, the oldest first.

    Parameters
    ----------
    l1 : float
        Strength of the L1 penalty on weights and steps, nats per word; biases have none.
    count : bool
        Whether the running count has a part.
    tol : float
        Largest violation of the optimality conditions that counts as converged.
    max_iter : int
        Most Newton steps of one regression.

    Attributes
    ----------
    order_ : ndarray of int, shape (n_bits,)
        Positions of the bits in the order of the cascade.
    b_ : ndarray, shape (n_bits,)
        Biases, nats. Units that never or always fire have the log odds of their floored rate, and
        no weights.
    weights_ : ndarray, shape (n_bits, n_bits)
        Entry (i, j) is the weight of bit j for bit i, nats; 0 unless j comes before i.
    steps_ : ndarray, shape (n_bits, n_thresholds)
        Step of each bit's log odds where the running count reaches a threshold, nats.
    thresholds_ : ndarray of int, shape (n_thresholds,)
        Running counts at which steps are made; none without the count.
    certificate_ : Certificate
        Largest violation of the optimality conditions over all regressions.
    optimality_ : float
        The same number.
    n_iter_ : int
        Most Newton steps of one regression.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.random(5000) < 0.2
    >>> y = rng.random(5000) < np.where(x, 0.5, 0.1)
    >>> model = CascadedLogistic(l1=0.0, count=False).fit(np.column_stack([x, y]))
    >>> np.exp(model.score_samples([[0, 0], [0, 1], [1, 0], [1, 1]])).round(2).tolist()
    [0.71, 0.08, 0.11, 0.1]
    """

    _fitted_numbers = (*AlternativeModel._fitted_numbers, "optimality_", "n_iter_")
    _kept_arrays: ClassVar[dict[str, str]] = {
        "b_": "float64 n",
        "weights_": "float64 n n",
        "order_": "int64 n",
        "steps_": "float64 n t",
        "thresholds_": "int64 t",
    }

    l1: float = setting(4e-5, STRENGTH)
    count: bool = setting(True, ["boolean"])
    _: KW_ONLY
    tol: float = setting(1e-8, POSITIVE)
    max_iter: int = setting(100, COUNT)

    @classmethod
    def from_parameters(
        cls,
        b: ArrayLike,
        weights: ArrayLike,
        order: ArrayLike,
        steps: ArrayLike | None = None,
        thresholds: ArrayLike = (),
    ) -> Self:
        """Make a ready model without fitting; parameters are as the attributes describe them."""
        arrays: Arrays = {
            "b": np.array(b, dtype=np.float64),
            "weights": np.array(weights, dtype=np.float64),
        }
        for name, given in (("order", order), ("thresholds", thresholds)):
            whole = [whole_number(name, each) for each in np.ravel(given)]
            arrays[name] = np.array(whole, dtype=np.int64)
        n = arrays["b"].size
        arrays["steps"] = np.zeros((n, 0)) if steps is None else np.array(steps, dtype=np.float64)
        model = cls(count=arrays["thresholds"].size > 0)
        model._take_arrays(arrays)
        return model

    def _size(self) -> Size:
        n_weights, n_steps = (int(np.count_nonzero(a)) for a in (self.weights_, self.steps_))
        chosen = counted(n_weights, "weight") + f", {counted(n_steps, 'step')}" * bool(self.count)
        n_nonzero = n_weights + n_steps
        return Size(n_nonzero + self.b_.size, n_nonzero, n_weights, text=chosen)

    def grid(self, words: Words) -> tuple[dict[str, Any], ...]:
        """Strengths over four decades, from where units become independent down, twice."""
        grid = []
        for count in (True, False):
            strengths = l1_grid(_regressions(words, count).largest_l1())
            lower = further_l1(strengths[0], -_MORE_DECADES) if strengths[0] else ()
            grid += [{"l1": l1, "count": count} for l1 in (*lower, *strengths)]
        return tuple(grid)

    def fit_grid(self, words: Words, grid: Sequence[dict[str, Any]]) -> list[Self]:
        """Fit a copy at each of some settings, from strong penalties to weak ones."""
        models = self._copies(grid)
        for count in (True, False):
            path = [model for model in models if bool(model.count) is count]
            if not path:
                continue
            regressions, start = _regressions(words, count), None
            for model in sorted(path, key=lambda model: -float(model.l1)):
                start = model._solve(regressions, start)
                model._set_words_info(words.n_dims, words)
        return models

    def _fit(self, words: Words) -> None:
        self._solve(_regressions(words, self.count), None)

    def _solve(self, regressions: CascadeRegressions, start: CascadeFit | None) -> CascadeFit:
        """Solve the regressions, take their solution over and say if it is none."""
        solution = regressions.solve(float(self.l1), float(self.tol), int(self.max_iter), start)
        order, thresholds = regressions.order, regressions.thresholds
        self.order_, self.thresholds_ = order, thresholds
        self.b_, self.steps_ = np.empty(order.size), np.empty((order.size, thresholds.size))
        self.weights_ = np.empty((order.size, order.size))
        self.b_[order], self.steps_[order] = solution.biases, solution.steps
        self.weights_[np.ix_(order, order)] = solution.weights
        self.optimality_, self.n_iter_ = solution.optimality, max(solution.n_iter, 1)
        self.certificate_ = Certificate(solution.optimality <= self.tol, solution.optimality)
        name = f"CascadedLogistic with l1={self.l1:g} and count={bool(self.count)}"
        largest = max(float(np.abs(each).max(initial=0.0)) for each in (self.weights_, self.steps_))
        runaway = "two units never fire together" if self.l1 == 0.0 and largest > _NATURAL else ""
        warn_of_regressions(self, name, runaway, largest, stacklevel=5)
        return solution

    def _tables(self) -> tuple[Floats, Floats]:
        """Weights from row to column, and log odds by running count, both in cascade order."""
        weights = np.ascontiguousarray(self.weights_[np.ix_(self.order_, self.order_)].T)
        reached = np.arange(self.order_.size + 1)[:, None] >= self.thresholds_
        by_count = self.b_[self.order_] + reached @ self.steps_[self.order_].T
        return weights, by_count

    def _draw(self, n_samples: int, rng: np.random.Generator) -> Bits:
        """Independent words, unit by unit."""
        weights, by_count = self._tables()
        out = np.empty((n_samples, self.order_.size), dtype=np.uint8)
        for part in chunks(*out.shape):
            uniform = rng.random(out[part].shape)
            x, before = np.zeros(uniform.shape), np.zeros(len(uniform), dtype=np.intp)
            for i in range(self.order_.size):
                odds = by_count[before, i] + x[:, :i] @ weights[:i, i]
                x[:, i] = uniform[:, i] < expit(odds)
                before += x[:, i] > 0.0
            out[part, self.order_] = x
        return out

    def _in_order(self, bits: Bits) -> tuple[Bits, NDArray[np.intp], Floats]:
        """Words in cascade order, active units before each, and log odds given those before."""
        weights, by_count = self._tables()
        x = np.ascontiguousarray(bits[:, self.order_])
        before = np.cumsum(x, axis=1, dtype=np.intp) - x
        return x, before, listed_words(x) @ weights + by_count[before, np.arange(x.shape[1])]

    def _log_probability(self, bits: Bits) -> Floats:
        out = np.empty(len(bits))
        for part in chunks(*bits.shape):
            x, _, odds = self._in_order(bits[part])
            out[part] = -_losses(x, odds).sum(axis=1)
        return out

    def _log_odds(self, bits: Bits, units: Sequence[int]) -> Floats:
        places = np.argsort(self.order_)[np.asarray(units, dtype=np.intp)]
        (weights, by_count), out = self._tables(), np.empty((len(bits), places.size))
        for part in chunks(*bits.shape):
            x, before, odds = self._in_order(bits[part])
            losses = _losses(x, odds)
            for column, place in enumerate(places):
                # A flip changes the factors of later units.
                later, change = np.arange(place + 1, x.shape[1]), 1 - 2 * x[:, [place]].astype(int)
                count = before[:, later]
                flipped = odds[:, later] + change * weights[place, later]
                flipped += by_count[count + change, later] - by_count[count, later]
                gain = (losses[:, later] - _losses(x[:, later], flipped)).sum(axis=1)
                out[part, column] = odds[:, place] + change[:, 0] * gain
        return out

    def _slopes(self, bits: NDArray[np.uint8]) -> Floats:
        """Of biases, and of weights and steps other than 0; the order is given."""
        _, before, odds = self._in_order(bits)
        back = np.argsort(self.order_)
        x, reached = bits.astype(np.float64), before[:, back, None] >= self.thresholds_
        residual = x - expit(odds[:, back])
        i, j = np.nonzero(self.weights_)
        k, t = np.nonzero(self.steps_)
        steps = residual[:, k] * reached[:, k, t]
        return np.hstack([residual, residual[:, i] * x[:, j], steps])

    def _check_arrays(self) -> None:
        order = self.order_
        each_once = np.array_equal(np.sort(order), np.arange(order.size))
        check_sound(each_once, f"order does not name each of the {order.size} bits once")
        increase = (np.diff(self.thresholds_, prepend=0) >= 1).all()
        check_sound(increase, "thresholds are not whole numbers that increase from 1 on")
        from_before = not np.triu(self.weights_[np.ix_(order, order)]).any()
        check_sound(from_before, "weights has entries of bits that do not come before their target")


def _losses(bits: Bits, log_odds: Floats) -> Floats:
    """Minus the log probability of each bit, nats."""
    return np.logaddexp(0.0, np.where(bits, -log_odds, log_odds))


def cascade_order(words: Words) -> NDArray[np.int64]:
    """Positions of the bits from the least active to the most active, the oldest bin first."""
    bins = np.repeat(np.arange(words.window), words.n_units)
    return np.lexsort((words.rates, bins)).astype(np.int64)


def count_thresholds(most: int) -> NDArray[np.int64]:
    """1, 2, 3, 4, 6, 8, 12, 16, 24, 32 and so on up to ``most``."""
    powers = 2 ** np.arange(max(most, 1).bit_length(), dtype=np.int64)
    thresholds = np.unique(np.concatenate([powers, 3 * powers[:-1]]))
    return thresholds[thresholds <= most]


def _regressions(words: Words, count: bool) -> CascadeRegressions:
    rates, order = floored_rates(words), cascade_order(words)
    most = max(int(words.X[part].sum(axis=1).max()) for part in chunks(*words.X.shape))
    thresholds = count_thresholds(most if count else 0)
    biases = np.log(rates) - np.log1p(-rates)
    return CascadeRegressions(words, order, thresholds, biases[order])

"""The distribution along several projections: a potential of each, of maximum entropy."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..energy import FreeTerm, Ramps, tail_knots
from ..errors import BadArgument
from ..objectives import pair_rates
from ..parameters import Parameters
from ..partition.term_sums import MOST_UNITS
from ..validation import Floats, real_array
from ..words import Words
from ._saving import check_sound
from ._settings import POSITIVE, Number, setting
from ._term_model import Start, TermModel, annealed
from ._words_estimator import Size, floored_rates, scaled_counts

#: Each knot leaves this factor fewer words beyond it, and the last ones at least so many.
_FACTOR, _FEWEST = 2.0, 10.0


@dataclass(eq=False, repr=False)
class ProjectionPotentials(TermModel):
    """A potential of each of several projections of the words (Di Carlo et al. 2025).

        p(x) = exp(b'x + sum_k V_k(a_k'x)) / Z

    It is the most random model with the rates of the units and, but for the penalty and between
    knots, with the distribution of activity along each projection. The first is the number of
    active units, a_0 = 1, whose potential is that of :class:`KPairwise` without its couplings; the
    others are the principal axes of the words, in units of the standard deviation along them. V_k
    is linear between knots and bends down beyond all that was seen (docs/method.md, section 11).

    Parameters
    ----------
    n_axes : int
        Principal axes besides the number of active units.
    l1 : float
        Penalty l1 * sum |change of slope of V_k at a knot|, nats per word. A line costs nothing.
    tol, max_iter, random_state
        As of :class:`RandomProjections`.

    Attributes
    ----------
    axes_ : ndarray, shape (1 + n_axes, n_units)
        a_k.
    ramp_axis_, knots_, signs_, bends_, strengths_ : ndarray, shape (n_ramps,)
        V_k is the sum over its ramps of (bend + strength) * max(sign * (a_k'x - knot), 0), nats.
    b_, objective_, certificate_
        As of :class:`RandomProjections`.

    Examples
    --------
    >>> words = mc.simulate.microcolumn(n_units=4, minutes=1, seed=0).bin()
    >>> model = ProjectionPotentials(2).fit(words)
    >>> bool(model.potential(0, [2.0])[0] > 0.0)  # V(0) = V(1) = 0
    True
    """

    _kept_arrays: ClassVar[dict[str, str]] = {
        "b_": "float64 n",
        "axes_": "float64 k n",
        "ramp_axis_": "int32 m",
        **dict.fromkeys(("knots_", "signs_", "bends_", "strengths_"), "float64 m"),
    }

    n_axes: int = setting(5, [Number(Integral, 0, None, closed="left")])
    l1: float = setting(1e-4, POSITIVE)

    def potential(self, projection: int, scores: ArrayLike) -> Floats:
        """V of one projection at some values of it, nats, shape (n_scores,)."""
        if not 0 <= projection < len(self.axes_):
            raise BadArgument(
                "projection", f"is {projection!r}", f"they are 0 to {len(self.axes_) - 1}"
            )
        return self._term().values(projection, real_array("scores", scores, "pass numbers"))

    def _size(self) -> Size:
        n_nonzero = np.count_nonzero(self.strengths_)
        return Size(self.b_.size + n_nonzero, n_nonzero, text=f"{len(self.axes_)} projections")

    def grid(self, words: Words) -> tuple[dict[str, Any], ...]:
        """Numbers of principal axes, and two penalties; one where fits are sampled."""
        sizes = sorted({min(n, words.n_dims - 1) for n in (1, 5, 20)})
        penalties = (1e-4, 1e-5) if words.n_dims <= MOST_UNITS else (1e-4,)
        return tuple({"n_axes": n, "l1": l1} for n in sizes for l1 in penalties)

    def _start(self, words: Words, rng: np.random.Generator) -> Start:
        rates, axes = floored_rates(words), _axes(words, self.n_axes)
        columns = []
        for k, (axis, scores) in enumerate(zip(axes, axes @ words.X.T, strict=True)):
            knots, signs = _knots(words, scores) if k else _counts(scores)
            beyond, outwards = _knots_beyond(axis, scores)
            bends = np.full(beyond.size, -1.0 / np.abs(axis).max())
            every = np.append(knots, beyond), np.append(signs, outwards)
            columns.append((np.full(every[0].size, k), *every, np.append(0.0 * knots, bends)))
        axis, knots, signs, bends = (
            np.concatenate(column) for column in zip(*columns, strict=True)
        )
        ramps = axis.astype(np.int32), knots, signs, bends
        theta = Parameters(
            b=np.log(rates) - np.log1p(-rates), term=Ramps(axes, *ramps, np.zeros(knots.size))
        )
        return Start(theta, annealed(theta, words, rng).value)

    def _take_term(self, term: FreeTerm) -> None:
        assert isinstance(term, Ramps)
        self.axes_, self.ramp_axis_, self.knots_ = term.axes, term.axis, term.knots
        self.signs_, self.bends_, self.strengths_ = term.signs, term.bends, term.strengths

    def _term(self) -> Ramps:
        ramps = self.ramp_axis_, self.knots_, self.signs_, self.bends_
        return Ramps(self.axes_, *ramps, self.strengths_)

    def _check_arrays(self) -> None:
        axis = self.ramp_axis_
        is_there = (axis >= 0).all() and (axis < len(self.axes_)).all()
        is_sorted = (np.diff(axis) >= 0).all() and (np.abs(self.signs_) == 1.0).all()
        check_sound(is_there and is_sorted, "ramps are not those of the axes")


def _axes(words: Words, n_axes: int) -> Floats:
    """Ones, and leading principal axes along which words vary, (1 + at most n_axes, n_units)."""
    together = pair_rates(words)
    rates = together.diagonal()
    variances, vectors = np.linalg.eigh(together - np.outer(rates, rates))
    leading = [k for k in range(words.n_dims)[::-1][:n_axes] if variances[k] > 1e-9]
    axes = vectors[:, leading].T / np.sqrt(variances[leading])[:, None]
    signs = np.where(axes.sum(axis=1, keepdims=True) < 0.0, -1.0, 1.0)
    return np.concatenate([np.ones((1, words.n_dims)), signs * axes])


def _counts(scores: Floats) -> tuple[Floats, Floats]:
    """Knots at all numbers of active units up to the largest but one, with ramps upwards."""
    knots = np.arange(1.0, max(scores.max(), 1.0))
    return knots, np.ones(knots.size)


def _knots(words: Words, scores: Floats) -> tuple[Floats, Floats]:
    """Knots at quantiles, with ramps away from the median."""
    counts = scaled_counts(words)
    knots = tail_knots(scores, counts, _FEWEST, _FACTOR)
    order = np.argsort(scores, kind="stable")
    median = scores[order][np.searchsorted(np.cumsum(counts[order]), 0.5 * counts.sum())]
    return knots, np.where(knots < median, -1.0, 1.0)


def _knots_beyond(axis: Floats, scores: Floats) -> tuple[Floats, Floats]:
    """Knots beyond all scores seen, a step of the strongest unit apart, with ramps outwards."""
    step = np.abs(axis).max()
    above = np.arange(scores.max(), axis[axis > 0.0].sum(), step)
    below = -np.arange(-scores.min(), -axis[axis < 0.0].sum(), step)
    signs = np.concatenate([np.ones(above.size), -np.ones(below.size)])
    return np.concatenate([above, below]), signs

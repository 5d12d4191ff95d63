"""Effective interactions: what the hidden units imply for pairs and triplets of units.

Couplings enter pairs only; a hidden unit enters every order, through a mixed difference of its
softplus (docs/method.md, section 2). Written out, such a difference is a small remainder of large
terms. Here each one is log(1 + r), where r > 0 is a product, so that no digits are lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
from numpy.typing import ArrayLike

from ..energy import log_weight
from ..errors import BadArgument, BadInput
from ..models import PopulationModel
from ..notebook import AsText
from ..parameters import Parameters
from ..validation import Floats, chunks, whole_number
from ..words import Words, as_words
from ..words_info import WordsInfo, bit_names, ordered
from .inputs import parameters_of

#: Most units of a table of triplets: 27 MB, filled in about 10 s for as many hidden units.
MOST_UNITS_OF_TRIPLETS = 150
_NAMES = {1: "single units", 2: "pairs", 3: "triplets"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Explained(AsText):
    """How well the expansion, cut after each order, follows the model on given words.

    The expansion of a word with k active units is exact from order k on. For larger words the terms
    alternate, as those of a power series do, so a higher order may explain less than a lower one.

    Parameters
    ----------
    fraction : ndarray, shape (order,)
        Share of the variance of log p~(x) over the words that the terms up to order 1, 2, ...
        explain: one minus the mean square of the remainder over the variance. Below zero if the
        cut expansion is worse than a constant; NaN if log p~(x) is the same for all words.
    rms_nats : ndarray, shape (order,)
        Root mean square of the remainder, nats.
    """

    fraction: Floats
    rms_nats: Floats

    def __str__(self) -> str:
        lines = ["up to order   variance explained   remainder (nats)"]
        for k, (share, rms) in enumerate(zip(self.fraction, self.rms_nats, strict=True), start=1):
            lines.append(f"{k:>11}   {share:>16.2%}   {rms:>18.3g}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Interactions(AsText):
    """Coefficients of the expansion of log p~(x) in products of bits, in nats.

    For words of several bins a unit is a bit of the window: a recorded unit at a lag.

    Parameters
    ----------
    parameters : Parameters
        The model.
    log_weight_silent : float
        Log weight of the silent word.
    singles : ndarray, shape (n_units,)
        What one active unit adds: its bias and the hidden units' part.
    direct : ndarray, shape (n_units, n_units)
        The couplings' part of each pair, ``2 * J``; symmetric, zero diagonal.
    through_hidden : ndarray, shape (n_units, n_units)
        The hidden units' part of each pair; symmetric, zero diagonal.
    triplets : ndarray, shape (n_units, n_units, n_units), or None
        What three units active together add beyond their pairs; only hidden units contribute.
        Symmetric, zero where two positions agree. None where the expansion ends with pairs.
    words_info : WordsInfo or None
        What the model is of; None where it is not known.
    """

    parameters: Parameters
    log_weight_silent: float
    singles: Floats
    direct: Floats
    through_hidden: Floats
    triplets: Floats | None
    words_info: WordsInfo | None = None

    @property
    def order(self) -> int:
        """3 with interactions of triplets, else 2."""
        return 2 if self.triplets is None else 3

    @property
    def pairs(self) -> Floats:
        """What two units active together add, directly and through hidden units."""
        return self.direct + self.through_hidden

    @property
    def rms_nats(self) -> dict[str, float]:
        """Root mean square over all sets of units of each order, and of both parts of the pairs."""
        above = np.triu_indices_from(self.direct, 1)
        parts = {"direct": self.direct[above], "through hidden units": self.through_hidden[above]}
        orders = {_NAMES[k]: self._listed(k)[1] for k in range(1, self.order + 1)}
        values_of = {name: values for name, values in (orders | parts).items() if values.size}
        return {name: float(np.sqrt(np.mean(values**2))) for name, values in values_of.items()}

    def explained(self, words: Words | ArrayLike) -> Explained:
        """Compare the expansion, cut after each order, with the model on words."""
        given = ordered(as_words(words), self.words_info)
        if given.n_dims != self.singles.shape[0]:
            raise BadArgument(
                "words",
                f"have {given.n_dims} bits but the model has {self.singles.shape[0]} units",
                "pass words of the recording and window that the model describes",
            )
        target = log_weight(self.parameters, given.X) - self.log_weight_silent
        share = given.counts / given.counts.sum()
        variance = float(share @ (target - share @ target) ** 2)
        remainder = target[:, None] - np.cumsum(self._terms(given), axis=1)
        mean_square = share @ remainder**2
        # Log weights that differ only by rounding leave no variance to explain.
        rounding = 1e-14 * (abs(self.log_weight_silent) + float(np.abs(target).max()))
        flat = variance <= rounding**2
        fraction = np.full(self.order, np.nan) if flat else 1.0 - mean_square / variance
        return Explained(fraction, np.sqrt(mean_square))

    def strongest(self, order: int, k: int = 10) -> list[tuple[tuple[int, ...], float]]:
        """Positions of units and interaction in nats of at most ``k`` interactions, largest first.

        ``order`` is 1 for single units, 2 for pairs and 3 for triplets. Interactions that are
        exactly zero are left out.
        """
        most = whole_number("k", k, least=0)
        positions, values = self._listed(order)
        ranked = np.argsort(-np.abs(values), kind="stable")[:most]
        return [
            (tuple(positions[:, place].tolist()), float(values[place]))
            for place in ranked
            if values[place] != 0.0
        ]

    def __str__(self) -> str:
        lines = [f"Interactions of {self.singles.shape[0]} units around silence (nats)"]
        rms = self.rms_nats
        known = self.words_info
        names = bit_names(known.units, known.window) if known else range(self.singles.shape[0])
        for order in range(1, self.order + 1):
            values = self._listed(order)[1]
            line = f"{_NAMES[order]}: {np.count_nonzero(values):,} of {values.size:,} non-zero"
            if values.size:
                line += f", root mean square {rms[_NAMES[order]]:.3g}"
            for units, value in self.strongest(order, 1):
                line += f", strongest {value:+.3g} at {', '.join(str(names[n]) for n in units)}"
            lines.append(line)
            if order == 2 and values.size:
                lines.append(
                    f"  direct: root mean square {rms['direct']:.3g}; "
                    f"through hidden units: {rms['through hidden units']:.3g}"
                )
        return "\n".join(lines)

    def _listed(self, order: int) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.intp]], Floats]:
        """Each set of units once: positions (order, n_sets), increasing, and values (n_sets,)."""
        wanted = whole_number("order", order)
        if not 1 <= wanted <= self.order:
            raise BadArgument("order", f"is {wanted}", f"the expansion has 1 to {self.order}")
        table = (self.singles, self.pairs, self.triplets)[wanted - 1]
        assert table is not None
        increasing = (np.diff(np.indices(table.shape, dtype=np.int16), axis=0) > 0).all(axis=0)
        positions = np.array(np.nonzero(increasing))
        return positions, table[tuple(positions)]

    def _terms(self, words: Words) -> Floats:
        """Terms of each order in the expansion of each word, shape (n_distinct, order)."""
        terms, pairs = np.zeros((len(words), self.order)), self.pairs
        for part in chunks(len(words), words.n_dims, 1 << 21):
            x = words.X[part].astype(np.float64)
            terms[part, 0] = x @ self.singles
            terms[part, 1] = _pair_sum(pairs, x)
            if self.triplets is not None:
                terms[part, 2] = _triplet_sum(self.triplets, x)
        return terms


def effective_interactions(source: PopulationModel | Parameters, order: int = 3) -> Interactions:
    """Single, pair and triplet interactions that a model implies with hidden units summed out.

    They are expanded around silence: zero bits drop out of every product.

    Parameters
    ----------
    source : PopulationModel or Parameters
        A fitted model, or parameters.
    order : {2, 3}
        Highest order; triplets take at most 150 units.

    Examples
    --------
    A hidden unit that drives three units makes them fire together more often than pairs explain:

    >>> drive = Parameters(b=[-3.0, -3.0, -3.0], W=[[2.0], [2.0], [2.0]], c=[-5.0])
    >>> found = effective_interactions(drive)
    >>> found.strongest(3)
    [((0, 1, 2), 0.5...)]
    >>> print(found)
    Interactions of 3 units around silence (nats)
    single units: 3 of 3 non-zero, root mean square 2.96, strongest -2.96 at 0
    pairs: 3 of 3 non-zero, root mean square 0.223, strongest +0.223 at 0, 1
      direct: root mean square 0; through hidden units: 0.223
    triplets: 1 of 1 non-zero, root mean square 0.513, strongest +0.513 at 0, 1, 2
    """
    theta = parameters_of(source, "source")
    if theta.v is not None:
        raise BadInput(
            "a potential of the number of active units is an interaction of every order",
            "expand a model without one",
        )
    wanted = whole_number("order", order)
    if wanted not in (2, 3):
        raise BadArgument("order", f"is {wanted}", "expand up to pairs (2) or triplets (3)")
    n_units = theta.n_visible
    if wanted == 3 and n_units > MOST_UNITS_OF_TRIPLETS:
        raise BadInput(
            f"the model has {n_units} units, and triplets are found for at most "
            f"{MOST_UNITS_OF_TRIPLETS}",
            "use order=2 or a model of fewer units or bins",
        )
    singles, through_hidden = theta.b.copy(), np.zeros((n_units, n_units))
    triplets = np.zeros((n_units,) * 3) if wanted == 3 else None
    if theta.is_gaussian:
        pairs, _ = theta.as_pairs()
        beyond = np.asarray(pairs.J) - (0.0 if theta.J is None else theta.J)
        singles, through_hidden = pairs.b, np.triu(2.0 * beyond)
    elif theta.W is not None and theta.c is not None:
        for weights, bias in zip(theta.W.T, theta.c.tolist(), strict=True):
            _add_hidden_unit(weights, bias, singles, through_hidden, triplets)
    return Interactions(
        parameters=theta,
        log_weight_silent=float(log_weight(theta, np.zeros((1, n_units)))[0]),
        singles=singles,
        direct=np.zeros((n_units, n_units)) if theta.J is None else 2.0 * theta.J,
        through_hidden=_mirrored(through_hidden),
        triplets=None if triplets is None else _mirrored(triplets),
        words_info=getattr(source, "words_info_", None),
    )


def _add_hidden_unit(
    weights: Floats, bias: float, singles: Floats, pairs: Floats, triplets: Floats | None
) -> None:
    """Add one hidden unit's part to each order, in place, at increasing positions only."""
    units = np.flatnonzero(weights)
    w = weights[units]
    singles[units] += _mixed_difference(bias, w)
    for place, unit in enumerate(units):
        later = units[place + 1 :]
        pairs[unit, later] += _mixed_difference(bias, w[place], w[place + 1 :])
        if triplets is not None:
            first, second = np.triu_indices(later.size, 1)
            v = w[place + 1 :]
            triplets[unit, later[first], later[second]] += _mixed_difference(
                bias, w[place], v[first], v[second]
            )


def _mixed_difference(bias: float, *weights: Floats) -> Floats:
    """Mixed difference of softplus at ``bias`` over one to three non-zero steps, broadcast.

    With s(z) = softplus(z), the first is s(c + u) - s(c), and each further step v takes the
    difference of what stands there between c + v and c. A downward step from c is the negative of
    the upward step that ends at c, so all steps may be taken upward; then, with E = e^c, U = e^u,
    ..., the ratio of the products of 1 + e^z over the two signs is 1 + r with

        r = E (U-1) / (1+E),    E (U-1) (V-1) / ((1+EU) (1+EV)),    or
            E (U-1) (V-1) (W-1) (1 - E^2 UVW) / ((1+E) (1+EUV) (1+EUW) (1+EVW)).

    The third difference is odd around the middle of the cube, where E^2 UVW = 1; it is taken on
    the side where r > 0. Log r has a small absolute error, hence log(1 + r) a small relative one.
    """
    sign = np.prod([np.sign(w) for w in np.broadcast_arrays(*weights)], axis=0)
    steps = [np.abs(w) for w in weights]
    base: Floats = np.asarray(bias + sum(np.minimum(w, 0.0) for w in weights))
    span: Floats = np.asarray(sum(steps))
    # log(U - 1) = u + log(1 - e^-u), and so on.
    log_r = sum(_log_gap(step) for step in steps)
    if len(steps) == 3:
        middle = 2.0 * base + span
        sign = sign * -np.sign(middle)
        base = np.where(middle > 0.0, -base - span, base)
        log_r = log_r + _log_gap(np.abs(middle))
    # Softplus at the points with a minus sign, where an odd number of steps is missing. Each factor
    # 1 + e^-|z| lies between 1 and 2.
    linear, factor = np.zeros(()), np.ones(())
    for size in range(len(steps) - 1, -1, -2):
        for taken in combinations(steps, size):
            z = base + sum(taken)
            linear = linear + np.maximum(z, 0.0)
            factor = factor * (1.0 + np.exp(-np.abs(z)))
    log_r = log_r + base + span - (linear + np.log(factor))
    return np.asarray(sign * np.logaddexp(0.0, log_r))


def _log_gap(step: Floats) -> Floats:
    """log(1 - e^-step) of steps upward; -inf for none."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(-np.expm1(-step)))


def _mirrored(table: Floats) -> Floats:
    """The symmetric table of one that is filled at increasing positions only."""
    orders = permutations(range(table.ndim))
    return np.asarray(sum(table.transpose(axes) for axes in orders))


def _pair_sum(pairs: Floats, x: Floats) -> Floats:
    """Sum over the pairs of active units of each word, shape (n_words,)."""
    return np.asarray(0.5 * np.einsum("un,un->u", x @ pairs, x))


def _triplet_sum(triplets: Floats, x: Floats) -> Floats:
    """Sum over the triplets of active units of each word, by their first unit."""
    total = np.zeros(x.shape[0])
    for unit in range(x.shape[1] - 2):
        active = np.flatnonzero(x[:, unit])
        later = slice(unit + 1, None)
        total[active] += _pair_sum(triplets[unit, later, later], x[active, later])
    return total

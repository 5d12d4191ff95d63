"""Assemblies: hidden units that come back in other fits, with units, layer, rate and worth.

A hidden unit is a binary stand-in for a common input to the units that it has weights to, or for a
group of them that excite each other. It is statistical: no recorded cell, no proof of a synapse.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import chain, islice
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from ..energy import hidden_mean
from ..errors import BadArgument, BadInput
from ..formatting import number, text_table
from ..models import PopulationModel
from ..models.penalised import PenalisedModel
from ..notebook import AsText
from ..parameters import Parameters
from ..renamed import Renamed
from ..tables import AsTable
from ..units import Units, plain_label
from ..validation import Floats, random_generator, whole_number
from ..words import Words, as_words
from ..words_info import units_of
from ._layer_results import HiddenUnitLayer
from ._layers import layer_statistics
from ._without import losses
from .inputs import in_order_of, words_for
from .recurrence import by_unit, mean_weights, oriented_weights, recurrence

#: What a hidden unit is and is not, for readers who know cells and not models.
MEANING = (
    "A hidden unit is a binary stand-in for a common input to, or a mutually exciting group of, "
    "the units it has weights to. It is statistical, not a recorded neuron, and does not prove a "
    "synapse."
)

Verdict = Literal["assembly", "common drive", "unstable", "not needed", "no group", "not known"]

#: Least share of the other fits in which an assembly recurs.
STABLE = 0.8
#: Share of all units from which on a hidden unit is no group but a drive common to them.
_NEARLY_ALL = 0.8
#: Least weight of a cell of the assembly, as a share of the largest.
MEMBER = 0.25
#: Standard errors by which the loss without an assembly lies above 0: 5 % one-sided.
_CLEAR = 1.645
#: Of hidden units where layers are not known.
_WITHOUT_LAYER = HiddenUnitLayer(-1, "", math.nan, math.nan, math.nan, math.nan, math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class Assembly(Renamed):
    """A live hidden unit: what it is made of, how sure it is to be there, and what it is worth.

    Parameters
    ----------
    position : int
        Column of ``W`` of the first fit.
    units, negative_units : tuple of str
        Units with a positive weight of at least a quarter of its largest positive one, and units
        with a negative weight of at least a quarter of its largest of either sign, strongest first.
        Weights are means over this fit and the others in which it recurs. Each unit is named once,
        by its strongest bin of the window.
    layer : str
        Layer with most of its weight, by size; empty where layers are not known.
    layer_share, layer_p_value : float
        Part of the weight, by size, in that layer, and the p-value of the permutation test,
        corrected over hidden units by Holm's method (:func:`layer_statistics`); NaN without layers.
    active_share, rate_hz : float
        Mean of P(h = 1 | x) over the words, and the same per second: bins (windows) in which it
        is on.
    n_others : int
        Other fits that it was looked for in.
    stability, similarity : float
        Share of them in which it recurs, and mean cosine of its weights with those of the hidden
        unit that it is paired with there; NaN without other fits.
    bits_per_second, stderr : float
        What the words lose without it: log-likelihood under the model minus that under the same
        model without this hidden unit. Biases alone are fitted anew, so that rates stay. The error
        is that over time (docs/method.md, section 6), with that of the normaliser where words were
        drawn for it.
    layer_expected : float
        Mean of ``layer_share`` under permuted labels; NaN without layers.
    n_recorded : int
        Units in all; 0 where not known.
    """

    position: int
    units: tuple[str, ...]
    negative_units: tuple[str, ...]
    layer: str
    layer_share: float
    layer_p_value: float
    active_share: float
    rate_hz: float
    n_others: int
    stability: float
    similarity: float
    bits_per_second: float
    stderr: float
    layer_expected: float = math.nan
    n_recorded: int = 0

    @property
    def name(self) -> str:
        """The hidden unit by its column of ``W``: ``"h3"``."""
        return f"h{self.position}"

    @property
    def verdict(self) -> Verdict:
        """What it may be called.

        ``"no group"``: fewer than two units. ``"not known"``: there is no other fit.
        ``"unstable"``: it recurs in fewer than 80 % of the other fits. ``"not needed"``: it recurs,
        but words that it was not fitted to do not get less probable without it, at 5 %.
        ``"common drive"``: 80 % of all units are in it. Else ``"assembly"``.
        """
        if len(self.units) < 2:
            return "no group"
        if self.n_others == 0:
            return "not known"
        if self.stability < STABLE:
            return "unstable"
        if not self.bits_per_second > _CLEAR * self.stderr:  # NaN is no loss
            return "not needed"
        is_drive = 0 < _NEARLY_ALL * self.n_recorded <= len(self.units) > 2
        return "common drive" if is_drive else "assembly"

    @property
    def called(self) -> str:
        """The verdict where it says what the hidden unit is; empty where it says what it is not."""
        return self.verdict if self.verdict in ("assembly", "common drive") else ""

    @property
    def found_in(self) -> str:
        """In how many of the fits it is, the first included: ``"2 of 3"``; empty of one fit."""
        n = self.n_others
        return f"{1 + round(self.stability * n)} of {1 + n}" if n else ""


@dataclass(frozen=True, slots=True, repr=False)
class Assemblies(AsText, AsTable, Sequence[Assembly]):
    """The live hidden units of a fit, those that are worth most first; it prints as a table.

    Parameters
    ----------
    rows : tuple of Assembly
        One for each live hidden unit.
    n_fits : int
        Fits that were compared, the first included.
    exact : bool
        Whether the normaliser of the models without a hidden unit is an exact sum.
    n_couplings, negative_share : float
        Pairs of bits with a coupling beside the hidden units, and the share of them that is
        negative; means over all fits, NaN where there are no couplings.
    group_by : str
        What ``layer`` of the rows is: ``"layer"``, or another label such as ``"cell_type"``.
    """

    rows: tuple[Assembly, ...]
    n_fits: int
    exact: bool
    n_couplings: float = 0.0
    negative_share: float = math.nan
    group_by: str = "layer"

    @property
    def stable(self) -> tuple[Assembly, ...]:
        """Those that are assemblies."""
        return tuple(row for row in self.rows if row.verdict == "assembly")

    @property
    def clearest(self) -> tuple[Assembly, ...]:
        """Assemblies first, then others; in each, by bits/s lost without it over its error."""
        sure = {r: r.bits_per_second / r.stderr if r.stderr > 0.0 else 0.0 for r in self.rows}
        return tuple(sorted(sure, key=lambda row: (row.verdict != "assembly", -sure[row])))

    def to_rows(self) -> list[dict[str, Any]]:
        """One dictionary per hidden unit, with its verdict; labels have their own name."""
        rows = [asdict(row) | {"verdict": row.verdict} for row in self.rows]
        return [{k.replace("layer", self.group_by): v for k, v in row.items()} for row in rows]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, item: Any) -> Any:
        return self.rows[item]

    def __str__(self) -> str:
        if not self.rows:
            return "no live hidden unit"
        label = plain_label(self.group_by)
        header = [label if name == "layer" else name for name in HEADER]
        table = text_table(header, [columns_of(row) for row in self.rows], left=(*LEFT, label))
        more = "whether other fits have them: pass [model, *mc.evaluate.refits(model, train)]"
        return table if self.n_fits > 1 else f"{table}\n{more}"


HEADER = (
    *("hidden", "units", "negative units", "layer", "share (chance)", "p"),
    *("on, per s", "found in", "bits/s lost", "called"),
)
#: Columns of words.
LEFT = ("hidden", "units", "negative units", "layer", "called")


def columns_of(row: Assembly) -> tuple[str, ...]:
    """Cells of one line of the table, as many as :data:`HEADER` has."""
    p, chance = row.layer_p_value, row.layer_expected
    return (
        row.name,
        " ".join(row.units),
        " ".join(row.negative_units) or "-",
        row.layer or "-",
        number(row.layer_share) + ("" if math.isnan(chance) else f" ({number(chance)})"),
        "-" if math.isnan(p) else "< 0.001" if p < 0.001 else f"{p:.3f}",
        number(row.rate_hz),
        row.found_in or "-",
        f"{number(row.bits_per_second)} ± {number(row.stderr)}",
        row.called or "-",
    )


def assemblies(
    models: PopulationModel | Sequence[PopulationModel],
    words: Words | ArrayLike,
    units: Units | Sequence[str] | None = None,
    *,
    bin_width: float | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> Assemblies:
    """Describe the hidden units of a fit, and say which of them other fits have too.

    Hidden units are paired one to one with those of each other fit by the cosine of their weights.
    One recurs there if the cosine is at least 0.71 and larger than that of 95 % of the same weights
    permuted over units with any hidden unit of the other fit. What recurs in at least 80 % of the
    other fits, has two units or more and is needed by ``words`` is an assembly.

    Fits of random halves of one recording share words, and so some of their accidents: recurrence
    shows that a group does not hang on a few words or on the start of a fit, not that another
    recording would have it.

    Parameters
    ----------
    models : PopulationModel, or sequence of them
        Fits of the same units: of several splits, or restarts, or from :func:`refits`. The first is
        described. One alone is described, and nothing is said about stability.
    words : Words or array_like, shape (n_words, n_units)
        Words that the first was not fitted to, in time order.
    units : Units or sequence of str, optional
        Table of the units, or the layer of each unit in the first model's order; by default the
        units that it knows. Labels that they are grouped by are tested where there are two or more.
    bin_width : float, optional
        Seconds per bin of a plain array; by default the model's, or 0.020 if it is not known.
    random_state : int, Generator or None
        Source of permutations and, where log Z cannot be summed, of drawn words.

    Examples
    --------
    >>> from microcolumn.models import RBM
    >>> rng = np.random.default_rng(0)
    >>> together = rng.random((4000, 1)) < 0.1 * (np.arange(10) < 4)
    >>> words = Words.from_array(rng.random((4000, 10)) < np.where(together, 0.7, 0.05))
    >>> train, test = words.split(0.5, random_state=0)
    >>> model = RBM(2, objective="mpf", l1=0.01).fit(train)
    >>> found = assemblies([model, *refits(model, train, 4)], test)
    >>> [(sorted(row.units), row.verdict) for row in found]
    [(['0', '1', '2', '3'], 'assembly')]
    """
    fits = [models] if isinstance(models, PopulationModel) else list(models)
    if not fits:
        raise BadArgument("models", "is empty", "pass at least one fitted model")
    first, rng = fits[0], random_generator(random_state)
    held = words_for(first, words, bin_width)
    theta = first.parameters_
    if theta.is_gaussian:
        raise BadInput(
            "Gaussian hidden units only couple pairs and stand for no group",
            "pass models with hidden units that are on or off, such as RBM",
        )
    weights = oriented_weights(theta)
    others = [_weights_in_order(other, first) for other in fits[1:]]
    recurring = recurrence(weights, others, held.n_units, rng)
    mean = mean_weights(weights, others, recurring)
    group_by, tested = _labels(first, theta, units, held)
    active = np.average(hidden_mean(theta, held.X), axis=0, weights=held.counts)
    lost, stderr, exact = losses(theta, held, rng)
    rows = []
    for k in np.flatnonzero(theta.live).tolist():
        strongest = by_unit(mean[:, k], held.n_units)
        of_layer = tested.get(k, _WITHOUT_LAYER)
        rows.append(
            Assembly(
                position=k,
                units=_named(strongest, held.units),
                negative_units=_named(-strongest, held.units, largest=np.abs(strongest).max()),
                layer=of_layer.layer,
                layer_share=of_layer.share,
                layer_p_value=of_layer.p_holm,
                active_share=float(active[k]),
                rate_hz=float(active[k]) / held.bin_width,
                n_others=len(others),
                stability=float(recurring.recurs[:, k].mean()) if others else math.nan,
                similarity=float(recurring.similarity[:, k].mean()) if others else math.nan,
                bits_per_second=float(lost[k]),
                stderr=float(stderr[k]),
                layer_expected=of_layer.expected,
                n_recorded=held.n_units,
            )
        )
    rows.sort(key=lambda row: -row.bits_per_second)
    return Assemblies(tuple(rows), len(fits), exact, *_signs([f.J_ for f in fits]), group_by)


def refits(
    model: PenalisedModel,
    words: Words | ArrayLike,
    n_refits: int = 5,
    *,
    random_state: int | np.random.Generator | None = 0,
) -> list[PenalisedModel]:
    """Fit a model anew, with its settings, to random halves of its words from other starts.

    The fits are for :func:`assemblies`. Blocks of time are dealt to two halves, and both are
    fitted: the two share no word, halves of different deals share half of theirs.

    Parameters
    ----------
    model : RBM or SemiRBM
        Whose settings are used, the penalty too; it is left as it is.
    words : Words or array_like, shape (n_words, n_units)
        Words that it was fitted to, in time order.
    n_refits : int
        How many; an even number uses all halves.
    random_state : int, Generator or None
        Source of the halves and of the starts.

    Examples
    --------
    >>> words = mc.simulate.microcolumn(n_units=6, minutes=1).bin()
    >>> len(refits(mc.RBM(2), words, 2))
    2
    """
    count = whole_number("n_refits", n_refits, least=1)
    rng, given = random_generator(random_state), as_words(words)
    deals = (given.split(0.5, by="blocks", random_state=rng) for _ in range(count))
    return [
        clone(model).set_params(random_state=int(rng.integers(2**31))).fit(half)
        for half in islice(chain.from_iterable(deals), count)
    ]


def _weights_in_order(other: PopulationModel, first: PopulationModel) -> Floats:
    """Oriented weights of another fit of the same units, in the order of the first."""
    if other.n_features_in_ != first.n_features_in_:
        raise BadInput(
            f"a model has {other.n_features_in_} bits and the first {first.n_features_in_}",
            "pass fits of the same units and window",
        )
    weights = oriented_weights(other.parameters_)
    return in_order_of(first, other, weights, name="another model", this="the first model")


def _labels(
    model: PopulationModel, theta: Parameters, units: Units | Sequence[str] | None, words: Words
) -> tuple[str, dict[int, HiddenUnitLayer]]:
    """Name of the labels, and that of each hidden unit with weights, where there are two labels."""
    if units is None or isinstance(units, Units):
        table = units_of(model.words_info_, units) or words.units
        name, labels = table.group_by[0], table.label()
    else:
        name, labels = "layer", tuple(units)
    if labels is None or len(set(labels) - {""}) < 2:
        return name, {}
    tested = layer_statistics(theta, labels, window=words.window).hidden
    return name, {row.position: row for row in tested}


def _named(weights: Floats, units: Units, largest: float | None = None) -> tuple[str, ...]:
    """Units with a weight of at least a quarter of the largest, strongest first."""
    least = MEMBER * (weights.max() if largest is None else largest)
    members = np.flatnonzero((weights > 0.0) & (weights >= least))
    order = members[np.argsort(-weights[members], kind="stable")]
    return tuple(units.ids[n] for n in order)


def _signs(couplings: Sequence[Floats]) -> tuple[float, float]:
    """Number of couplings and share of negative ones, means over fits."""
    pairs = [J[np.triu_indices(len(J), 1)] for J in couplings]
    numbers = [np.count_nonzero(each) for each in pairs]
    shares = [np.mean(each[each != 0.0] < 0.0) for each in pairs if each.any()]
    return float(np.mean(numbers)), float(np.mean(shares)) if shares else math.nan

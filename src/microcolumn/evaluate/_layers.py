"""Do hidden units and couplings respect layers or other labels? Permutation tests (method.md, 8).

A small p-value says that weights follow the labels, not why: couplings that only fall off with
distance do so too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import false_discovery_control

from ..errors import BadArgument, BadInput, BadType
from ..formatting import counted
from ..models import PopulationModel
from ..parameters import Parameters
from ..units import Units, plain_label
from ..validation import Floats, chunks, listed, random_generator, whole_number
from ..words_info import units_of
from ._layer_results import CouplingContrast, HiddenUnitLayer, LayerStatistics
from .inputs import parameters_of

Codes = NDArray[np.integer[Any]]

#: Share of the permutations that do not exceed what is called the upper end of chance.
_MOST = 0.95
#: Statistics that differ by less than this part of their scale are ties, up to rounding.
_TIE = 1e-9


def layer_statistics(
    model: PopulationModel | Parameters,
    units: Units | Iterable[str] | None = None,
    *,
    group_by: str | None = None,
    window: int | None = None,
    n_permutations: int = 9999,
    random_state: int | np.random.Generator | None = 0,
) -> LayerStatistics:
    """Test whether hidden units and couplings respect layers, cell types or other labels.

    p-values are (1 + permutations with as large a statistic) / (1 + permutations).

    Parameters
    ----------
    model : PopulationModel or Parameters
        A fitted model, or its parameters.
    units : Units or iterable of str, shape (n_units,), optional
        Table of the model's units, or the label of each unit in the model's order; by default the
        labels that the model knows. Units labelled ``""`` are left out.
    group_by : str, optional
        Name of the label, such as ``"cell_type"``; by default the first that the units are grouped
        by, which are layers unless stated otherwise.
    window : int, optional
        Bins per word: a model of spatiotemporal words uses each unit's label at every lag. By
        default the model's own, and 1 for Parameters and models that do not know it.
    n_permutations : int
        Random permutations of the labels. If there are no more other arrangements than that, each
        is taken once, and p-values are exact.
    random_state : int, Generator or None
        Source of the permutations.

    Examples
    --------
    >>> W = np.kron(np.eye(2), np.ones((4, 1)))  # one hidden unit over each half of the units
    >>> statistics = layer_statistics(Parameters(b=np.zeros(8), W=W), ["II/III"] * 4 + ["IV"] * 4)
    >>> [(row.layer, row.share) for row in statistics.hidden]
    [('II/III', 1.0), ('IV', 1.0)]
    >>> statistics.overall_p_value == 2 / 70, statistics.exact
    (True, True)
    """
    name, table = labels_of(model, units, group_by)
    theta, window = parameters_of(model, "model"), _window_of(model, window)
    rng = random_generator(random_state)
    labels = _labels(table, theta.n_visible, window)
    layers, codes = _coded(labels, plain_label(name))
    measured = _Measured.of(theta, labels, codes)
    width = max(measured.weights.shape)
    n_used, exact, arrangements = relabelled(codes, n_permutations, rng, width)
    tested = _tested(measured, codes, arrangements, n_used)
    overall = measured.mass.size  # its column, after the hidden units
    same = codes[:, None] == codes
    contrasts: list[CouplingContrast | None] = [
        CouplingContrast(float(J[same].sum() / measured.n_within), float(J[~same].mean()), p)
        for J, p in zip(measured.pairs, tested[2, overall + 1 :].tolist(), strict=True)
    ] or [None, None]
    return LayerStatistics(
        layers=layers,
        n_units=tuple(np.bincount(codes).tolist()),
        window=window,
        hidden=_rows(measured, layers, codes, tested[:, :overall]),
        overall_share=float(tested[0, overall]),
        overall_expected=float(tested[1, overall]),
        overall_p_value=float(tested[2, overall]),
        couplings=contrasts[0],
        signed_couplings=contrasts[1],
        n_permutations=n_used,
        exact=exact,
        notes=_notes(theta, labels, measured, plain_label(name)),
        overall_upper=float(tested[3, overall]),
        group_by=name,
    )


def _window_of(model: PopulationModel | Parameters, window: int | None) -> int:
    """Bins per word, as the model knows them or as given."""
    fitted: int | None = getattr(model, "window_", None)
    asked = (fitted or 1) if window is None else whole_number("window", window)
    if fitted not in (None, asked):
        raise BadArgument(
            "window",
            f"is {window}, but the model was fitted on words of {fitted} bins",
            "leave window out, or pass model.parameters_ where an array of longer words was given",
        )
    return asked


def labels_of(
    model: PopulationModel | Parameters,
    units: Units | Iterable[str] | None,
    group_by: str | None = None,
) -> tuple[str, Iterable[str]]:
    """Name of the labels, and labels as given, of a table in the model's order, or its own."""
    if not (units is None or isinstance(units, Units)):
        return group_by or "layer", units
    table = units_of(getattr(model, "words_info_", None), units)
    if table is None:
        raise BadInput("this model does not know its units", "pass one layer per unit")
    name = group_by or table.group_by[0]
    labels = table.label(name)
    if labels is None:
        raise BadInput("these units have no layers", "pass labels or use units.with_layers")
    return name, labels


def _labels(layer: Iterable[str], n_bits: int, window: int) -> NDArray[np.str_]:
    """One label per recorded unit, shape (n_units,)."""
    remedy = "pass one label per recorded unit, '' where it is unknown"
    if isinstance(layer, str):
        raise BadType("units", f"is {layer!r}", remedy)
    labels = listed("units", layer, remedy)
    for n, label in enumerate(labels):
        if not isinstance(label, str | int | np.integer):
            raise BadType(f"units[{n}]", f"is {label!r}", remedy)
    if window < 1 or len(labels) * window != n_bits:
        raise BadArgument(
            "units",
            f"has {counted(len(labels), 'label')} for {counted(n_bits, 'bit')} of words of "
            f"{counted(window, 'bin')}",
            remedy,
        )
    return np.array([str(label) for label in labels])


def _coded(labels: NDArray[np.str_], name: str) -> tuple[tuple[str, ...], Codes]:
    """Distinct labels, and which of them each labelled unit has; errors call them ``name``."""
    layers, codes = np.unique(labels[labels != ""], return_inverse=True)
    if layers.size < 2:
        raise BadArgument(
            "units",
            f"names {counted(layers.size, f'different {name}')} {layers.tolist()}",
            "a test of labels needs units of at least two",
        )
    return tuple(layers.tolist()), codes.astype(np.min_scalar_type(layers.size))


@dataclass(frozen=True, slots=True, eq=False)
class _Measured:
    """Sizes of weights, summed over bins of a window, and mean couplings, of units with a layer."""

    hidden: NDArray[np.intp]  # columns of W, (n_tested,)
    weights: Floats  # (n_labelled, n_tested)
    mass: Floats  # their sums, (n_tested,)
    # Strengths and signed couplings, each (n_labelled, n_labelled) with zeros on the diagonal;
    # empty if there is nothing to compare.
    pairs: tuple[Floats, ...]
    n_within: int  # entries of such a matrix within layers, off the diagonal
    n_between: int

    @classmethod
    def of(cls, theta: Parameters, labels: NDArray[np.str_], codes: Codes) -> _Measured:
        known = np.flatnonzero(labels != "")
        by_lag = (theta.n_visible // labels.size, labels.size)
        weights = np.zeros((known.size, 0))
        if theta.W is not None:
            weights = np.abs(theta.W).reshape(*by_lag, -1).sum(axis=0)[known]
        mass = weights.sum(axis=0)
        hidden = np.flatnonzero(mass)
        n_within = int((np.bincount(codes) ** 2).sum()) - codes.size
        pairs = []
        if theta.J is not None and n_within:
            for J in (np.abs(theta.J), theta.J):
                pairs.append(J.reshape(by_lag * 2).mean(axis=(0, 2))[np.ix_(known, known)])
                np.fill_diagonal(pairs[-1], 0.0)
        n_between = codes.size**2 - codes.size - n_within
        return cls(hidden, weights[:, hidden], mass[hidden], tuple(pairs), n_within, n_between)

    def statistics(self, arrangements: Codes) -> Floats:
        """All statistics for each arrangement of the labels; they are large if layers matter.

        Shape (n_arrangements, n_tested + 1 + n_pairs): share of each hidden unit's dominant layer,
        overall share, difference of strengths, absolute difference of signed couplings.
        """
        largest = np.zeros((len(arrangements), self.mass.size))
        within = np.zeros((len(arrangements), len(self.pairs)))
        for layer in range(int(arrangements[0].max()) + 1):
            inside = (arrangements == layer).astype(np.float64)
            np.maximum(largest, inside @ self.weights, out=largest)
            for k, J in enumerate(self.pairs):
                within[:, k] += np.einsum("an,an->a", inside @ J, inside)
        total = self.mass.sum()
        overall = largest.sum(axis=1) / total if total else np.full(len(arrangements), np.nan)
        between = np.array([J.sum() for J in self.pairs]) - within
        differences = within / max(self.n_within, 1) - between / self.n_between
        differences[:, 1:] = np.abs(differences[:, 1:])
        return np.column_stack((largest / self.mass, overall, differences))


def _tested(
    measured: _Measured, codes: Codes, permuted: Iterable[Codes], n_permutations: int
) -> Floats:
    """Rows: observed statistics, their means under permuted labels, p-values and 95 % quantiles."""
    observed = measured.statistics(codes[None])[0]
    scales = [1.0] * (measured.mass.size + 1) + [float(np.abs(J).max()) for J in measured.pairs]
    threshold = observed - _TIE * np.array(scales)
    # The given labels count as one of the arrangements.
    total, n_as_large = observed.copy(), np.ones(observed.size)
    drawn = [observed[None].astype(np.float32)]  # half the memory, and more digits than are shown
    for arrangements in permuted:
        null = measured.statistics(arrangements)
        total += null.sum(axis=0)
        n_as_large += (null >= threshold).sum(axis=0)
        drawn.append(null.astype(np.float32))
    n_as_large[np.isnan(observed)] = np.nan
    upper = np.quantile(np.concatenate(drawn), _MOST, axis=0, method="inverted_cdf")
    mean, p_value = total / (1 + n_permutations), n_as_large / (1 + n_permutations)
    return np.stack((observed, mean, p_value, upper.astype(np.float64)))


def _rows(
    measured: _Measured, layers: tuple[str, ...], codes: Codes, tested: Floats
) -> tuple[HiddenUnitLayer, ...]:
    """One row per tested hidden unit, with p-values corrected over all of them."""
    p_values = tested[2]
    if not p_values.size:
        return ()
    by_layer = np.array([measured.weights[codes == k].sum(axis=0) for k in range(len(layers))])
    # In a tie the first layer is taken.
    dominant = np.argmax(by_layer >= by_layer.max(axis=0) * (1.0 - _TIE), axis=0)
    corrected = holm(p_values), false_discovery_control(p_values, method="bh")
    numbers = (measured.mass, *tested[:3], *corrected, tested[3])
    shares = map(tuple, (by_layer / measured.mass).T.tolist())
    named = measured.hidden, np.array(layers)[dominant]
    columns: list[Any] = [*(each.tolist() for each in (*named, *numbers)), shares]
    return tuple(HiddenUnitLayer(*row) for row in zip(*columns, strict=True))


def holm(p_values: Floats) -> Floats:
    """p-values (n,) corrected for their number (Holm 1979)."""
    order, corrected = np.argsort(p_values, kind="stable"), np.empty(p_values.size)
    steps = p_values[order] * np.arange(p_values.size, 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected


def _notes(
    theta: Parameters, labels: NDArray[np.str_], measured: _Measured, name: str
) -> tuple[str, ...]:
    n_unknown = int((labels == "").sum())
    live = np.setdiff1d(np.flatnonzero(theta.live), measured.hidden)
    untested = [f"h{k}" for k in live.tolist()]
    notes = {
        f"{n_unknown} of {labels.size} units have no {name} and are left out": n_unknown,
        f"without weight onto a unit with a {name}: {', '.join(untested)}": untested,
        f"no two units share a {name}, so couplings are not tested": not measured.n_within,
    }
    return tuple(note for note, applies in notes.items() if applies)


def relabelled(
    codes: Codes, n_permutations: int, rng: np.random.Generator, width: int
) -> tuple[int, bool, Iterator[Codes]]:
    """Number of other arrangements of labels, whether these are all, and the arrangements.

    All are made if there are at most ``n_permutations``, else so many random ones. ``codes``
    (n_units,) are the given labels, numbered from 0. Arrangements come in chunks of rows; ``width``
    is the number of elements that the caller needs per arrangement.
    """
    n_wanted = whole_number("n_permutations", n_permutations, least=1)
    n_same = math.prod(map(math.factorial, np.bincount(codes).tolist()))
    n_others = math.factorial(codes.size) // n_same - 1
    if n_others <= n_wanted:
        others = _other_arrangements(codes)
        return n_others, True, (others[part] for part in chunks(n_others, width))
    sizes = [part.stop - part.start for part in chunks(n_wanted, width)]
    return n_wanted, False, (rng.permuted(np.tile(codes, (n, 1)), axis=1) for n in sizes)


def _other_arrangements(codes: Codes) -> Codes:
    """Every distinct arrangement of the labels except the given one, built unit by unit."""
    rows = np.zeros((1, 0), dtype=codes.dtype)
    for n in range(codes.size):
        free = [(rows == k).sum(axis=1) < size for k, size in enumerate(np.bincount(codes))]
        rows = np.concatenate([np.insert(rows[r], n, k, axis=1) for k, r in enumerate(free)])
    return np.asarray(rows[(rows != codes).any(axis=1)])

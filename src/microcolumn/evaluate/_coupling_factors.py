"""What strengths of couplings go with: distance and labels of units, each alone and together.

Regressions of all pairs on all factors. p-values come from permutations of the units: of a factor's
residuals on the other factors (Dekker, Krackhardt & Snijders 2007, Psychometrika 72:563).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import BadArgument, BadInput
from ..formatting import text_table
from ..models import PopulationModel
from ..notebook import AsText
from ..parameters import Parameters
from ..tables import AsTable
from ..units import Units, plain_label
from ..validation import Floats, chunks, random_generator, real_array, whole_number
from ..words_info import units_of
from .inputs import parameters_of

#: Units of a test at least: fewer have too few arrangements.
_FEWEST_UNITS = 5


@dataclass(frozen=True, slots=True)
class CouplingFactor:
    """How strengths of couplings change with the distance of two units or a label they share.

    Parameters
    ----------
    factor : str
        ``"distance"``, or the name of a label.
    effect, p_value : float
        Change of the mean strength, nats, per 100 µm or where a label is shared; and its p-value,
        two-sided, with units permuted.
    partial_effect, partial_p_value : float
        The same where all other factors are held constant; NaN where they determine this one.
    """

    factor: str
    effect: float
    p_value: float
    partial_effect: float
    partial_p_value: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CouplingFactors(AsText, AsTable):
    """What strengths of couplings go with; see :func:`coupling_factors`. It prints as a table.

    Parameters
    ----------
    factors : tuple of CouplingFactor
        One for the distance, where it is known, and for each label.
    pairs : ndarray of int, shape (n_pairs, 2)
        Positions of the units of each pair.
    strength, distance_um : ndarray of float64, shape (n_pairs,)
        Mean ``abs(J)`` over all lags of the window, nats, and distances, NaN where not known.
    n_units, n_permutations : int
        Units of which all factors are known, and permutations of them.
    notes : tuple of str
        What was left out.
    """

    _columns = "factors"

    factors: tuple[CouplingFactor, ...]
    pairs: NDArray[np.intp]
    strength: Floats
    distance_um: Floats
    n_units: int
    n_permutations: int
    notes: tuple[str, ...]

    def __str__(self) -> str:
        header = ("couplings |J| by", "nats", "p", "others constant", "p")
        rows = []
        for row in self.factors:
            far = row.factor == "distance"
            name = "distance, per 100 µm" if far else f"same {plain_label(row.factor)}"
            partial = (f"{row.partial_effect:+.2g}", f"{row.partial_p_value:.2g}")
            rows.append((name, f"{row.effect:+.2g}", f"{row.p_value:.2g}", *partial))
        ending = f"p from {self.n_permutations:,} permutations of {self.n_units} units"
        return "\n".join([text_table(header, rows, left=header[:1]), ending, *self.notes])


def coupling_factors(
    model: PopulationModel | Parameters,
    units: Units | None = None,
    *,
    group_by: str | Sequence[str] | None = None,
    positions_um: ArrayLike | None = None,
    n_permutations: int = 9999,
    random_state: int | np.random.Generator | None = 0,
) -> CouplingFactors:
    """Test whether strengths of couplings go with distance and with labels that units share.

    Couplings within a layer or an area are also those of neighbours: what remains of one factor
    where the others are held constant tells the two apart, as far as straight lines do.

    Parameters
    ----------
    model : PopulationModel or Parameters
        A fitted model with couplings, or its parameters.
    units : Units, optional
        Table of the model's units; by default its own.
    group_by : str or sequence of str, optional
        Labels; by default those that the units are grouped by.
    positions_um : array_like, shape (n_units,) or (n_units, n_axes), optional
        Where units lie, µm, in the model's order; by default their depths, if they are of one
        probe.
    n_permutations : int
        Random permutations of the units.
    random_state : int, Generator or None
        Source of the permutations.

    Examples
    --------
    >>> units = Units(map(str, range(12)), 100.0 * np.arange(12.0), layer=["II"] * 6 + ["V"] * 6)
    >>> far = np.abs(np.subtract.outer(np.arange(12), np.arange(12)))
    >>> print(coupling_factors(Parameters(b=np.zeros(12), J=0.5 * (far == 1)), units))
    couplings |J| by        nats       p  others constant       p
    distance, per 100 µm  -0.038  0.0001           -0.036  0.0001
    same layer             +0.15  0.0049           +0.022    0.68
    p from 9,999 permutations of 12 units
    """
    theta, rng = parameters_of(model, "model"), random_generator(random_state)
    if theta.J is None:
        raise BadInput("this model has no couplings", "pass an Ising or a SemiRBM")
    table = _table_of(model, theta, units)
    names = table.group_by if group_by is None else group_by
    given = {name: table.label(name) for name in ([names] if isinstance(names, str) else names)}
    labels = {name: np.array(each) for name, each in given.items() if each is not None}
    places, notes = _places(table, positions_um)
    members = _members(places, labels, notes)
    upper = np.triu_indices(members.size, 1)
    by_lag = theta.n_visible // len(table), len(table)
    J = np.abs(theta.J).reshape(by_lag * 2).mean(axis=(0, 2))
    strength = J[np.ix_(members, members)][upper]
    distance = np.linalg.norm(places[members, None] - places[members], axis=2)
    matrices = {"distance": distance / 100.0} if places.shape[1] else {}
    for name, each in labels.items():
        matrices[name] = np.equal.outer(each[members], each[members]).astype(np.float64)
    matrices = _that_differ(matrices, notes)
    n_wanted = whole_number("n_permutations", n_permutations, least=1)
    orders = rng.permuted(np.tile(np.arange(members.size), (n_wanted, 1)), axis=1)
    factors = []
    for name, matrix in matrices.items():
        others = [each[upper] for other, each in matrices.items() if other != name]
        alone, beside = (_tested(strength, matrix, z, orders) for z in ([], others))
        factors.append(CouplingFactor(name, *alone, *beside))
    return CouplingFactors(
        factors=tuple(factors),
        pairs=members[np.column_stack(upper)],
        strength=strength,
        distance_um=distance[upper] if places.shape[1] else np.full(strength.size, math.nan),
        n_units=members.size,
        n_permutations=n_wanted,
        notes=tuple(notes),
    )


def _table_of(model: PopulationModel | Parameters, theta: Parameters, units: Units | None) -> Units:
    table = units_of(getattr(model, "words_info_", None), units)
    if table is None:
        raise BadInput("this model does not know its units", "pass a table of units")
    if theta.n_visible % len(table):
        problem = f"has {len(table)} units for {theta.n_visible} bits"
        raise BadArgument("units", problem, "pass the units that the model was fitted on")
    return table


def _members(
    places: Floats, labels: dict[str, NDArray[np.str_]], notes: list[str]
) -> NDArray[np.intp]:
    """Positions of the units of which all is known; a note is added about the others."""
    known = np.logical_and.reduce(
        [~np.isnan(places).any(axis=1), *(each != "" for each in labels.values())]
    )
    members = np.flatnonzero(known)
    if members.size < _FEWEST_UNITS:
        problem = f"all factors are known of {members.size} units, and {_FEWEST_UNITS} are needed"
        raise BadInput(problem, "leave out labels or positions that few have")
    if members.size < known.size:
        left_out = f"{known.size - members.size} of {known.size} units"
        notes.append(f"{left_out} have no place or label and are left out")
    return members


def _that_differ(matrices: dict[str, Floats], notes: list[str]) -> dict[str, Floats]:
    """Factors (n_units, n_units) that are not the same for all pairs; notes on the others."""
    kept = {}
    for name, each in matrices.items():
        if np.ptp(each[np.triu_indices(len(each), 1)]) > 0.0:
            kept[name] = each
        else:
            notes.append(f"{plain_label(name)} is the same for all pairs and not tested")
    if not kept:
        raise BadInput("these units have neither distances nor labels that differ", "name others")
    return kept


def _places(units: Units, positions_um: ArrayLike | None) -> tuple[Floats, list[str]]:
    """Where each unit lies, shape (n_units, n_axes); no axis where it is not known, and a note."""
    if positions_um is not None:
        remedy = "pass µm of each unit on one axis or more"
        given = real_array("positions_um", positions_um, remedy)
        if given.ndim not in (1, 2) or len(given) != len(units):
            problem = f"has shape {given.shape} for {len(units)} units"
            raise BadArgument("positions_um", problem, remedy)
        return given.reshape(len(units), -1), []
    several = len({*(units.probe or ())} - {""}) > 1
    if units.depth_um is None or np.isnan(units.depth_um).all() or several:
        why = "units of several probes" if several else "no depths"
        return np.zeros((len(units), 0)), [f"{why}: distance is not tested; pass positions_um"]
    return units.depth_um[:, None], []


def _tested(
    strength: Floats, matrix: Floats, others: Sequence[Floats], orders: NDArray[np.intp]
) -> tuple[float, float]:
    """Slope of strengths with a factor beside ``others``, and its p-value; NaN where undefined."""
    upper = np.triu_indices(len(matrix), 1)
    basis = np.linalg.qr(np.column_stack([np.ones(strength.size), *others]))[0]
    x = matrix[upper] - basis @ (basis.T @ matrix[upper])
    y = strength - basis @ (basis.T @ strength)
    if np.linalg.norm(x) <= 1e-9 * np.linalg.norm(matrix[upper]):
        return math.nan, math.nan
    residual = np.zeros(matrix.shape)
    residual[upper] = x
    residual += residual.T
    observed = abs(x @ y) / np.linalg.norm(x)
    n_as_large = 1
    for part in chunks(len(orders), strength.size):
        permuted = residual[orders[part][:, upper[0]], orders[part][:, upper[1]]]
        left = np.maximum(x @ x - ((permuted @ basis) ** 2).sum(axis=1), 1e-300)
        n_as_large += int((np.abs(permuted @ y) / np.sqrt(left) >= observed * (1.0 - 1e-9)).sum())
    return float(x @ y / (x @ x)), n_as_large / (1 + len(orders))

"""What a test of layers or other labels found, as numbers and as a table (docs/method.md, 8)."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from ..formatting import number, text_table
from ..notebook import AsText
from ..tables import AsTable
from ..units import plain_label


@dataclass(frozen=True, slots=True)
class HiddenUnitLayer:
    """How much of one hidden unit lies in one layer, by :func:`layer_statistics`.

    Parameters
    ----------
    position, layer : int and str
        Column of ``W``, and the layer with most of its weight (of several, the first).
    mass, share : float
        Sum of the sizes of its weights, of either sign, onto units with a layer, over all bins of
        the window, and the part of it in ``layer``.
    expected : float
        Mean share of the dominant layer under permuted labels.
    p_value : float
        Of a share this large or larger; the choice of the layer is part of the test.
    p_holm : float
        Corrected over hidden units by Holm's method, for a claim about this hidden unit: it
        bounds the probability of any false claim.
    p_fdr : float
        Corrected by Benjamini and Hochberg's method, for counting hidden units that stay in a
        layer: it bounds the expected share of false claims.
    upper : float
        Share of the dominant layer that 95 % of permuted labels do not exceed; NaN where a store
        is older.
    shares : tuple of float
        Part of ``mass`` in each layer of :class:`LayerStatistics`, in their order.
    """

    position: int
    layer: str
    mass: float
    share: float
    expected: float
    p_value: float
    p_holm: float
    p_fdr: float
    upper: float = math.nan
    shares: tuple[float, ...] = ()

    @property
    def name(self) -> str:
        """The hidden unit by its column of ``W``: ``"h3"``."""
        return f"h{self.position}"


@dataclass(frozen=True, slots=True)
class CouplingContrast:
    """Couplings between units of the same layer against those across layers.

    Parameters
    ----------
    within, between : float
        Mean over all pairs of different units, with uncoupled pairs and all bins of the window.
    p_value : float
        Of a difference this large or larger under permuted labels.
    """

    within: float
    between: float
    p_value: float

    @property
    def difference(self) -> float:
        """Mean within minus mean between layers; zero on average under permuted labels."""
        return self.within - self.between


@dataclass(frozen=True, slots=True, repr=False)
class LayerStatistics(AsText, AsTable):
    """Tests of hidden units and couplings against layers; it prints as a table.

    Parameters
    ----------
    layers, n_units : tuple of str and of int
        Distinct labels, sorted, and the units in each.
    window : int
        Bins per word: bits of the model over labels given.
    hidden : tuple of HiddenUnitLayer
        One row per hidden unit with a weight onto a unit with a layer, in the order of ``W``; a
        note names the other live hidden units.
    overall_share, overall_expected, overall_p_value : float
        Part of all weight that lies in the dominant layer of its hidden unit (the mean
        share, weighted by mass), its mean under permuted labels, and its p-value, which needs no
        correction. NaN if ``hidden`` is empty.
    couplings : CouplingContrast or None
        Of strengths ``abs(J)``, one-sided: whether pairs in a layer interact more strongly. None
        for a model without couplings, or if no two units share a layer.
    signed_couplings : CouplingContrast or None
        Of ``J``, two-sided. In models with hidden units it is mostly negative (docs/method.md,
        section 7), and strong couplings of both signs cancel in it.
    n_permutations, exact : int and bool
        Other arrangements of the labels that the p-values come from, and whether these are all.
    notes : tuple of str
        What was left out.
    overall_upper : float
        Overall share that 95 % of permuted labels do not exceed; NaN if ``hidden`` is empty.
    group_by : str
        What the labels are: ``"layer"``, or the name of a column such as ``"cell_type"``.
    """

    _columns = "hidden"

    layers: tuple[str, ...]
    n_units: tuple[int, ...]
    window: int
    hidden: tuple[HiddenUnitLayer, ...]
    overall_share: float
    overall_expected: float
    overall_p_value: float
    couplings: CouplingContrast | None
    signed_couplings: CouplingContrast | None
    n_permutations: int
    exact: bool
    notes: tuple[str, ...]
    overall_upper: float = math.nan
    group_by: str = "layer"

    @property
    def label_name(self) -> str:
        """What texts and plots call the labels: ``"cell type"``."""
        return plain_label(self.group_by)

    def to_rows(self) -> list[dict[str, Any]]:
        """One dictionary per hidden unit, whose column of labels has their name."""
        return [
            {self.group_by if k == "layer" else k: v for k, v in asdict(row).items()}
            for row in self.hidden
        ]

    def __str__(self) -> str:
        label = self.label_name
        sizes = (f"{name}: {n}" for name, n in zip(self.layers, self.n_units, strict=True))
        span = f"; words of {self.window} bins" if self.window > 1 else ""
        source = "(all other) arrangements" if self.exact else "random permutations"
        ending = f"p from {self.n_permutations:,} {source} of the {label} labels over units"
        share, expected = number(self.overall_share), number(self.overall_expected)
        overall = ("all", "", share, expected, f"{self.overall_p_value:.2g}", "", "")
        hidden = [
            (
                row.name,
                row.layer,
                number(row.share),
                number(row.expected),
                *(f"{p:.2g}" for p in (row.p_value, row.p_holm, row.p_fdr)),
            )
            for row in self.hidden
        ]
        contrasts = {"|J|": self.couplings, "J, two-sided": self.signed_couplings}
        couplings = [
            (name, *(f"{x:.2g}" for x in (row.within, row.between, row.difference, row.p_value)))
            for name, row in contrasts.items()
            if row is not None
        ]
        header = ("hidden", label, *_HIDDEN)
        lines = [
            f"units by {label}: {', '.join(sizes)}{span}",
            text_table(header, [*hidden, overall], left=(label,)) if hidden else _NO_HIDDEN,
            text_table(_COUPLINGS, couplings, left=_COUPLINGS[:1]) if couplings else _NO_COUPLINGS,
        ]
        return "\n".join([*lines, ending, *(f"note: {note}" for note in self.notes)])


_HIDDEN = ("share", "by chance", "p", "p Holm", "p BH")
_COUPLINGS = ("couplings", "within", "between", "difference", "p")
_NO_HIDDEN, _NO_COUPLINGS = "no hidden units with weights", "no couplings to compare"

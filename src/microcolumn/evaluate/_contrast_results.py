"""What differs between two conditions, as numbers, as rows and as a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..formatting import counted, enumeration, text_table
from ..notebook import AsText
from ..tables import AsTable
from ..units import Units
from ..validation import Floats
from .estimates import Estimates, q_text
from .significance import LEVEL, Estimate, p_text, with_error

#: Rows that text has of each kind of table.
_MOST_ROWS = 10


@dataclass(frozen=True, slots=True, eq=False)
class Differences:
    """Differences of one kind between two conditions.

    Attributes
    ----------
    kind : str
        ``"rates"`` of units, ``"couplings"`` of pairs, or ``"groups"``, which are hidden units.
    labels : tuple of tuple of str
        Unit, the two units of a pair, or hidden unit; or one or two layers.
    a, b : ndarray, shape (n_entries,)
        Value in each condition: active bins per second, nats, or the mean probability that a
        hidden unit is on; of a layer their mean, of rates the geometric one.
    difference : Estimates
        First condition minus second in nats: of couplings, or of logarithms of rates and of
        probabilities. NaN where a condition has too few spikes.
    p_value : float
        Of all of them together, by exchanging the conditions within rounds.
    by_layer : Differences or None
        Mean differences of the units in each layer, or of the pairs within and between layers.
    """

    kind: str
    labels: tuple[tuple[str, ...], ...]
    a: Floats
    b: Floats
    difference: Estimates
    p_value: float
    by_layer: Differences | None = None

    def sure(self, rate: float = LEVEL) -> NDArray[np.bool_]:
        """Which differ if a share ``rate`` of such claims may be false, shape (n_entries,)."""
        return self.difference.significant(rate)

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per entry: what it is of, values, difference, interval, p and q."""
        names = ("estimate", "stderr", "low", "high", "p_value", "q_value")
        columns = {name: getattr(self.difference, name).tolist() for name in names}
        columns = {"a": self.a.tolist(), "b": self.b.tolist()} | columns
        columns["difference"] = columns.pop("estimate")
        return [
            {"kind": self.kind, "of": " and ".join(label)} | dict(zip(columns, row, strict=True))
            for label, *row in zip(self.labels, *columns.values(), strict=True)
        ]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Contrast(AsText, AsTable):
    """Whether two conditions differ, and in what; see :func:`microcolumn.evaluate.contrast`.

    Attributes
    ----------
    model : str
        Name of the model's class.
    names : tuple of str
        The two conditions.
    p_value : float
        Of the words of both being alike, by exchanging the conditions within rounds.
    gain : Estimate
        By how much each condition's own model describes unseen words better than the other's.
    rates, couplings : Differences
        Of units and of pairs.
    groups : Differences or None
        Of hidden units; None for a model without.
    entropy : tuple of Estimate
        Of the words of each condition, bits/s, by its own model.
    entropy_difference : Estimate
        First minus second, bits/s.
    entropy_p_value : float
        By exchanging the conditions within rounds.
    units : Units
        The recorded units.
    n_rounds, n_visits : int
        Rounds, and visits to the condition that was visited less often.
    alternate : bool
        Whether the conditions alternate so often that a difference can be told from a slow drift.
    """

    model: str
    names: tuple[str, str]
    p_value: float
    gain: Estimate
    rates: Differences
    couplings: Differences
    groups: Differences | None
    entropy: tuple[Estimate, Estimate]
    entropy_difference: Estimate
    entropy_p_value: float
    units: Units
    n_rounds: int
    n_visits: int
    alternate: bool

    @property
    def differs(self) -> bool:
        """Whether the words differ, and not by what may be a drift."""
        return self.alternate and self.p_value < LEVEL

    @property
    def kinds(self) -> tuple[Differences, ...]:
        """Rates, couplings, and groups where there are some."""
        return tuple(each for each in (self.rates, self.couplings, self.groups) if each)

    def statement(self) -> str:
        """One sentence: whether the conditions differ, in what, and whether it may be a drift."""
        first, second = self.names
        if not self.p_value < LEVEL:
            return (
                f"no difference between {first} and {second} beyond chance "
                f"({p_text(self.p_value)}, {counted(self.n_rounds, 'round')})"
            )
        parts = [
            f"{int(each.sure().sum()):,} of {len(each.labels):,} {each.kind}" for each in self.kinds
        ]
        visits = counted(self.n_visits, "visit")
        drift = "" if self.alternate else f"; with {visits} each, a drift would look the same"
        return (
            f"{first} and {second} differ ({p_text(self.p_value)}), in {enumeration(parts)} at a "
            f"false discovery rate of {100 * LEVEL:g} %; own models describe unseen words better "
            f"than the other's by {self.gain}{drift}"
        )

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per unit, pair, hidden unit and layer, with the kind of what differs."""
        layers = [each.by_layer for each in self.kinds if each.by_layer]
        return [row for each in (*self.kinds, *layers) for row in each.to_rows()]

    def as_dict(self) -> dict[str, Any]:
        """All numbers for programs."""
        same = ("differs", "names", "model", "p_value", "n_rounds", "n_visits", "alternate")
        p_values = {each.kind: each.p_value for each in self.kinds}
        return (
            {"answer": self.statement()}
            | {name: getattr(self, name) for name in same}
            | {
                "p_values": p_values | {"entropy": self.entropy_p_value},
                "gain_bits_per_second": self.gain.value,
                "gain_stderr": self.gain.stderr,
                "entropy_bits_per_second": [each.value for each in self.entropy],
                "entropy_stderr": [each.stderr for each in self.entropy],
                "entropy_difference": self.entropy_difference.value,
                "entropy_difference_stderr": self.entropy_difference.stderr,
                "differences": self.to_rows(),
            }
        )

    def __str__(self) -> str:
        first, second = self.names
        rows = [
            (each.kind, f"{int(each.sure().sum())} of {len(each.labels)}", p_text(each.p_value))
            for each in self.kinds
        ]
        rows.append(("entropy", str(self.entropy_difference), p_text(self.entropy_p_value)))
        lines = [
            f"{self.model}: {self.statement()}",
            text_table(("", "differ", "all together"), rows, left=("",)),
        ]
        sure = [row for row in self.to_rows() if row["q_value"] <= LEVEL]
        for is_layer, title in ((True, "layers"), (False, "largest")):
            chosen = [row for row in sure if row["kind"].endswith("by layer") == is_layer]
            chosen.sort(key=lambda row: -abs(row["difference"]) / row["stderr"])
            header = (title, "of", first, second, "difference (nats)", "q")
            if cells := [_cells(row) for row in chosen[:_MOST_ROWS]]:
                lines.append(text_table(header, cells, left=header[:2]))
        return "\n\n".join(lines)


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    difference = with_error(row["difference"], row["stderr"])
    values = (f"{row[name]:.3g}" for name in "ab")
    return row["kind"], row["of"], *values, difference, q_text(row)

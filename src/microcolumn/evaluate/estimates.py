"""Estimates with intervals and p-values, and the text that shows them."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from ..atomic import atomic_write
from ..errors import BadArgument
from ..formatting import text_table
from ..notebook import AsText
from ..safe_text import csv_cell
from ..tables import AsTable
from ..units import Units
from ..validation import Floats, proper_share

#: Largest standard error (nats) of a parameter that the words determine.
_LARGEST_STDERR = 3.0


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Estimates of one kind of parameter with errors; all arrays have the same shape.

    Attributes
    ----------
    estimate, stderr : ndarray
        Nats, without penalty. NaN where the words do not determine the parameter.
    low, high : ndarray
        Ends of the interval; infinite where the words set no limit on that side, NaN where there
        is no interval.
    p_value : ndarray
        Of the parameter being zero, two-sided.
    q_value : ndarray
        Corrected by Benjamini and Hochberg's method over all that have a p-value.
    """

    estimate: Floats
    stderr: Floats
    low: Floats
    high: Floats
    p_value: Floats
    q_value: Floats

    @classmethod
    def of(cls, estimate: Floats, stderr: Floats, level: float, df: float) -> Estimates:
        """Student's intervals; those with an error beyond 3 nats or unknown are left out."""
        known = np.isfinite(estimate) & (stderr <= _LARGEST_STDERR)
        estimate, stderr = (np.where(known, each, np.nan) for each in (estimate, stderr))
        null = stats.t(df or math.nan)  # without any there is no interval
        half = null.ppf(0.5 + level / 2.0) * stderr
        p = 2.0 * null.sf(np.abs(estimate) / stderr)
        return cls(estimate, stderr, estimate - half, estimate + half, p, corrected(p))

    def significant(self, rate: float = 0.05) -> NDArray[np.bool_]:
        """Which differ from zero if a share ``rate`` of such claims may be false."""
        return np.asarray(self.q_value <= rate)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Intervals(AsText, AsTable):
    """Intervals for couplings and biases; see :func:`microcolumn.evaluate.intervals`.

    Attributes
    ----------
    model : str
        Name of the model's class.
    level : float
        Probability that an interval holds the parameter.
    names : tuple of str
        Unit of each bit, with its bin in windows.
    biases : Estimates
        Shape (n_bits,).
    pairs : ndarray of int, shape (n_pairs, 2)
        Bits of each pair.
    couplings : Estimates
        Of J, shape (n_pairs,).
    n_words : int
        Bins.
    alike : float
        By how much the errors' variance exceeds that of independent words, 1 at least: so many
        neighbouring words tell as much as one.
    notes : tuple of str
        What has no interval, and why.
    """

    model: str
    level: float
    names: tuple[str, ...]
    biases: Estimates
    pairs: NDArray[np.int64]
    couplings: Estimates
    n_words: int
    alike: float
    notes: tuple[str, ...]

    def statement(self, rate: float = 0.05) -> str:
        """One sentence: how many couplings differ from zero."""
        if not self.pairs.size:
            return "there are no pairs"
        sure = self.couplings.significant(rate)
        positive = int((self.couplings.estimate[sure] > 0.0).sum())
        n, unknown = int(sure.sum()), int(np.isnan(self.couplings.p_value).sum())
        without = f"; {unknown:,} have no interval" if unknown else ""
        return (
            f"{n:,} of {len(self.pairs):,} pairs have a coupling that differs from 0 at a false "
            f"discovery rate of {100 * rate:g} % ({positive:,} positive, {n - positive:,} negative)"
            f"{without}"
        )

    def strongest(self, n: int = 5, rate: float = 0.05) -> list[dict[str, Any]]:
        """Rows (see :meth:`to_rows`) of the largest significant couplings."""
        rows = self.to_rows()[: len(self.pairs)]
        sure = [row for row in rows if row["q_value"] <= rate]
        return sorted(sure, key=lambda row: -abs(row["estimate"]))[:n]

    def edges(self, rate: float | None = 0.05) -> list[dict[str, Any]]:
        """Rows (see :meth:`to_rows`) of couplings that differ from 0 at a false discovery rate.

        With ``rate=None`` those of all couplings that have an estimate.
        """
        rows = self.to_rows()[: len(self.pairs)]
        least = 1.0 if rate is None else proper_share("rate", rate)
        return [row for row in rows if row["q_value"] <= least]

    def to_networkx(self, units: Units | None = None, *, rate: float | None = 0.05) -> Any:
        """The couplings as a networkx graph, with errors; units are its nodes.

        Edges have ``coupling`` (nats), ``stderr``, ``low``, ``high``, ``p_value`` and ``q_value``,
        and ``weight``, the size of the coupling. Nodes have ``bias`` and, of single bins, what a
        table of ``units`` knows.

        Examples
        --------
        >>> words = mc.simulate.microcolumn(n_units=4, minutes=2).bin()
        >>> found = mc.evaluate.intervals(mc.Ising().fit(words), words)
        >>> found.to_networkx(words.units).number_of_nodes()
        4
        """
        graph = imported_networkx().Graph(model=self.model, level=self.level)
        about = {} if units is None else {row.pop("id"): row for row in units.to_rows()}
        for name, bias in zip(self.names, self.biases.estimate.tolist(), strict=True):
            known = about.get(name, {}).items()
            graph.add_node(name, bias=bias, **{k: v for k, v in known if v is not None})
        for row in self.edges(rate):
            numbers = {name: row[name] for name in _FIELDS[1:]} | {"weight": abs(row["estimate"])}
            graph.add_edge(row["first"], row["second"], coupling=row["estimate"], **numbers)
        return graph

    def save_network(
        self, path: str | Path, units: Units | None = None, *, rate: float | None = 0.05
    ) -> None:
        """Write the couplings to a GraphML file, or a CSV of edges with errors, all or nothing.

        Parameters
        ----------
        path : str or Path
            A ``.graphml`` or ``.csv`` file; one that is there is replaced.
        units, rate
            As in :meth:`to_networkx`.
        """
        ending = Path(path).suffix.lower()
        if ending not in (".graphml", ".csv"):
            raise BadArgument("path", f"is {str(path)!r}", "give it the ending .graphml or .csv")
        if ending == ".graphml":
            content = "\n".join(
                imported_networkx().generate_graphml(self.to_networkx(units, rate=rate))
            )
        else:
            lines = io.StringIO()
            writer = csv.writer(lines, lineterminator="\n")
            writer.writerow(("first", "second", *_FIELDS))
            for row in self.edges(rate):
                writer.writerow([csv_cell(v) for k, v in row.items() if k != "parameter"])
            content = lines.getvalue()
        with atomic_write(path) as file:
            file.write(content.encode())

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per coupling, then per bias: what it is of, estimate, interval, p and q."""
        pairs = [(self.names[n], self.names[m]) for n, m in self.pairs.tolist()]
        kinds = [
            ("coupling", self.couplings, pairs),
            ("bias", self.biases, [(name, "") for name in self.names]),
        ]
        header = ("parameter", "first", "second", *_FIELDS)
        rows = []
        for kind, estimates, labels in kinds:
            columns = (getattr(estimates, field).tolist() for field in _FIELDS)
            for label, *values in zip(labels, *columns, strict=True):
                rows.append(dict(zip(header, (kind, *label, *values), strict=True)))
        return rows

    def __str__(self) -> str:
        header = ("", "", "nats", f"{100 * self.level:g} % interval", "q")
        rows = [
            (r["first"], r["second"], f"{r['estimate']:.2f}", _interval_text(r), q_text(r))
            for r in self.strongest(10)
        ]
        lines = [f"{self.model}, {self.n_words:,} words: {self.statement()}"]
        lines += [text_table(header, rows, left=header[:2])] if rows else []
        return "\n".join([*lines, *self.notes])


def imported_networkx() -> Any:
    """The library of graphs, which only functions of networks need."""
    try:
        import networkx
    except ImportError:
        problem = "networks need networkx: pip install 'microcolumn[network]'"
        raise ImportError(problem) from None
    return networkx


_FIELDS = ("estimate", "stderr", "low", "high", "p_value", "q_value")


def _interval_text(row: dict[str, Any]) -> str:
    """An interval as ``0.12 to 0.34``; an end without limit says so."""
    low, high = (f"{row[end]:.2f}" if np.isfinite(row[end]) else "" for end in ("low", "high"))
    return f"{low} to {high}" if low and high else f"below {high}" if high else f"above {low}"


def q_text(row: dict[str, Any]) -> str:
    """A q-value, never below 0.001."""
    return "< 0.001" if row["q_value"] < 0.001 else f"{row['q_value']:.2g}"


def corrected(p_values: Floats) -> Floats:
    """q-values by Benjamini and Hochberg's method over the p-values that are known."""
    q = np.full(p_values.shape, np.nan)
    known = np.isfinite(p_values)
    if known.any():
        q[known] = stats.false_discovery_control(p_values[known], method="bh")
    return q

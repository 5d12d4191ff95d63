"""Table of effect sizes: what hidden units add to pairs, and how much of it pairs reach."""

from __future__ import annotations

from ..evaluate import Comparison
from ._tables import Table


def effects(compared: Comparison) -> Table | None:
    """Gains relative to that of the Ising model; None without an Ising model or another."""
    ising = [model.name for model in compared.models if model.spec.model == "Ising"]
    others = [model.name for model in compared.models if model.name not in ising]
    if not ising or not others:
        return None
    rows = []
    for name in others:
        over, share = compared.relative(name, ising[0]), compared.relative(ising[0], name)
        rows.append((name, over.gain if over else "-", str(share) if share else "-"))
    return Table(
        "gains over independent units, side by side",
        ("model", f"above {ising[0]}", "pairs reach"),
        rows,
        note="± standard error, paired by split, which allows for what splits share; pairs reach: "
        f"the gain of {ising[0]} as a share of the model's, above 100 % where it is the larger",
    )

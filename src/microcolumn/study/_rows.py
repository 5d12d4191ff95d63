"""Rows of the store, and the objects that they were made from."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from ..evaluate._splits import SplitScore

Row = Mapping[str, Any]


def decoded(row: Row, *columns: str) -> dict[str, Any]:
    """A row with its JSON columns read."""
    return {
        name: json.loads(value) if name in columns and value is not None else value
        for name, value in row.items()
    }


def split_score(split: int, row: Row, fit_converged: bool) -> SplitScore:
    """Score of one model on one split from a row of ``scores``."""
    return SplitScore(
        split=split,
        bits_per_second=row["bits_per_second"],
        block_stderr=row["block_stderr"],
        penalty=row["penalty"],
        n_nonzero=row["n_nonzero"] or 0,
        n_couplings=row["n_couplings"] or 0,
        n_live_hidden=row["n_live_hidden"] or 0,
        normaliser=row["normaliser"] or "",
        fit_converged=fit_converged,
        normaliser_converged=bool(row["converged"]),
    )


def plain(value: Any) -> Any:
    """What JSON can hold: text keys, lists, and None instead of NaN."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value

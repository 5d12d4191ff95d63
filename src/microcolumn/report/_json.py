"""The report of a study as a dictionary for JSON."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from typing import Any

from ..study._index import Condition, NotComputedError
from ..study._results import Results
from ..study._rows import plain
from ._cautions import cautions


def report_dict(results: Results) -> dict[str, Any]:
    """Everything that a study found so far except the models, with None for missing numbers.

    Parameters
    ----------
    results : Results
        Of a finished or unfinished study.
    """
    return {
        "plan": results.plan.as_dict(),
        "provenance": plain(results.provenance()),
        "recordings": plain(results.recordings),
        "comparisons": [plain(_everything(results, condition)) for condition in results.tested()],
        "cautions": cautions(results),
    }


def _everything(results: Results, condition: Condition) -> dict[str, Any]:
    """All results of one condition that are computed."""
    recording, settings, window = condition
    where: dict[str, Any] = {"experiment": settings.name, "window": window}
    by_model = {}
    for variant in results.index.variants(condition):
        found: dict[str, Any] = {}
        for name in ("predictions", "layers", "interactions"):
            with suppress(NotComputedError):
                found[name] = getattr(results, name)(recording, variant.name, **where)
        found["normalisers"] = {
            split: results.normalisers(recording, variant.name, split=split, **where)
            for split in range(settings.n_splits)
        }
        by_model[variant.name] = found
    compared = results.comparison(recording, **where)
    return asdict(compared) | {"answer": compared.answer, "by_model": by_model}

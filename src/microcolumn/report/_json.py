"""The report of a study as a dictionary for JSON."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ..evaluate.contrasts import ORDERS
from ..study import Condition, NotComputedError, Results
from ..study.codec import plain, row_of
from ._answer import whole_answer
from ._cautions import cautions
from ._tables import pooled
from ._units import known_units


def report_dict(results: Results) -> dict[str, Any]:
    """Everything that a study found so far except the models, the answer first.

    Numbers that are missing are None.

    Parameters
    ----------
    results : Results
        Of a finished or unfinished study.

    Examples
    --------
    >>> sorted(report_dict(mc.study.open("study.db")))[:2]
    ['answer', 'cautions']
    """
    found: dict[str, Any] = plain(
        {
            "answer": whole_answer(results).as_dict(),
            "plan": results.plan.as_dict(),
            "provenance": results.provenance(),
            "recordings": {
                name: row | {"simulated": results.is_simulated(name), "label": results.label(name)}
                for name, row in results.recordings.items()
            },
            "comparisons": [_everything(results, condition) for condition in results.tested()],
            "pooled": pooled(results),
            "cautions": cautions(results),
        }
    )
    return found


def _everything(results: Results, condition: Condition) -> dict[str, Any]:
    by_model = {}
    for spec in results.index.specs(condition):
        where = {"model": spec, **condition.names}
        found: dict[str, Any] = {}
        for name in ("predictions", "layers", "interactions", "assemblies", "intervals"):
            with suppress(NotComputedError):
                found[name] = getattr(results, name)(**where)
        found["normalisers"] = {
            split: results.normalisers(split=split, **where)
            for split in range(condition.experiment.n_splits)
        }
        by_model[spec.name] = found
    described = results.if_computed(results.adequacy, {}, **condition.names)
    adequate = {
        name: {"sentence": str(a), "found": row_of(a, "moments")} for name, a in described.items()
    }
    compared = results.comparison(**condition.names)
    shown: dict[str, Any] = plain(compared)
    for model in (*shown["models"], *shown["unranked"]):
        for score in model["splits"]:  # numbers by time are for errors, which are there
            del score["gain_by_cell"], score["share_by_cell"]
    shown |= {
        "label": results.label(condition.recording),
        "pairs": [plain(pair) | {"interval": pair.interval} for pair in compared.pairs],
        "gain_steps": [
            [step._asdict() | {"bits_per_second": step.bits_per_second} for step in steps]
            for steps in map(compared.gain_steps, ORDERS)
        ],
        "share_of_pairs": compared.share_of_pairs,
        "answer": compared.answer,
        "by_model": by_model,
        "units": known_units(results, condition),
        "adequacy": adequate or None,
        "explainable": results.explainable(**condition.names) if adequate else None,
    }
    return shown

"""Whether the models describe the test words."""

from __future__ import annotations

from ..evaluate import Adequacy, Explainable
from ..study import Condition, Results


def adequacies(results: Results, condition: Condition) -> dict[str, Adequacy]:
    """How well each model describes the test words; empty if that is not computed."""
    return results.if_computed(results.adequacy, {}, **condition.names)


def explainable(results: Results, condition: Condition) -> Explainable | None:
    """What could be explained of the test words; None if that is not computed."""
    return results.if_computed(results.explainable, None, **condition.names)

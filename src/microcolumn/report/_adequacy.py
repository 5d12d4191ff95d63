"""Whether the models describe the test words, in sentences."""

from __future__ import annotations

from ..evaluate import Adequacy, Explainable
from ..models.spec import INDEPENDENT
from ..study import Condition, Results


def adequacy_of(results: Results, condition: Condition) -> tuple[str, Adequacy | None, str]:
    """The best model that was tested for it, how well it describes the test words, and a worse one.

    That is the worst model that describes them, too, though it scores clearly lower; empty where
    there is none. Studies made before alternatives were tested have the adequacy of the paper's
    family alone.
    """
    compared, found = results.comparison(**condition.names), adequacies(results, condition)
    names = [model.name for model in compared.ranked if model.name in found]
    if not names:
        return "", None, ""
    best, *others = names
    worse = (n for n in reversed(others) if found[n].describes and compared.pair(best, n).differs)
    return best, found[best], next(worse, "")


def explained_text(results: Results, condition: Condition, model: str) -> str:
    """The share of what could be explained that a model gains; empty if that is not computed."""
    gained, best = _gains(results, condition).get(model), explainable(results, condition)
    if gained is None or best is None:
        return ""
    if not best.known:
        return "there are too many different words to say how much could be explained"
    share, error, least = (100.0 * value for value in best.share_of(*gained))
    explained = f"{share:.0f} ± {error:.0f} % of what could be explained"
    return f"it explains {explained} (at least {least:.0f} %)"


def adequacies(results: Results, condition: Condition) -> dict[str, Adequacy]:
    """How well each model describes the test words; empty if that is not computed."""
    return results.if_computed(results.adequacy, {}, **condition.names)


def _gains(results: Results, condition: Condition) -> dict[str, tuple[float, float]]:
    """Bits/s of each model on the test words of split 0, with its error."""
    compared = results.comparison(**condition.names)
    return {
        model.name: (score.bits_per_second, score.stderr)
        for model in compared.models
        for score in model.splits
        if score.split == 0 and model.name != INDEPENDENT
    }


def explainable(results: Results, condition: Condition) -> Explainable | None:
    """What could be explained of the test words; None if that is not computed."""
    return results.if_computed(results.explainable, None, **condition.names)

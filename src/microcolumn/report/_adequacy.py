"""Whether the models describe the test words: a table and a sentence."""

from __future__ import annotations

from ..evaluate import Adequacy, Explainable, MomentFit
from ..evaluate.model_adequacy import common_count
from ..evaluate.significance import bootstrap_p_text
from ..formatting import number
from ..models.spec import INDEPENDENT
from ..study import Condition, Results
from ._tables import Table
from ._wording import text


def adequacy_table(results: Results, condition: Condition) -> Table | None:
    """How well each model describes the test words of split 0; None if that is not computed."""
    found = adequacies(results, condition)
    if not found:
        return None
    first = next(iter(found.values()))
    k = common_count(first.tail_observed)
    share, stderr = (100.0 * tail[k - 1] for tail in (first.tail_observed, first.tail_stderr))
    best, gains = explainable(results, condition), _gains(results, condition)
    drawn = any(each.method != "exact" for each in found.values())
    rows = [
        (
            name,
            f"{100.0 * each.tail_model[k - 1]:.2f} %",
            _fit(each.pairs),
            _fit(each.triplets),
            bootstrap_p_text(each.p_value),
            _explained(best, gains.get(name)),
            str(each),
        )
        for name, each in found.items()
    ]
    return Table(
        "adequacy on the test words of split 0",
        ("model", f"{k} or more active", "pairs r", "triplets r", "p", "explained", "the model"),
        rows,
        left=("model", "the model"),
        note=text("notes/adequacy", k=k, share=share, stderr=stderr, drawn=drawn, best=best),
    )


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
    least = 100.0 * best.share_of(*gained)[2]
    share = _explained(best, gained)
    return f"it explains {share} of what could be explained (at least {least:.0f} %)"


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


def _explained(best: Explainable | None, gained: tuple[float, float] | None) -> str:
    """The share of what could be explained; a dash where it is not known."""
    if best is None or gained is None or not best.known:
        return "-"
    share, error, _ = (100.0 * value for value in best.share_of(*gained))
    return f"{share:.0f} ± {error:.0f} %"


def _fit(fit: MomentFit) -> str:
    return f"{number(fit.r)} ({number(fit.ceiling)})"

"""Models of one recording ranked, each with its difference from the best: the opening picture."""

from __future__ import annotations

from ..evaluate import Comparison
from ..plot import ranking as draw_ranking
from ..plot._ranking import AROUND, LINE
from ..study import Condition, Results
from ._captioned import COLUMN, CaptionedFigure, captioned
from ._conditions import about, of_condition
from ._likelihood import doubts, error_bars


@of_condition()
def ranking(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure of the ranking: models by their scores, with paired differences from the best."""
    compared = results.comparison(**condition.names)
    if not compared.models:
        raise condition.missing("a score without a false mode")
    size = (COLUMN, AROUND + 0.1 + LINE * len(compared.models))
    with captioned("", "Models, best first", size) as figure:
        draw_ranking(compared, ax=figure.add_subplot())
        figure.caption = _caption(results, condition, compared)
    return figure


def _caption(results: Results, condition: Condition, compared: Comparison) -> str:
    label = results.label(condition.recording)
    rivals = any(model.spec.is_rival for model in compared.models)
    kinds = " Discs: models of the paper's family; open diamonds: other kinds." if rivals else ""
    splits = "one split" if compared.n_splits == 1 else f"mean over {compared.n_splits} splits"
    return (
        f"Score of each model of {label} minus that of {compared.best.name}, the best, on the same "
        f"test words ({about(condition)}; {splits}). To the right, the scores: excess "
        "log-likelihood over independent units, for the whole population. "
        f"{error_bars([compared.n_splits])} They are of the difference, in which what both models "
        f"find hard to predict cancels.{kinds}{doubts([compared])}"
    )

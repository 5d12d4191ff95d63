"""Figure of the penalties: what the validation words say of each strength of the penalty."""

from __future__ import annotations

from ..evaluate import Comparison
from ..formatting import scientific
from ..models import ModelSpec
from ..plot import penalties as draw_penalties
from ..plot.penalty_paths import PenaltyPath, Shown
from ..study import Condition, NotComputedError, Results
from .captioned import PAGE, CaptionedFigure, captioned, letter, panels, share_legend
from .conditions import caption, first_split, of_condition


@of_condition()
def penalties(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure of the penalties: scores on validation words, couplings and hidden units against λ.

    Models are those of the first tested split.
    """
    compared = results.comparison(**condition.names)
    split = first_split(compared)
    paths = [
        _path(results, condition, compared, spec, split)
        for spec in results.index.specs(condition)
        if not spec.is_rival and spec.name in compared.scores
    ]
    if not paths:
        raise NotComputedError("no model of the study has a penalty", "plan one, such as Ising")
    shown: list[Shown] = ["score"]
    shown += ["couplings"] if any(path.n_couplings is not None for path in paths) else []
    shown += ["hidden units"] if any(path.n_live_hidden is not None for path in paths) else []
    title = f"Choice of the penalty on {results.label(condition.recording)}"
    with captioned("", title, (PAGE, 2.5)) as figure:
        axes = panels(figure, ["abc"[: len(shown)]])
        for what, (name, ax) in zip(shown, axes.items(), strict=True):
            draw_penalties(paths, show=what, ax=ax)
            letter(ax, name)
        share_legend(figure, "outside lower center")
        figure.caption = caption(
            "penalties",
            condition,
            split=split,
            paths=paths,
            shown=shown,
            has_zero=any((path.l1 == 0.0).any() for path in paths),
            chosen={path.name: _strengths(compared, path.name) for path in paths},
        )
    return figure


def _path(
    results: Results, condition: Condition, compared: Comparison, spec: ModelSpec, split: int
) -> PenaltyPath:
    """A model of a split at every strength, with its scores on the validation part."""
    where = {"model": spec, "split": split, **condition.names}
    rows = results.normalisers(**where)
    names = ("validation_bits_per_second", "validation_stderr")
    scores = [[row[name] for name in names] for row in rows.values()]  # None is not known: NaN
    [used] = [each.l1 for each in compared.scores[spec.name].splits if each.split == split]
    return PenaltyPath.of(
        spec.name, results.path(**where), list(rows), scores, list(rows).index(used)
    )


def _strengths(compared: Comparison, name: str) -> tuple[str, str]:
    """The smallest and the largest strength chosen in the splits."""
    found = [each.l1 for each in compared.scores[name].splits]
    return scientific(min(found)), scientific(max(found))

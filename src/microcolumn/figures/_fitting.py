"""How models were fitted: convergence of annealing (figure S1), and the choice of the penalty."""

from __future__ import annotations

from matplotlib.axes import Axes

from ..evaluate import Comparison
from ..models import ModelSpec
from ..partition import LogPartition
from ..plot import annealing as draw_annealing, annealing_error, penalties as draw_penalties
from ..plot.convergence import BITS, TOLERANCE_BITS
from ..plot.penalty_paths import PenaltyPath, Shown
from ..plot.style import ERROR_BARS, OTHER_COLOUR
from ..study import Condition, NotComputedError, Results
from .captioned import PAGE, CaptionedFigure, captioned, letter, panels, share_legend
from .conditions import caption, first_split, of_condition


@of_condition()
def annealing(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure S1: estimates of log Z against annealing steps, by single chains and on average.

    The reference is the exact value or, if it is out of reach, the estimate that the study uses.
    """
    found = results.annealing(**condition.names)
    log_z = found.log_z
    name = "exact" if log_z.method == "exact" else "study's estimate"
    with captioned("S1", "Convergence of annealed importance sampling", (PAGE, 2.7)) as figure:
        left, right = panels(figure, ["ab"]).values()
        draw_annealing(found.convergence, reference=log_z.value, name=name, ax=left)
        annealing_error(found.convergence, reference=log_z.value, name=name, ax=right)
        if log_z.reverse is not None:
            _mark_reverse(right, log_z, log_z.reverse)
        letter(left, "a")
        letter(right, "b")
        share_legend(figure, markerscale=1.5)
        low, high = (end / BITS for end in left.get_ylim())
        weights = found.convergence.log_weights
        n_beyond = int(((weights < low) | (weights > high)).sum())
        units = {"bits": BITS, "tolerance": TOLERANCE_BITS}
        about = {"found": found, "log_z": log_z, "n_beyond": n_beyond, **units}
        figure.caption = caption("annealing", condition, **about)
    return figure


def _mark_reverse(ax: Axes, log_z: LogPartition, reverse: float) -> None:
    """The study's reverse estimate, which errs to the other side, at its number of steps."""
    low, high = ax.get_xlim()
    steps = high if log_z.n_steps is None else log_z.n_steps
    off, stderr = (reverse - log_z.value) * BITS, (log_z.reverse_stderr or 0.0) * BITS
    style = {"color": OTHER_COLOUR, "marker": "v", "markersize": 4, "linestyle": "", **ERROR_BARS}
    ax.errorbar(steps, off, stderr, label="study's reverse run", zorder=4, **style)
    ax.set_xlim(low, max(high, steps * 2**0.7))
    most = max(ax.get_ylim()[1], 1.15 * (abs(off) + stderr))
    ax.set_ylim(-most, most)


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
        if not spec.is_alternative and spec.name in compared.scores
    ]
    if not paths:
        raise NotComputedError("no model of the study has a penalty", "plan one, such as Ising")
    shown: list[Shown] = ["score"]
    shown += ["couplings"] if any(path.n_couplings is not None for path in paths) else []
    shown += ["hidden units"] if any(path.n_live_hidden is not None for path in paths) else []
    title = f"Choice of the penalty on {condition.recording}"
    with captioned("", title, (PAGE, 2.5)) as figure:
        axes = panels(figure, ["abc"[: len(shown)]])
        for what, (name, ax) in zip(shown, axes.items(), strict=True):
            draw_penalties(paths, show=what, ax=ax)
            letter(ax, name)
        share_legend(figure)
        about = {"split": split, "paths": paths, "shown": shown, "scores": compared.scores}
        figure.caption = caption("penalties", condition, **about)
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
    l1 = list(rows)
    return PenaltyPath.of(spec.name, results.path(**where), l1, scores, l1.index(used))

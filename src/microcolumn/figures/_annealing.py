"""Figure S1: annealed importance sampling against the exact partition function."""

from __future__ import annotations

from matplotlib.axes import Axes

from ..partition import LogPartition
from ..plot import annealing as draw_annealing, annealing_error
from ..plot.convergence import BITS, TOLERANCE_BITS
from ..plot.style import ERROR_BARS, OTHER_COLOUR
from ..study import Condition, Results
from .captioned import PAGE, CaptionedFigure, captioned, letter, panels, share_legend
from .conditions import caption, of_condition


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
        share_legend(figure, "outside lower center", markerscale=1.5)
        low, high = (end / BITS for end in left.get_ylim())
        weights = found.convergence.log_weights
        figure.caption = caption(
            "annealing",
            condition,
            found=found,
            log_z=log_z,
            label=results.label(condition.recording),
            n_beyond=int(((weights < low) | (weights > high)).sum()),
            bits=BITS,
            tolerance=TOLERANCE_BITS,
        )
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

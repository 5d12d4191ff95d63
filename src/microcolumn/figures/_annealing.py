"""Figure S1: annealed importance sampling against the exact partition function."""

from __future__ import annotations

from itertools import accumulate

from matplotlib.artist import Artist
from matplotlib.axes import Axes

from ..models import PopulationModel
from ..partition import LogPartition, annealing_convergence
from ..partition._convergence import DOUBLINGS, Convergence
from ..plot import annealing as draw_annealing, annealing_error
from ..plot._annealing import BITS, TOLERANCE_BITS
from ..plot.style import ERROR_BARS, OTHER_COLOUR
from ..study import Results
from ..study._index import Condition
from ._captioned import PAGE, CaptionedFigure, captioned, handles_of, letter
from ._conditions import compared_at, condition_of, first_split, penalty_of, where

_N_CHAINS = 500
#: Single bits resampled in all runs together: a few seconds.
_MOST_UPDATES = 3e8


def annealing(
    results: Results,
    recording: str | None = None,
    *,
    experiment: str | None = None,
    window: int | None = None,
) -> CaptionedFigure:
    """Figure S1: estimates of log Z against annealing steps, chain by chain and on average.

    Chains are annealed anew, for a few seconds. The exact value, or where it is out of reach the
    study's own estimate with its reverse run, is the one that the study has stored.
    """
    condition = condition_of(results, recording, experiment, window)
    variant, split, model = _shown(results, condition)
    log_z = model.log_partition()
    is_exact = log_z.method.startswith("exact")
    found = annealing_convergence(
        model.parameters_,
        steps=_affordable(model.n_features_in_),
        n_chains=_N_CHAINS,
        rates=getattr(model, "rates_", None),
        exact=log_z.value if is_exact else None,
    )
    name = "exact" if is_exact else "study's estimate"
    with captioned("S1", "Convergence of annealed importance sampling", (PAGE, 2.7)) as figure:
        left, right = figure.subplots(1, 2)
        draw_annealing(found, reference=log_z.value, name=name, ax=left)
        annealing_error(found, reference=log_z.value, name=name, ax=right)
        if log_z.reverse is not None:
            _mark_reverse(right, log_z)
        letter(left, "a")
        letter(right, "b")
        _add_legend(figure, left, right)
        figure.caption = _caption(condition, variant, split, model, found, log_z)
    return figure


def _shown(results: Results, condition: Condition) -> tuple[str, int, PopulationModel]:
    """Name, split and fit of the first Ising model tested, or of any where there is none."""
    compared = compared_at(results, condition)
    split, tested = first_split(compared), {model.variant for model in compared.models}
    known = [each for each in results.index.variants(condition) if each.name in tested]
    variant = min(known, key=lambda each: each.model != "Ising").name
    return (
        variant,
        split,
        results.model(condition.recording, variant, split=split, **where(condition)),
    )


def _affordable(n_bits: int) -> tuple[int, ...]:
    """Doublings of steps whose runs together resample at most ``_MOST_UPDATES`` bits."""
    n_kept = sum(total * _N_CHAINS * n_bits <= _MOST_UPDATES for total in accumulate(DOUBLINGS))
    return DOUBLINGS[: max(1, n_kept)]


def _mark_reverse(ax: Axes, log_z: LogPartition) -> None:
    """The study's reverse estimate, which errs to the other side, where its steps are."""
    assert log_z.reverse is not None
    low, high = ax.get_xlim()
    steps = high if log_z.n_steps is None else log_z.n_steps
    off, stderr = (log_z.reverse - log_z.value) * BITS, (log_z.reverse_stderr or 0.0) * BITS
    ax.errorbar(
        steps,
        off,
        stderr,
        color=OTHER_COLOUR,
        marker="v",
        markersize=4,
        linestyle="none",
        **ERROR_BARS,
        label="study's reverse run",
        zorder=4,
    )
    ax.set_xlim(low, max(high, steps * 2**0.7))
    most = max(ax.get_ylim()[1], 1.15 * (abs(off) + stderr))
    ax.set_ylim(-most, most)


def _add_legend(figure: CaptionedFigure, *panels: Axes) -> None:
    """One legend for all panels, each label once."""
    handles: dict[str, Artist] = {}
    for ax in panels:
        for handle, label in zip(*handles_of(ax), strict=True):
            handles.setdefault(label, handle)
    figure.legend(
        list(handles.values()),
        list(handles),
        loc="outside lower center",
        ncols=len(handles),
        markerscale=1.5,
    )


def _caption(
    condition: Condition,
    variant: str,
    split: int,
    model: PopulationModel,
    found: Convergence,
    log_z: LogPartition,
) -> str:
    value = f"{log_z.value * BITS:.4f}"
    green = f"The green line is the exact value, a sum over all states ({value} bits)"
    if found.exact is None:
        green = (
            "An exact sum over all states is out of reach. The green line is the study's own "
            f"estimate from {log_z.n_steps:,} steps ({value} ± {log_z.stderr * BITS:.4f} bits)"
        )
    if log_z.reverse is not None:
        green += (
            ", the triangle in (b) that of its reverse run, from the model back to the base, "
            "with its standard error"
        )
    return (
        "Annealed importance sampling of the partition function Z of the "
        f"{model.n_features_in_}-dimensional {variant} model of {condition.recording} "
        f"({condition.experiment.name} experiment, λ = {penalty_of(model)}, split {split}). Each "
        f"entry on the horizontal axis is a run of its own with {found.n_chains} chains that start "
        "from the independent model at the training rates. (a) Points: log2 Z as single chains "
        "have it, jittered sideways; blue: log2 of the chains' mean weight, with its standard "
        "error. (b) The mean relative to the green line, enlarged; runs further off leave the "
        f"axis. {green}. Dashed: {TOLERANCE_BITS} bits to either side, the criterion of "
        "convergence."
    )

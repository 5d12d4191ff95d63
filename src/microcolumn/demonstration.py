"""The whole way once, on simulated recordings: a study and one figure of it."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from . import figures
from .study import Plan, Results
from .study import run as run_study


def run(
    folder: Path, *, full: bool = False, n_jobs: int | None = None, command: str = ""
) -> tuple[Results, Figure]:
    """Run the paper's protocol on its simulated recordings.

    Parameters
    ----------
    folder : Path
        Where the store goes; one that is there is continued.
    full : bool
        The whole protocol, which takes hours, or a small version of it.
    n_jobs : int, optional
        Jobs at once; one per core where left out.
    command : str
        What to note down as the origin of the run.

    Returns
    -------
    results : Results
        Of the study.
    figure : matplotlib.figure.Figure
        Scores of the recording B4, its Ising couplings and the RBM's live hidden units.
    """
    plan = Plan.paper() if full else Plan.paper().quick()
    store = folder / ("paper.db" if full else "quick.db")
    results = run_study(plan, store, n_jobs=n_jobs, command=command)
    return results, comparison_figure(results, "B4")


def comparison_figure(results: Results, recording: str) -> Figure:
    """Scores of a recording's models, Ising couplings and live hidden units of the RBM."""
    scores = {
        model.variant: (model.bits_per_second, model.block_stderr)
        for model in results.comparison(recording).models
    }
    train, _, _ = results.words(recording)
    couplings, weights = results.model(recording, "Ising").J_, results.model(recording, "RBM").W_
    return figures.comparison(scores, couplings, weights, train.units)

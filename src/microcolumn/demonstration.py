"""The whole way once, on simulated data: words, four models, scores, one figure."""

from __future__ import annotations

import sys

from matplotlib.figure import Figure
from tqdm import tqdm

from . import figures, simulate
from .evaluate import Comparison, compare
from .models import RBM, Independent, Ising, PopulationModel, SemiRBM
from .words import Words


def run(
    n_units: int = 20, minutes: float = 30.0, l1: float = 1e-3, seed: int = 0
) -> tuple[Words, Comparison, Figure]:
    """Simulate a laminar population, fit the family on half of it, score it on the other half.

    Parameters
    ----------
    n_units : int
        Cells of the simulated column.
    minutes : float
        Length of the recording, in bins of 20 ms.
    l1 : float
        Penalty of all fits.
    seed : int
        Same seed, same numbers.

    Returns
    -------
    words : Words
        All simulated words.
    comparison : Comparison
        Excess log-likelihood of each model on the held-out half; printed, it is a table.
    figure : matplotlib.figure.Figure
        Scores, Ising couplings and the semi-restricted model's live hidden units.
    """
    words = simulate.microcolumn(n_units=n_units, minutes=minutes, seed=seed).bin(0.020)
    train, test = words.split(0.5, random_state=seed)
    models: dict[str, PopulationModel] = {
        "Independent": Independent(),
        "Ising": Ising(l1=l1),
        "RBM": RBM(n_hidden=25, l1=l1),
        "SemiRBM": SemiRBM(n_hidden=25, l1=l1),
    }
    bar = tqdm(models.items(), disable=not sys.stderr.isatty(), leave=False)
    for name, model in bar:
        bar.set_description(f"fitting {name}")
        model.fit(train)
    comparison = compare(models, test)
    figure = figures.comparison(
        comparison.scores, models["Ising"].J_, models["SemiRBM"].W_, words.units
    )
    return words, comparison, figure

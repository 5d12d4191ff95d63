"""Several models on the same held-out words, side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from ..formatting import text_table
from ..models import Independent, PopulationModel
from ..words import Words
from ._bootstrap import block_bins_of
from ._inputs import Baseline, independent_baseline, words_for
from ._score import Score, mean_rate, score_of


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """One model's row.

    Parameters
    ----------
    name : str
        As given to :func:`compare`.
    score : Score
        Excess log-likelihood over the common baseline.
    behind_best : float
        Bits/s less than the model with the highest score; zero for that model.
    behind_best_stderr : float
        Standard error of this difference, bits/s; see :class:`PairedDifference`.
    n_live_hidden, n_hidden : int
        Hidden units with a weight other than zero, and all of them.
    n_couplings : int
        Pairs of units with a coupling other than zero.
    optimality : float or None
        Certificate of the fit: the largest violation of its optimality conditions. None for
        models without one.
    converged : bool
        Whether both the fit (its certificate is within its tolerance) and log Z may be relied
        upon.
    """

    name: str
    score: Score
    behind_best: float
    behind_best_stderr: float
    n_live_hidden: int
    n_hidden: int
    n_couplings: int
    optimality: float | None
    converged: bool


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """How much one model predicts better than another.

    Parameters
    ----------
    first, second : str
        Names of the models, in the order they were given.
    bits_per_second : float
        Score of ``first`` minus that of ``second``.
    stderr : float
        Standard error of this difference, bits/s, over the same blocks of bins: what both models
        find hard to predict cancels.
    """

    first: str
    second: str
    bits_per_second: float
    stderr: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Models compared on the same words; printed, it is a table.

    Parameters
    ----------
    rows : tuple of ModelComparison
        In the order the models were given.
    pairs : tuple of PairedDifference
        Each two of them.
    """

    rows: tuple[ModelComparison, ...]
    pairs: tuple[PairedDifference, ...]

    @property
    def scores(self) -> dict[str, Score]:
        """Score of each model by its name."""
        return {row.name: row.score for row in self.rows}

    @property
    def best(self) -> ModelComparison:
        """The row with the highest score."""
        return max(self.rows, key=lambda row: row.score.bits_per_second)

    def __str__(self) -> str:
        rows = [_cells(row, row is self.best) for row in self.rows]
        return text_table(_HEADER, rows, left=("model", "log Z"))


def compare(
    models: Mapping[str, PopulationModel],
    words: Words | ArrayLike,
    baseline: Baseline = None,
    *,
    bin_width: float | None = None,
    block_bins: int | None = None,
) -> Comparison:
    """Score models on the same held-out words, over one baseline and the same blocks.

    Parameters
    ----------
    models : mapping of str to PopulationModel
        Fitted models by name.
    words : Words or array_like, shape (n_words, n_units)
        Held-out words, in time order.
    baseline : Independent or array_like, shape (n_units,), optional
        Firing-rate model of the training words, or their rates per bin; by default the rates that
        the models were trained at, which must be the same for all.
    bin_width : float, optional
        Seconds per bin, for a plain array only; 0.020 where left out.
    block_bins : int, optional
        Bins per block of the error bars; see :func:`excess_log_likelihood`.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from microcolumn.models import Ising
    >>> rng = np.random.default_rng(0)
    >>> together = rng.random((2000, 1)) < 0.1
    >>> words = Words.from_array(rng.random((2000, 4)) < np.where(together, 0.7, 0.05))
    >>> train, test = words.split(0.5, random_state=0)
    >>> models = {"rates": Independent().fit(train), "Ising": Ising().fit(train)}
    >>> comparison = compare(models, test)
    >>> comparison.best.name, comparison.scores["rates"].bits_per_second
    ('Ising', 0.0)
    """
    if not models:
        raise ValueError("models is empty; name at least one fitted model")
    for model in models.values():
        held = words_for(model, words, bin_width)
    base = _common_baseline(models, baseline)
    length = block_bins_of(held, block_bins)
    log_p = {name: model.score_samples(held) for name, model in models.items()}
    log_p_base = base.score_samples(held)
    scores = {
        name: score_of(log_p[name], log_p_base, model.log_partition(), held, length)
        for name, model in models.items()
    }
    pairs = []
    ahead = {}
    for first, second in combinations(models, 2):
        difference, stderr = mean_rate(log_p[first] - log_p[second], held, length)
        errors = (scores[name].normaliser_stderr for name in (first, second))
        stderr = math.hypot(stderr, *errors)
        pairs.append(PairedDifference(first, second, difference, stderr))
        ahead[first, second], ahead[second, first] = (difference, stderr), (-difference, stderr)
    best = max(scores, key=lambda name: scores[name].bits_per_second)
    rows = [
        _row(name, model, scores[name], *ahead.get((best, name), (0.0, 0.0)))
        for name, model in models.items()
    ]
    return Comparison(tuple(rows), tuple(pairs))


def _common_baseline(models: Mapping[str, PopulationModel], baseline: Baseline) -> Independent:
    """One baseline for all: the given one, or the rates that all trained models share."""
    trained = [name for name, model in models.items() if hasattr(model, "rates_")]
    if baseline is not None or not trained:
        return independent_baseline(next(iter(models.values())), baseline)
    first = models[trained[0]]
    for name in trained[1:]:
        if not np.array_equal(models[name].rates_, first.rates_):
            raise ValueError(
                f"models {trained[0]!r} and {name!r} were trained at different rates; "
                "fit them on the same words or pass one baseline= for all"
            )
    return independent_baseline(first, None)


def _row(
    name: str, model: PopulationModel, score: Score, behind_best: float, stderr: float
) -> ModelComparison:
    optimality: float | None = getattr(model, "optimality_", None)
    tolerance: float = getattr(model, "tol", 0.0)  # a closed form is exact
    return ModelComparison(
        name=name,
        score=score,
        behind_best=behind_best,
        behind_best_stderr=stderr,
        n_live_hidden=model.n_live_hidden_,
        n_hidden=model.parameters_.n_hidden,
        n_couplings=model.n_couplings_,
        optimality=optimality,
        converged=score.converged and (optimality is None or optimality <= tolerance),
    )


_HEADER = (
    "model",
    "bits/s",
    "behind best",
    "nats/word",
    "live hidden",
    "couplings",
    "optimality",
    "converged",
    "log Z",
)


def _cells(row: ModelComparison, is_best: bool) -> tuple[str, ...]:
    score = row.score
    behind = f"{row.behind_best:.2f} ± {row.behind_best_stderr:.2f}"
    return (
        row.name,
        f"{score.bits_per_second:.2f} ± {score.stderr:.2f}",
        "best" if is_best else behind,
        f"{score.nats_per_word:.4f}",
        f"{row.n_live_hidden} of {row.n_hidden}" if row.n_hidden else "-",
        f"{row.n_couplings}",
        "-" if row.optimality is None else f"{row.optimality:.1e}",
        "yes" if row.converged else "no",
        score.normaliser,
    )

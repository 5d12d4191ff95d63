"""Choose the settings of an alternative model on words that the fit has not seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from ..errors import BadArgument, BadType
from ..models import AlternativeModel, HistoryGLM
from ..models.sequence import SequenceModel
from ..notebook import AsText
from ..validation import kind_of
from ..words import Words, as_words
from ._score import Score, score, sequence_gain


@dataclass(frozen=True, slots=True, eq=False)
class Choice(AsText):
    """Fits of a model at several settings, and the one that a validation part prefers.

    Parameters
    ----------
    settings : tuple of dict
        What was tried; strengths of a penalty by increasing ``l1``.
    fits : tuple of models
        At each of them, with their log Z.
    scores : tuple of Score
        Of each on the validation part; of hidden Markov modes, those of spike trains.
    chosen : int
        Position of the fit that is preferred.
    """

    settings: tuple[dict[str, Any], ...]
    fits: tuple[Any, ...]
    scores: tuple[Score, ...]
    chosen: int

    @property
    def best(self) -> Any:
        """The fit that is preferred."""
        return self.fits[self.chosen]

    @property
    def l1_values(self) -> tuple[float, ...]:
        """All strengths of the penalty, increasing; empty where something else was chosen."""
        return tuple(each["l1"] for each in self.settings if each.keys() == {"l1"})

    @property
    def is_at_end(self) -> bool:
        """Whether a strength beyond those tried might be better still."""
        values = self.l1_values
        return bool(values) and is_at_end(self.best.l1, values, self.best.n_nonzero_)

    def __str__(self) -> str:
        if values := self.l1_values:
            return f"l1 {self.best.l1:g} of {len(values)} from {values[0]:g} to {values[-1]:g}"
        chosen = ", ".join(f"{name} {value}" for name, value in self.settings[self.chosen].items())
        return f"{chosen or 'nothing to choose'} of {len(self.settings)}"


def is_at_end(l1: float, strengths: Sequence[float], n_nonzero: float) -> bool:
    """Whether ``l1`` is the first or the last of several increasing strengths.

    There is nothing below 0, and nothing above where no coupling and weight is left.
    """
    first, last = l1 == strengths[0] and l1 > 0.0, l1 == strengths[-1] and n_nonzero > 0
    return len(strengths) > 1 and (first or last)


def choose(
    model: AlternativeModel | HistoryGLM,
    train: Words | ArrayLike,
    validation: Words | ArrayLike,
    grid: Sequence[dict[str, Any]] | None = None,
) -> Choice:
    """Fit an alternative model at several settings and choose among them on the validation part.

    Parameters
    ----------
    model : AlternativeModel or HistoryGLM
        Whose other settings hold for all fits; it is left as it is.
    train, validation : Words or array_like, shape (n_words, n_units)
        Words to fit and words to choose by.
    grid : sequence of dict, optional
        Settings to try; by default those that the model finds worth trying (``model.grid``).

    Returns
    -------
    Choice
        The highest score wins, of equals the first. A fit that has not converged is chosen only
        if there is no other, and so is one without a finite score.

    Examples
    --------
    >>> words = mc.simulate.microcolumn(n_units=6, minutes=1).bin()
    >>> choose(mc.models.Tree(), *words.split(0.8)).best.size_
    '3 edges'
    """
    if not hasattr(model, "fit_grid"):
        raise BadType("model", f"is {kind_of(model)}", "pass one alternative, for example Tree()")
    train, validation = as_words(train), as_words(validation)
    settings = tuple(model.grid(train) if grid is None else grid)
    if not settings:
        raise BadArgument("grid", "is empty", "list at least one set of settings")
    fits = tuple(model.fit_grid(train, settings))
    # Held-out words, or held-out trains of a model that knows the past.
    gain = sequence_gain if isinstance(model, SequenceModel) else score
    scores = tuple(gain(fit, validation) for fit in fits)
    merits = [_merits(fit, score) for fit, score in zip(fits, scores, strict=True)]
    return Choice(settings, fits, scores, max(range(len(fits)), key=merits.__getitem__))


def _merits(fit: AlternativeModel | HistoryGLM, score: Score) -> tuple[Any, ...]:
    """What a fit is chosen by, the most important first."""
    certificate = getattr(fit, "certificate_", None)
    found = certificate is None or certificate.converged
    is_known = math.isfinite(score.bits_per_second)
    return score.converged, found, is_known, score.bits_per_second if is_known else 0.0

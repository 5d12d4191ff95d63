"""Placeholder that is replaced within the hour."""

from __future__ import annotations

from ..study.catalogue import NotComputedError
from ..study.results import Results
from .captioned import CaptionedFigure


def likelihood(
    results: Results,
    recording: str | None = None,
    *,
    experiment: str | None = None,
    lags: int | None = None,
) -> CaptionedFigure:
    """Figure 3."""
    raise NotComputedError("not drawn yet")

"""What every term of an energy knows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

from ..validation import Floats


class Term(ABC):
    """A part of log p~(x), with the parameters that it depends on.

    Words are given as floats, shape (n_words, n_visible).
    """

    @abstractmethod
    def log_weight(self, x: Floats) -> Floats:
        """What it adds to log p~ of each word, nats, shape (n_words,)."""

    @abstractmethod
    def moments(self, x: Floats, weights: Floats, squared: bool = False) -> dict[str, Floats]:
        """Weighted sum over words of the slopes of ``log_weight`` by each of its arrays, by name.

        With ``squared`` the sum of their squares. ``weights`` has shape (n_words,).
        """

    def slopes_along(self, direction: Self, x: Floats) -> Floats:
        """Slope of ``log_weight`` of each word along a direction in which the arrays may move."""
        return direction.log_weight(x)  # most terms are linear in them

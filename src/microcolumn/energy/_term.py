"""What every term of an energy knows."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ..validation import Floats


class Term(ABC):
    """A part of log p~(x), with the parameters that it depends on.

    Words are given as floats, shape (n_words, n_visible).
    """

    @abstractmethod
    def log_weight(self, x: Floats) -> Floats:
        """What it adds to log p~ of each word, nats, shape (n_words,)."""

    @abstractmethod
    def log_odds(self, rest: Floats, unit: int) -> Floats:
        """What it adds to the log odds of a spike of a unit, which is silent in ``rest``."""

"""What the solver asks of an objective."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..errors import BadInput, Unsupported
from ..layout import Layout
from ..parameters import Parameters
from ..validation import Floats


class Objective(ABC):
    """A smooth function of a model's parameters, prepared for many evaluations on the same words.

    A subclass says what it is in ``__call__``. Where building ``Parameters`` for each of the
    thousands of evaluations of a fit would take most of the time, it overrides ``evaluate`` too.
    """

    #: Whether it knows how it is curved, so that ``curvature`` can be asked for.
    has_curvature: ClassVar[bool] = False

    @abstractmethod
    def __call__(self, theta: Parameters) -> tuple[float, Parameters]:
        """Value and gradient at ``theta``."""

    def evaluate(self, x: Floats, layout: Layout, gradient: Floats) -> float:
        """Value at the flat vector ``x``; its derivatives are written to ``gradient``."""
        value, slopes = self(layout.unpack(x))
        gradient[:] = layout.pack_gradient(slopes)
        return value

    def curvature(self, x: Floats, layout: Layout, coordinates: NDArray[np.intp]) -> Floats:
        """A positive matrix like the second derivative along some coordinates, shape (n, n)."""
        raise Unsupported(f"{type(self).__name__} does not know how it is curved")


def check_same_units(n_model: int, n_words: int) -> None:
    """Refuse a model of other units than those of the words."""
    if n_model != n_words:
        raise BadInput(
            f"the model has {n_model} units but the words have {n_words}",
            "fit and score on the same units",
        )


class FunctionObjective(Objective):
    """An objective given as a function of ``Parameters``."""

    def __init__(self, function: Callable[[Parameters], tuple[float, Parameters]]) -> None:
        self._function = function

    def __call__(self, theta: Parameters) -> tuple[float, Parameters]:
        return self._function(theta)

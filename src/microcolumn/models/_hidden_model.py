"""Models with hidden units, fitted by minimising an objective plus a penalty."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from ..parameters import Parameters
from ..penalties import L1, GroupL1, Penalty
from ._base import HiddenFeatures
from ._settings import HIDDEN, STRENGTH
from .penalised import PenalisedModel


@dataclass(eq=False, repr=False)
class HiddenModel(HiddenFeatures, PenalisedModel):
    """Models with hidden units."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **PenalisedModel._parameter_constraints,
        "n_hidden": HIDDEN,
        "group_l1": STRENGTH,
    }
    _strict = 1e-8

    n_hidden: int = 25
    l1: float = 1e-4
    _: KW_ONLY
    group_l1: float = 0.0
    objective: str = "likelihood"
    n_init: int = 1
    tol: float | None = None
    max_iter: int = 5000
    random_state: Any = 0

    @classmethod
    def _settings_of(cls, theta: Parameters) -> dict[str, Any]:
        return {"n_hidden": max(theta.n_hidden, 1)}

    def _penalty(self, l1: float) -> Penalty:
        return L1(l1) + GroupL1(self.group_l1) if self.group_l1 else L1(l1)

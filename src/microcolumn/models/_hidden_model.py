"""Models with hidden units, fitted by minimising an objective plus a penalty."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from ..parameters import Floats, Parameters
from ..penalties import L1, GroupL1, Penalty
from ..words import Words
from ._settings import HIDDEN, STRENGTH, setting
from .penalised import PenalisedModel


@dataclass(eq=False, repr=False)
class HiddenModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PenalisedModel):  # type: ignore[misc]
    """Models with hidden units, whose activations are features for pipelines of scikit-learn."""

    _strict = 1e-8

    n_hidden: int = setting(25, HIDDEN)
    l1: float = setting(1e-4, STRENGTH)
    _: KW_ONLY
    group_l1: float = setting(0.0, STRENGTH)

    @classmethod
    def _settings_of(cls, theta: Parameters) -> dict[str, Any]:
        return {"n_hidden": max(theta.n_hidden, 1)}

    def transform(self, X: Words | ArrayLike) -> Floats:
        """Mean of each hidden unit given each word, shape (n_words, n_hidden), as ``hidden``."""
        return self.hidden(X)

    @property
    def _n_features_out(self) -> int:
        return self.parameters_.n_hidden

    def _penalty(self, l1: float) -> Penalty:
        return L1(l1) + GroupL1(self.group_l1) if self.group_l1 else L1(l1)

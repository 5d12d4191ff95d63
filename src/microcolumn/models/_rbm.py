"""The restricted Boltzmann machine: biases and hidden units, on or off or Gaussian."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from inspect import signature
from typing import Any, ClassVar, Literal

from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from ..energy import GAUSSIAN, HiddenUnit
from ..errors import BadArgument
from ..parameters import Floats, Kind, Parameters
from ..penalties import L1, GroupL1, Penalty
from ..words import Words
from ._settings import HIDDEN, STRENGTH, documented, setting
from .penalised import PenalisedModel


@dataclass(eq=False, repr=False)
class HiddenModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PenalisedModel):  # type: ignore[misc]
    """Models with hidden units, whose activations are features for pipelines of scikit-learn."""

    _strict = 1e-8

    n_hidden: int | Literal["auto"] = setting(25, HIDDEN)
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

    def _check_settings(self, l1_values: Sequence[float]) -> None:
        if self.n_hidden == "auto":
            remedy = "give a number, or pass the model to tune or compare, which choose one"
            raise BadArgument("n_hidden", "is 'auto', which no fit can choose", remedy)
        super()._check_settings(l1_values)

    def _penalty(self, l1: float) -> Penalty:
        return L1(l1) + GroupL1(self.group_l1) if self.group_l1 else L1(l1)


@documented
class RBM(HiddenModel):
    """Restricted Boltzmann machine, log p~(x) = b'x + sum_i softplus(c_i + W_i'x).

    Parameters
    ----------
    {hidden units}
    {search}
    hidden : {"gaussian"}, optional
        Makes a :class:`GaussianRBM` with the same settings; by default hidden units are on or off.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> together = rng.random((500, 1)) < 0.1
    >>> words = (rng.random((500, 4)) < np.where(together, 0.7, 0.05)).astype(int)
    >>> model = RBM(n_hidden=3, l1=0.01).fit(words)
    >>> model.W_.shape, model.n_live_hidden_
    ((4, 3), 1)
    """

    _kind: ClassVar[Kind] = "rbm"
    __signature__ = signature(HiddenModel)

    def __new__(cls, *settings: Any, **named: Any) -> Any:
        """A model, or with ``hidden="gaussian"`` a :class:`GaussianRBM`.

        It is no setting of the object itself, whose method ``hidden`` says what hidden units do.
        """
        if "hidden" not in named:
            return object.__new__(cls)
        if named["hidden"] != "gaussian":
            remedy = "pass 'gaussian' or none; n_hidden= is their number"
            raise BadArgument("hidden", f"is {named['hidden']!r}", remedy)
        return GaussianRBM(*settings, **{name: named[name] for name in named if name != "hidden"})


@documented
class GaussianRBM(HiddenModel):
    """Boltzmann machine with Gaussian hidden units, log p~(x) = b'x + sum_i (W_i'x)^2 / 2.

    Such hidden units couple units in pairs and no further: this is an Ising model whose couplings
    are W W' / 2, of low rank. Where an RBM with as many hidden units scores no better, its hidden
    units stand for many correlated pairs, not for groups.

    Parameters
    ----------
    {hidden units}
    {search}

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> together = rng.random((500, 1)) < 0.1
    >>> words = (rng.random((500, 4)) < np.where(together, 0.7, 0.05)).astype(int)
    >>> model = GaussianRBM(n_hidden=3, l1=0.001, objective="likelihood").fit(words)
    >>> pairs, _ = model.parameters_.as_pairs()
    >>> pairs.kind, bool((pairs.J[np.triu_indices(4, 1)] > 0.0).all())
    ('ising', True)
    """

    _kind: ClassVar[Kind] = "rbm"
    _hidden: ClassVar[HiddenUnit] = GAUSSIAN

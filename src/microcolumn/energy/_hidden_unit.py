"""What a hidden unit does with its input z = c + W'x once it is summed out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from scipy.special import expit

from ..validation import Floats, one_of


class HiddenUnit(ABC):
    """A kind of hidden unit: h given its input z has a density like prior(h) exp(h z)."""

    #: How files and models call it.
    name: ClassVar[str]

    def __repr__(self) -> str:
        return f"HiddenUnit({self.name!r})"

    def __reduce__(self) -> str:
        """Pickles and copies are the constant itself, since kinds are told apart by identity."""
        return self.name.upper()

    @abstractmethod
    def log_gate(self, z: Floats) -> Floats:
        """Log of the sum over h of prior(h) exp(h z): what it adds to log p~(x), nats."""

    @abstractmethod
    def mean(self, z: Floats) -> Floats:
        """Mean of h given its input, which is the slope of ``log_gate``."""


class _Bernoulli(HiddenUnit):
    """On or off: log gate softplus(z)."""

    name = "bernoulli"

    def log_gate(self, z: Floats) -> Floats:
        return np.logaddexp(0.0, z)

    def mean(self, z: Floats) -> Floats:
        return expit(z)


class _Gaussian(HiddenUnit):
    """Normal with unit variance: log gate z^2 / 2, which couples units in pairs and no further."""

    name = "gaussian"

    def log_gate(self, z: Floats) -> Floats:
        return 0.5 * z**2

    def mean(self, z: Floats) -> Floats:
        return z.copy()


BERNOULLI, GAUSSIAN = _Bernoulli(), _Gaussian()
#: All kinds by name.
HIDDEN_UNITS: dict[str, HiddenUnit] = {unit.name: unit for unit in (BERNOULLI, GAUSSIAN)}


def hidden_unit(kind: str | HiddenUnit) -> HiddenUnit:
    """The kind of hidden units that has a name, or that is given as such."""
    if isinstance(kind, HiddenUnit):
        return kind
    return HIDDEN_UNITS[one_of("hidden", kind, HIDDEN_UNITS)]

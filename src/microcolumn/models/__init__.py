"""The model family as scikit-learn estimators."""

from .base import PopulationModel
from .files import from_bytes, load, to_bytes
from .independent import Independent
from .ising import Ising
from .rbm import RBM
from .semi_rbm import SemiRBM

__all__ = [
    "RBM",
    "Independent",
    "Ising",
    "PopulationModel",
    "SemiRBM",
    "from_bytes",
    "load",
    "to_bytes",
]

"""The model family as scikit-learn estimators."""

from ..renamed import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    __file__,
    {
        "Rival": "microcolumn.models.AlternativeModel",
        "Tree": "microcolumn.Ising",
        "TwoTree": "microcolumn.Ising",
        "Universal": "microcolumn.models.DirichletProcess",
    },
)

"""Models of words as scikit-learn estimators.

The family of the paper: ``Independent``, ``Ising``, ``RBM``, ``SemiRBM``. Alternatives, with
the same methods: ``KPairwise``, ``CommonDrive``, ``GaussianRBM``, ``BernoulliMixture``, ``TwoTree``
and others; of spike trains ``HiddenMarkovModes`` and ``HistoryGLM``.
"""

from ..renamed import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    __file__,
    {
        "Rival": "microcolumn.models.AlternativeModel",
        "Universal": "microcolumn.models.DirichletProcess",
    },
)

"""What tells the fitted models of a comparison from each other: class, hidden units, objective."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from ..errors import BadInput

#: Classes of the paper's family from few parameters to many.
FAMILY = ("Independent", "Ising", "GaussianRBM", "RBM", "SemiRBM")
#: Models that readers will ask about, whose settings are chosen on held-out words, and what they
#: are in a methods section.
RIVALS = {
    "KPairwise": "an Ising model with a potential of the number of active units (Tkačik et al. "
    "2014), by maximum likelihood",
    "BernoulliMixture": "a mixture of independent populations",
    "HiddenMarkovModes": "modes that follow each other as a hidden Markov chain (Prentice et al. "
    "2016), of which single words were scored",
    "CascadedLogistic": "a cascade of logistic regressions, each unit given those before it (Park "
    "et al. 2013)",
    "Tree": "a tree of pairs (Chow & Liu 1968)",
    "TwoTree": "a network of pairs with loops that is solved exactly (Carcamo & Lynn 2024)",
    "PopulationTracking": "the population tracking model (O'Donnell et al. 2017)",
    "RandomProjections": "random projections (Maoz et al. 2020)",
}
CLASSES = (*FAMILY, *RIVALS)
#: Rivals that comparisons have unless told otherwise: strong, and quick at any size.
USUAL_RIVALS = ("BernoulliMixture", "CascadedLogistic", "TwoTree", "PopulationTracking")
#: What fits may minimise; the first is the default and not part of a model's name.
OBJECTIVES = ("likelihood", "pseudolikelihood", "mpf")
#: Name of the firing-rate model, the zero of all scores.
INDEPENDENT = "Independent"


@dataclass(frozen=True, slots=True, order=True)
class ModelSpec:
    """A model as an experiment fits it.

    Parameters
    ----------
    model : str
        A class of the paper's family, such as ``"RBM"``, or a rival, such as ``"Tree"``.
    n_hidden : int
        Hidden units; 0 for models without.
    objective : str
        ``"likelihood"``, ``"pseudolikelihood"`` or ``"mpf"``; means nothing for a rival.

    Examples
    --------
    >>> ModelSpec("RBM", 25).name, ModelSpec("Ising", objective="mpf").name
    ('RBM 25', 'Ising mpf')
    >>> [spec.name for spec in ModelSpec.of("SemiRBM 25 mpf").nested]
    ['Ising mpf', 'RBM 25 mpf']
    """

    model: str
    n_hidden: int = 0
    objective: str = OBJECTIVES[0]

    @classmethod
    def of(cls, name: str) -> Self:
        """The model that has a name such as ``"RBM 25"`` or ``"RBM 25 mpf"``."""
        model, *rest = name.split() or [""]
        n_hidden = int(rest.pop(0)) if rest and rest[0].isdecimal() else 0
        if model not in CLASSES or len(rest) > 1:
            raise BadInput(f"{name!r} names no model", f"begin with one of {', '.join(CLASSES)}")
        return cls(model, n_hidden, *rest)

    @property
    def name(self) -> str:
        """Name in tables and stores; likelihood, the default objective, is not part of it."""
        name = f"{self.model} {self.n_hidden}" if self.n_hidden else self.model
        return name if self.objective == OBJECTIVES[0] else f"{name} {self.objective}"

    @property
    def is_rival(self) -> bool:
        """Whether it is not of the paper's family."""
        return self.model in RIVALS

    @property
    def has_groups(self) -> bool:
        """Whether it has hidden units that may stand for groups; Gaussian ones only make pairs."""
        return self.n_hidden > 0 and not self.model.startswith("Gaussian")

    @property
    def nested(self) -> tuple[ModelSpec, ...]:
        """Models that this one contains; its fits start from theirs (docs/method.md, section 4)."""
        if self.model != "SemiRBM":
            return ()
        return (
            ModelSpec("Ising", 0, self.objective),
            ModelSpec("RBM", self.n_hidden, self.objective),
        )

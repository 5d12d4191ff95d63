"""What tells the fitted models of a comparison from each other: class, hidden units, objective."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

from ..errors import BadInput


class ModelFacts(NamedTuple):
    """What tables, texts and figures know of a class of models."""

    #: Of the paper; another of its family; an alternative, whose settings held-out words choose; or
    #: a model that comparisons do not fit.
    role: Literal["paper", "family", "alternative", "other"]
    #: What it is in a methods section; models of the family in the plural.
    methods: str = ""
    #: What it is made of, where results first name it.
    meaning: str = ""
    #: The same with a single hidden unit, which makes no groups: it is a drive that is on or off.
    meaning_of_one: str = ""
    #: Of Okabe & Ito's palette, distinguishable with any colour vision, and four more, which
    #: alternatives of one kind share. The marker tells those of the family apart without colours.
    colour: str = "#CC79A7"
    marker: str = "o"
    #: Whether comparisons have it by default: strong or simple explanations to rule out.
    usual: bool = False
    #: What it explains activity by: "drive", one that is common to all units, "pairs" and "groups";
    #: empty where it is made of something else.
    parts: tuple[str, ...] = ()


#: All models that files may hold; those of the family from few parameters to many.
MODELS = {
    "Independent": ModelFacts("family", colour="#999999", marker="v"),
    "Ising": ModelFacts(
        "paper", "Ising models", "pairs of units alone", colour="#0072B2", parts=("pairs",)
    ),
    "GaussianRBM": ModelFacts(
        "family",
        "Ising models of low rank (Gaussian hidden units)",
        colour="#0072B2",
        marker="s",
        parts=("pairs",),
    ),
    "RBM": ModelFacts(
        "paper",
        "restricted Boltzmann machines",
        "hidden units that each stand for a group of units",
        "one drive that is on or off",
        "#E69F00",
        "s",
        parts=("groups",),
    ),
    "SemiRBM": ModelFacts(
        "paper",
        "semi-restricted Boltzmann machines",
        "pairs of units, and hidden units that each stand for a group",
        "pairs of units, and one drive that is on or off",
        "#009E73",
        "^",
        parts=("pairs", "groups"),
    ),
    "KPairwise": ModelFacts(
        "alternative",
        "an Ising model with a potential of the number of active units (Tkačik et al. 2014), by "
        "maximum likelihood",
        "pairs of units and how many are active",
        colour="#56B4E9",
        usual=True,
        parts=("drive", "pairs"),
    ),
    "CommonDrive": ModelFacts(
        "alternative",
        "one drive common to all units, with unequal gains",
        "one drive that all units follow",
        colour="#661100",
        usual=True,
        parts=("drive",),
    ),
    "BernoulliMixture": ModelFacts(
        "alternative", "a mixture of independent populations", colour="#D55E00", usual=True
    ),
    "HiddenMarkovModes": ModelFacts(
        "alternative",
        "modes that follow each other as a hidden Markov chain (Prentice et al. 2016), of which "
        "single words were scored",
        colour="#D55E00",
    ),
    "CascadedLogistic": ModelFacts(
        "alternative",
        "a cascade of logistic regressions, each unit given those before it (Park et al. 2013)",
        colour="#882255",
        usual=True,
    ),
    "PopulationTracking": ModelFacts(
        "alternative",
        "the population tracking model (O'Donnell et al. 2017)",
        "how many units are active",
        colour="#332288",
        usual=True,
        parts=("drive",),
    ),
    "RandomProjections": ModelFacts(
        "alternative", "random projections (Maoz et al. 2020)", colour="#F0E442"
    ),
    "ReshapedProjections": ModelFacts(
        "alternative",
        "random projections with learned weights (Mayzel & Schneidman 2024)",
        colour="#F0E442",
    ),
    "ProjectionPotentials": ModelFacts(
        "alternative",
        "potentials of the number of active units and of principal axes (Di Carlo et al. 2025)",
        colour="#332288",
    ),
    "SemiparametricPairwise": ModelFacts(
        "alternative",
        "an Ising model with a nonlinearity of its energy (Humplik & Tkačik 2017)",
        colour="#56B4E9",
    ),
    "DirichletProcess": ModelFacts("other"),
    "DichotomizedGaussian": ModelFacts("other"),
    "Driven": ModelFacts("other"),
    "HistoryGLM": ModelFacts("other"),
}

#: Models that files and plans of earlier versions may name, and what became of them.
REMOVED = dict.fromkeys(("Tree", "TwoTree"), "was removed on 19 November 2026")


def _with_role(*roles: str) -> tuple[str, ...]:
    return tuple(name for name, facts in MODELS.items() if facts.role in roles)


PAPER_MODELS, ALTERNATIVES = _with_role("paper"), _with_role("alternative")
FAMILY = _with_role("paper", "family")
CLASSES = (*FAMILY, *ALTERNATIVES)
USUAL_ALTERNATIVES = tuple(name for name in ALTERNATIVES if MODELS[name].usual)
#: What fits may minimise; the first is the default and not part of a model's name.
OBJECTIVES = ("likelihood", "pseudolikelihood", "mpf")
#: What fits of single models, which comparisons do not make, may minimise as well: the likelihood
#: of the newest bin of a window given its past.
CONDITIONAL = "conditional"
#: Name of the firing-rate model, the zero of all scores.
INDEPENDENT = "Independent"


def take_pairs_with_drive(models: Collection[str]) -> bool:
    """Whether a comparison of these classes has a SemiRBM with a single hidden unit, too.

    That is a model of pairs and one drive with unequal gains, which K-pairwise models have not.
    """
    return "SemiRBM" in models and any("drive" in MODELS[name].parts for name in models)


@dataclass(frozen=True, slots=True, order=True)
class ModelSpec:
    """A model as an experiment fits it.

    Parameters
    ----------
    model : str
        A class of the paper's family, such as ``"RBM"``, or an alternative (``"KPairwise"``).
    n_hidden : int
        Hidden units; 0 for models without, and where validation chooses how many.
    objective : str
        ``"likelihood"``, ``"pseudolikelihood"`` or ``"mpf"``; means nothing for an alternative.

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
    def is_alternative(self) -> bool:
        """Whether it is not of the paper's family."""
        return self.model in ALTERNATIVES

    @property
    def parts(self) -> tuple[str, ...]:
        """What it explains activity by; see :class:`ModelFacts`. One hidden unit is a drive."""
        parts = MODELS[self.model].parts
        if self.n_hidden != 1:
            return parts
        return tuple(sorted("drive" if part == "groups" else part for part in parts))

    @property
    def meaning(self) -> str:
        """What it is made of, where results first name it, without a reference."""
        facts = MODELS[self.model]
        meaning = facts.meaning_of_one if self.n_hidden == 1 else facts.meaning
        return meaning or facts.methods.split(" (")[0]

    @property
    def has_groups(self) -> bool:
        """Whether its hidden units may stand for groups; not a single one, nor Gaussian ones."""
        return "groups" in self.parts

    @property
    def nested(self) -> tuple[ModelSpec, ...]:
        """Models that this one contains; its fits start from theirs (docs/method.md, section 4)."""
        if self.model != "SemiRBM":
            return ()
        return (
            ModelSpec("Ising", 0, self.objective),
            ModelSpec("RBM", self.n_hidden, self.objective),
        )

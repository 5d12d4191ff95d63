"""What was done, in sentences for the methods section of a paper."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from inspect import signature
from types import MappingProxyType
from typing import NamedTuple

from ..evaluate._choice import AUTOMATIC
from ..evaluate._paired import EQUAL_MARGIN
from ..evaluate._significance import FEWEST_SPLITS, LEVEL
from ..formatting import counted, enumeration, scientific
from ..partition._ais import annealed_importance_sampling
from ..study import Experiment, Plan
from . import _tables as tables
from ._typography import typeset


class Reference(NamedTuple):
    """A cited work; the DOI may be empty."""

    key: str
    text: str
    doi: str


_NAMES = {
    "Ising": "Ising models",
    "RBM": "restricted Boltzmann machines",
    "SemiRBM": "semi-restricted Boltzmann machines",
    "GaussianRBM": "Ising models of low rank (Gaussian hidden units)",
    "GaussianSemiRBM": "Ising models that are sparse plus low rank (Gaussian hidden units)",
}
RIVALS = {
    "KPairwise": "an Ising model with a potential of the number of active units (Tkačik et al. "
    "2014), by maximum likelihood",
    "BernoulliMixture": "a mixture of independent populations",
    "HiddenMarkovModes": "modes that follow each other as a hidden Markov chain (Prentice et al. "
    "2016), of which single words were scored",
    "CascadedLogistic": "a cascade of logistic regressions, each unit given those before it (Park "
    "et al. 2013)",
    "BoostedCascade": "the same cascade with gradient-boosted trees",
    "Tree": "a tree of pairs (Chow & Liu 1968)",
    "TwoTree": "a network of pairs with loops that is solved exactly (Carcamo & Lynn 2024)",
    "PopulationTracking": "the population tracking model (O'Donnell et al. 2017)",
    "RandomProjections": "random projections (Maoz et al. 2020)",
}
OBJECTIVES = {
    "likelihood": "maximum likelihood",
    "pseudolikelihood": "pseudolikelihood (Besag 1975)",
    "mpf": "minimum probability flow (Sohl-Dickstein et al. 2011)",
}
_ASSIGNED = {
    "words": ("Single words were", ""),
    "blocks": (
        "Blocks of consecutive words were",
        " Words that would share a bin with the other part were left out.",
    ),
}
#: What a score on the test part says, by how it was set aside.
_GENERALISES = {
    "words": "Training and test parts cover the same times, so that scores do not show how a model "
    "fares when the recording drifts.",
    "blocks": "Test words come from other times of the same recording than training words.",
}


def methods(
    plan: Plan,
    *,
    layers: bool,
    simulated: Collection[str] = (),
    n_units: Mapping[str, int] = MappingProxyType({}),
) -> list[tuple[str, str]]:
    """Title and text of the paragraphs.

    ``layers`` says whether layers were tested, ``simulated`` which recordings are simulated, and
    ``n_units`` how many units those that were read have.
    """
    paragraphs = []
    for each in plan.experiments:
        name = f": {each.name}" if len(plan.experiments) > 1 else ""
        told = [_words(plan, each, simulated, n_units), _models(each), _rivals(each), _splits(each)]
        text = " ".join(filter(None, told))
        paragraphs.append((f"Words and models{name}", text))
    paragraphs += [("Normalisation", _normalisation(plan)), ("Scores and errors", _scores(plan))]
    if layers:
        paragraphs.append(("Layers", _LAYERS))
    return [(title, typeset(text)) for title, text in paragraphs]


def references(paragraphs: list[tuple[str, str]]) -> list[Reference]:
    """The works that the paragraphs cite, by name."""
    text = " ".join(text for _, text in paragraphs)
    known = files(__package__).joinpath("templates", "references.txt").read_text(encoding="utf-8")
    listed = [Reference(*map(str.strip, line.split("|"))) for line in known.splitlines()]
    return [reference for reference in listed if reference.key in text]


def _words(
    plan: Plan, experiment: Experiment, simulated: Collection[str], n_units: Mapping[str, int]
) -> str:
    recordings = [source.name for source in plan.sources_of(experiment)]
    names = enumeration(recordings)
    if made := [name for name in recordings if name in simulated]:
        some = f": {enumeration(made)}" if len(made) < len(recordings) else ""
        names += f" (simulated{some})"
    units = _units(
        experiment.most_active, [n_units[name] for name in recordings if name in n_units]
    )
    bins = (
        ""
        if experiment.max_words is None
        else f", of which at most {experiment.max_words:,}, in blocks spread evenly over the "
        "recording, were used"
    )
    text = (
        f"The spikes of {units} of {names} were counted in bins of "
        f"{1e3 * experiment.bin_width:g}\N{NO-BREAK SPACE}ms{bins}; a unit's bit is 1 in bins "
        "with one or more spikes (Köster et al. 2014)."
    )
    if max(experiment.windows) == 1:
        return text
    window = enumeration([str(window) for window in experiment.windows])
    return f"{text} Words are the bits of all these units in T = {window} successive bins."


def _units(most_active: int | None, recorded: Sequence[int]) -> str:
    if most_active is None or (recorded and max(recorded) <= most_active):
        return "all units"
    fewer = ", or all where there are fewer," if recorded and min(recorded) < most_active else ""
    return f"the {most_active} most active units{fewer}"


def _models(experiment: Experiment) -> str:
    family = [model for model in experiment.models if model in _NAMES]
    if not family:
        return ""
    names = enumeration([_NAMES[model] for model in family])
    hidden = ""
    if family != ["Ising"]:
        sizes = ["as many as bits" if n == "dims" else str(n) for n in experiment.n_hidden]
        hidden = f" (hidden units: {enumeration(sizes)})"
    by = " and by ".join([OBJECTIVES[objective] for objective in experiment.objectives])
    penalties = _penalties(experiment.l1)
    groups = ""
    if experiment.group_l1 > 0.0:
        groups = f", a group penalty of {scientific(experiment.group_l1)} on whole hidden units"
    starts = "one start" if experiment.n_init == 1 else f"the best of {experiment.n_init} starts"
    return (
        f"{names[0].upper()}{names[1:]}{hidden} were fitted by {by} from {starts}, with an L1 "
        f"penalty λ {penalties} on couplings and weights{groups}; biases were not penalised."
    )


def _rivals(experiment: Experiment) -> str:
    found = [RIVALS[model] for model in experiment.models if model in RIVALS]
    if not found:
        return ""
    alone = len(found) == len(experiment.models)
    opening = "Models" if alone else "Beside them stand models"
    return (
        f"{opening} of other kinds{' were fitted' * alone}, each at the settings that the "
        f"validation part preferred: {'; '.join(found)}."
    )


def _penalties(l1: str | tuple[float, ...]) -> str:
    if isinstance(l1, str):
        return (
            f"of {counted(AUTOMATIC[l1], 'strength')} per decade, from the smallest that leaves an "
            "Ising model no coupling down over three decades and, if the best was at an end, "
            "beyond it,"
        )
    return f"of {enumeration([scientific(strength) for strength in l1])}"


def _splits(experiment: Experiment) -> str:
    n, train, validation = experiment.n_splits, experiment.train, experiment.validation
    times = "once" if n == 1 else f"{n} times"
    choice = "the penalty of each model was chosen by its likelihood on"
    if not isinstance(experiment.l1, str) and len(experiment.l1) == 1:
        choice = "as there is one penalty, nothing was chosen on"
    what, left_out = _ASSIGNED[experiment.split_by]
    return (
        f"{what} randomly assigned {times} ({tables.seeds_text(experiment)}) to a training part "
        f"({_percent(train)}) and a test part ({_percent(1 - train)}).{left_out} "
        f"{_GENERALISES[experiment.split_by]} Models were fitted on "
        f"{_percent(train * (1 - validation))} of the words; {choice} the other "
        f"{_percent(train * validation)} of the training part, and all scores are from the test "
        "part. Starts of fits and annealing have the seed of their "
        "split."
    )


def _percent(share: float) -> str:
    return f"{100 * share:.3g}\N{NO-BREAK SPACE}%"


def _normalisation(plan: Plan) -> str:
    options = signature(annealed_importance_sampling).parameters
    steps = dict.fromkeys(f"{experiment.max_steps:,}" for experiment in plan.experiments)
    limits = " or ".join(steps) + (", by experiment" if len(steps) > 1 else "")
    return (
        "Z, which makes the probabilities of all words add up to one, was summed exactly over "
        "all words or over all states of the hidden units where that takes seconds, and otherwise "
        "estimated by annealed importance sampling (Neal 2001) "
        f"with {options['n_chains'].default} chains. The number of steps was doubled, up to "
        f"{limits}, until the estimate moved by less than {options['tolerance_bits'].default:g} "
        "bits, its standard error was below that too, and chains run backwards from words of the "
        "model agreed."
    )


def _scores(plan: Plan) -> str:
    few = any(experiment.n_splits < FEWEST_SPLITS for experiment in plan.experiments)
    none = f" With fewer than {FEWEST_SPLITS} splits nothing is decided." if few else ""
    blocks = ""
    if any(experiment.split_by == "blocks" for experiment in plan.experiments):
        blocks = (
            "; where blocks of time were assigned, degrees of freedom allow for their number too"
        )
    rivals = any(model in RIVALS for each in plan.experiments for model in each.models)
    apart = ", those with a model of another kind apart from the others" if rivals else ""
    return (
        "The score of a model is the mean of log₂ p(word) minus the same for independent units, "
        "over the test words, per second of a word's duration; rates of the independent units come "
        "from the words that were fitted, and are clipped to half a count from 0 and 1. Bits per "
        "spike are bits/s over the spikes/s of all units in the test words, where several spikes "
        "of a unit in a bin count as one. "
        "Means over splits are given with their standard error over splits, and with that of one "
        "test part from a circular block bootstrap (Politis & Romano 1992). Differences are paired "
        "by split; their errors, intervals and two-sided p-values are those of the corrected "
        "resampled t-test (Nadeau & Bengio 2003), which corrects for the words that splits have in "
        f"common, with one degree of freedom less than splits{blocks}. The p-values are corrected "
        f"for the number of pairs (Holm 1979){apart}, and a model is called better at "
        f"p < {LEVEL:g}; two models are called equal if the 95\N{NO-BREAK SPACE}% interval of "
        "their difference lies "
        f"within {100 * EQUAL_MARGIN:g}\N{NO-BREAK SPACE}% of the best model's gain over "
        f"independent units.{none}"
    )


_LAYERS = (
    "For each hidden unit, the share of its weight, by size, in its dominant layer was compared "
    "with the same under permuted layer labels, and likewise the mean strength of couplings within "
    "minus that between layers; p = (1 + permutations at least as extreme) / (1 + permutations) "
    "(Phipson & Smyth 2010). Hidden units that stay in a layer are counted at a false discovery "
    "rate of 5\N{NO-BREAK SPACE}% (Benjamini & Hochberg 1995); where one hidden unit is looked at, "
    "its p is corrected over all those of the model (Holm 1979)."
)


def fitting(objective: str) -> str:
    """What a fit minimises, without a reference."""
    return OBJECTIVES[objective].split(" (")[0]

"""What a study found in one recording: hidden units against pairs, layers, the best model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Self

from ..evaluate import (
    Adequacy,
    Assemblies,
    Comparison,
    Estimate,
    LayersResult,
    ModelScore,
    PairedDifference,
)
from ..evaluate.comparison import doubt
from ..evaluate.contrasts import other_kinds
from ..evaluate.significance import LEVEL
from ..models.spec import INDEPENDENT
from ..study import Condition, NotComputedError, Results
from ..units import plain_label
from ._tables import condition_text
from ._wording import text

#: Kinds of answers that say neither yes nor no, and those that say that groups add nothing.
OPEN = ("undecided", "open")
PAIRS_SUFFICE = ("equal", "same")
#: Kinds of answers in a word or two; others are their own.
_VERDICTS = {
    "groups": "groups better",
    "pairs": "groups worse",
    "untested": "not tested",
} | dict.fromkeys(PAIRS_SUFFICE, "groups not needed")


@dataclass(frozen=True, slots=True)
class Layering:
    """Whether the hidden units of a model stay in layers; shares and numbers are means over splits.

    Splits count as inside with p < 0.05 in the permutation test of all hidden units together.
    """

    model: str  # its name
    n_inside: int
    n_splits: int  # that were tested
    share: float  # part of all weight that lies in the main layers of its hidden units
    expected: float  # the same with permuted layers
    n_in_layer: float  # hidden units that stay in one layer
    n_live: float
    group_by: str = "layer"  # or other labels

    @classmethod
    def of(cls, found: LayersResult) -> Self | None:
        """What layer statistics of all splits say; None where no split has a live hidden unit."""
        known = [p for p in found.overall_p_values if not math.isnan(p)]
        if not known:
            return None
        return cls(
            model=found.model.name,
            n_inside=sum(p < LEVEL for p in known),
            n_splits=len(known),
            share=found.overall_share,
            expected=found.overall_expected,
            n_in_layer=fmean(found.n_significant),
            n_live=fmean(found.n_live_hidden),
            group_by=found.statistics[0].group_by,
        )

    @property
    def label(self) -> str:
        """What a sentence calls the labels: ``"cell type"``."""
        return plain_label(self.group_by)

    @property
    def kind(self) -> str:
        """``"inside"`` in all splits, ``"by chance"`` in all, or ``"undecided"``."""
        if self.n_inside == self.n_splits:
            return "inside"
        return "undecided" if self.n_inside else "by chance"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found in one recording by one experiment."""

    recording: str
    about: str  # recording, experiment and window in words
    compared: Comparison  # all models
    #: Groups against pairs: ``"groups"`` or ``"pairs"`` are better, ``"equal"``, ``"same"``,
    #: ``"undecided"``, ``"open"`` (tested, but a fit or log Z has not converged) or ``"untested"``.
    kind: str
    layering: Layering | str  # of the best model with hidden units, or why there is none
    #: Live hidden units of split 0 of that model, then of those with hidden units that do not
    #: differ from it in score, by name; empty where it is not known which recur.
    assemblies: dict[str, Assemblies]
    adequacy: Adequacy | None  # of ``adequate``
    adequate: str  # name of the best model that has an adequacy
    also_adequate: str  # the worst model that describes the words, too; empty if none does
    explained: str  # its share of what could be explained

    @property
    def pair(self) -> PairedDifference | None:
        """The best model with hidden units minus the one without that is closest to it."""
        return self.compared.groups

    @property
    def n_assemblies(self) -> int | None:
        """Assemblies of the best model with hidden units; None where not known."""
        return next((len(each.stable) for each in self.assemblies.values()), None)

    @property
    def in_doubt(self) -> bool:
        """Whether the test words are too few to refute the best model, or a worse one."""
        found = self.adequacy
        if found is None:
            return False
        return found.pairs_in_doubt or bool(found.describes and self.also_adequate)

    @property
    def verdict(self) -> str:
        """The kind of answer in a word or two."""
        return verdict_of(self.kind)

    @property
    def relative(self) -> Estimate | None:
        """Gain of the model with hidden units as a share of that of the other one."""
        pair = self.pair
        return None if pair is None else self.compared.relative(pair.first, pair.second)

    @property
    def relative_interval(self) -> tuple[float, float] | None:
        """The 95 % interval of ``relative``, as many errors wide as that of ``pair``."""
        pair, ratio = self.pair, self.relative
        if pair is None or ratio is None or not pair.stderr > 0.0:
            return None
        half = (pair.interval[1] - pair.bits_per_second) / pair.stderr * ratio.stderr
        return ratio.value - half, ratio.value + half

    @property
    def share(self) -> Estimate | None:
        """Gain of the model without groups as a share of that of the other one."""
        pair = self.pair
        return None if pair is None else self.compared.relative(pair.second, pair.first)

    @property
    def best(self) -> ModelScore | None:
        """The best model of all; None where all have a spurious mode."""
        return self.compared.best if self.compared.models else None

    @property
    def alternative_wins(self) -> bool:
        """Whether a model outside the paper's family is better than all of it."""
        pair, scores = other_kinds(self.compared), self.compared.scores
        if pair is None or pair.bits_per_second < 0.0 or not pair.differs:
            return False
        family = [model for model in self.compared.models if not model.spec.is_alternative]
        return not doubt((scores[pair.first], scores[pair.second]), family)

    @property
    def over_alternative(self) -> PairedDifference | None:
        """The best model, where it is of the paper's family, minus the best of another kind."""
        pair = other_kinds(self.compared)
        is_ours = self.best is not None and not self.best.spec.is_alternative
        return pair.reversed() if pair and is_ours else None

    @property
    def over_independent(self) -> PairedDifference | None:
        """The best model of all minus independent units."""
        return None if self.best is None else self.compared.pair(self.best.name, INDEPENDENT)

    def as_dict(self) -> dict[str, Any]:
        """The numbers, for JSON."""
        pair, adequate = self.pair, self.adequacy
        best, ours = self.best, self.compared.best_of_family
        return {
            "recording": self.recording,
            "experiment": self.compared.experiment,
            "window": self.compared.window,
            "n_units": self.compared.n_units,
            "verdict": self.kind,
            "groups": pair,
            "interval": None if pair is None else pair.interval,
            "p_value": None if pair is None else pair.p_value,
            "relative": self.relative,
            "share_without_groups": self.share,
            "best": best and best.name,
            "best_of_family": ours and ours.name,
            "alternative_wins": self.alternative_wins,
            "layers": None if isinstance(self.layering, str) else self.layering,
            "n_assemblies": self.n_assemblies,
            "adequacy": adequate and {"model": self.adequate, "sentence": str(adequate)},
            "split_by": self.compared.split_by,
        }


def finding(results: Results, condition: Condition, *, several: bool) -> Finding:
    """What was found at one condition; of ``several`` experiments each is named."""
    compared = results.comparison(**condition.names)
    pair = compared.groups
    with_groups = (model for model in compared.ranked if model.spec.has_groups)
    hidden = compared.scores[pair.first] if pair else next(with_groups, None)
    described = results.if_computed(results.adequacy, {}, **condition.names)
    tested = [model.name for model in compared.ranked if model.name in described]
    name = tested[0] if tested else ""
    return Finding(
        recording=condition.recording,
        about=condition_text(condition, with_experiment=several),
        compared=compared,
        kind=kind_of(compared),
        layering=_layering(results, condition, hidden),
        assemblies=_assemblies(results, condition, compared, hidden),
        adequacy=described.get(name),
        adequate=name,
        also_adequate=_worse(compared, described, tested),
        explained=_explained(results, condition, compared.scores.get(name)),
    )


def label_of(found: Sequence[Finding]) -> str:
    """What sentences call the labels that were tested: ``"cell type"``; ``"label"`` of several."""
    known = {each.layering.label for each in found if not isinstance(each.layering, str)}
    return (*known, "layer")[0] if len(known) < 2 else "label"


def _worse(compared: Comparison, described: Mapping[str, Adequacy], tested: list[str]) -> str:
    """The worst model that describes the words, too, though it scores clearly lower."""
    for name in reversed(tested[1:]):
        if described[name].describes and compared.pair(tested[0], name).differs:
            return name
    return ""


def _explained(results: Results, condition: Condition, model: ModelScore | None) -> str:
    """The share of what could be explained of split 0 that a model gains; empty if not computed."""
    best = results.if_computed(results.explainable, None, **condition.names)
    gained = [score for score in model.splits if score.split == 0] if model else []
    return text("explained", best=best, gained=gained[0]) if best and gained else ""


def of_kind(found: Sequence[Finding], *kinds: str) -> list[Finding]:
    """Findings whose answer is of one of these kinds."""
    return [each for each in found if each.kind in kinds]


def verdict_of(kind: str) -> str:
    """A kind of answer in a word or two."""
    return _VERDICTS.get(kind, kind)


def kind_of(compared: Comparison) -> str:
    """Groups against pairs in a word; see :class:`Finding`."""
    pair = compared.groups
    if pair is None:
        return "untested"
    if compared.unsettled:
        return "open"
    if pair.differs:
        return "groups" if pair.bits_per_second > 0.0 else "pairs"
    return pair.verdict


def _layering(results: Results, condition: Condition, model: ModelScore | None) -> Layering | str:
    if model is None:
        return "No model with hidden units was ranked, so this was not tested"
    try:
        found = results.layers(model=model.spec, **condition.names)
    except NotComputedError:
        return "Not computed yet; run the study further"
    if found is None:
        return "No labels of several layers, so this was not tested"
    return Layering.of(found) or f"{model.name} has no hidden unit in use, so this was not tested"


def _assemblies(
    results: Results, condition: Condition, compared: Comparison, best: ModelScore | None
) -> dict[str, Assemblies]:
    found = {
        spec.name: each
        for spec, each in results.of_models(results.assemblies, condition)
        if spec.has_groups and spec.name in compared.scores and each.n_fits > 1
    }
    if best is None or best.name not in found:
        return {}
    first = {best.name: found.pop(best.name)}
    return first | {n: each for n, each in found.items() if not compared.pair(best.name, n).differs}

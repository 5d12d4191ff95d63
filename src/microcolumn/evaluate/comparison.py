"""Models compared on the same held-out words, on one split of them or on many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from ..errors import BadInput
from ..formatting import counted, enumeration, html_table, html_text, text_table
from ..models import ModelSpec
from ..models.spec import INDEPENDENT
from ..notebook import card
from ..partition.result import method_text, spurious_mode_text
from ..tables import AsTable
from ._model_score import ModelScore
from .contrasts import (
    ORDERS,
    Explanation,
    GainStep,
    gain_steps,
    groups,
    other_kinds,
    simplest_explanation,
)
from .paired import EQUAL_MARGIN, PairedDifference, paired_difference, ratio
from .significance import Estimate

#: What scores say about, by how words were split.
HOLDS_FOR = {
    "blocks": "the scores hold for other stretches of this recording, not for other recordings or "
    "animals: training and test parts are blocks of time",
    "words": "the scores hold for other moments of the same minutes, and slow drift is not seen: "
    "bins were assigned to training and test parts one by one",
}
#: Columns of the table that are not numbers.
_OF_TEXT = ("model", "chosen", "log Z")


@dataclass(frozen=True, slots=True)
class Comparison(AsTable):
    """Models compared on the same held-out words, in one split or in many.

    Printed, the comparison of fitted models (:func:`microcolumn.compare`) is a table, and that of
    a study says which model is best, by how much and how sure.

    Parameters
    ----------
    models : tuple of ModelScore
        In the order they were given; those of a study best first, without independent units, which
        are the zero.
    unranked : tuple of ModelScore
        Models with a spurious mode: much of their mass lies on words never seen, so that their
        scores say nothing about the recording. They are in no pair.
    n_units : int
        Recorded units.
    n_splits, n_planned : int
        Splits that are tested, and splits of the plan.
    recording, experiment : str
        Their names in a study; empty outside of one.
    window : int
        Bins per word.
    split_by : {"words", "blocks", ""}
        How words were assigned to training and test parts; empty outside of a study.
    train_share : float
        Share of all words that a split trains on; NaN outside of a study.
    animal : str
        That was recorded; empty where it is not known.
    """

    models: tuple[ModelScore, ...]
    unranked: tuple[ModelScore, ...]
    n_units: int
    n_splits: int = 1
    n_planned: int = 1
    recording: str = ""
    experiment: str = ""
    window: int = 1
    split_by: str = ""
    train_share: float = math.nan
    animal: str = ""

    @property
    def scores(self) -> dict[str, ModelScore]:
        """Score of each model that may be ranked, by its name."""
        return {model.name: model for model in self.models}

    @property
    def best(self) -> ModelScore:
        """The model with the highest mean score."""
        if not self.models:
            raise BadInput("no model can be ranked, since all have a spurious mode", "raise l1")
        return self.ranked[0]

    @property
    def ranked(self) -> list[ModelScore]:
        """The models, the best first."""
        return sorted(self.models, key=lambda model: -model.bits_per_second)

    @property
    def best_of_family(self) -> ModelScore | None:
        """The best model of the paper's family; None without one besides independent units."""
        return self._best(is_alternative=False)

    @property
    def best_alternative(self) -> ModelScore | None:
        """The best model outside the paper's family; None without one."""
        return self._best(is_alternative=True)

    def _best(self, is_alternative: bool) -> ModelScore | None:
        models = (model for model in self.ranked if model.spec.is_alternative == is_alternative)
        return next((model for model in models if model.spec.model != INDEPENDENT), None)

    @property
    def pairs(self) -> tuple[PairedDifference, ...]:
        """Every two models, and each against independent units (``"Independent"``), in order."""
        names = [*(m.name for m in self.models if m.name != INDEPENDENT), INDEPENDENT]
        pairs = (self.find(*both) for both in combinations(names, 2))
        return tuple(pair for pair in pairs if pair is not None)

    def pair(self, first: str | ModelSpec, second: str | ModelSpec) -> PairedDifference:
        """The comparison of two models, in either order."""
        names = [each.name if isinstance(each, ModelSpec) else each for each in (first, second)]
        pair = self.find(*names)
        if pair is None:
            known = ", ".join(dict.fromkeys([*self.scores, INDEPENDENT]))
            problem = f"there is no pair of {names[0]!r} and {names[1]!r}"
            raise BadInput(problem, f"choose two of {known}")
        return pair

    def find(self, first: str, second: str) -> PairedDifference | None:
        """The comparison of two models by name; None where no split has both."""
        scores = self.scores
        if first == second or not {first, second} <= {*scores, INDEPENDENT}:
            return None
        if first not in scores:  # independent units, the zero
            pair = self.find(second, first)
            return pair and pair.reversed()
        best = max((model.bits_per_second for model in self.models), default=0.0)
        margin = EQUAL_MARGIN * max(best, 0.0)
        return paired_difference(scores[first], scores.get(second), self.train_share, margin)

    def relative(self, first: str, second: str) -> Estimate | None:
        """Gain of one model over independent units as a share of another's, paired by split.

        None where the second has no such gain.
        """
        return ratio(self.scores[first], self.scores[second], self.train_share)

    @property
    def share_of_pairs(self) -> Estimate | None:
        """Share of the best model's gain over independent units that the best of pairs alone has.

        None without a model of pairs alone, without a gain, or where such a model is the best.
        """
        pairs = [model for model in self.ranked if model.spec.parts == ("pairs",)]
        if not pairs or self.best in pairs:
            return None
        return self.relative(pairs[0].name, self.best.name)

    @property
    def groups(self) -> PairedDifference | None:
        """The planned contrast of groups (:mod:`.contrasts`); None without both sides.

        The best model with several hidden units minus the best of pairs and a common drive, alone
        or together. Where that is clearly better than the best of those, but not than another, it
        is held against that one. A single hidden unit is such a drive.
        """
        return groups(self)

    def gain_steps(self, order: Sequence[str] = ORDERS[0]) -> list[GainStep]:
        """What a common drive, pairs and groups each add to the gain over independent units.

        What a part adds depends on the order; ``("pairs", "drive", "groups")`` is the other one.
        """
        return gain_steps(self, order)

    @property
    def explanation(self) -> Explanation | None:
        """The fewest of a common drive, pairs and groups that suffice (:mod:`.contrasts`)."""
        return simplest_explanation(self)

    @property
    def unsettled(self) -> str:
        """Why hidden units against pairs is open although it was tested; empty if it is not.

        A fit of the side behind that has not converged may score higher, and a log Z that has not
        converged makes a score wrong.
        """
        pair = self.groups
        if pair is None or pair.verdict not in ("better", "equal", "same"):
            return ""
        sides = {
            has_groups: [m for m in self.models if m.spec.parts and m.spec.has_groups == has_groups]
            for has_groups in (True, False)
        }
        both = self.scores[pair.first], self.scores[pair.second]
        if pair.verdict != "better":
            return doubt(both, [model for side in sides.values() for model in side])
        return doubt(both, sides[pair.bits_per_second < 0.0])

    def __str__(self) -> str:
        return "\n".join([self.answer, *map(str, self.pairs)]) if self.recording else self.table

    def __repr__(self) -> str:
        of = f"of {self.recording} " * bool(self.recording)
        best = (
            f"{self.best.name}, {self.best.bits_per_second:.2f} bits/s" if self.models else "none"
        )
        return (
            f"Comparison({counted(len(self.models) + len(self.unranked), 'model')} {of}"
            f"on {counted(self.n_splits, 'split')}, best: {best})"
        )

    def _repr_html_(self) -> str:
        table = html_table(*self._cells, left=_OF_TEXT)
        return card(repr(self), f"<p>{html_text(self.answer)}</p>", table)

    @property
    def answer(self) -> str:
        """Hidden units against pairs, the runner-up, independent units, and what it holds for."""
        return ". ".join(self.statements) + "."

    @property
    def statements(self) -> list[str]:
        """The parts of the answer, the most important one first."""
        spurious = [f"{m.name}: {spurious_mode_text(m.spurious_mass)}" for m in self.unranked]
        if not self.models:
            return spurious
        about = HOLDS_FOR.get(self.split_by)
        # Annealing may have missed a part of log Z, so that a score is too good.
        sentences = [*_ranking(self), doubt(self.models, ()), *spurious, about]
        return [sentence[0].upper() + sentence[1:] for sentence in sentences if sentence]

    def to_rows(self) -> list[dict[str, Any]]:
        """One dictionary per model, the best first; those with a spurious mode come last."""
        names = (
            *("name", "bits_per_second", "stderr", "bits_per_spike"),
            *("n_parameters", "n_couplings", "n_live_hidden", "chosen", "converged"),
            "spurious_mass",
        )
        models = (*self.ranked, *self.unranked)
        return [{name: getattr(model, name) for name in names} for model in models]

    @property
    def table(self) -> str:
        """Score, size and certificate of every model, the best first."""
        return text_table(*self._cells, left=_OF_TEXT)

    @property
    def _cells(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows of the table."""
        rows = [self._row(model) for model in (*self.ranked, *self.unranked)]
        return list(rows[0]), [list(row.values()) for row in rows]

    def _row(self, model: ModelScore) -> dict[str, str]:
        score, n_hidden = model.splits[0], model.n_hidden
        bits, behind = f"{model.bits_per_second:.2f} ± {model.stderr:.2f}", "-"
        if model.has_spurious_mode:
            bits = spurious_mode_text(model.spurious_mass)
        elif model is self.best:
            behind = "best"
        elif by := self.find(self.best.name, model.name):  # None where a score is not finite
            behind = f"{by.bits_per_second:.2f} ± {by.stderr:.2f}"
        return {
            "model": model.name,
            "bits/s": bits,
            "per spike": "-" if model.has_spurious_mode else f"{model.bits_per_spike:.2f}",
            "behind best": behind,
            "nats/word": f"{score.nats_per_word:.4f}",
            "live hidden": f"{model.n_live_hidden:.0f} of {n_hidden:.0f}" if n_hidden else "-",
            "couplings": f"{model.n_couplings:.0f}" if model.n_couplings else "-",
            "parameters": f"{model.n_parameters:.0f}",
            "chosen": model.chosen or "-",
            "optimality": "-" if math.isnan(score.optimality) else f"{score.optimality:.1e}",
            "converged": "yes" if model.converged else "no",
            "log Z": method_text(score.normaliser, score.side),
        }


def doubt(compared: Sequence[ModelScore], behind: Sequence[ModelScore]) -> str:
    """What has not converged: fits of the models behind, log Z of those compared; empty if all."""
    fits = [m.name for m in behind if not all(score.fit_converged for score in m.splits)]
    log_z = [m.name for m in compared if not all(s.normaliser_converged for s in m.splits)]
    unconverged = {"the fit of": fits, "log Z of": log_z}
    return " and ".join(
        f"{what} {enumeration(names)} has not converged"
        for what, names in unconverged.items()
        if names
    )


def _ranking(compared: Comparison) -> list[str]:
    """What is said of the models that may be ranked, of each pair once."""
    best, alternative = compared.best, compared.best_alternative
    over_zero = compared.pair(best.name, INDEPENDENT)
    others = [m for m in compared.ranked if m.name not in (best.name, INDEPENDENT)]
    if not others or over_zero.bits_per_second <= 0.0:
        return [over_zero.sentence()]
    said: dict[frozenset[str], str] = {}
    ours, pair = compared.best_of_family, compared.groups
    kinds = other_kinds(compared)
    if ours is not None and alternative is not None and kinds is not None:
        sides = "outside the paper's family", "of the paper's family", "of its alternatives"
        where, other = sides[:2] if best is alternative else sides[1:]
        chosen = f", {best.chosen}" if best.chosen else ""
        second = ours if best is alternative else alternative
        text = f"{best.name} ({where}{chosen}) has the highest score of all, {second.name}"
        said[_both(kinds)] = f"{text} {other}: {kinds.sentence()}"
    if pair is not None:
        said[_both(pair)] = _hidden_against_pairs(compared, pair)
    over_others = [compared.pair(best.name, model.name) for model in others]
    for each in over_others[: sum(pair.same for pair in over_others) + 1]:  # equals, and the next
        said.setdefault(_both(each), each.sentence())
    spikes, share = best.bits_per_spike, compared.share_of_pairs
    gain = over_zero.sentence("" if math.isnan(spikes) else f"{spikes:.2g} bits per spike")
    of_pairs = f"pairs alone explain {share} of the best model's gain over independent units"
    return [*said.values(), gain, *([of_pairs] if share else [])]


def _both(pair: PairedDifference) -> frozenset[str]:
    return frozenset((pair.first, pair.second))


def _hidden_against_pairs(compared: Comparison, pair: PairedDifference) -> str:
    # By how much the better of the two is above the other, as the sentence has it.
    ahead = pair.reversed() if pair.bits_per_second < 0.0 else pair
    relative = compared.relative(ahead.first, ahead.second)
    text = pair.sentence("" if relative is None else relative.gain)
    if compared.unsettled:
        return f"{text}; but {compared.unsettled}, so that this is open"
    if not pair.differs:
        return text
    if pair.bits_per_second > 0.0:
        return f"Models with hidden units are better than those without groups: {text}"
    return f"A model without groups is better than those with hidden units: {text}"

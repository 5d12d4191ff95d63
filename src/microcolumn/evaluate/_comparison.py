"""Models compared on the same held-out words, on one split of them or on many."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import fmean

from ..formatting import text_table
from ..models import ModelSpec
from ..models._spec import INDEPENDENT
from ..partition._result import false_mode_text, is_false, method_text
from ._effects import Ratio, ratio
from ._paired import PairedDifference

#: What scores say about, by how words were split.
_HOLDS_FOR = {
    "blocks": "training and test parts are blocks of time: the scores hold for other stretches of "
    "this recording, not for other recordings or animals",
    "words": "bins were assigned to training and test parts one by one: the scores hold for other "
    "moments of the same minutes, and slow drift is not seen",
}


@dataclass(frozen=True, slots=True)
class SplitScore:
    """One model on the test part of one split.

    Parameters
    ----------
    split : int
        Number of the split.
    bits_per_second : float
        Excess log-likelihood over independent units; not finite where it could not be found.
    block_stderr : float
        Its standard error from blocks of the test part, bits/s.
    l1 : float
        The strength of the L1 penalty; NaN for a model without.
    n_nonzero, n_couplings, n_live_hidden : int
        Parameters other than zero, pairs coupled, hidden units with a weight other than zero.
    normaliser, side : str
        How log Z was found; see :class:`~microcolumn.LogPartition`.
    fit_converged, normaliser_converged : bool
        Whether the fit's certificate is within its tolerance, and log Z may be relied upon.
    optimality : float
        Certificate of the fit, the largest violation of its optimality conditions; NaN without.
    normaliser_stderr : float
        Part of ``block_stderr`` that log Z has, bits/s.
    nats_per_word : float
        Mean log probability of a word, without baseline.
    n_words : int
        Words scored.
    false_mass : float, optional
        Share of the model's mass in modes where no training word lies; None where not known.
    spikes_per_second : float
        Of all units together in the words scored; several spikes in a bin count as one.
    """

    split: int
    bits_per_second: float
    block_stderr: float
    l1: float = math.nan
    n_nonzero: int = 0
    n_couplings: int = 0
    n_live_hidden: int = 0
    normaliser: str = ""
    side: str | None = None
    fit_converged: bool = True
    normaliser_converged: bool = True
    optimality: float = math.nan
    normaliser_stderr: float = 0.0
    nats_per_word: float = math.nan
    n_words: int = 0
    false_mass: float | None = None
    spikes_per_second: float = math.nan

    @property
    def has_false_mode(self) -> bool:
        """Whether 1 % of the mass or more lies where no training word does."""
        return is_false(self.false_mass)

    @property
    def bits_per_spike(self) -> float:
        """Bits/s over spikes/s; NaN for words without a spike."""
        return self.bits_per_second / self.spikes_per_second if self.spikes_per_second else math.nan

    @property
    def converged(self) -> bool:
        """Whether the score may be relied upon."""
        return self.fit_converged and self.normaliser_converged


@dataclass(frozen=True, slots=True)
class ModelScore:
    """One model over all splits.

    Parameters
    ----------
    name : str
        Name in tables, like ``"RBM 25"``.
    spec : ModelSpec
        Which model it is.
    n_units : int
        Recorded units.
    bits_per_second, per_neuron : float
        Mean test score over splits, for the population and per recorded unit.
    split_stderr : float
        Standard deviation over splits over the root of their number (docs/method.md, section 6),
        bits/s; NaN for one split.
    block_stderr : float
        Root mean square of the splits' block bootstrap errors, bits/s: what one test part says.
    n_nonzero, n_couplings, n_live_hidden : float
        Means over splits.
    converged : bool
        Whether all splits may be relied upon.
    splits : tuple of SplitScore
        By number.
    """

    name: str
    spec: ModelSpec
    n_units: int
    bits_per_second: float
    per_neuron: float
    split_stderr: float
    block_stderr: float
    n_nonzero: float
    n_couplings: float
    n_live_hidden: float
    converged: bool
    splits: tuple[SplitScore, ...]

    @property
    def n_splits(self) -> int:
        """Splits that the means are over."""
        return len(self.splits)

    @property
    def false_mass(self) -> float:
        """Largest share, over splits, of the mass in modes where no training word lies."""
        return max((score.false_mass or 0.0 for score in self.splits), default=0.0)

    @property
    def has_false_mode(self) -> bool:
        """Whether that is 1 % or more in any split: then no score speaks for the model."""
        return is_false(self.false_mass)

    @property
    def bits_per_spike(self) -> float:
        """Mean over splits of bits/s over spikes/s of the words scored."""
        return fmean(score.bits_per_spike for score in self.splits)

    @property
    def by_split(self) -> dict[int, float]:
        """Bits/s by number of the split."""
        return {score.split: score.bits_per_second for score in self.splits}

    @property
    def l1(self) -> tuple[float, ...]:
        """Chosen L1 strength of each split."""
        return tuple(score.l1 for score in self.splits)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Models compared on the same held-out words, in one split or in many.

    Printed, the comparison of fitted models (:func:`microcolumn.compare`) is a table, and that of
    a study says which model is best, by how much and how sure.

    Parameters
    ----------
    models : tuple of ModelScore
        In the order they were given; those of a study best first, without independent units, which
        are the zero. Without those in ``unranked``.
    pairs : tuple of PairedDifference
        Every two models, and each against independent units (``"Independent"``), in the same order.
    n_units : int
        Recorded units.
    n_splits, n_planned : int
        Splits that are tested, and splits of the plan.
    recording, experiment : str
        Their names in a study; empty outside of one.
    window : int
        Bins per word.
    unranked : tuple of ModelScore
        Models with a false mode: much of their mass lies on words never seen, so that their scores
        say nothing about the recording. They are in no pair.
    split_by : {"words", "blocks", ""}
        How words were assigned to training and test parts; empty outside of a study.
    test_to_train : float
        Words tested over words trained on; NaN outside of a study.
    """

    models: tuple[ModelScore, ...]
    pairs: tuple[PairedDifference, ...]
    n_units: int
    n_splits: int = 1
    n_planned: int = 1
    recording: str = ""
    experiment: str = ""
    window: int = 1
    unranked: tuple[ModelScore, ...] = ()
    split_by: str = ""
    test_to_train: float = math.nan

    @property
    def scores(self) -> dict[str, ModelScore]:
        """Score of each model that may be ranked, by its name."""
        return {model.name: model for model in self.models}

    @property
    def best(self) -> ModelScore:
        """The model with the highest mean score."""
        if not self.models:
            raise ValueError("no model can be ranked, since all have a false mode; raise l1")
        return max(self.models, key=lambda model: model.bits_per_second)

    def pair(self, first: str | ModelSpec, second: str | ModelSpec) -> PairedDifference:
        """The comparison of two models, in either order."""
        names = [each.name if isinstance(each, ModelSpec) else each for each in (first, second)]
        found = self._find(*names)
        if found is None:
            known = ", ".join(dict.fromkeys([*self.scores, INDEPENDENT]))
            raise ValueError(
                f"there is no pair of {names[0]!r} and {names[1]!r}; choose two of {known}"
            )
        return found

    def relative(self, first: str, second: str) -> Ratio | None:
        """Gain of one model over independent units as a share of another's, paired by split.

        None where the second has no such gain. The error of one split is that of its blocks.
        """
        above, below = self.scores[first], self.scores[second]
        found = ratio(above.by_split, below.by_split, self.test_to_train)
        if found is not None and math.isnan(found.stderr):
            error = self.pair(first, second).block_stderr / below.bits_per_second
            found = replace(found, stderr=error)
        return found

    @property
    def share_of_pairs(self) -> Ratio | None:
        """Share of the best model's gain over independent units that the Ising model has.

        None without an Ising model, without a gain, or where an Ising model is the best.
        """
        ising = [model for model in self.models if model.spec.model == "Ising"]
        if not ising or self.best in ising:
            return None
        best_ising = max(ising, key=lambda model: model.bits_per_second)
        return self.relative(best_ising.name, self.best.name)

    @property
    def hidden_over_pairs(self) -> PairedDifference | None:
        """The best model with hidden units minus the best Ising model; None without both."""
        ranked = sorted(self.models, key=lambda model: -model.bits_per_second)
        hidden = [model.name for model in ranked if model.spec.model in ("RBM", "SemiRBM")]
        ising = [model.name for model in ranked if model.spec.model == "Ising"]
        return self._find(hidden[0], ising[0]) if hidden and ising else None

    def _find(self, first: str, second: str) -> PairedDifference | None:
        for pair in self.pairs:
            if (pair.first, pair.second) == (first, second):
                return pair
            if (pair.second, pair.first) == (first, second):
                return pair.reversed()
        return None

    def __str__(self) -> str:
        return "\n".join([self.answer, *map(str, self.pairs)]) if self.recording else self.table

    @property
    def answer(self) -> str:
        """Hidden units against pairs, the runner-up, independent units, and what it holds for."""
        return ". ".join(self.statements) + "."

    @property
    def statements(self) -> list[str]:
        """The parts of the answer, the most important one first."""
        return _statements(self)

    @property
    def table(self) -> str:
        """Score, size and certificate of every model, in the order of ``models``."""
        rows = [self._row(model) for model in (*self.models, *self.unranked)]
        return text_table(
            list(rows[0]), [list(row.values()) for row in rows], left=("model", "log Z")
        )

    def _row(self, model: ModelScore) -> dict[str, str]:
        score, n_hidden = model.splits[0], model.spec.n_hidden
        bits, behind = f"{model.bits_per_second:.2f} ± {model.block_stderr:.2f}", "-"
        if model.has_false_mode:
            bits = false_mode_text(model.false_mass)
        elif model is self.best:
            behind = "best"
        elif by := self._find(self.best.name, model.name):  # None where a score is not finite
            behind = f"{by.bits_per_second:.2f} ± {by.stderr:.2f}"
        return {
            "model": model.name,
            "bits/s": bits,
            "per spike": "-" if model.has_false_mode else f"{model.bits_per_spike:.2f}",
            "behind best": behind,
            "nats/word": f"{score.nats_per_word:.4f}",
            "live hidden": f"{model.n_live_hidden:.0f} of {n_hidden}" if n_hidden else "-",
            "couplings": f"{model.n_couplings:.0f}",
            "optimality": "-" if math.isnan(score.optimality) else f"{score.optimality:.1e}",
            "converged": "yes" if model.converged else "no",
            "log Z": method_text(score.normaliser, score.side),
        }


def _statements(compared: Comparison) -> list[str]:
    """The parts of the answer, the most important one first."""
    false = [f"{model.name}: {false_mode_text(model.false_mass)}" for model in compared.unranked]
    if not compared.models:
        return false
    about = _HOLDS_FOR.get(compared.split_by)
    told = [*_ranking(compared), *_doubts(compared), *false, *([about] if about else [])]
    return [sentence[0].upper() + sentence[1:] for sentence in told]


def _ranking(compared: Comparison) -> list[str]:
    """What is said of the models that may be ranked."""
    best = compared.best.name
    over_zero = compared.pair(best, INDEPENDENT)
    ranked = sorted(compared.models, key=lambda model: -model.bits_per_second)
    others = [m for m in ranked if m.name not in (best, INDEPENDENT)]
    if not others or over_zero.bits_per_second <= 0.0:
        return [over_zero.sentence()]
    opening, told = _hidden_against_pairs(compared)
    over_others = [compared.pair(best, model.name) for model in others]
    n_same = sum(pair.same for pair in over_others)
    shown, rest = over_others[: n_same + 1], over_others[n_same + 1 :]
    shown += [pair for pair in rest if pair.differs][: not shown[-1].differs]
    runners_up = [pair.sentence() for pair in shown if {pair.first, pair.second} != told]
    spikes = compared.best.bits_per_spike
    gain = over_zero.sentence("" if math.isnan(spikes) else f"{spikes:.2g} bits per spike")
    return [*opening, *runners_up, gain, *_share_of_pairs(compared)]


def _hidden_against_pairs(compared: Comparison) -> tuple[list[str], set[str]]:
    """Hidden units against pairs in words, and the names of the two models."""
    pair = compared.hidden_over_pairs
    if pair is None:
        return [], set()
    # By how much the better of the two is above the other, as the sentence has it.
    ahead = pair.reversed() if pair.bits_per_second < 0.0 else pair
    relative = compared.relative(ahead.first, ahead.second)
    text = pair.sentence("" if relative is None else relative.gain)
    if pair.differs:
        text = (
            f"Models with hidden units beat the pairwise model: {text}"
            if pair.bits_per_second > 0.0
            else f"The pairwise model beats models with hidden units: {text}"
        )
    return [text], {pair.first, pair.second}


def _share_of_pairs(compared: Comparison) -> list[str]:
    share = compared.share_of_pairs
    if share is None:
        return []
    return [f"pairs alone explain {share} of the best model's gain over independent units"]


def _doubts(compared: Comparison) -> list[str]:
    """Annealing may have missed a part of log Z, so that a score is too good."""
    unsure = [
        model.name
        for model in compared.models
        if not all(score.normaliser_converged for score in model.splits)
    ]
    return [f"log Z of {' and '.join(unsure)} has not converged"] if unsure else []

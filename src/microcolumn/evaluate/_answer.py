"""The answer of a comparison in sentences: hidden units against pairs, the runner-up, the zero."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..models._spec import INDEPENDENT
from ..partition._result import false_mode_text

if TYPE_CHECKING:
    from ._comparison import Comparison, ModelScore

#: What scores say about, by how words were split.
GENERALISES = {
    "blocks": "training and test parts are blocks of time: the scores hold for other stretches of "
    "this recording, not for other recordings or animals",
    "words": "bins were assigned to training and test parts one by one: the scores hold for other "
    "moments of the same minutes, and slow drift is not seen",
}


def statements(compared: Comparison) -> list[str]:
    """The parts of the answer, the most important one first."""
    false = [f"{model.name}: {false_mode_text(model.false_mass)}" for model in compared.unranked]
    if not compared.models:
        return false
    about = GENERALISES.get(compared.split_by)
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
    opening, told = _hidden_against_pairs(compared, ranked)
    over_others = [compared.pair(best, model.name) for model in others]
    n_same = sum(pair.same for pair in over_others)
    shown, rest = over_others[: n_same + 1], over_others[n_same + 1 :]
    shown += [pair for pair in rest if pair.differs][: not shown[-1].differs]
    runners_up = [pair.sentence() for pair in shown if {pair.first, pair.second} != told]
    spikes = compared.best.bits_per_spike
    gain = over_zero.sentence("" if math.isnan(spikes) else f"{spikes:.2g} bits per spike")
    return [*opening, *runners_up, gain, *_share_of_pairs(compared)]


def _hidden_against_pairs(
    compared: Comparison, ranked: list[ModelScore]
) -> tuple[list[str], set[str]]:
    """The best model with hidden units against the best Ising model, and their names."""
    hidden = [model for model in ranked if model.spec.model in ("RBM", "SemiRBM")]
    ising = [model for model in ranked if model.spec.model == "Ising"]
    if not hidden or not ising:
        return [], set()
    pair = compared.pair(hidden[0].name, ising[0].name)
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

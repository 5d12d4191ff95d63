"""Log odds of the newest bin given the earlier bins of the window (docs/method.md, section 6).

No partition function of the window is needed: all 2^n_units states of the newest bin are summed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import Unsupported
from ..kernels import newest_log_odds
from ..models import AlternativeModel, HistoryGLM, PopulationModel, WordModel
from ..objectives.conditional import check_summable
from ..packing import distinct_pasts
from ..parameters import Parameters
from ..validation import Floats, one_of
from ..words import Words

Given = Literal["rest", "past"]


def log_odds_of_bits(
    model: WordModel | HistoryGLM, words: Words, bits: Sequence[int], given: Given
) -> Floats:
    """Log odds of a spike of some bits of each distinct word, nats, shape (n_distinct, n_chosen).

    Words are in the model's order of units; ``given`` the past, ``bits`` are of the newest bin. A
    HistoryGLM is refused, since it has no conditionals within a word.
    """
    one_of("given", given, ("rest", "past"))
    if not isinstance(model, WordModel):
        raise Unsupported(f"{type(model).__name__} predicts from the past", "use given='past'")
    if given == "rest":
        return model.log_odds(words.X, bits)
    if isinstance(model, PopulationModel):
        by_past, past = log_odds_given_past(model.parameters_, words)
    elif isinstance(model, AlternativeModel):
        by_past, past = model.log_odds_given_past(words)
    else:
        raise Unsupported(
            f"{type(model).__name__} does not predict from the past", "use given='rest'"
        )
    return by_past[past][:, np.asarray(bits, dtype=np.intp) - (words.n_dims - words.n_units)]


def log_odds_given_past(theta: Parameters, words: Words) -> tuple[Floats, NDArray[np.int32]]:
    """Log odds (n_pasts, n_units) of a spike of each unit, nats, and the past of each word."""
    check_summable(words.n_units)
    if theta.is_gaussian:
        theta, _ = theta.as_pairs()
    pasts, past = distinct_pasts(words.X, words.n_units)
    return newest_log_odds(theta.arrays, words.n_units, pasts), past

"""Choose the number of hidden units, together with the penalty, on a validation part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from numpy.typing import ArrayLike
from sklearn.base import clone

from ..errors import BadArgument
from ..models.penalised import PenalisedModel
from ..words import Words, as_words
from ._score import score
from .choice import EQUAL, FIRST, MAX_STEPS, Choice, choose_l1

#: By how much the number of hidden units grows.
FACTOR = 2
#: Share of the hidden units alive up to which more of them would only be more dead ones.
MOST_LIVE = 0.75


def choose_n_hidden(
    model: PenalisedModel,
    train: Words | ArrayLike,
    validation: Words | ArrayLike,
    l1_values: str | Sequence[float] = "auto",
    *,
    max_steps: int = MAX_STEPS,
) -> Choice:
    """Choose the number of hidden units and the L1 strength on the validation part.

    It begins with 10 hidden units, or the next number that tied bins can share, at the strength
    that :func:`choose_l1` prefers. While more than three quarters of them are alive and they are
    fewer than the bits of a word, twice as many are tried, each number at its own strength; where
    the penalty leaves a quarter dead, more would die too. The larger number is taken if it scores
    higher on the validation part by more than the standard error of the difference, else the search
    ends. By ``"coarse"`` strengths, a larger number that is no better at the strength preferred so
    far is tried at no other.

    Parameters
    ----------
    model : RBM, GaussianRBM or SemiRBM
        Whose settings except ``n_hidden`` and ``l1`` hold for all fits; it is left as it is.
    train, validation : Words or array_like, shape (n_words, n_units)
        Words to fit and words to choose by.
    l1_values, max_steps
        As of :func:`choose_l1`.

    Returns
    -------
    Choice
        That of the strength at the number chosen; ``others`` are those at the other numbers tried.

    Examples
    --------
    >>> words = mc.simulate.microcolumn(n_units=6, minutes=1).bin()
    >>> choose_n_hidden(mc.RBM(), *words.split(0.8), [1e-3]).best.n_hidden
    10
    """
    if not hasattr(model, "n_hidden"):
        raise BadArgument("model", f"is {type(model).__name__}", "pass one with hidden units")
    train, validation = as_words(train), as_words(validation)

    def at(n_hidden: int, strengths: str | Sequence[float]) -> Choice:
        sized = clone(model).set_params(n_hidden=n_hidden)
        choice = choose_l1(sized, train, validation, strengths, max_steps=max_steps)
        settings = tuple({"n_hidden": n_hidden} | each for each in choice.settings)
        return replace(choice, settings=settings)

    shared = train.window if model.tie_bins else 1
    n_hidden, others = shared * -(-FIRST // shared), tuple[Choice, ...]()
    chosen = at(n_hidden, l1_values)
    while n_hidden < train.n_dims and chosen.best.n_live_hidden_ > MOST_LIVE * n_hidden:
        n_hidden *= FACTOR
        is_coarse = isinstance(l1_values, str) and l1_values == "coarse"
        larger = at(n_hidden, (chosen.best.l1,) if is_coarse else l1_values)
        if is_coarse and _gains(larger, chosen, validation):
            larger = at(n_hidden, l1_values)
        if not _gains(larger, chosen, validation):
            return replace(chosen, others=(*others, larger))
        others, chosen = (*others, chosen), larger
    return replace(chosen, others=others)


def _gains(larger: Choice, smaller: Choice, validation: Words) -> bool:
    """Whether more hidden units score higher by more than the error of the difference.

    Two fits that end at the same optimum differ by rounding, and the error of that is as small.
    """
    gain = score(larger.best, validation, smaller.best)
    is_sound = gain.converged and not gain.has_spurious_mode
    least = EQUAL * smaller.scores[smaller.best_index].stderr
    return is_sound and gain.bits_per_second > max(gain.stderr, least)

"""Choose the settings of models on a part of the words, then fit them to all of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from ..errors import BadArgument, BadInput, BadType
from ..formatting import enumeration, text_table
from ..models import AlternativeModel, HistoryGLM, WordModel, model_named
from ..models.penalised import PenalisedModel
from ..notebook import AsText
from ..tables import AsTable
from ..validation import kind_of, listed
from ..words import Words, as_words
from ._score import score
from .choice import EQUAL, FIRST, MAX_STEPS, Choice, choose, choose_l1

#: By how much the number of hidden units grows.
FACTOR = 2
#: Share of the hidden units alive up to which more of them would only be more dead ones.
MOST_LIVE = 0.75


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TuneResult(AsText, AsTable):
    """Models at the settings that a validation part prefers, fitted to all words (:func:`tune`).

    Parameters
    ----------
    best : model
        Of all models the one with the highest score on the validation part.
    models : dict of str to model
        All of them by name, each at its preferred settings.
    choices : dict of str to Choice
        What each was chosen from.
    """

    best: Any
    models: dict[str, Any]
    choices: dict[str, Choice]

    def to_rows(self) -> list[dict[str, Any]]:
        """What was tried, best first: model, settings, bits/s with error, and what was chosen."""
        rows = [
            {
                "model": name,
                "settings": ", ".join(f"{key} {value:g}" for key, value in settings.items()),
                "bits_per_second": score.bits_per_second,
                "stderr": score.stderr,
                "converged": score.converged,
                "chosen": tried is choice and k == choice.best_index,
            }
            for name, choice in self.choices.items()
            for tried in (choice, *choice.others)
            for k, (settings, score) in enumerate(zip(tried.settings, tried.scores, strict=True))
        ]
        return sorted(rows, key=lambda row: -row["bits_per_second"])

    def __str__(self) -> str:
        header = ("model", "settings", "bits/s on validation words")
        rows = [
            (row["model"], row["settings"], f"{row['bits_per_second']:.2f} ± {row['stderr']:.2f}")
            for row in self.to_rows()
            if row["chosen"]
        ]
        return text_table(header, rows)


def tune(
    models: Any | Sequence[Any] | Mapping[str, Any],
    words: Words | ArrayLike,
    *,
    validation: float = 0.2,
    l1_values: str | Sequence[float] = "auto",
    random_state: int = 0,
) -> TuneResult:
    """Choose the settings of models on a part of the words, then fit them to all of them.

    Of models with a penalty ``l1`` is chosen, and their number of hidden units where it is not
    given; of others their size.

    Parameters
    ----------
    models : model, name, or sequence or mapping of them
        What to tune; models are left as they are. A name is that of a class, ``"RBM"``, whose
        number of hidden units is chosen unless the name has it, ``"RBM 25"``. A model keeps its
        own number unless that is ``"auto"``.
    words : Words or array_like, shape (n_bins, n_units)
        Binary words.
    validation : float
        Share of the words to choose by, in blocks of time.
    l1_values : {"auto", "coarse"} or sequence of float
        Strengths of the penalty to choose from, increasing. By default a grid that is made for the
        words; ``"coarse"`` has a third of the values.
    random_state : int
        Seed of the deal of blocks.

    Returns
    -------
    TuneResult

    Examples
    --------
    >>> from microcolumn import simulate
    >>> words = simulate.microcolumn(n_units=5, minutes=5, seed=0).bin()
    >>> result = tune(["Ising", "KPairwise"], words)
    >>> sorted(result.models), result.choices["Ising"].is_at_end
    (['Ising', 'KPairwise'], False)
    """
    by_name = named_models(models)
    if l1_values != "auto" and not any(isinstance(m, PenalisedModel) for m in by_name.values()):
        raise BadArgument(
            "l1_values",
            f"is {l1_values!r}, but {enumeration(list(by_name))} choose from settings of their own",
            "leave l1_values out",
        )
    words = as_words(words)
    fitted, kept = words.split(1.0 - validation, by="blocks", random_state=random_state)
    choices = {name: _choice(name, each, fitted, kept, l1_values) for name, each in by_name.items()}
    tuned, scores = {}, {}
    for name, choice in choices.items():
        scores[name] = choice.scores[choice.best_index]
        settings = choice.settings[choice.best_index]
        tuned[name] = clone(by_name[name]).set_params(**settings).fit(words)
    sound = [name for name, each in scores.items() if each.converged and not each.has_spurious_mode]
    best = max(sound or scores, key=lambda name: scores[name].bits_per_second)
    return TuneResult(tuned[best], tuned, choices)


def named_models(models: Any | Iterable[Any] | Mapping[str, Any]) -> dict[str, Any]:
    """Models by name; those that are given by their names alone are made."""
    if isinstance(models, TuneResult):
        return dict(models.models)
    if isinstance(models, Mapping):
        return {str(name): _model(each) for name, each in models.items()}
    several = [models] if isinstance(models, str) or hasattr(models, "fit") else models
    by_name: dict[str, Any] = {}
    for each in listed("models", several, "pass models or names, such as 'RBM 25'"):
        model = _model(each)
        hidden = getattr(model, "n_hidden", "auto")
        own = type(model).__name__ if hidden == "auto" else f"{type(model).__name__} {hidden}"
        name = each if isinstance(each, str) else own
        if name in by_name:
            raise BadInput(f"two models are called {name}", "pass a dict that names them")
        by_name[name] = model
    if not by_name:
        raise BadArgument("models", "is empty", "pass at least one model, such as Ising()")
    return by_name


def _model(each: Any) -> Any:
    if isinstance(each, str):
        return model_named(each)
    if isinstance(each, type):
        raise BadType("models", f"has the class {each.__name__}", f"pass {each.__name__}()")
    if not hasattr(each, "fit"):
        raise BadType("models", f"has {kind_of(each)}", "pass models or names, such as 'RBM 25'")
    return each


def _choice(
    name: str, model: Any, fitted: Words, validation: Words, l1_values: str | Sequence[float]
) -> Choice:
    """What a validation part says of one model at several settings."""
    with warnings.catch_warnings():
        # Of the settings that are not chosen nobody wants to know.
        warnings.simplefilter("ignore", ConvergenceWarning)
        if isinstance(model, PenalisedModel):
            is_auto = getattr(model, "n_hidden", None) == "auto"
            return (choose_n_hidden if is_auto else choose_l1)(model, fitted, validation, l1_values)
        if isinstance(model, AlternativeModel | HistoryGLM):
            return choose(model, fitted, validation)
    if isinstance(model, WordModel):  # nothing to choose
        fit = clone(model).fit(fitted)
        return Choice(({},), (fit,), (score(fit, validation),), 0)
    raise BadType(name, f"is {kind_of(model)}", "pass models of words, such as Ising()")


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
    """Whether more hidden units score higher by more than the error of the difference."""
    gain = score(larger.best, validation, smaller.best)
    is_sound = gain.converged and not gain.has_spurious_mode
    # Two fits that end at the same optimum differ by rounding, and the error of that is as small.
    least = EQUAL * smaller.scores[smaller.best_index].stderr
    return is_sound and gain.bits_per_second > max(gain.stderr, least)

"""What plots are given: one thing or many, of the right kind; shared parameters documented once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from inspect import cleandoc, signature
from re import search
from typing import Any, TypeVar

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ..errors import BadArgument, BadInput, BadType
from ..evaluate import Comparison, TuneResult, compare
from ..models import PopulationModel, WordModel, WordsEstimator
from ..validation import expect, kind_of, listed, one_of, real_number, whole_number
from ..words import Words

Thing = TypeVar("Thing")
Model = TypeVar("Model", bound=WordsEstimator)
Plot = TypeVar("Plot", bound=Callable[..., Any])

_SHARED = {
    "models": """models : fitted model or Comparison, or sequence or mapping of them
    Fitted models and their names; or, without ``words``, what :func:`microcolumn.compare` or
    ``results.comparison(...)`` returns, one for each recording.""",
    "words": """words : Words or array_like, shape (n_words, n_units), optional
    Held-out words.""",
    "units": """units : Units, Words or Recording, optional
    The recorded units, drawn from superficial to deep with lines between layers; by default those
    that the model, or else the words, remember. For words of several bins each lag is a block, the
    oldest first.""",
    "given": """given : {"rest", "past"}
    What models know, as in :func:`microcolumn.evaluate.predict`; with ``words`` only.""",
    "color": """color : colour, or mapping of str to colour, optional
    One for all models, or by name; by default that of each model's class.""",
    "cmap": """cmap : str or Colormap, optional
    Colours, whose middle is zero; blue, white and red by default.""",
    "title": """title : str, optional
    Of the axes.""",
    "ax": """ax : matplotlib.axes.Axes, optional
    Where to draw; by default the axes of a new figure.

Returns
-------
matplotlib.axes.Axes
    The axes drawn on.""",
}
_EXAMPLES = "\n\nExamples\n--------\n"
#: What stands for the arguments in examples; each is made of those below it.
_MADE = {
    "model": "mc.RBM(2).fit(words)",
    "words": "recording.bin()",
    "recording": "mc.simulate.microcolumn(n_units=6, minutes=1)",
}


_Scored = Comparison | WordModel
#: What scores are drawn of: one comparison or several, or fitted models to compare on words.
Compared = _Scored | Sequence[_Scored] | Mapping[str, _Scored]


def asked_stretch(
    start_s: float | None, stop_s: float | None, lasting: float
) -> tuple[float, float] | None:
    """The time that was asked for, seconds; where one end is given, the other is so far away."""
    if start_s is None and stop_s is None:
        return None
    given = {"start_s": start_s, "stop_s": stop_s}
    known = {k: real_number(k, s, "give seconds") for k, s in given.items() if s is not None}
    start = known["start_s"] if "start_s" in known else known["stop_s"] - lasting
    stop = known.get("stop_s", start + lasting)
    if not -np.inf < start < stop < np.inf:
        raise BadInput(f"from {start:g} to {stop:g} s there is no time", "give start_s < stop_s")
    return start, stop


def named(
    name: str,
    things: Any,
    kind: type[Thing],
    remedy: str,
    name_of: Callable[[Any], str] | None = None,
) -> dict[str, Thing]:
    """One thing, several, or several by name, as a dict by name; nothing is a ValueError.

    A thing alone, or in a list, is called by its own ``name``, or by its class, unless ``name_of``
    says otherwise; a second one of the same name has a number.
    """
    if isinstance(things, Mapping):
        by_name = {
            str(key): expect(f"{name}[{key!r}]", each, kind, remedy) for key, each in things.items()
        }
    else:
        many = isinstance(things, Sequence) and not isinstance(things, str | bytes | kind)
        by_name = {}
        for k, each in enumerate(things if many else [things]):
            one = expect(f"{name}[{k}]" if many else name, each, kind, remedy)
            own = (name_of or _name_of)(one)
            same = sum(known == own or known.startswith(f"{own} (") for known in by_name)
            by_name[f"{own} ({same + 1})" if same else own] = one
    if not by_name:
        raise BadArgument(name, "is empty", f"pass {remedy}")
    return by_name


def named_models(models: Any, kind: Any = WordsEstimator) -> dict[str, Any]:
    """One fitted model, several, or several by name, as a dict by name.

    Of ``kind`` WordModel, they give words a probability, which a history model does not.
    """
    remedy = "a fitted model, a list of them, or a dict of them by name"
    models = models.models if isinstance(models, TuneResult) else models
    every: Any = WordsEstimator  # abstract, which mypy does not allow as a type to pass
    by_name: dict[str, WordsEstimator] = named("models", models, every, remedy)
    for name, model in by_name.items():
        if not isinstance(model, kind):
            raise BadType(name, f"is {kind_of(model)}, which has no probabilities", "pass others")
    return {name: check_fitted(model, name) for name, model in by_name.items()}


def check_fitted(model: Model, name: str | None = None) -> Model:
    """The model, or a sentence that it is to be fitted first."""
    try:
        check_is_fitted(model)
    except NotFittedError:
        called = name or type(model).__name__
        raise NotFittedError(f"{called} is not fitted yet; call fit(words) first") from None
    return model


def check_given(words: Any, given: Any, **options: Any) -> None:
    """Refuse what models cannot know, and options of models on words where results are given."""
    one_of("given", given, ("rest", "past"))
    for name, value in {"given": None if given == "rest" else given, **options}.items():
        if words is None and value is not None:
            raise BadArgument(name, "is for models and words", "leave it out for results")


def fitted_model(
    model: Any, remedy: str = "one fitted model, such as Ising, RBM or SemiRBM"
) -> PopulationModel:
    """One fitted model of the paper's family."""
    kind: Any = PopulationModel
    checked: PopulationModel = expect("model", model, kind, remedy)
    return check_fitted(checked)


def model_with_hidden(model: Any) -> PopulationModel:
    """One fitted model that has hidden units, live or not."""
    fitted = fitted_model(model, "one fitted RBM or SemiRBM")
    if fitted.parameters_.W is None:
        raise BadInput(f"{type(model).__name__} has no hidden units", "pass an RBM or a SemiRBM")
    return fitted


def asked_columns(hidden: Any) -> list[int]:
    """Columns of ``W`` that are asked for, one or several."""
    several = [hidden] if np.ndim(hidden) == 0 else listed("hidden", hidden, "pass numbers")
    return [whole_number("hidden", each) for each in several]


def measured(
    models: Any,
    words: Words | ArrayLike | None,
    kind: type[Thing],
    made_by: str,
    measure: Callable[[Any, Any], Thing],
    model_kind: Any = WordsEstimator,
) -> dict[str, Thing]:
    """What fitted models say about words, by name of the model; or such results as they are given.

    A result alone has no name. ``made_by`` is the function that users would call for one, and
    ``model_kind`` which models it takes.
    """
    if words is not None:
        check_order(models)
        held, by_name = check_words(words), named_models(models, model_kind)
        return {name: measure(model, held) for name, model in by_name.items()}
    if isinstance(models, kind):
        return {"": models}
    return named("models", models, kind, f"fitted models and words, or what {made_by} returns")


def comparisons(models: Any, words: Words | ArrayLike | None) -> list[Comparison]:
    """Comparisons as they are given; where there are words, that of fitted models on them."""
    if words is not None:
        check_order(models)
        return [compare(named_models(models, WordModel), check_words(words))]
    remedy = (
        "fitted models and words, or what mc.compare(models, words) or results.comparison(...) "
        "returns, a list of such, or a dict of them by name"
    )
    return [
        replace(each, recording=name) if isinstance(models, Mapping) else each
        for name, each in named("models", models, Comparison, remedy).items()
    ]


def check_order(models: Any) -> None:
    """Refuse words where models are expected."""
    if isinstance(models, Words):
        raise BadType("models", "is words", "pass the models first, then the words")


def check_words(words: Any) -> Words | ArrayLike:
    """Words or a matrix, or a TypeError."""
    try:
        is_matrix = np.ndim(words) == 2
    except ValueError:  # rows of different lengths, which the models' own check names
        is_matrix = True
    if not is_matrix:
        expect("words", words, Words, "Words, such as recording.bin(0.020), or a matrix")
    return words  # type: ignore[no-any-return]


def entitle(ax: Axes, title: str | None, pad: float | None = None) -> Axes:
    """The axes, with a title if one was asked for, in the size that their titles have."""
    if title is not None:
        ax.set_title(title, fontsize=ax.title.get_fontsize(), pad=pad)
    return ax


def _name_of(thing: Any) -> str:
    for source in (thing, getattr(thing, "model", None)):
        own = getattr(source, "name", None)
        if isinstance(own, str) and own:
            return own
    return type(thing).__name__


def documented(example: str = "") -> Callable[[Plot], Plot]:
    """Decorator: add the shared parameters that a plot does not document itself, and an example.

    ``example`` are the arguments of a call, for plots without an example of their own.
    """

    def decorate(plot: Plot) -> Plot:
        text, heading, code = cleandoc(plot.__doc__ or "").partition(_EXAMPLES)
        heads = (line.partition(" :")[0] for line in text.splitlines())
        own = {name for head in heads for name in head.split(", ")}
        added = [_SHARED[name] for name in signature(plot).parameters if name in {*_SHARED} - own]
        if example:
            heading, code = _EXAMPLES, _code(f"ax = mc.plot.{plot.__name__}({example})")
        plot.__doc__ = "\n".join([text, *added]) + heading + code
        return plot

    return decorate


def _code(call: str) -> str:
    """Lines of an example: a call, and before it what makes its arguments."""
    lines = [call]
    for name, made in _MADE.items():
        if search(rf"\b{name}\b", " ".join(lines)):
            lines.insert(0, f"{name} = {made}")
    return "\n".join(f">>> {line}" for line in ["import microcolumn as mc", *lines])

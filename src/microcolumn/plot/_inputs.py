"""What plots are given: one thing or many, of the right kind, in colours that may be asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..models import ModelSpec, PopulationModel, WordModel, WordsEstimator
from ..models._spec import CLASSES
from ..words import Words
from .style import DATA_COLOUR, Look, looks

Thing = TypeVar("Thing")

#: A colour as matplotlib knows them, or one for each name.
Colour = str | tuple[float, ...] | Mapping[str, Any]


def expect(name: str, given: Any, kind: type[Thing], remedy: str) -> Thing:
    """What was given, or a TypeError in one sentence that says what to pass instead."""
    if not isinstance(given, kind):
        raise TypeError(f"{name} is {_article(given)}; pass {remedy}")
    return given


def named(name: str, given: Any, kind: type[Thing], remedy: str) -> dict[str, Thing]:
    """One thing, several, or several by name, as a dict by name; nothing is a ValueError.

    A thing alone, or in a list, is called by its own ``name``, or by its class; a second one of the
    same name has a number.
    """
    if isinstance(given, Mapping):
        found = {
            str(key): expect(f"{name}[{key!r}]", each, kind, remedy) for key, each in given.items()
        }
    else:
        many = isinstance(given, Sequence) and not isinstance(given, str | bytes | kind)
        found = {}
        for k, each in enumerate(given if many else [given]):
            one = expect(f"{name}[{k}]" if many else name, each, kind, remedy)
            own = _name_of(one)
            same = sum(known == own or known.startswith(f"{own} (") for known in found)
            found[f"{own} ({same + 1})" if same else own] = one
    if not found:
        raise ValueError(f"{name} is empty; pass {remedy}")
    return found


def named_models(models: Any) -> dict[str, WordsEstimator]:
    """One fitted model, several, or several by name, as a dict by name."""
    remedy = "a fitted model, a list of them, or a dict of them by name"
    kind: Any = WordsEstimator  # abstract, which mypy does not allow as a type to pass
    found: dict[str, WordsEstimator] = named("models", models, kind, remedy)
    return found


def named_word_models(models: Any) -> dict[str, WordModel]:
    """The same of models that give words a probability, which a history model does not."""
    for name, model in named_models(models).items():
        if not isinstance(model, WordModel):
            kind = type(model).__name__
            raise TypeError(f"{name} is a {kind}, which gives words no probability; leave it out")
    found: Any = named_models(models)
    return dict(found)


def only_with_words(words: Any, **options: Any) -> None:
    """Refuse options of models on words where results are given, which have them already."""
    for name, value in options.items():
        if words is None and value not in (None, "rest"):
            raise ValueError(f"{name} is for models and words; leave it out for results")


def fitted_model(model: Any) -> PopulationModel:
    """One fitted model of the paper's family."""
    kind: Any = PopulationModel
    one = "one fitted model, such as Ising, RBM or SemiRBM"
    found: PopulationModel = expect("model", model, kind, one)
    check_is_fitted(found)
    return found


def model_with_hidden(model: Any) -> PopulationModel:
    """One fitted model that has hidden units, live or not."""
    found = fitted_model(model)
    if found.parameters_.W is None:
        raise ValueError(f"{type(model).__name__} has no hidden units; pass an RBM or a SemiRBM")
    return found


def measured(
    models: Any,
    words: Words | ArrayLike | None,
    kind: type[Thing],
    made_by: str,
    measure: Callable[[Any, Any], Thing],
    named_as: Callable[[Any], Mapping[str, WordsEstimator]] = named_models,
) -> dict[str, Thing]:
    """What fitted models say about words, by name of the model; or such results as they are given.

    A result alone has no name. ``made_by`` is the function that users would call for one, and
    ``named_as`` says which models it takes.
    """
    if words is not None:
        held = check_words(words)
        return {name: measure(model, held) for name, model in named_as(models).items()}
    if isinstance(models, kind):
        return {"": models}
    return named("models", models, kind, f"fitted models and words, or what {made_by} returns")


def check_words(words: Any) -> Words | ArrayLike:
    """Words or a matrix, or a TypeError."""
    if not isinstance(words, Words) and np.ndim(words) != 2:
        raise TypeError(
            f"words is {_article(words)}; pass Words, such as recording.bin(0.020), or a matrix"
        )
    return words  # type: ignore[no-any-return]


def coloured(styles: dict[str, Look], color: Colour | None) -> dict[str, Look]:
    """Looks of models in colours that were asked for: one for all, or by name."""
    if color is None:
        return styles
    by_name: Mapping[str, Any] = (
        color if isinstance(color, Mapping) else dict.fromkeys(styles, color)
    )
    unknown = [name for name in by_name if name not in styles]
    if unknown:
        raise ValueError(f"color names {unknown[0]!r}; name some of {', '.join(styles)}")
    return {
        name: look._replace(colour=by_name[name], tint=by_name[name]) if name in by_name else look
        for name, look in styles.items()
    }


def looks_of(
    names: Sequence[str], color: Colour | None = None, models: Any = None
) -> dict[str, Look]:
    """How each model is drawn, by its name, in colours that were asked for; black without one.

    Fitted ``models``, one or many, have the colours of their classes, whatever they are called.
    """
    styles = looks(names, _classes(models))
    if "" in styles:
        styles[""] = styles[""]._replace(colour=DATA_COLOUR, tint=DATA_COLOUR)
    return coloured(styles, color)


def _classes(models: Any) -> dict[str, ModelSpec]:
    """Classes of fitted models by name; none of what is no model."""
    listed = models.values() if isinstance(models, Mapping) else models
    many = isinstance(models, Mapping | Sequence) and not isinstance(models, str)
    if not all(isinstance(each, WordsEstimator) for each in (listed if many else [models])):
        return {}
    kinds = {name: type(model).__name__ for name, model in named_models(models).items()}
    return {name: ModelSpec(kind) for name, kind in kinds.items() if kind in CLASSES}


def by_name(names: Sequence[str], palette: Sequence[str], color: Colour | None) -> dict[str, Any]:
    """A colour for each name: as asked for, else one of the palette after the other."""
    found: dict[str, Any] = {name: palette[n % len(palette)] for n, name in enumerate(names)}
    if color is None:
        return found
    asked = color if isinstance(color, Mapping) else dict.fromkeys(names, color)
    unknown = [name for name in asked if name not in found]
    if unknown:
        raise ValueError(f"color names {unknown[0]!r}; name some of {', '.join(found)}")
    return found | dict(asked)


def entitle(ax: Axes, title: str | None) -> Axes:
    """The axes, with a title if one was asked for, in the size that their titles have."""
    if title is not None:
        ax.set_title(title, fontsize=ax.title.get_fontsize())
    return ax


def _name_of(thing: Any) -> str:
    spec = getattr(thing, "model", None)
    for source in (thing, spec):
        own = getattr(source, "name", None)
        if isinstance(own, str) and own:
            return own
    return type(thing).__name__


def _article(given: Any) -> str:
    kind = type(given).__name__
    return f"{'an' if kind[0] in 'AEIOaeio' else 'a'} {kind}"

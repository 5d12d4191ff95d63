"""Scores of models, and differences from one of them, on one recording or on many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..errors import BadArgument, BadInput
from ..evaluate import Comparison, compare
from ..evaluate.significance import split_stderr
from ..formatting import counted
from ..models import ModelSpec, WordModel
from ..models.spec import CLASSES, INDEPENDENT, OBJECTIVES
from ..validation import described, expect, listed as entries
from ..words import Words
from ._inputs import check_order, check_words, documented, entitle, named, named_models
from .style import (
    LEGEND_RIGHT,
    Colour,
    Look,
    axes_or_new,
    leave_rounding_small,
    literal,
    looks,
    size_points,
)
from .tips import tip

#: Part of the space of a recording, or of a model, that is filled with its marks.
_FILLED = 0.8
#: Marks side by side in groups; more of them would be too narrow, as would half as many in axes of
#: less than so many inches.
MOST_IN_GROUPS, _NARROW = 60, 3.0
#: Between the names of two models.
_MINUS = " \N{MINUS SIGN} "
#: Width of a letter on the axis, points.
_LETTER = 4.4
#: Edges of the dots of splits, or recordings, on bars.
_DOT = "0.15"
#: Where dots stand beside their mean, in widths of a mark: the first and the last.
_BESIDE = (0.18, 0.44)


class _Value(NamedTuple):
    """A mean with its error, and the values of splits, or of recordings, that it is a mean over."""

    recording: str
    mean: float
    stderr: float
    by_split: list[float]


class _Series(NamedTuple):
    """What one mark stands for, a model or a difference of two, on each recording."""

    label: str
    look: Look
    values: list[_Value | None]


#: What scores are drawn of: one comparison or several, or fitted models to compare on words.
Compared = (
    Comparison
    | WordModel
    | Sequence[Comparison]
    | Sequence[WordModel]
    | Mapping[str, Comparison]
    | Mapping[str, WordModel]
)


@documented('mc.compare(["Ising", "Tree"], words)')
def scores(
    models: Compared,
    words: Words | ArrayLike | None = None,
    *,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Bars of the log-likelihood gain of each model over independent units, the zero line.

    Error bars are one standard error (docs/method.md, section 6). Dots are splits. Of more than 60
    bars, or 30 in narrow axes, there is one per model: its mean over recordings, which are the
    dots, with the standard error over them.

    Parameters
    ----------
    models : fitted model or Comparison, or sequence or mapping of them
        Fitted models and their names; or, without ``words``, what :func:`microcolumn.compare` or
        ``results.comparison(...)`` returns: several comparisons are drawn as groups of bars, called
        by the recording's name or by the mapping's.
    """
    listed = comparisons(models, words)
    specs = _specs(listed)
    if not specs:
        raise BadInput("there is no score to draw", "compare a model other than Independent")
    series = [
        _Series(literal(name), look, [_value(each, name) for each in listed])
        for name, look in looks(specs, color, specs).items()
    ]
    ax = axes_or_new(ax, (4.6, 2.6))

    def bars(each: _Series, at: list[float], values: list[_Value], width: float) -> Any:
        style: dict[str, Any] = {"color": each.look.colour, "hatch": each.look.hatch}
        style["edgecolor"] = "white" if each.look.hatch else each.look.colour
        style["error_kw"] = {"elinewidth": 0.8, "capsize": min(2.0, 12.0 * width)}
        means, errors = ([value[k] for value in values] for k in (1, 2))
        return ax.bar(at, means, width, yerr=errors, label=each.label, linewidth=0.6, **style)

    _draw(ax, listed, series, len(specs), bars)
    ax.set_ylabel("log-likelihood gain\n(bits/s)")
    return entitle(ax, title)


@documented('mc.compare(["Ising", "Tree"], words)')
def differences(
    models: Compared,
    words: Words | ArrayLike | None = None,
    *,
    reference: str = "Ising",
    also: Sequence[tuple[str, str]] = (),
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Each model's score minus that of one of them, paired over splits.

    Error bars are one standard error of the paired difference, dots are splits; see
    :class:`~microcolumn.evaluate.PairedDifference`. Of more than 60 points, or 30 in narrow axes,
    there is one per model: its mean over recordings, which are the dots, with the standard error
    over them.

    Parameters
    ----------
    models, words
        As in :func:`scores`; the place of a comparison without the reference stays empty.
    reference : str
        Name of the model that is subtracted.
    also : sequence of (str, str)
        Further pairs of models: the first minus the second.
    """
    expect("reference", reference, str, "the name of one of the models")
    listed = comparisons(models, words)
    specs = _specs(listed)
    names = [name for name in specs if name != reference]
    if not names:
        raise BadInput("there is no difference to draw", "pass two models or more")
    if reference not in specs:
        raise BadInput(
            f"no model is compared with {reference!r}",
            f"name another one as reference, of {', '.join(specs)}",
        )
    pairs = _checked_pairs(also, specs)
    styles = looks(specs, color, specs)
    series = [
        _Series(literal(name), styles[name], [_value(c, name, reference) for c in listed])
        for name in names
    ]
    for a, b in pairs:
        label = f"{literal(a)}{_MINUS}{literal(b)}"
        look = styles[a]._replace(marker="D")
        series.append(_Series(label, look, [_value(c, a, b) for c in listed]))
    ax = axes_or_new(ax, (4.6, 2.6))

    def points(each: _Series, at: list[float], values: list[_Value], _: float) -> Any:
        means, errors = ([value[k] for value in values] for k in (1, 2))
        style: dict[str, Any] = {"color": each.look.colour, "marker": each.look.marker}
        style |= {"markersize": 4, "linestyle": "", "elinewidth": 0.8, "capsize": 2}
        return ax.errorbar(at, means, errors, label=each.label, **style)

    _draw(ax, listed, series, len(specs), points)
    ax.set_ylabel(f"difference from\n{literal(reference)} (bits/s)")
    return entitle(ax, title)


def in_groups(ax: Axes, n_recordings: int, n_models: int) -> bool:
    """Whether recordings are groups of marks; otherwise there is one mark per model."""
    narrow = size_points(ax)[0] < 72.0 * _NARROW
    most = MOST_IN_GROUPS // 2 if narrow else MOST_IN_GROUPS
    return n_recordings > 1 and n_recordings * n_models <= most


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


def _checked_pairs(also: Any, specs: Mapping[str, ModelSpec]) -> list[tuple[str, str]]:
    """Pairs of names of models."""
    remedy = f"pass pairs of {', '.join(specs)}, such as [('RBM', 'SemiRBM')]"
    pairs = entries("also", also, remedy)
    for k, pair in enumerate(pairs):
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not all(map(specs.get, pair)):
            raise BadArgument(f"also[{k}]", f"is {described(pair)}", remedy)
    return pairs


def _specs(listed: Sequence[Comparison]) -> dict[str, ModelSpec]:
    """All models except independent ones, by class, objective and size."""
    known = {model.name: model.spec for each in listed for model in each.models}
    order = {
        name: (CLASSES.index(spec.model), OBJECTIVES.index(spec.objective), spec.n_hidden)
        for name, spec in known.items()
        if spec.model != INDEPENDENT
    }
    return {name: known[name] for name in sorted(order, key=order.__getitem__)}


def _value(compared: Comparison, first: str, second: str = INDEPENDENT) -> _Value | None:
    """The first model minus the second, paired by split; None where one of them has no score."""
    above, below = (compared.scores.get(name) for name in (first, second))
    if above is None or (below is None and second != INDEPENDENT):
        return None
    pair, by_split = compared.pair(first, second), above.by_split
    if below is not None and second != INDEPENDENT:
        common = sorted(by_split.keys() & below.by_split.keys())
        by_split = {split: by_split[split] - below.by_split[split] for split in common}
    return _Value(compared.recording, pair.bits_per_second, pair.stderr, [*by_split.values()])


def _draw(
    ax: Axes,
    listed: Sequence[Comparison],
    series: Sequence[_Series],
    n_models: int,
    draw: Callable[[_Series, list[float], list[_Value], float], Any],
) -> None:
    """Marks of all series with their dots, a line at zero, names and, of groups, a legend.

    ``draw`` is given a series, the places and values of its marks, and their width; recordings, or
    models if these have a place of their own, are 1 apart.
    """
    grouped = in_groups(ax, len(listed), n_models)
    width = _FILLED / len(series) if grouped else 0.6
    for each, at, values in _places(series, grouped):
        recordings, means, errors, _ = zip(*values, strict=True)
        about = {"recording": recordings, "model": each.label, "bits/s": means}
        tip(draw(each, at, values, width), about | {"standard error": errors})
        _draw_dots(ax, at, values, width)
    leave_rounding_small(ax)
    ax.spines["bottom"].set_visible(False)
    ax.axhline(0.0, color="black", linewidth=0.8, clip_on=False)
    if grouped:
        _name_columns(ax, [_recording(each) for each in listed])
        ax.legend(**LEGEND_RIGHT)
        return
    _name_columns(ax, [each.label.replace(_MINUS, f"\n{_MINUS.lstrip()}") for each in series])
    if len(listed) == 1:
        ax.set_xlabel(_recording(listed[0]).replace("\n", ", "))


def _places(
    series: Sequence[_Series], grouped: bool
) -> Iterator[tuple[_Series, list[float], list[_Value]]]:
    """Each series with the places of its marks and their values."""
    for k, each in enumerate(series):
        if grouped:
            shift = _FILLED * ((k + 0.5) / len(series) - 0.5)
            marks = [(at + shift, value) for at, value in enumerate(each.values) if value]
        elif len(each.values) > 1:
            means = [value.mean for value in each.values if value]  # in the place of splits
            name = f"mean over {len(means)} recordings"
            over = _Value(name, fmean(means), split_stderr(means), means) if means else None
            marks = [(float(k), over)] if over else []
        else:
            marks = [(float(k), value) for value in each.values if value]
        if marks:
            yield each, [at for at, _ in marks], [value for _, value in marks]


def _draw_dots(ax: Axes, at: Sequence[float], values: Sequence[_Value], width: float) -> None:
    """Open dots of splits or recordings in their order beside means; one is the mean itself."""
    first, last = (width * end for end in _BESIDE)
    several = [
        (x + shift, y)
        for x, value in zip(at, values, strict=True)
        for shift, y in zip(
            np.linspace(first, last, len(value.by_split)).tolist(), value.by_split, strict=True
        )
    ]
    if len(several) > len(values):
        [dots] = ax.plot(*zip(*several, strict=True), "o", color=_DOT, zorder=2.5)
        dots.set(markersize=2.2, markerfacecolor="white", markeredgewidth=0.5)


def _recording(compared: Comparison) -> str:
    """A recording's name in lines; outside of a study there is none."""
    if not compared.recording:
        return ""
    return f"{literal(compared.recording)}\n{counted(compared.n_units, 'unit')}"


def _name_columns(ax: Axes, names: Sequence[str]) -> None:
    """Names below the axis, in their lines; where these do not fit, slanted and in one."""
    ax.set_xlim(-0.6, len(names) - 0.4)
    ax.tick_params(axis="x", length=0)
    longest = max(len(line) for name in names for line in name.split("\n"))
    slanted: dict[str, Any] = {}
    if longest * len(names) * _LETTER > size_points(ax)[0]:
        names = [name.replace("\n", " ") for name in names]
        slanted = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(range(len(names)), names, **slanted)

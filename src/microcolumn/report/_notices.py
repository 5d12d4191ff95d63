"""What a reader must know first: that a study is a quick look, and which data are simulated."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import NamedTuple

from ..formatting import counted, enumeration
from ..simulate import PRESETS
from ..simulate._microcolumn import SOURCE as MICROCOLUMN
from ..study import Experiment, Plan, Results, Source


class QuickLook(NamedTuple):
    """That a study is a small version of another one, in two sentences."""

    small: str  # what it has less of
    remedy: str  # how the whole study is run


def quick_look(results: Results) -> QuickLook | None:
    """What is small in a quick study, and how the whole one is run; None for a whole study."""
    whole = results.plan.whole
    if whole is None:
        return None
    return QuickLook(
        small=f"A quick look, not for publication: {enumeration(_small(results, whole))}",
        remedy=whole_study(results),
    )


def simulated(results: Results) -> str:
    """A sentence that names the simulated recordings; empty if there are none."""
    names = [source.name for source in results.plan.sources if results.is_simulated(source.name)]
    if not names:
        return ""
    sentence = f"Simulated: {enumeration(names)}"
    read = [results.recordings[name] for name in names if name in results.recordings]
    if all(MICROCOLUMN in " ".join([row["source"], *row["notes"]]) for row in read):
        sentence += (
            ". Units of a layer were made to fire together in volleys, so that models with hidden "
            "units do well by construction"
        )
    return sentence


def whole_study(results: Results) -> str:
    """How the whole study is run: the command, or what to change in Python."""
    words = shlex.split(results.study.get("command", ""))
    if words[:2] == ["microcolumn", "demo"]:
        return f"run the whole study: {shlex.join([*_without_quick(words), '--full'])}"
    if "--quick" in words:
        return f"run the whole study: {shlex.join(_without_quick(words))}"
    return "run the whole plan, without Plan.quick()"


def _without_quick(words: list[str]) -> list[str]:
    return [word for word in words if word != "--quick"]


def _small(results: Results, whole: Plan) -> list[str]:
    """What the plan has less of than the whole one, each said once, where it makes a difference."""
    plan = results.plan
    most_units = max((row["n_units"] for row in results.recordings.values()), default=0)
    parts = [
        _minutes(source, other)
        for source, other in zip(plan.sources, whole.sources, strict=True)
        if source != other
    ]
    pairs = list(zip(plan.experiments, whole.experiments, strict=True))
    for setting, text in _TEXTS.items():
        for small, large in pairs:
            if getattr(small, setting) == getattr(large, setting):
                continue
            if setting == "most_active" and most_units <= (small.most_active or most_units):
                continue
            if setting == "light_above" and not _has_light(small, most_units):
                continue
            parts.append(text(small, large))
    return list(dict.fromkeys(parts))


def _has_light(experiment: Experiment, n_units: int) -> bool:
    """Whether words of a recording of so many units are long enough for lighter comparisons."""
    kept = min(experiment.most_active or n_units, n_units)
    return experiment.is_light(kept * max(experiment.windows))


def _minutes(source: Source, other: Source) -> str:
    all_of_it = PRESETS[str(other.preset)].minutes if other.minutes is None else other.minutes
    return f"{source.minutes:g} instead of {all_of_it:g} minutes of each simulated recording"


def _windows(small: Experiment, large: Experiment) -> str:
    return f"words of up to {max(small.windows)} instead of {counted(max(large.windows), 'bin')}"


#: What is said of a setting that a quick look makes smaller.
_TEXTS: dict[str, Callable[[Experiment, Experiment], str]] = {
    "n_splits": lambda small, large: f"{small.n_splits} instead of {large.n_splits} splits",
    "max_words": lambda small, _: f"at most {small.max_words:,} bins of a recording",
    "most_active": lambda small, _: (
        f"the {small.most_active} most active units{' over time' * (max(small.windows) > 1)}"
    ),
    "n_hidden": lambda small, _: f"at most {small.n_hidden[-1]} hidden units",
    "l1": lambda *_: "fewer penalties λ",
    "windows": _windows,
    "max_steps": lambda small, large: (
        f"at most {small.max_steps:,} instead of {large.max_steps:,} steps of annealing"
    ),
    "light_above": lambda small, _: (
        f"for words of more than {small.light_above} bits rougher fits, fewer "
        "settings of rivals and no SemiRBM unless it is asked for"
    ),
}

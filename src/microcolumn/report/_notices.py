"""What a reader must know first: that a study is a quick look, and which data are simulated."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import NamedTuple

from ..formatting import counted, enumeration
from ..simulate import PRESETS
from ..simulate.microcolumns import SOURCE as MICROCOLUMN
from ..study import Plan, Results
from ._wording import text

#: Settings that a quick look makes smaller, in the order in which they are named.
_SETTINGS = (
    *("n_splits", "max_words", "most_active", "n_hidden", "l1", "windows", "max_steps"),
    "fast_above_bits",
)


class QuickLook(NamedTuple):
    """That a study is a small version of another one, in two sentences."""

    small: str  # what it has less of
    remedy: str  # how the whole study is run


def quick_look(results: Results) -> QuickLook | None:
    """What is small in a quick study, and how the whole one is run; None for a whole study."""
    whole = results.plan.full
    if whole is None:
        return None
    return QuickLook(small=_small(results, whole), remedy=whole_study(results))


def simulated(results: Results) -> str:
    """A sentence that names the simulated recordings; empty if there are none."""
    names = [source.name for source in results.plan.sources if results.is_simulated(source.name)]
    if not names:
        return ""
    read = [results.recordings[name] for name in names if name in results.recordings]
    own = all(MICROCOLUMN in " ".join([row["source"], *row["notes"]]) for row in read)
    return text("notices/simulated", names=names, own=own)


def recordings_text(results: Results, names: Sequence[str], most_named: int) -> str:
    """Recordings by name or, where they are more, by their number and how many are simulated."""
    labels = [results.label(name) for name in names]
    if len(labels) <= most_named:
        return enumeration([label if len(label) <= 60 else f"{label[:59]}…" for label in labels])
    n = sum(map(results.is_simulated, names))
    some = " (simulated)" if n == len(names) else f" ({n} of them simulated)" if n else ""
    return f"{counted(len(names), 'recording')}{some}"


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


def _small(results: Results, whole: Plan) -> str:
    """What the plan has less of than the whole one, each said once."""
    parts = []
    for source, other in zip(results.plan.sources, whole.sources, strict=True):
        if source != other:
            preset = PRESETS[str(other.preset)].minutes
            minutes = preset if other.minutes is None else other.minutes
            parts.append(text("notices/small", setting="minutes", small=source, minutes=minutes))
    both = list(zip(results.plan.experiments, whole.experiments, strict=True))
    parts += [
        text("notices/small", setting=setting, small=small, large=large)
        for setting in _SETTINGS
        for small, large in both
        if getattr(small, setting) != getattr(large, setting)
    ]
    return f"A quick look, not for publication: {enumeration(list(dict.fromkeys(parts)))}"

"""What a reader must know first: that a study is a quick look, and which data are simulated."""

from __future__ import annotations

import shlex
from typing import NamedTuple

from ..simulate import PRESETS
from ..simulate.microcolumns import SOURCE as MICROCOLUMN
from ..study import Results
from ._wording import text


class QuickLook(NamedTuple):
    """That a study is a small version of another one, in two sentences."""

    small: str  # what it has less of
    remedy: str  # how the whole study is run


def quick_look(results: Results) -> QuickLook | None:
    """What is small in a quick study, and how the whole one is run; None for a whole study."""
    whole = results.plan.full
    if whole is None:
        return None
    sources = list(zip(results.plan.sources, whole.sources, strict=True))
    experiments = list(zip(results.plan.experiments, whole.experiments, strict=True))
    small = text("notices/small", sources=sources, experiments=experiments, presets=PRESETS)
    return QuickLook(small=small, remedy=whole_study(results))


def simulated(results: Results) -> str:
    """A sentence that names the simulated recordings; empty if there are none."""
    names = [source.name for source in results.plan.sources if results.is_simulated(source.name)]
    if not names:
        return ""
    read = [results.recordings[name] for name in names if name in results.recordings]
    own = all(MICROCOLUMN in " ".join([row["source"], *row["notes"]]) for row in read)
    return text("notices/simulated", names=names, own=own)


def whole_study(results: Results) -> str:
    """How the whole study is run: the command, or what to change in Python."""
    words = shlex.split(results.study.get("command", ""))
    whole = shlex.join(word for word in words if word != "--quick")
    if words[:2] == ["microcolumn", "demo"]:
        return f"run the whole study: {whole} --paper"
    if "--quick" in words:
        return f"run the whole study: {whole}"
    return "run the whole plan, without Plan.quick()"

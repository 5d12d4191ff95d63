"""The page of a study: one HTML file that loads nothing else."""

from __future__ import annotations

import json
import os
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.utils import htmlsafe_json_dumps

from .. import __version__
from ..atomic import atomic_write
from ..formatting import enumeration
from ..study import Results
from . import _tables as tables
from ._cautions import cautions
from ._explorer import explorers
from ._methods import RIVALS, methods, references
from ._notices import quick_look, simulated
from ._pictures import pictures
from ._sections import answers, has_windows, sections, summary, tally
from ._typography import sentence, stopped, typeset, unbroken

#: Most bytes of a page, and a generous estimate for the words and tables of a recording.
_MOST_BYTES, _TEXT_BYTES = 7_900_000, 20_000
#: With more cautions or comparisons, they are folded away behind a line that counts them.
_MOST_CAUTIONS, _MOST_ANSWERS = 8, 4


def write(results: Results, path: str | os.PathLike[str], *, progress: bool | None = None) -> None:
    """Write the page of a study to a file, completely or not at all.

    Parameters
    ----------
    results : Results
        Of a finished or unfinished study.
    path : path
        The HTML file; an existing file is replaced.
    progress : bool, optional
        Show a bar while figures are drawn; by default in a terminal and in a notebook only.
    """
    if Path(path).resolve() == results.file.resolve():
        raise ValueError(f"{path} is the study's store; choose another file for its page")
    with atomic_write(path) as file:
        file.write(page(results, progress=progress).encode())


def page(results: Results, *, progress: bool | None = None) -> str:
    """The page of a study: the answer, then what it rests on, figures and tables.

    Parameters
    ----------
    results : Results
        Of a finished or unfinished study; a figure whose results are not computed yet is left out
        with a sentence.
    progress : bool, optional
        Show a bar while figures are drawn; by default in a terminal and in a notebook only.

    Returns
    -------
    str
        HTML of a few megabytes at most.
    """
    interactive = explorers(results)
    data = htmlsafe_json_dumps(interactive, separators=(",", ":"))
    text_bytes = _TEXT_BYTES * (10 + len(results.recordings))
    drawn = pictures(results, max(0, _MOST_BYTES - text_bytes - len(data)), progress)
    layers = any(tables.layers(results, condition) for condition in tables.longest(results))
    paragraphs = methods(
        results.plan,
        layers=layers,
        simulated=[name for name in results.recordings if results.is_simulated(name)],
    )
    found = answers(results)
    planned = {model for each in results.plan.experiments for model in each.models}
    content: dict[str, Any] = {
        "title": _title(results),
        "recordings": list(results.recordings),
        "answers": found,
        "tally": tally(results) if len(found) > _MOST_ANSWERS else None,
        "models": planned,
        "rivals": [(name, what) for name, what in RIVALS.items() if name in planned],
        "objectives": {name for each in results.plan.experiments for name in each.objectives},
        "has_windows": has_windows(results),
        "quick": quick_look(results),
        "simulated": simulated(results),
        "summary": summary(results),
        "cautions": cautions(results),
        "most_cautions": _MOST_CAUTIONS,
        "sections": sections(results, drawn),
        "methods": paragraphs,
        "references": references(paragraphs),
        "provenance": tables.provenance(results),
        "study": results.study,
        "plan": json.dumps(results.plan.as_dict(), indent=2, ensure_ascii=False),
        "version": __version__,
        "explorers": data if interactive else None,
    }
    return _environment().get_template("page.html.j2").render(content)


def _environment() -> Environment:
    """Templates of this package. Values are escaped; a missing value is an error."""
    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for setting in (sentence, stopped, typeset, unbroken):
        environment.filters[setting.__name__] = setting
    templates = files(__package__) / "templates"
    # Style sheets and scripts go into the page unchanged.
    environment.globals["source"] = lambda name: (templates / name).read_text(encoding="utf-8")
    return environment


def _title(results: Results) -> str:
    classes = dict.fromkeys(model for each in results.plan.experiments for model in each.models)
    names = enumeration([name.replace("SemiRBM", "semi-restricted RBM") for name in classes])
    model = "model" if len(classes) == 1 else "models"
    recordings = [results.label(source.name) for source in results.plan.sources]
    simulated = sum(results.is_simulated(source.name) for source in results.plan.sources)
    some = f" ({simulated} of them simulated)" if simulated < len(recordings) else " (simulated)"
    of = f"{len(recordings)} recordings{some * bool(simulated)}"
    if len(recordings) <= 4:
        of = enumeration([name if len(name) <= 40 else f"{name[:39]}…" for name in recordings])
    return f"{names} {model} of {of}"

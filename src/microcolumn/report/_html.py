"""The page of a study: one HTML file that loads nothing else."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.utils import htmlsafe_json_dumps

from .. import __version__
from ..atomic import atomic_write
from ..errors import BadInput
from ..models.spec import ALTERNATIVES, MODELS
from ..study import Results
from ._answer import whole_answer
from ._cautions import cautions
from ._content import Picture, Section
from ._explorer import explorers
from ._methods import methods, references
from ._pictures import further, pictures
from ._sections import sections
from ._tables import longest
from ._typography import isolated, sentence, signed, stopped, typeset, unbroken
from ._wording import text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Most bytes of a page, and a generous estimate for the words and tables of a recording.
_MOST_BYTES, _TEXT_BYTES = 7_900_000, 20_000
#: With more rows, a table scrolls in a box; of a longer caption, the title is in the open.
_MOST_ROWS, _LONGEST_CAPTION = 20, 240
#: Colours in the styles of figures, which page.css exchanges on dark paper.
_COLOUR = re.compile(r"(fill|stroke): (#[0-9a-f]{6})")
_PAPER = "Köster et al. 2014"
_FURTHER = "Figures that were added to this page by whoever wrote it."


def write(
    results: Results,
    path: str | os.PathLike[str],
    *,
    extra: Sequence[Figure] = (),
    progress: bool | None = None,
) -> None:
    """Write the page of a study to a file, completely or not at all.

    Parameters
    ----------
    results : Results
        Of a finished or unfinished study.
    path : path
        The HTML file; an existing file is replaced.
    extra : sequence of matplotlib figures, optional
        Your own figures, shown in a section "Further figures" with their title and, if they are
        :class:`~microcolumn.figures.CaptionedFigure` or have an attribute ``caption``, with it.
    progress : bool, optional
        Show a bar while figures are drawn; by default in a terminal and in a notebook only.

    Examples
    --------
    >>> write(mc.study.open("study.db"), "study.html")
    """
    if Path(path).resolve() == results.file.resolve():
        raise BadInput(f"{path} is the study's store", "choose another file for its page")
    with atomic_write(path) as file:
        file.write(page(results, extra=extra, progress=progress).encode())


def page(results: Results, *, extra: Sequence[Figure] = (), progress: bool | None = None) -> str:
    """The page of a study: the answer, then what it rests on, figures and tables.

    A figure whose results are not computed yet is left out with a sentence.

    Parameters
    ----------
    results, extra, progress
        As in :func:`write`.

    Returns
    -------
    str
        HTML of a few megabytes at most.

    Examples
    --------
    >>> page(mc.study.open("study.db"))[:15]
    '<!doctype html>'
    """
    own = further(extra)
    interactive = explorers(results)
    data = htmlsafe_json_dumps(interactive, separators=(",", ":"))
    text_bytes = _TEXT_BYTES * (10 + len(results.recordings)) + sum(each.n_bytes for each in own)
    drawn = pictures(results, max(0, _MOST_BYTES - text_bytes - len(data)), progress)
    opening = drawn.pop(("opening", None), None)
    parts = sections(results, drawn)
    if own:
        parts.append(Section("further", "Further figures", _FURTHER, [*own], []))
    paragraphs = _methods(results)
    planned = {model for each in results.plan.experiments for model in each.models}
    shown = [each for each in (opening, *drawn.values(), *own) if isinstance(each, Picture)]
    content: dict[str, Any] = {
        "answer": whole_answer(results),
        "opening": opening,
        "models": planned,
        "alternatives": [(name, MODELS[name]) for name in ALTERNATIVES if name in planned],
        "cautions": cautions(results),
        "longest_caption": _LONGEST_CAPTION,
        "most_rows": _MOST_ROWS,
        "sections": parts,
        "colours": sorted({pair for each in shown for pair in _COLOUR.findall(each.markup)}),
        "methods": paragraphs,
        "references": references(paragraphs),
        "paper": references([("", _PAPER)])[0],
        "results": results,
        "provenance": results.provenance(),
        "work": text("work", **results.provenance()),
        "seeds": [(e.name, text("seeds", experiment=e)) for e in results.plan.experiments],
        "plan": json.dumps(results.plan.as_dict(), indent=2, ensure_ascii=False),
        "version": __version__,
        "explorers": data if interactive else None,
    }
    return _environment().get_template("page.html.j2").render(content)


def _methods(results: Results) -> list[tuple[str, str]]:
    tested = [
        found.statistics[0].group_by
        for condition in longest(results)
        for _, found in results.of_models(results.layers, condition)
        if found
    ]
    return methods(
        results.plan,
        layers=bool(tested),
        group_by=tested[0] if len({*tested}) == 1 else "layer" if not tested else "label",
        simulated=[name for name in results.recordings if results.is_simulated(name)],
        n_units={name: row["n_units"] for name, row in results.recordings.items()},
    )


def _environment() -> Environment:
    """Templates of this package. Values are escaped; a missing value is an error."""
    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for setting in (isolated, sentence, signed, stopped, typeset, unbroken):
        environment.filters[setting.__name__] = setting
    templates = files(__package__) / "templates"
    # Style sheets and scripts go into the page unchanged.
    environment.globals["source"] = lambda name: (templates / name).read_text(encoding="utf-8")
    return environment

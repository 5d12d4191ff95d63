"""Sections of reports: which tables and figures of a study the page and the text show where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from ..figures.conditions import about as words_text, by_likelihood, changes_with_time
from ..formatting import enumeration
from ..study import Condition, Results
from . import _tables as tables
from ._bin_widths import bin_widths
from ._content import Block, BulletList, Item, Paragraph, Pictures, Section
from ._methods import fitting
from ._structure import (
    assembly_sentences,
    assembly_tables,
    group_table,
    interval_sentences,
    layer_sentences,
)
from ._tables import Table, condition_text, longest
from ._units import known_units, unit_sentences, unit_table
from ._wording import text

#: Figures that need words of several bins.
_OF_TIME = ("windows", "spatiotemporal")


def sections(results: Results, drawn: Pictures | None) -> list[Section]:
    """Sections between the answer and the methods; those that have nothing to show are left out.

    What is about one recording of several is in a block of its own. Without figures, ``drawn`` is
    None.
    """
    left = dict(drawn or {})  # figures are taken out where they are shown
    conditions = longest(results)
    answering = [each for each in conditions if by_likelihood(results, each) == each]
    others = [each for each in conditions if each not in answering]
    planted = _taken(left, "planted", None)
    groups = _of_recordings(results, left, "assemblies", _groups)
    ranked = _taken(left, "ranking", None)
    pooled = _taken(left, "forest", None)
    fit = _of_recordings(results, left, "moments")
    data, more_data = _of_recordings(results, left, "data")
    parts = [
        _section("Planted and found", planted, []),
        _section("Groups", *groups),
        _section("Do recordings agree?", pooled, []),
        _section("Which model is best?", ranked, []),
        _section("Is the best model good enough?", *fit),
        _section("Data", data, [*more_data, _modelled(results)]),
    ]
    if any(changes_with_time(results, each) for each in answering):
        parts.append(_section("Time", *_of_recordings(results, left, "windows")))
    parts.append(_section("Bin width", *_of_recordings(results, left, "bin_widths", _by_width)))
    blocks = [_numbers(results, each, left) for each in answering]
    if blocks:
        leads = tuple(
            f"{each.title}: {text('section_intros', title=each.title)}" for each in _PARTS
        )
        blocks.insert(0, Block("How to read them", "", [BulletList(leads)]))
    if together := _taken(left, "parts", None):
        blocks.insert(0, Block("All recordings", "", together))
    parts.append(_section("All numbers", [], blocks))
    blocks = [_numbers(results, each, left) for each in others]
    parts.append(_section("Does the objective matter?", [], blocks)._replace(folded=True))
    return [each for each in parts if each.items or each.blocks]


def _section(title: str, items: list[Item], blocks: list[Block]) -> Section:
    name = title.rstrip("?").split()[-1].lower()
    return Section(name, title, text("section_intros", title=title), items, blocks)


def _of_recordings(
    results: Results,
    left: Pictures,
    figure: str,
    more: Callable[[Results, str], list[Item]] = lambda results, recording: [],
) -> tuple[list[Item], list[Block]]:
    """A figure and more of the only recording, or blocks with those of several."""
    drawn = {
        name: [*_taken(left, figure, name), *more(results, name)] for name in results.recordings
    }
    if len(drawn) < 2:
        return [item for items in drawn.values() for item in items], []
    facts = {name: text("recording", row=row) for name, row in results.recordings.items()}
    return [], [
        Block(name, facts[name], items, name, pane=True) for name, items in drawn.items() if items
    ]


def _groups(results: Results, recording: str) -> list[Item]:
    found = next((each for each in longest(results) if each.recording == recording), None)
    return [] if found is None else _shown(results, found, group_table(results, found))


def _by_width(results: Results, recording: str) -> list[Item]:
    found = [each for each in bin_widths(results) if each.recording == recording]
    return [item for each in found for item in (Paragraph(each.sentence), each.table)]


def _taken(left: Pictures, figure: str, recording: str | None) -> list[Item]:
    found = left.pop((figure, recording), None)
    return [] if found is None else [found]


def _modelled(results: Results) -> Block:
    """What was taken of each recording, and what readers noted about their files."""
    if not results.recordings:
        return Block("Settings", "", [Paragraph("No recording is read yet.")])
    items: list[Item] = [tables.recordings(results)]
    for name, row in results.recordings.items():
        if notes := tuple(map(str, row["notes"] or ())):
            items += [Paragraph(f"Notes from reading {name}:"), BulletList(notes)]
    return Block("Settings", "", items)


def _numbers(results: Results, condition: Condition, left: Pictures) -> Block:
    """All about an experiment on a recording, with the figures that are shown nowhere else."""
    items: list[Item] = []
    several = max(condition.experiment.windows) > 1
    for part in _PARTS:
        names = [each for each in part.figures if several or each not in _OF_TIME]
        drawn = [item for each in names for item in _taken(left, each, condition.recording)]
        if shown := [*drawn, *part.items_of(results, condition)]:
            items += [Paragraph(part.title, "heading"), *shown]
    fitted = enumeration([fitting(each) for each in condition.experiment.objectives])
    facts = f"{words_text(condition)}, {fitted}"
    return Block(_about(results, condition), facts, items, condition.recording)


def _scores(results: Results, condition: Condition) -> list[Item]:
    compared = results.comparison(**condition.names)
    found: list[Item] = [BulletList(tuple(compared.statements))]
    found += _shown(results, condition, tables.models(compared))
    described = results.if_computed(results.adequacy, {}, **condition.names)
    if described:
        lines = [f"{name} {each}" for name, each in described.items()]
        lines.append(str(results.explainable(**condition.names)))
        found.append(Paragraph("How well the models describe held-out data (first split):"))
        found.append(BulletList(tuple(lines)))
    return found


def _structure(results: Results, condition: Condition) -> list[Item]:
    lines = tuple(
        sentence
        for sentences in (assembly_sentences, layer_sentences, interval_sentences)
        for sentence in sentences(results, condition)
    )
    items: list[Item] = [BulletList(lines)] if lines else []
    items += _shown(results, condition, *assembly_tables(results, condition))
    by_layer = [found for _, found in results.of_models(results.layers, condition)]
    if not by_layer:
        items.append(Paragraph("The structure of these models is not computed yet."))
    elif not any(by_layer):
        items.append(Paragraph("No labels of several layers, so layer structure was not tested."))
    return items


def _units(results: Results, condition: Condition) -> list[Item]:
    rows = known_units(results, condition)
    lines = tuple(unit_sentences(rows, condition.experiment.n_splits))
    first: list[Item] = [BulletList(lines)] if lines else []
    units = results.units(condition.recording, experiment=condition.experiment.name)
    return [*first, *_shown(results, condition, unit_table(rows, condition, units.group_by))]


def _growth(results: Results, condition: Condition) -> list[Item]:
    if len(condition.experiment.windows) < 2:
        return []
    found = results.by_window(condition.recording, experiment=condition.experiment.name)
    about = {"reference": found.reference, "short": found.windows[0], "long": found.windows[-1]}
    windows = enumeration([f"T = {window}" for window in found.windows])
    grown = found.growth().items()
    lines = [text("growth", model=model, pair=pair, **about) for model, pair in grown]
    return [BulletList((f"Tested at {windows}", *lines))]


def _predicted(results: Results, condition: Condition) -> list[Item]:
    found = _shown(results, condition, tables.predictions(results, condition))
    return found or [Paragraph("The predictions of these models are not computed yet.")]


def _fits(results: Results, condition: Condition) -> list[Item]:
    compared = results.comparison(**condition.names)
    tested = (*compared.models, *compared.unranked)
    scores = [score for model in tested for score in model.splits]
    return [BulletList((text("converged", scores=scores),))]


class _Part(NamedTuple):
    """A part of the numbers of an experiment on a recording, and the figures that belong to it."""

    title: str
    items_of: Callable[[Results, Condition], list[Item]]
    figures: tuple[str, ...] = ()


_PARTS = (
    _Part("Scores", _scores, ("gains", "penalties", "parameters")),
    _Part("Assemblies and layers", _structure, ("layers",)),
    _Part("Units", _units),
    _Part("Time", _growth, ("windows",)),
    _Part("Prediction", _predicted, ("spatiotemporal",)),
    _Part("Fitting", _fits, ("annealing",)),
)


def _shown(results: Results, condition: Condition, *found: Table | None) -> list[Item]:
    """Tables, each with the recording, the experiment and the T of its results."""
    about = _about(results, condition)
    return [replace(table, about=about) for table in found if table is not None]


def _about(results: Results, condition: Condition) -> str:
    return condition_text(condition, with_experiment=len(results.plan.experiments) > 1)

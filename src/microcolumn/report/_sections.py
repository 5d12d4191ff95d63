"""Sections of reports: which tables and figures of a study the page and the text show where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from ..formatting import enumeration
from ..study import Condition, Results
from . import _assembly_table, _tables as tables
from ._adequacy import adequacy_table
from ._content import Block, BulletList, Heading, Item, Paragraph, Pictures, Section, TableItem
from ._intervals import interval_tables
from ._methods import fitting
from ._section_intros import section_intro
from ._tables import Table, longest
from ._units import known_units, unit_sentences, unit_table
from ._wording import text


def sections(results: Results, drawn: Pictures | None) -> list[Section]:
    """Sections between the answer and the methods; those the plan has nothing for are left out.

    Without figures, where ``drawn`` is None, there is no section about parameters.
    """
    of_figures = drawn is not None
    drawn = drawn or {}
    section = partial(_section, results, drawn)
    fits = tuple(_converged(results, condition) for condition in results.tested())
    return [
        _data(results, drawn),
        section("Comparison", _scores, "patterns", _pictures(drawn, "likelihood", None)),
        *([section("Parameters", None, "parameters penalties")] if of_figures else []),
        section("Assemblies and layers", _structure, "assemblies layers"),
        section("Units", _units),
        *([section("Time", _growth, "windows")] if has_windows(results) else []),
        section("Prediction", _predicted, "spatiotemporal"),
        section("Fitting", None, "annealing", [BulletList(fits)] if fits else []),
    ]


def _section(
    results: Results,
    drawn: Pictures,
    title: str,
    items_of: Callable[[Results, Condition], list[Item]] | None,
    figure: str = "",
    items: Sequence[Item] = (),
) -> Section:
    """A section about each recording: its figures, by name, then the items of its experiments."""
    blocks = []
    for name in results.recordings:
        shown = [each for one in figure.split() for each in _pictures(drawn, one, name)]
        conditions = [c for c in longest(results) if c.recording == name] if items_of else []
        found = {c: items_of(results, c) for c in conditions} if items_of else {}
        several = sum(map(bool, found.values())) > 1
        for condition, each in found.items():
            if each and several:
                shown.append(Heading(_kind_of_words(condition)))
            shown += each
        if shown:
            blocks.append(_block(results, name, shown))
    if not items and not blocks:
        items = [Paragraph("Nothing of this is computed yet; run the study further.")]
    return Section(
        title.split()[0].lower(), title, section_intro(results, title), list(items), blocks
    )


def _data(results: Results, drawn: Pictures) -> Section:
    items: list[Item] = [Paragraph("No recording is read yet.")]
    if results.recordings:
        items = [TableItem(tables.recordings(results), "")]
    blocks = []
    for name, row in results.recordings.items():
        notes = tuple(map(str, row["notes"] or ()))
        noted: list[Item] = [Paragraph("Notes from reading:"), BulletList(notes)] if notes else []
        blocks.append(_block(results, name, [*_pictures(drawn, "data", name), *noted]))
    return Section("data", "Data", section_intro(results, "Data"), items, blocks)


def _scores(results: Results, condition: Condition) -> list[Item]:
    compared = results.comparison(**condition.names)
    said = (f"{each}." for each in compared.statements)
    lines = BulletList((f"{tables.words_facts(condition, compared)}.", *said))
    found = tables.models(compared), tables.pairs(compared), tables.effects(compared)
    return [lines, *_table_items(results, condition, *found, adequacy_table(results, condition))]


def _structure(results: Results, condition: Condition) -> list[Item]:
    lines = tuple(_assembly_table.sentences(results, condition))
    first: list[Item] = [BulletList(lines)] if lines else []
    first += _table_items(results, condition, *_assembly_table.tables(results, condition))
    if not list(results.of_models(results.layers, condition)):
        return [*first, Paragraph("The structure of these models is not computed yet.")]
    layers = tables.layers(results, condition)
    if layers is None:
        first.append(Paragraph("No labels of several layers, so layer structure was not tested."))
    found = layers, *interval_tables(results, condition)
    return [*first, *_table_items(results, condition, *found)]


def _units(results: Results, condition: Condition) -> list[Item]:
    rows = known_units(results, condition)
    lines = tuple(unit_sentences(rows, condition.experiment.n_splits))
    first: list[Item] = [BulletList(lines)] if lines else []
    return [*first, *_table_items(results, condition, unit_table(rows))]


def _growth(results: Results, condition: Condition) -> list[Item]:
    if len(condition.experiment.windows) < 2:
        return []
    found = results.by_window(condition.recording, experiment=condition.experiment.name)
    where = _about(results, condition, every=True)
    both = tables.growth(found), tables.gains(found)
    items: list[Item] = [TableItem(each, where) for each in both if each is not None]
    sentences = tuple(tables.growth_sentences(found))
    return [*items, BulletList(sentences)] if sentences else items


def _predicted(results: Results, condition: Condition) -> list[Item]:
    found = _table_items(results, condition, tables.predictions(results, condition))
    return found or [Paragraph("The predictions of these models are not computed yet.")]


def _converged(results: Results, condition: Condition) -> str:
    compared = results.comparison(**condition.names)
    tested = (*compared.models, *compared.unranked)
    scores = [score for model in tested for score in model.splits]
    return text("converged", about=_about(results, condition), scores=scores)


def _block(results: Results, name: str, items: list[Item]) -> Block:
    return Block(results.label(name), tables.recording_facts(results.recordings[name]), items)


def _pictures(drawn: Pictures, figure: str, recording: str | None) -> list[Item]:
    found = drawn.get((figure, recording))
    return [] if found is None else [found]


def _table_items(results: Results, condition: Condition, *found: Table | None) -> list[Item]:
    return [TableItem(table, _about(results, condition)) for table in found if table is not None]


def _about(results: Results, condition: Condition, *, every: bool = False) -> str:
    """Which results are shown: a recording, an experiment and, unless of ``every`` T, its T."""
    label = results.label(condition.recording)
    return f"{label}, {condition.experiment.name}{'' if every else _window_text(condition)}"


def _kind_of_words(condition: Condition) -> str:
    """An experiment by its name, its words and how its models were fitted."""
    experiment = condition.experiment
    width = f"{1e3 * experiment.bin_width:g} ms"
    words = f"{width} words" if condition.window == 1 else f"T = {condition.window} bins of {width}"
    fitted = enumeration([fitting(each) for each in experiment.objectives])
    return f"{experiment.name}: {words}, {fitted}"


def _window_text(condition: Condition) -> str:
    return f", T = {condition.window}" if max(condition.experiment.windows) > 1 else ""


def has_windows(results: Results) -> bool:
    """Whether the study has words of several bins."""
    return any(max(experiment.windows) > 1 for experiment in results.plan.experiments)

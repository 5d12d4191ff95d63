"""Sections of reports: which tables and figures of a study the page and the text show where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from ..figures.conditions import about as words_text
from ..formatting import enumeration
from ..study import Condition, Results
from . import _tables as tables
from ._content import Block, BulletList, Item, Paragraph, Pictures, Section
from ._methods import fitting
from ._structure import assembly_sentences, assembly_tables, interval_sentences, layer_sentences
from ._tables import Table, longest, window_text
from ._units import known_units, unit_sentences, unit_table
from ._wording import text


def sections(results: Results, drawn: Pictures | None) -> list[Section]:
    """Sections between the answer and the methods; those the plan has nothing for are left out.

    Without figures, where ``drawn`` is None, there is no section about parameters.
    """
    section = partial(_section, results, drawn or {})
    modelled: Item = Paragraph("No recording is read yet.")
    if results.recordings:
        modelled = tables.recordings(results)
    scores = [
        each for name in ("parts", "likelihood") for each in _pictures(drawn or {}, name, None)
    ]
    fits = tuple(_converged(results, condition) for condition in results.tested())
    return [
        section("Data", _notes, "data", [modelled]),
        section("Comparison", _by_experiment(_scores), "patterns", scores),
        *([] if drawn is None else [section("Parameters", None, "parameters penalties")]),
        section("Assemblies and layers", _by_experiment(_structure), "assemblies layers"),
        section("Units", _by_experiment(_units)),
        *([section("Time", _by_experiment(_growth), "windows")] if has_windows(results) else []),
        section("Prediction", _by_experiment(_predicted), "spatiotemporal"),
        section("Fitting", None, "annealing", [BulletList(fits)] if fits else []),
    ]


def _section(
    results: Results,
    drawn: Pictures,
    title: str,
    items_of: Callable[[Results, str], list[Item]] | None,
    figure: str = "",
    items: Sequence[Item] = (),
) -> Section:
    """A section about each recording: its figures, by name, then its items."""
    blocks = []
    for name, row in results.recordings.items():
        shown = [each for one in figure.split() for each in _pictures(drawn, one, name)]
        shown += items_of(results, name) if items_of else []
        if shown:
            blocks.append(Block(results.label(name), tables.recording_facts(row), shown))
    if not items and not blocks:
        items = [Paragraph("Nothing of this is computed yet; run the study further.")]
    lead = text("section_intros", title=title)
    return Section(title.split()[0].lower(), title, lead, list(items), blocks)


def _by_experiment(
    items_of: Callable[[Results, Condition], list[Item]],
) -> Callable[[Results, str], list[Item]]:
    """The items of all experiments on a recording, with headings where they are several."""

    def of_recording(results: Results, name: str) -> list[Item]:
        found = {c: items_of(results, c) for c in longest(results) if c.recording == name}
        several = sum(map(bool, found.values())) > 1
        shown: list[Item] = []
        for condition, items in found.items():
            if items and several:
                shown.append(Paragraph(_kind_of_words(condition), "heading"))
            shown += items
        return shown

    return of_recording


def _notes(results: Results, name: str) -> list[Item]:
    notes = tuple(map(str, results.recordings[name]["notes"] or ()))
    return [Paragraph("Notes from reading:"), BulletList(notes)] if notes else []


def _scores(results: Results, condition: Condition) -> list[Item]:
    compared = results.comparison(**condition.names)
    found: list[Item] = [BulletList(tuple(compared.statements))]
    found += _shown(results, condition, tables.models(compared))
    described = results.if_computed(results.adequacy, {}, **condition.names)
    if described:
        lines = [f"{name} {each}" for name, each in described.items()]
        lines.append(str(results.explainable(**condition.names)))
        found.append(Paragraph("How well the models describe the test words of split 0:"))
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
    return [*first, *_shown(results, condition, unit_table(rows))]


def _growth(results: Results, condition: Condition) -> list[Item]:
    if len(condition.experiment.windows) < 2:
        return []
    found = results.by_window(condition.recording, experiment=condition.experiment.name)
    windows = enumeration([f"T = {window}" for window in found.windows])
    tested = f"{_recording(results, condition)}: tested at {windows}"
    return [BulletList((tested, *tables.growth_sentences(found)))]


def _predicted(results: Results, condition: Condition) -> list[Item]:
    found = _shown(results, condition, tables.predictions(results, condition))
    return found or [Paragraph("The predictions of these models are not computed yet.")]


def _converged(results: Results, condition: Condition) -> str:
    compared = results.comparison(**condition.names)
    tested = (*compared.models, *compared.unranked)
    scores = [score for model in tested for score in model.splits]
    about = f"{_recording(results, condition)}{window_text(condition)}"
    return text("converged", about=about, scores=scores)


def _pictures(drawn: Pictures, figure: str, recording: str | None) -> list[Item]:
    found = drawn.get((figure, recording))
    return [] if found is None else [found]


def _shown(results: Results, condition: Condition, *found: Table | None) -> list[Item]:
    """Tables, each with the recording, the experiment and the T of its results."""
    about = f"{_recording(results, condition)}{window_text(condition)}"
    return [replace(table, about=about) for table in found if table is not None]


def _recording(results: Results, condition: Condition) -> str:
    return f"{results.label(condition.recording)}, {condition.experiment.name}"


def _kind_of_words(condition: Condition) -> str:
    """An experiment by its name, its words and how its models were fitted."""
    fitted = enumeration([fitting(each) for each in condition.experiment.objectives])
    return f"{condition.experiment.name}: {words_text(condition)}, {fitted}"


def has_windows(results: Results) -> bool:
    """Whether the study has words of several bins."""
    return any(max(experiment.windows) > 1 for experiment in results.plan.experiments)

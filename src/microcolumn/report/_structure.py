"""Hidden units, couplings and weights of models as tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress

from ..evaluate import Assemblies, Assembly, Comparison
from ..evaluate.assembly import HEADER, LEFT, columns_of
from ..figures.conditions import first_split
from ..models import ModelSpec, PopulationModel
from ..study import Condition, Results
from ..units import plain_label, several_labels
from ._findings import Layering
from ._tables import Table, groups_of
from ._wording import text

#: Columns about layers.
_OF_LAYERS = ("layer", "share (chance)", "p")
#: What the table of groups tells, and of how many at most.
_OF_GROUPS, _MOST_GROUPS = ("hidden", "units", "layer", "found in", "bits/s lost"), 8


def model_with_groups(
    results: Results, condition: Condition, compared: Comparison
) -> tuple[ModelSpec, PopulationModel] | None:
    """The best model that has hidden units in use in the first tested split, of that split."""
    split = first_split(compared)
    for each in compared.models:
        if each.spec.has_groups:
            model = results.model(model=each.spec, split=split, **condition.names)
            if model.parameters_.live.any():
                return each.spec, model
    return None


def group_table(results: Results, condition: Condition) -> Table | None:
    """The clearest hidden units of the best model that has some; None where they are not known."""
    spec = results.if_computed(results.best_with_hidden, None, **condition.names)
    if spec is None:
        return None
    found = results.assemblies(model=spec, **condition.names)
    table = _table(condition, spec, found, found.clearest[:_MOST_GROUPS], _OF_GROUPS)
    return replace(table, title=f"groups, {spec.name}", note="")


def assembly_tables(results: Results, condition: Condition) -> Iterator[Table]:
    """Hidden units of each model that has some, the clearest first; layers where they are known."""
    for spec, found in _assemblies(results, condition):
        if len(found):
            yield _table(condition, spec, found, found.clearest)


def _table(
    condition: Condition,
    spec: ModelSpec,
    found: Assemblies,
    some: Sequence[Assembly],
    columns: Sequence[str] = HEADER,
) -> Table:
    layered = any(row.layer for row in found)
    shown = [name in columns and (layered or name not in _OF_LAYERS) for name in HEADER]
    label = plain_label(found.group_by)
    header = tuple(label if name == "layer" else name for name in compress(HEADER, shown))
    return Table(
        f"assemblies, {spec.name}",
        header,
        [tuple(compress(columns_of(row), shown)) for row in some],
        left=tuple(name for name in (*LEFT, label) if name in header),
        note=text("notes/assemblies", label=label if layered else ""),
        sortable=True,
        groups=groups_of(condition, spec.name),
    )


def assembly_sentences(results: Results, condition: Condition) -> Iterator[str]:
    """How many hidden units of split 0 are assemblies, and the signs of couplings beside them."""
    scores = results.comparison(**condition.names).scores
    for spec, found in _assemblies(results, condition):
        splits = scores[spec.name].splits if spec.name in scores else ()
        yield text("hidden_units", model=spec.name, found=found, splits=splits)


def _assemblies(results: Results, condition: Condition) -> list[tuple[ModelSpec, Assemblies]]:
    found = results.of_models(results.assemblies, condition)
    return [(spec, each) for spec, each in found if spec.has_groups]


def layer_sentences(results: Results, condition: Condition) -> Iterator[str]:
    """Whether hidden units and couplings of each model respect each label; none without labels."""
    units = results.units(condition.recording, experiment=condition.experiment.name)
    for name in units.group_by:
        about = {"label": plain_label(name), "labels": several_labels(name)}
        of_label = partial(results.layers, group_by=name)
        for spec, found in results.of_models(of_label, condition):
            if found is not None:
                hidden, contrast = Layering.of(found), found.contrast()
                if hidden or contrast:
                    yield text("layers", model=spec.name, hidden=hidden, contrast=contrast, **about)


def interval_sentences(results: Results, condition: Condition) -> Iterator[str]:
    """How many couplings of the Ising model differ from zero."""
    for spec, found in results.of_models(results.intervals, condition):
        if found is not None:
            yield text("intervals", model=spec.name, found=found)

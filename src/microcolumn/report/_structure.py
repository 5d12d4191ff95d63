"""Hidden units, couplings and weights of models as tables and sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import compress

from ..evaluate import Assemblies
from ..evaluate.assembly import HEADER, LEFT, columns_of
from ..models import ModelSpec
from ..study import Condition, Results
from ._findings import Layering
from ._tables import Table, groups_of
from ._wording import text

#: Columns about layers.
_OF_LAYERS = ("layer", "share (chance)", "p")


def assembly_tables(results: Results, condition: Condition) -> Iterator[Table]:
    """Hidden units of each model that has some, the clearest first; layers where they are known."""
    for spec, found in _assemblies(results, condition):
        if len(found):
            layered = any(row.layer for row in found)
            shown = [layered or name not in _OF_LAYERS for name in HEADER]
            rows = [tuple(compress(columns_of(row), shown)) for row in found.clearest]
            header = tuple(compress(HEADER, shown))
            left = tuple(name for name in LEFT if name in header)
            note = text("notes/assemblies", layered=layered)
            title, groups = f"assemblies, {spec.name}", groups_of(condition, spec.name)
            yield Table(title, header, rows, left, note, sortable=True, groups=groups)


def assembly_sentences(results: Results, condition: Condition) -> Iterator[str]:
    """How many hidden units of split 0 are assemblies, and the signs of couplings beside them."""
    scores = results.comparison(**condition.names).scores
    for spec, found in _assemblies(results, condition):
        splits = scores[spec.name].splits if spec.name in scores else ()
        kinds = Counter(row.verdict for row in found if row.verdict != "assembly")
        others = [f"{n} {name}" for name, n in kinds.items()]
        yield text("hidden_units", model=spec.name, found=found, splits=splits, others=others)


def _assemblies(results: Results, condition: Condition) -> list[tuple[ModelSpec, Assemblies]]:
    found = results.of_models(results.assemblies, condition)
    return [(spec, each) for spec, each in found if spec.has_groups]


def layer_sentences(results: Results, condition: Condition) -> Iterator[str]:
    """Whether hidden units and couplings of each model respect layers; none without layers."""
    for spec, found in results.of_models(results.layers, condition):
        if found is not None:
            hidden, contrast = Layering.of(found), found.contrast()
            if hidden or contrast:
                yield text("layers", model=spec.name, hidden=hidden, contrast=contrast)


def interval_sentences(results: Results, condition: Condition) -> Iterator[str]:
    """How many couplings of the Ising model differ from zero."""
    for spec, found in results.of_models(results.intervals, condition):
        if found is not None:
            yield text("intervals", model=spec.name, found=found)

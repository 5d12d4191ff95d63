"""What each section of the page answers, in its first sentence, and what that rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from ..evaluate import Comparison, PairedDifference
from ..evaluate.significance import LEVEL
from ..models.spec import INDEPENDENT
from ..study import Results
from ._assembly_table import ASSEMBLY, MEANING
from ._tables import longest
from ._units import known_units
from ._wording import text


def section_intro(results: Results, title: str) -> str:
    """The first paragraph of a section; without an answer while its results are not computed."""
    return text("section_intros", title=title, **_FINDINGS[title](results))


def _data(results: Results) -> dict[str, Any]:
    rows = results.recordings
    modelled = [
        (results.index.n_units(each.recording, each.experiment), rows[each.recording]["n_units"])
        for each in longest(results)
    ]
    return {
        "units": [row["n_units"] for row in rows.values()],
        "seconds": [row["duration_s"] for row in rows.values()],
        "modelled": [n for n, _ in modelled],
        "some": any(n < recorded for n, recorded in modelled),
    }


def _comparison(results: Results) -> dict[str, Any]:
    compared = _compared(results)
    best = [each.best for each in compared]
    leads: dict[str, list[PairedDifference]]
    leads = {"that gain": [], "its lead over the next model": []}
    for each in compared:
        ranked = sorted(each.models, key=lambda model: -model.bits_per_second)
        others = INDEPENDENT, *(model.name for model in ranked[1:2])
        for pairs, other in zip(leads.values(), others, strict=False):
            pairs.append(each.pair(ranked[0].name, other))
    counts = Counter(model.name for model in best).most_common()
    gains = [model.bits_per_second for model in best]
    return {"best": best, "gains": gains, "counts": counts, "leads": leads}


def _parameters(results: Results) -> dict[str, Any]:
    both = []
    for each in _compared(results):
        hidden = [model.n_parameters for model in each.models if model.spec.has_groups]
        pairs = [model.n_parameters for model in each.models if model.spec.model == "Ising"]
        both += list(zip(hidden, pairs, strict=False))[:1]
    return {"hidden": [hidden for hidden, _ in both], "pairs": [pairs for _, pairs in both]}


def _assemblies(results: Results) -> dict[str, Any]:
    found = [
        each
        for condition in longest(results)
        for spec, each in results.of_models(results.assemblies, condition)
        if spec.has_groups and each.n_fits > 1 and len(each)
    ]
    counts = {"live": [*map(len, found)], "stable": [len(each.stable) for each in found]}
    return counts | {"meaning": MEANING, "assembly": ASSEMBLY}


def _units(results: Results) -> dict[str, Any]:
    """Of the first experiment of each recording, all units together."""
    first = {each.recording: each for each in reversed(longest(results))}
    rows = [row for condition in first.values() for row in known_units(results, condition)]
    recur = all(condition.experiment.n_splits > 1 for condition in first.values())
    grouped = predicted = None
    if recur and any(row["assemblies_model"] for row in rows):
        grouped = sum(bool(row["assemblies"]) for row in rows)
    if any(row["gain_q_value"] <= 1.0 for row in rows):
        ahead = (row for row in rows if row["gain_bits_per_second"] > 0.0)
        predicted = sum(row["gain_q_value"] <= LEVEL for row in ahead)
    return {"n_units": len(rows), "grouped": grouped, "predicted": predicted}


def _time(results: Results) -> dict[str, Any]:
    steps, ends = [], {}
    for condition in longest(results):
        if max(condition.experiment.windows) > 1:
            found = results.by_window(condition.recording, experiment=condition.experiment.name)
            for models in found.models.values():
                first, last = models[0], models[-1]
                if first and last and not (first.has_spurious_mode or last.has_spurious_mode):
                    steps.append(last.per_neuron - first.per_neuron)
                    ends[found.windows[0], found.windows[-1]] = True
    return {"steps": steps, "ends": list(ends)}


def _prediction(results: Results) -> dict[str, Any]:
    """Of single bins and of windows apart: there a unit's own bits are among those given."""
    gains: dict[str, list[float]] = {"units": [], "bits of words of several bins": []}
    for condition in longest(results):
        found = [each.get("rest") for _, each in results.of_models(results.predictions, condition)]
        known = [each.gain_per_unit for each in found if each is not None]
        given = "units" if condition.window == 1 else "bits of words of several bins"
        gains[given] += [max(known)] if known else []
    return {"gains": {given: values for given, values in gains.items() if values}}


def _fitting(results: Results) -> dict[str, Any]:
    converged = [
        score.fit_converged and score.normaliser_converged
        for condition in results.tested()
        for compared in [results.comparison(**condition.names)]
        for model in (*compared.models, *compared.unranked)
        for score in model.splits
    ]
    return {"converged": converged}


def _compared(results: Results) -> list[Comparison]:
    """Comparisons with a model that can be ranked."""
    found = (results.comparison(**condition.names) for condition in longest(results))
    return [each for each in found if each.models]


#: What is said of each section, by its title.
_FINDINGS: dict[str, Callable[[Results], dict[str, Any]]] = {
    "Data": _data,
    "Comparison": _comparison,
    "Parameters": _parameters,
    "Assemblies and layers": _assemblies,
    "Units": _units,
    "Time": _time,
    "Prediction": _prediction,
    "Fitting": _fitting,
}

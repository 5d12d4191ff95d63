"""What each section of the page answers, in its first sentence, and what that rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from ..evaluate import Comparison, PairedDifference
from ..evaluate._significance import FEWEST_SPLITS, LEVEL, p_text
from ..formatting import counted, duration, number
from ..models._spec import INDEPENDENT
from ..study import Results
from ..wording import worded
from ._assembly_table import ASSEMBLY, MEANING, are_assemblies
from ._tables import longest, of_models
from ._units import known_units


def lead(results: Results, title: str) -> str:
    """The first paragraph of a section; without an answer while its results are not computed."""
    answer = _ANSWERS[title](results) if title in _ANSWERS else ""
    about = {"meaning": MEANING, "assembly": ASSEMBLY}
    return worded("report", "leads", title=title, answer=answer, **about)


def _data(results: Results) -> str:
    rows = list(results.recordings.values())
    if not rows:
        return ""
    units = _span([row["n_units"] for row in rows], "{:,}".format)
    lasting = _span([row["duration_s"] for row in rows], duration)
    read = f"{counted(len(rows), 'recording')} of {units} units and {lasting}"
    modelled = [
        (results.index.n_units(each.recording, each.experiment), each.recording)
        for each in longest(results)
    ]
    if any(n < results.recordings[name]["n_units"] for n, name in modelled):
        return f"{read}; models are of {_span([n for n, _ in modelled], '{:,}'.format)} units."
    return f"{read} {_are(len(rows))} modelled here."


def _comparison(results: Results) -> str:
    compared = _compared(results)
    if not compared:
        return ""
    gain = _span([each.best.bits_per_second for each in compared], number)
    above = f"{gain} bits/s above independent units{_open_leads(compared)}"
    (name, n), *others = Counter(each.best.name for each in compared).most_common()
    if not others:
        on = f" in all {len(compared)} comparisons" if len(compared) > 1 else ""
        return f"{name} scores best{on}, {above}."
    also = ", ".join(f"{other} in {m}" for other, m in others)
    best = f"{name} scores best in {n} of {len(compared)} comparisons ({also})"
    return f"{best}; the best is {above}."


def _open_leads(compared: Sequence[Comparison]) -> str:
    """Where it is not sure that the best model is above independent units, or the next model."""
    pairs: dict[str, list[PairedDifference]]
    pairs = {"that gain": [], "its lead over the next model": []}
    for each in compared:
        ranked = sorted(each.models, key=lambda model: -model.bits_per_second)
        others = INDEPENDENT, *(model.name for model in ranked[1:2])
        for found, other in zip(pairs.values(), others, strict=False):
            found.append(each.pair(ranked[0].name, other))
    told = ""
    for what, found in pairs.items():
        if n := sum(not pair.differs for pair in found):
            sure = p_text(found[0].p_holm) if found[0].n_splits >= FEWEST_SPLITS else "few splits"
            of = f"in {n} of {len(compared)}" if len(compared) > 1 else f"({sure})"
            told += f"; {what} is not sure {of}"
    return told


def _parameters(results: Results) -> str:
    both = []
    for each in _compared(results):
        hidden = [model for model in each.models if model.spec.has_groups]
        pairs = [model for model in each.models if model.spec.model == "Ising"]
        if hidden and pairs:
            both.append((hidden[0].n_parameters, pairs[0].n_parameters))
    if not both:
        return ""
    hidden_text, pairs_text = (_span(column, "{:.0f}".format) for column in zip(*both, strict=True))
    return (
        f"The best model with hidden units has {hidden_text} parameters that are not zero, the "
        f"best Ising model {pairs_text}."
    )


def _assemblies(results: Results) -> str:
    found = [
        each
        for condition in longest(results)
        for spec, each in of_models(results.assemblies, results, condition)
        if spec.has_groups and each.n_fits > 1 and len(each)
    ]
    if not found:
        return ""
    live, stable = sum(map(len, found)), sum(len(each.stable) for each in found)
    of = "of all models" if len(found) > 1 else "of the model"
    once = "; a group that several models find counts in each" if len(found) > 1 else ""
    those = f"the {counted(live, 'live hidden unit')} {of}"
    return f"{are_assemblies(stable, those)}{once}."


def _units(results: Results) -> str:
    """Of the first experiment of each recording, all units together."""
    first = {each.recording: each for each in reversed(longest(results))}
    rows = [row for condition in first.values() for row in known_units(results, condition)]
    clauses = []
    recur = all(condition.experiment.n_splits > 1 for condition in first.values())
    if recur and any(row["assemblies_model"] for row in rows):
        n = sum(bool(row["assemblies"]) for row in rows)
        clauses.append(f"{n} {_are(n)} in an assembly of the best model with hidden units")
    if any(row["gain_q_value"] <= 1.0 for row in rows):
        n = sum(row["gain_q_value"] <= LEVEL and row["gain_bits_per_second"] > 0.0 for row in rows)
        clauses.append(f"{n} {_are(n)} predicted, beyond chance, better than by their rate")
    return f"Of {counted(len(rows), 'unit')}, {' and '.join(clauses)}." if clauses else ""


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _time(results: Results) -> str:
    steps = []
    for condition in longest(results):
        if max(condition.experiment.windows) > 1:
            found = results.by_window(condition.recording, experiment=condition.experiment.name)
            for models in found.models.values():
                ends = models[0], models[-1]
                if all(each is not None and not each.has_false_mode for each in ends):
                    first, last = (each.per_neuron for each in ends if each is not None)
                    steps.append((last - first, found.windows))
    if not steps:
        return ""
    windows = {(each[0], each[-1]) for _, each in steps}
    longer = " or ".join(f"{last} instead of {counted(first, 'bin')}" for first, last in windows)
    gain = _span([step for step, _ in steps], lambda value: number(value, 2))
    by = f"raise scores by {gain}" if min(steps)[0] > 0.0 else f"change scores by {gain}"
    return f"Words of {longer} {by} bits/s per unit, depending on the model."


def _prediction(results: Results) -> str:
    """Of single bins and of windows apart: there a unit's own bits are among those given."""
    best: dict[str, list[float]] = {"units": [], "bits of words of several bins": []}
    for condition in longest(results):
        found = [each.get("rest") for _, each in of_models(results.predictions, results, condition)]
        known = [each.gain_per_unit for each in found if each is not None]
        given = "units" if condition.window == 1 else "bits of words of several bins"
        best[given] += [max(known)] if known else []
    gains = [
        f"{_span(values, lambda value: number(value, 2))} bits/s per unit given all other {given}"
        for given, values in best.items()
        if values
    ]
    if not gains:
        return ""
    return f"The model that predicts best gains {' and '.join(gains)}, over firing rates."


def _fitting(results: Results) -> str:
    scores = [
        score
        for condition in results.tested()
        for compared in [results.comparison(**condition.names)]
        for model in (*compared.models, *compared.unranked)
        for score in model.splits
    ]
    if not scores:
        return ""
    sure = sum(score.fit_converged and score.normaliser_converged for score in scores)
    if sure == len(scores):
        return f"All {len(scores)} fits behind the scores have converged, and so has their log Z."
    return f"{sure} of {len(scores)} fits behind the scores have converged, log Z included."


def _compared(results: Results) -> list[Comparison]:
    """Comparisons with a model that can be ranked."""
    found = (results.comparison(**condition.names) for condition in longest(results))
    return [each for each in found if each.models]


def _span(values: Iterable[float], text: Callable[[float], str]) -> str:
    """The smallest and the largest value, or the only one: "23 to 36"."""
    listed = list(values)
    return " to ".join(dict.fromkeys((text(min(listed)), text(max(listed)))))


_ANSWERS: dict[str, Callable[[Results], str]] = {
    "Data": _data,
    "Comparison": _comparison,
    "Parameters": _parameters,
    "Assemblies and layers": _assemblies,
    "Units": _units,
    "Time": _time,
    "Prediction": _prediction,
    "Fitting": _fitting,
}

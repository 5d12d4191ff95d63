"""Tables of a study: the report and the page show the same ones, with the same digits."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ..evaluate import Comparison, ModelScore, Pooled, pool_contrasts
from ..evaluate.significance import p_text
from ..figures.conditions import by_likelihood
from ..formatting import duration, number, scientific
from ..partition.result import spurious_mode_text
from ..study import Condition, Experiment, NotComputedError, Results
from ..wording import worded


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[Sequence[str]]  # as many cells each as the header has
    left: tuple[str, ...] = ("model",)  # columns of words; the others are aligned to the right
    note: str = ""  # what a reader must know to read it
    sortable: bool = False  # whether a reader may want the rows in another order
    about: str = ""  # which results it shows
    groups: str = ""  # the model whose hidden units it names; see :func:`groups_of`
    kind: str = "table"


def longest(results: Results) -> list[Condition]:
    """The longest words tested so far of each experiment on each recording.

    First the one of each recording that its answer rests on: the first experiment, or that of the
    same words by likelihood (:func:`~microcolumn.figures.conditions.by_likelihood`).
    """
    tested = {(each.recording, each.experiment.name): each for each in results.tested()}
    leading: dict[str, Condition] = {}
    for each in tested.values():
        leading.setdefault(each.recording, by_likelihood(results, each))
    return list(dict.fromkeys([*leading.values(), *tested.values()]))


def pooled(results: Results) -> dict[str, Pooled]:
    """The planned contrasts over recordings, of the condition that the answer of each rests on."""
    conditions = longest(results)
    first = conditions[: len({each.recording for each in conditions})]
    return pool_contrasts(results.comparison(**each.names) for each in first)


def condition_text(condition: Condition, *, with_experiment: bool) -> str:
    """``"B4, likelihood, T = 3"``, without the last part where words have one bin."""
    experiment = f", {condition.experiment.name}" if with_experiment else ""
    window = f", T = {condition.window}" if max(condition.experiment.windows) > 1 else ""
    return f"{condition.recording}{experiment}{window}"


def groups_of(condition: Condition, model: str) -> str:
    """What the page calls the hidden units of a model, to find those of a table in the raster."""
    return f"{condition_text(condition, with_experiment=True)}, {model}"


def models(compared: Comparison) -> Table:
    """Scores and sizes of all models, best first, those with a spurious mode last."""
    scores = ("model", "bits/s", "±", "per unit", "per spike", "Dirichlet gain")
    sizes = ("chosen", "parameters", "couplings", "hidden in use")
    log_z = {"exact": "exact", "ais": "AIS", "chains": "chains"}
    rows = [
        (
            model.name,
            *_score(model),
            _chosen(model),
            f"{model.n_parameters:.0f}",
            f"{model.n_couplings:.0f}" if model.n_couplings else "-",
            f"{model.n_live_hidden:.1f} of {model.n_hidden:.3g}" if model.n_hidden else "-",
            ", ".join(dict.fromkeys(log_z[score.normaliser] for score in model.splits)),
            "yes" if model.converged else "no",
        )
        for model in (*compared.models, *compared.unranked)
    ]
    return Table(
        "scores on test parts",
        (*scores, *sizes, "log Z", "converged"),
        rows,
        left=("model", "chosen", "log Z"),
        sortable=True,
        note=worded("report", "notes/models"),
    )


def predictions(results: Results, condition: Condition) -> Table | None:
    """How well single units are predicted; None if that is not computed."""
    rows = []
    for spec, found in results.of_models(results.predictions, condition):
        for given, result in found.items():
            unit = max(result.units, key=lambda unit: unit.gain_bits_per_second)
            gain = number(unit.gain_bits_per_second, 3)
            best = f"{gain} (unit {unit.unit}, {unit.rate_hz:.1f} Hz)"
            means = number(result.gain_per_unit, 3), number(result.roc_area, 3)
            error = f"{result.calibration_error:.4f}"
            rows.append((spec.name, given, means[0], best, means[1], error))
    table = Table(
        "predicted spikes of single units",
        ("model", "given", "bits/s per unit", "best unit", "ROC area", "calibration error"),
        rows,
        left=("model", "given", "best unit"),
        sortable=True,
        note=worded("report", "notes/predictions"),
    )
    return table if rows else None


def p_cell(p_value: float) -> str:
    """A p-value in a column that is called p."""
    return p_text(p_value).removeprefix("p ").removeprefix("= ")


def _score(model: ModelScore) -> tuple[str, ...]:
    """Bits/s, its error, per unit, per spike, Dirichlet gain; or a spurious mode instead."""
    if model.has_spurious_mode:
        return spurious_mode_text(model.spurious_mass), "-", "-", "-", "-"
    shares = number(model.per_neuron, 3), number(model.bits_per_spike, 3)
    gain = "-" if math.isnan(model.dirichlet_gain) else f"{model.dirichlet_gain:+z.2f}"
    return number(model.bits_per_second), number(model.stderr), *shares, gain


def _chosen(model: ModelScore) -> str:
    """Penalties or sizes chosen: ``λ 1e-3 ×8; λ 2e-3 ×2``; both ends where all differ."""
    by_size = sorted(model.splits, key=lambda score: score.n_parameters)
    chosen = [score.size for score in by_size if score.size]
    by_l1 = sorted(model.splits, key=lambda score: (score.n_hidden, score.l1))
    penalised = [score for score in by_l1 if not math.isnan(score.l1)]
    chosen = chosen or [f"{model.hidden_text(s)}λ {scientific(s.l1)}" for s in penalised]
    counts = Counter(chosen)
    if 1 < len(counts) == len(chosen):
        return f"{chosen[0]} to {chosen[-1]}"
    times = "\N{MULTIPLICATION SIGN}"
    return "; ".join(f"{text} {times}{n}" if n > 1 else text for text, n in counts.items()) or "-"


def recordings(results: Results) -> Table:
    """What was modelled of each recording: units, rates, bins and distinct words."""
    header = ("recording", "experiment", "recorded", "units", "rate, Hz (range)", "bin, ms")
    taken = [
        (name, experiment)
        for name in results.recordings
        for experiment in results.plan.experiments
        if not experiment.recordings or name in experiment.recordings
    ]
    tables = (
        results.if_computed(results.units, None, recording=n, experiment=e.name) for n, e in taken
    )
    labels = {units.label_name for units in tables if units is not None}
    by_label = f"units by {(*labels, 'layer')[0] if len(labels) < 2 else 'label'}"
    return Table(
        "what was modelled",
        (*header, "bins", "distinct patterns", "several spikes", by_label),
        [(name, each.name, *_taken(results, name, each)) for name, each in taken],
        left=("recording", "experiment", by_label),
        note=worded("report", "notes/recordings"),
    )


def _taken(results: Results, name: str, experiment: Experiment) -> tuple[str, ...]:
    """Cells about what an experiment took; dashes where that is not computed yet."""
    row = results.recordings[name]
    recorded, width = duration(row["duration_s"]), f"{1e3 * experiment.bin_width:g}"
    try:
        shown = results.data(name, experiment=experiment.name)
        words = results.all_words(name, experiment=experiment.name)
    except NotComputedError:
        return (recorded, "-", "-", width, "-", "-", "-", "-")
    rates, layers = shown.rates_hz, Counter(filter(None, shown.units.label() or ()))
    n_bins = row["survey"][repr(experiment.bin_width)]["n_bins"]
    active = float(words.rates.mean())  # share of the bits that are 1
    return (
        recorded,
        _part(words.n_units, row["n_units"]),
        f"{rates.mean():.2f} ({rates.min():.2f} to {rates.max():.2f})",
        width,
        _part(words.n_bins, n_bins),
        f"{len(words):,}",
        f"{shown.multiple_fraction / active:.1%}" if active else "-",
        ", ".join(f"{layer}: {count}" for layer, count in layers.items()) or "-",
    )


def _part(some: int, every: int) -> str:
    return f"{some:,}" if some == every else f"{some:,} of {every:,}"

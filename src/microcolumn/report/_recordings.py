"""The table of recordings: what each experiment took of them."""

from __future__ import annotations

from collections import Counter

from ..formatting import duration
from ..study import Experiment, NotComputedError, Results
from ._tables import Table


def recordings(results: Results) -> Table:
    """What was modelled of each recording: units, rates, bins and distinct words."""
    header = ("recording", "experiment", "recorded", "units", "rate, Hz (range)", "bin, ms")
    rows = [
        (results.label(name), experiment.name, *_taken(results, name, experiment))
        for name in results.recordings
        for experiment in results.plan.experiments
        if not experiment.recordings or name in experiment.recordings
    ]
    return Table(
        "what was modelled",
        (*header, "bins", "distinct words", "several spikes", "units by layer"),
        rows,
        left=("recording", "experiment", "units by layer"),
        note="units and bins: those that the models saw, of those recorded; all other columns but "
        "the third are about these alone; distinct words: of single bins; several spikes: share "
        "of unit-bins with more than one spike; these count as one",
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
    rates, layers = shown.rates_hz, Counter(filter(None, shown.units.layer or ()))
    n_bins = row["survey"][repr(experiment.bin_width)]["n_bins"]
    return (
        recorded,
        _part(words.n_units, row["n_units"]),
        f"{rates.mean():.2f} ({rates.min():.2f} to {rates.max():.2f})",
        width,
        _part(words.n_bins, n_bins),
        f"{len(words):,}",
        f"{shown.multiple_fraction:.2%}",
        ", ".join(f"{layer}: {count}" for layer, count in layers.items()) or "-",
    )


def _part(some: int, every: int) -> str:
    return f"{some:,}" if some == every else f"{some:,} of {every:,}"

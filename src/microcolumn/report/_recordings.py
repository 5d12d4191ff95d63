"""The table of recordings: what each experiment took of them."""

from __future__ import annotations

from collections import Counter

from ..formatting import duration
from ..study import Experiment, NotComputedError, Results
from ..wording import worded
from ..words import Words
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
    rates, layers = shown.rates_hz, Counter(filter(None, shown.units.layer or ()))
    n_bins = row["survey"][repr(experiment.bin_width)]["n_bins"]
    return (
        recorded,
        _part(words.n_units, row["n_units"]),
        f"{rates.mean():.2f} ({rates.min():.2f} to {rates.max():.2f})",
        width,
        _part(words.n_bins, n_bins),
        f"{len(words):,}",
        _several_spikes(shown.multiple_fraction, words),
        ", ".join(f"{layer}: {count}" for layer, count in layers.items()) or "-",
    )


def _several_spikes(share_of_all: float, words: Words) -> str:
    """Share of the bits that are 1 with more than one spike, from the share of all bits."""
    share_of_ones = float(words.rates.mean())
    return f"{share_of_all / share_of_ones:.1%}" if share_of_ones else "-"


def _part(some: int, every: int) -> str:
    return f"{some:,}" if some == every else f"{some:,} of {every:,}"

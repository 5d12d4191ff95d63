"""What figures show in addition to scores: the data, patterns and synchrony, and annealing.

All of it is computed by jobs and stored, so that figures and page need the store alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from ..evaluate import PatternStatistics, Synchrony
from ..models import ModelSpec, PopulationModel
from ..partition import LogPartition, annealing_convergence
from ..partition.convergence import DOUBLINGS, Convergence
from ..recording import Recording
from ..survey import BinWidth, suggest_bin_width
from ..survey.stretch import busiest_stretch
from ..units import Units
from ..validation import Floats
from ..words import Words

#: Name of the observed words among models.
DATA = "data"
#: Chains of annealing, and single bits resampled in all runs together: a few seconds.
_N_CHAINS, _MOST_UPDATES = 500, 3e8


@dataclass(frozen=True, slots=True, eq=False)
class DataResult:
    """The data that the models of an experiment saw, by :class:`Results`.

    ``start_s`` to ``stop_s`` is the stretch with the most spikes. ``suggestion`` is the bin width
    that the cross-correlograms of these units over the whole recording suggest, with the pooled
    correlogram.
    """

    units: Units  # those of the words
    rates_hz: Floats  # their spikes per second, shape (n_units,)
    n_recorded: int  # units of the recording, of which these are some or all
    n_bins: int
    bin_width: float  # seconds
    start_s: float
    stop_s: float
    epochs: Floats  # starts and stops of what was recorded, seconds, shape (n_epochs, 2)
    multiple_fraction: float  # share of the unit-bins with more than one spike
    suggestion: BinWidth


@dataclass(frozen=True, slots=True, eq=False)
class PatternsResult:
    """Test words of one split, as observed and as the models expect them, by :class:`Results`.

    All mappings are by name of the model: ``statistics`` have independent units (``"Independent"``)
    first, ``synchrony`` has the observed words (``"data"``) before those.
    """

    split: int
    l1: Mapping[str, float]  # the chosen strengths
    statistics: Mapping[str, PatternStatistics]
    synchrony: Mapping[str, Synchrony]


@dataclass(frozen=True, slots=True, eq=False)
class AnnealingResult:
    """How annealed importance sampling of one fit approaches log Z as its steps are doubled."""

    model: ModelSpec
    split: int  # whose training part the fit saw
    l1: float  # the strength chosen
    log_z: LogPartition  # the normaliser that the study uses
    convergence: Convergence  # the runs


def describe(recording: Recording, words: Words, *, cut: bool) -> DataResult:
    """The data that words are about, whose number is limited if ``cut``."""
    chosen = set(words.units.ids)
    taken = recording.take([n for n, name in enumerate(recording.units.ids) if name in chosen])
    used = taken
    if cut:
        first, last = words.epoch_starts, np.append(words.epoch_starts[1:], words.n_bins) - 1
        edges = [words.clock.times_s(words.bins[each], words.bin_width) for each in (first, last)]
        used = used.restrict(np.stack([edges[0], edges[1] + words.bin_width], axis=1))
    start_s, stop_s = busiest_stretch(used)
    return DataResult(
        units=words.units,
        rates_hz=used.rates_hz,
        n_recorded=recording.n_units,
        n_bins=words.n_bins,
        bin_width=words.bin_width,
        start_s=start_s,
        stop_s=stop_s,
        epochs=np.array(list(used.epochs)),
        multiple_fraction=used.binning(words.bin_width).multiple_fraction,
        suggestion=suggest_bin_width(taken),
    )


def anneal(model: PopulationModel) -> Convergence:
    """Annealing of a fit with doubled numbers of steps, as many as take a few seconds."""
    log_z = model.log_partition()
    n_bits = model.n_features_in_
    n_kept = sum(total * _N_CHAINS * n_bits <= _MOST_UPDATES for total in accumulate(DOUBLINGS))
    return annealing_convergence(
        model.parameters_,
        steps=DOUBLINGS[: max(1, n_kept)],
        n_chains=_N_CHAINS,
        rates=getattr(model, "rates_", None),
        exact=log_z.value if log_z.method == "exact" else None,
    )

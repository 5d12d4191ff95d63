"""What is in a recording, for a person to read and for a program to parse."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..binning import Binning
from ..formatting import counted, milliseconds, number, text_table
from ..notebook import AsText, units_by_group
from ..recording import Recording
from ..units import DEPTH_REFERENCES, TEXT_COLUMNS, several_probes
from ..validation import expect
from .bin_width import BinWidth, suggest_bin_width
from .suspects import Suspect, late_start, suspect_units, suspicions

#: Lines of a table and units that get one each, at most; the dictionary always has all of them.
_LINES = 40
#: Suspects of a kind up to this many get a line each.
_ALIKE = 3
#: Columns of text beside those of a table of units.
_NAMES = ("label", "epochs", "--epochs", "")
#: Seconds and Hz: where all units of a longer recording fire more rarely, its times are doubtful.
_HOUR, _RARE = 3600.0, 0.05


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Summary(AsText):
    """Units, epochs, suggested bin width, words at that width, and warnings of a recording.

    Printed, it is a page for a person; :meth:`as_dict` holds the same for a program.

    Attributes
    ----------
    recording : Recording
        What is summarised.
    bin_width : BinWidth
        The suggestion and what it rests on.
    binning : Binning or None
        Words at the suggested width, and where each spike went; None where no bin fits.
    suspects : tuple of Suspect
        Units to look at before they are trusted.
    """

    recording: Recording
    bin_width: BinWidth
    binning: Binning | None
    suspects: tuple[Suspect, ...]

    @property
    def warnings(self) -> list[str]:
        """What to look at before going on, one sentence each."""
        sentences = [suspect.sentence for suspect in self.suspects]
        if self.binning is None:
            sentences.append("no epoch is long enough for a bin of the suggested width")
        if self.recording.duration_s > _HOUR and self.recording.rates_hz.max() < _RARE:
            problem = f"no unit reaches {_RARE:g} Hz"
            sentences.append(f"{problem}; check that spike times and epochs are in seconds")
        sentences += late_start(self.recording)
        if spans := several_probes(self.recording.units.probe):
            sentences.append(spans)
        if self.recording.units.depth_reference == "unstated":
            remedy = "state --depth-reference before layers are given by depth"
            sentences.append(f"depths have no stated zero and direction; {remedy}")
        return sentences

    def as_dict(self) -> dict[str, Any]:
        """Everything as numbers, text, lists and dictionaries, fit for JSON."""
        recording, units, epochs = self.recording, self.recording.units, self.recording.epochs
        rates, sizes = recording.rates_hz, recording.spike_counts
        depths = np.full(recording.n_units, np.nan) if units.depth_um is None else units.depth_um
        return {
            "source": recording.source,
            "simulated": recording.simulated,
            "n_units": recording.n_units,
            "n_spikes": recording.n_spikes,
            "n_spikes_in_epochs": int(sizes.sum()),
            "duration_s": recording.duration_s,
            "depth_reference": units.depth_reference,
            "units": [
                {"layer": None, "quality": None}
                | row
                | {"depth_um": None if np.isnan(depth) else depth}
                | {"n_spikes_in_epochs": n_spikes, "rate_hz": rate}
                for row, depth, n_spikes, rate in zip(
                    units.to_rows(), depths.tolist(), sizes.tolist(), rates.tolist(), strict=True
                )
            ],
            "epochs": [row | {"label": row.get("label")} for row in epochs.to_rows()],
            "intervals": [
                {"name": name, "n_intervals": len(each), "duration_s": each.duration_s}
                for name, each in recording.intervals.items()
            ],
            "suggested_bin_width_s": self.bin_width.width_s,
            "bin_width_reason": self.bin_width.reason,
            "binning": None if self.binning is None else _account(self.binning),
            "warnings": self.warnings,
            "notes": list(recording.notes),
        }

    def __str__(self) -> str:
        recording, units = self.recording, self.recording.units
        unsaid = recording.simulated and "simulated" not in recording.source
        head = f"{recording.source}{' (simulated)' * unsaid}\n" + (
            f"{counted(recording.n_units, 'unit')}, "
            f"{counted(int(recording.spike_counts.sum()), 'spike')} in "
            f"{recording.duration_s:,.3f} s of {counted(len(recording.epochs), 'epoch')}"
        )
        if units.multiunit.any():
            head += f"\nmultiunits: {units.multiunit.sum()}"
        if units.depth_reference is not None:
            head += f"\ndepth: {DEPTH_REFERENCES[units.depth_reference]}"
        parts = [head, _table(units_by_group(units, "rate, Hz", recording.rates_hz))]
        parts += [_unit_lines(recording), _epoch_lines(recording)]
        parts.append(
            f"bin width: {milliseconds(self.bin_width.width_s)} suggested\n"
            f"  {self.bin_width.reason}" + (f"\n  {self.binning}" if self.binning else "")
        )
        others = self.warnings[len(self.suspects) :]
        parts.append(_listed("warnings", [*suspicions(self.suspects, _ALIKE), *others]))
        parts.append(_listed("notes", recording.notes))
        return "\n\n".join(part for part in parts if part)


def summarise(
    recording: Recording, *, step: Callable[[str], AbstractContextManager[object]] = nullcontext
) -> Summary:
    """Survey a recording: suggest a bin width, bin at it, and look for suspect units.

    Each is done within ``step(what it is)``, which may tell that it takes long.

    Examples
    --------
    >>> summarise(mc.simulate.microcolumn(n_units=6, minutes=1)).suspects
    ()
    """
    expect("recording", recording, Recording, "a Recording, as read returns it")
    spikes = f"{counted(recording.n_spikes, 'spike')} of {counted(recording.n_units, 'unit')}"
    with step(f"suggesting a bin width for {spikes}"):
        suggestion = suggest_bin_width(recording)
    longest = float((recording.epochs.stops - recording.epochs.starts).max(initial=0.0))
    with step(f"binning {spikes}"):
        fits = longest >= suggestion.width_s
        binning = recording.binning(suggestion.width_s) if fits else None
    with step(f"looking for suspects among {counted(recording.n_units, 'unit')}"):
        return Summary(recording, suggestion, binning, suspect_units(recording))


def _account(binning: Binning) -> dict[str, Any]:
    words = {"n_bins": binning.words.n_bins, "n_distinct_words": len(binning.words)}
    return words | {each.name: getattr(binning, each.name) for each in fields(binning)[1:]}


def _unit_lines(recording: Recording) -> str:
    """A line for each unit, or how many each probe has where units are many."""
    units = recording.units
    if recording.n_units > _LINES:
        counts = Counter(label or "unknown" for label in units.probe or ())
        return _table({"probe": list(counts), "units": list(map(str, counts.values()))})
    flags = ["yes" * flag for flag in units.multiunit.tolist()]
    spikes = [f"{n:,}" for n in recording.spike_counts.tolist()]
    return _table(
        units.columns
        | {"multiunit": flags, "spikes": spikes, "Hz": list(map(number, recording.rates_hz))}
    )


def _epoch_lines(recording: Recording) -> str:
    """The epochs, and the tables of intervals that ``--epochs`` takes by name."""
    epochs, intervals = recording.epochs, recording.intervals
    stretches = [f"{start:.3f} to {stop:.3f} s" for start, stop in epochs]
    names = {"label": epochs.labels or [""] * len(epochs), "epochs": stretches}
    tables = {
        "--epochs": list(intervals),
        "intervals": [f"{len(each):,}" for each in intervals.values()],
        "time": [f"{each.duration_s:,.3f} s" for each in intervals.values()],
    }
    return "\n\n".join(filter(None, (_table(names), _table(tables))))


def _listed(title: str, sentences: Iterable[str]) -> str:
    return "\n".join([f"{title}:", *(f"  - {s}" for s in sentences)]) if sentences else ""


def _table(columns: Mapping[str, Sequence[str]]) -> str:
    """A table of columns by name without the empty ones; of many rows the first are shown."""
    known = {name: cells for name, cells in columns.items() if any(cells)}
    rows = [[cell or "-" for cell in row] for row in zip(*known.values(), strict=True)]
    more = [f"and {len(rows) - _LINES} more"] * (len(rows) > _LINES)
    table = text_table(list(known), rows[:_LINES], left=(*TEXT_COLUMNS, *_NAMES)) if rows else ""
    return "\n".join([table, *more])

"""Source: where a recording of a study comes from; its fingerprint; the words of an experiment."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import io, simulate
from ..errors import BadArgument, BadInput, BadType, within
from ..recording import Recording, most_active
from ..validation import expect, positive_number, whole_number
from ..words import Words
from ._experiment import Experiment, checked_name, did_you_mean

#: What an entry of a plan may have in addition to the options of reading.
_KEYS = ("preset", "seed", "minutes", "file", "animal", "select", "in_memory")
#: Most blocks of bins that stand for a whole recording, and bins that a block has at least.
_MOST_BLOCKS, _SHORTEST_BLOCK = 20, 500


@dataclass(frozen=True, slots=True)
class Source:
    """A recording of a study: a simulated preset, a file, or one in memory.

    Attributes
    ----------
    name : str
        What the recording is called in results.
    preset : {"B4", "T6", "B4MU"}, optional
        Simulate one of :data:`microcolumn.simulate.PRESETS`.
    seed : int
        Of the preset.
    minutes : float, optional
        Length of the preset's recording; by default its own.
    file : str, optional
        Path for :func:`microcolumn.read`.
    read : mapping
        Options of :func:`microcolumn.read`, in the types of JSON.
    select : mapping
        Options of :meth:`Recording.select <microcolumn.Recording.select>`.
    animal : str
        That was recorded; by default the one that the file names. Several recordings of an animal
        count as one where contrasts are pooled (:func:`microcolumn.evaluate.pool`).
    recording : Recording, optional
        The recording itself, for notebooks.
    in_memory : str, optional
        Fingerprint of ``recording``. It alone is written to a study, so that a study that is
        opened again knows which recording it was made with.

    Examples
    --------
    >>> Source("short", preset="B4", minutes=5).as_dict()
    {'preset': 'B4', 'seed': 0, 'minutes': 5.0}
    """

    name: str
    preset: str | None = None
    seed: int = 0
    minutes: float | None = None
    file: str | None = None
    read: Mapping[str, Any] = field(default_factory=dict, hash=False)
    select: Mapping[str, Any] = field(default_factory=dict, hash=False)
    animal: str = ""
    recording: Recording | None = field(default=None, repr=False, compare=False)
    in_memory: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", checked_name("name", self.name))
        with within(f"recording {self.name}"):
            if self.animal != "":
                checked_name("animal", self.animal)
            self._check_options()  # first, since a misspelt preset or file looks like an option
            self._check_origin()
            self._check_preset()

    def _check_origin(self) -> None:
        if self.recording is not None:
            expect("recording", self.recording, Recording, "a Recording")
            object.__setattr__(self, "in_memory", fingerprint(self.recording))
        elif not isinstance(self.in_memory, str | None):
            raise BadType("in_memory", f"is {self.in_memory!r}", "give a preset or a file instead")
        given = [key for key in ("preset", "file", "in_memory") if getattr(self, key) is not None]
        if len(given) != 1:
            what = "neither preset nor file" if not given else " and ".join(given)
            raise BadInput(f"it has {what}", "give it one of preset and file")
        if self.file is not None:
            if not isinstance(self.file, str | Path):
                raise BadType("file", f"is {self.file!r}", "give a path")
            if not str(self.file).strip():
                raise BadArgument("file", "is empty", "give a path")
            object.__setattr__(self, "file", str(self.file))
        elif self.read:
            raise BadInput(f"{next(iter(self.read))!r} is for files", "leave it out")

    def _check_options(self) -> None:
        select_options = tuple(inspect.signature(Recording.select).parameters)[1:]
        for key, known in (("read", io.option_names()), ("select", select_options)):
            options = getattr(self, key)
            expect(key, options, Mapping, "a table of options")
            options = {str(k): _plain(f"{k!r} of {key}", value) for k, value in options.items()}
            # A misspelt key of the recording itself ends up among the options of reading.
            what, words = (key, ()) if key == "select" else ("a recording", _KEYS[:-1])
            for option in options:
                if option not in known:
                    remedy = did_you_mean(option, (*words, *known))
                    raise BadInput(f"{option!r} is no option of {what}", remedy)
            object.__setattr__(self, key, options)

    def _check_preset(self) -> None:
        seed = whole_number("seed", self.seed, least=0)
        object.__setattr__(self, "seed", seed)
        if self.preset is None:
            if seed or self.minutes is not None:
                raise BadInput("seed and minutes are for presets", "leave them out")
            return
        if not (isinstance(self.preset, str) and self.preset in simulate.PRESETS):
            remedy = did_you_mean(str(self.preset), simulate.PRESETS)
            raise BadArgument("preset", f"is {self.preset!r}", remedy)
        if self.minutes is not None:
            minutes = positive_number("minutes", self.minutes, "give a positive number")
            object.__setattr__(self, "minutes", minutes)

    @classmethod
    def from_dict(cls, name: str, entry: Any, folder: Path | None = None) -> Source:
        """The source that :meth:`as_dict` described; paths are relative to ``folder``."""
        expect(f"recording {name}", entry, Mapping, "a table with preset or file")
        own = {key: entry[key] for key in _KEYS if key in entry}
        read = {key: value for key, value in entry.items() if key not in _KEYS}
        file = own.get("file")
        if folder is not None and isinstance(file, str) and file and not io.is_url(file):
            given = folder / file
            # The last part may be a link to a blob, whose name says nothing in a report.
            own["file"] = str(given.parent.resolve() / given.name)
        if folder is not None and isinstance(read.get("layers"), str):
            # Layers may also be boundaries or a column's name.
            table = folder / read["layers"]
            if os.path.isfile(table):
                read["layers"] = str(table.resolve())
        return cls(name, read=read, **own)

    def as_dict(self) -> dict[str, Any]:
        """What is known of the source in the types of JSON, without its name."""
        if self.preset is not None:
            length = {} if self.minutes is None else {"minutes": self.minutes}
            entry = {"preset": self.preset, "seed": self.seed, **length}
        elif self.file is not None:
            entry = {"file": self.file, **self.read}
        else:
            entry = {"in_memory": self.in_memory}
        more = {"animal": self.animal, "select": dict(self.select)}
        return entry | {name: value for name, value in more.items() if value}

    def load(self) -> Recording:
        """The recording, read or simulated, with the selected units."""
        try:
            with within(f"recording {self.name}"):
                recording = self._read()
                return recording.select(**self.select) if self.select else recording
        except (ImportError, OSError) as error:
            raise type(error)(f"recording {self.name}: {error}") from None

    def _read(self) -> Recording:
        if self.preset is not None:
            return _simulated(self.preset, self.seed, self.minutes)
        if self.file is not None:
            return io.read(self.file, **self.read)
        if self.recording is None:
            raise BadInput("it was in memory and is not stored in a study", "pass it again")
        return self.recording


#: Who says what is simulated before a study runs does not simulate it twice.
_simulated = lru_cache(len(simulate.PRESETS))(simulate.preset)


def fingerprint(recording: Recording) -> str:
    """SHA-256 of what a study uses of a recording, in hexadecimal.

    That is spike times, the units' names, layers, depths and the labels that they are grouped by,
    and epochs, but not path, format or notes: the same recording has the same fingerprint in every
    format and on every machine.
    """
    units, epochs = recording.units, recording.epochs
    depths = np.empty(0) if units.depth_um is None else units.depth_um
    chosen = {name: units.label(name) for name in units.group_by if name != "layer"}
    labels = [chosen] if chosen else []  # without any, the fingerprint is that of older studies
    table = json.dumps([units.ids, units.layer, units.depth_reference, *labels])
    parts = [table.encode("ascii"), recording.offsets.astype("<i8").tobytes()]
    for numbers in (recording.spike_times, depths, epochs.starts, epochs.stops):
        # One zero and one NaN, of which floating point has several.
        single = np.where(np.isnan(numbers), np.nan, numbers + 0.0)
        parts.append(single.astype("<f8").tobytes())
    digest = hashlib.sha256()
    for part in parts:
        # Lengths go in as well, so that nothing can move from one part into the next.
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def check_distinct_data(fingerprints: Mapping[str, str]) -> None:
    """Refuse the same spikes under two names, which would count one recording twice."""
    first: dict[str, str] = {}
    for name, digest in fingerprints.items():
        if digest in first:
            raise BadInput(
                f"recordings {first[digest]!r} and {name!r} hold the same spikes, units and "
                "epochs, so that one recording would count twice",
                "leave one of them out",
            )
        first[digest] = name


def words_of(recording: Recording, experiment: Experiment) -> Words:
    """Words of an experiment: ``max_words`` single bins of the ``most_active`` units."""
    if experiment.most_active is not None:
        recording = recording.take(most_active(recording, experiment.most_active))
    words, most = recording.bin(experiment.bin_width), experiment.max_words
    if most is None or words.n_bins <= most:
        return words
    return words._take(spread_bins(words.n_bins, most))


def spread_bins(n_bins: int, n_kept: int) -> NDArray[np.intp]:
    """Places of ``n_kept`` bins, in blocks spread evenly over a recording, which may drift."""
    n_blocks = min(_MOST_BLOCKS, max(1, n_kept // _SHORTEST_BLOCK))
    shares = np.arange(n_blocks + 1)
    kept = np.diff(shares * n_kept // n_blocks)
    left_out = np.diff(shares * (n_bins - n_kept) // n_blocks)
    lengths = np.stack([kept, left_out], axis=1).ravel()
    return np.flatnonzero(np.repeat(np.arange(lengths.size) % 2 == 0, lengths))


def _plain(name: str, value: Any) -> Any:
    """A copy of ``value`` in the types of JSON, in which a study writes its plan."""

    def converted(entry: Any) -> Any:
        if isinstance(entry, np.ndarray | np.generic):
            return entry.tolist()
        if isinstance(entry, Mapping):
            return dict(entry)
        if isinstance(entry, Path):
            return str(entry)
        remedy = "use text, numbers, lists and tables, or pass the recording itself"
        raise BadType(name, f"has {entry!r}, which a plan cannot hold", remedy)

    try:
        return json.loads(json.dumps(value, allow_nan=False, default=converted))
    except BadInput:
        raise
    except ValueError:
        raise BadArgument(name, "has a number that is not finite", "give one that is") from None

"""Files that Neo reads: which of its readers to ask, and the spike trains it finds.

Neo reads the part of a claimed stretch that is in the file, so that a file that was cut short would
lose spikes silently: what headers claim is compared with what is there.
"""

import glob
import inspect
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import BadArgument, BadFile, BadInput, Setting, advice, damaged, name_list
from ...validation import one_of
from .._containment import check_inside
from .trains import Train, scalars, trains_of

#: Neo's readers by the first bytes of a file.
_MAGIC = {
    b"NEX1": "NeuroExplorerIO",
    b"PLEX": "PlexonIO",
    b"NEURALEV": "BlackrockIO",
    b"BREVENTS": "BlackrockIO",
}
#: End of the names of waveform variables.
_WAVEFORMS = "_wf"
#: Readers that would run code from the file, or invent their data.
_NEVER = ("PickleIO", "ElphyIO", "ExampleIO")

#: Plexon: bytes of the header, of that of a spike, event and signal channel, and of a data block.
_PLX_HEADER, _PLX_CHANNELS, _PLX_BLOCK = 7504, (1020, 296, 296), 16
#: Plexon: where the header counts spikes, by channel and unit, and how many such counts it has.
_PLX_COUNTS, _N_PLX_COUNTS = 256, 650


def segments_in(
    path: Path, io: str | None, block: int | None, names: str | None
) -> tuple[list[list[Train]], list[str]]:
    """Spike trains of each segment of a file, and notes; options are those of `load`."""
    if names is not None:
        one_of("names", names, ("name", "id"))
    readers = _readers(path, io)
    for reader in readers:
        try:
            segments, notes = _segments(reader, path, block, names)
        except Exception as error:
            if len(readers) == 1 or isinstance(error, BadInput):
                raise
            continue
        if any(segments):
            return segments, [f"read by Neo's {reader.__name__}", *notes]
    title = name_list(reader.__name__ for reader in readers)
    remedy = advice("check that spikes were sorted and exported, or name one reader with {io}")
    raise BadFile(f"Neo finds no spikes in it (with {title})", remedy)


def _readers(path: Path, io: str | None) -> Sequence[Any]:
    """Neo's readers that may know this file."""
    import neo

    known = {
        reader.__name__: reader
        for reader in neo.io.iolist
        if reader.is_readable
        and neo.SpikeTrain in reader.supported_objects
        and reader.__name__ not in _NEVER
    }
    if io is not None:
        return [known[one_of("io", io, sorted(known))]]
    if path.is_file():
        with path.open("rb") as file:
            head = file.read(8)
        if by_magic := [known[name] for magic, name in _MAGIC.items() if head.startswith(magic)]:
            return by_magic
    try:
        candidates = neo.io.list_candidate_ios(path)
    except ValueError:
        problem = f"no reader knows its content or its extension {path.suffix!r}"
        remedy = advice("name its format with {reader} or Neo's reader with {io}")
        raise BadFile(problem, remedy) from None
    usable = [reader for reader in candidates if reader in known.values()]
    if not usable:
        title = name_list(reader.__name__ for reader in candidates)
        problem = f"Neo's {title} finds only signals in such files, or can run code of theirs"
        raise BadFile(problem, "save the spike trains in another format")
    # Given a file, a reader of folders would read all files in the folder of this one.
    fitting = [reader for reader in usable if _reads_folders(reader) == path.is_dir()]
    return list(dict.fromkeys(fitting or usable))


def _reads_folders(reader: Any) -> bool:
    return reader.mode == "dir" or getattr(reader, "rawmode", "") == "one-dir"


def _segments(
    reader: Any, path: Path, block: int | None, names: str | None
) -> tuple[list[list[Train]], list[str]]:
    """Trains that one of Neo's readers finds, through its raw layer if it has one."""
    from neo.io.basefromrawio import BaseFromRaw
    from neo.rawio.baserawio import BaseRawIO

    if path.is_file():
        _check_magic(path, reader.__name__)
    place = path.parent if _reads_folders(reader) and path.is_file() else path
    _check_links(place)
    if issubclass(reader, BaseFromRaw):
        kinds = [kind for kind in reader.__mro__ if issubclass(kind, BaseRawIO)]
        raw_kind = next(kind for kind in kinds if not issubclass(kind, BaseFromRaw))
        quiet = "progress_bar" in inspect.signature(raw_kind).parameters
        raw = raw_kind(str(place), **({"progress_bar": False} if quiet else {}))
        raw.parse_header()
        return _raw_segments(raw, _block(block, raw.block_count()), names)
    if names is not None:
        raise BadArgument("names", f"does not apply to {reader.__name__}", "omit it")
    blocks = reader(str(place)).read()
    if not blocks:
        return [], []
    chosen = blocks[_block(block, len(blocks))]
    return [trains_of(segment.spiketrains) for segment in chosen.segments], []


def _check_links(place: Path) -> None:
    """Refuse a link out of the folder that Neo reads, or in which it looks beside a file."""
    home = place if place.is_dir() else place.parent
    names = "**/*" if place.is_dir() else f"{glob.escape(place.stem)}.*"
    for file in home.glob(names):
        if file.is_symlink() and file != place:
            check_inside(file, home)


def _block(block: int | None, n_blocks: int) -> int:
    if block is None and n_blocks == 1:
        return 0
    if block is None or not 0 <= block < n_blocks:
        stated = "" if block is None else f", not {block}"
        problem = f"it has {n_blocks} blocks{stated}"
        raise BadFile(problem, (f"choose one from 0 to {n_blocks - 1} with ", Setting("block")))
    return block


def _raw_segments(raw: Any, block: int, names: str | None) -> tuple[list[list[Train]], list[str]]:
    """Trains of each segment; neither signals nor waveforms are touched."""
    channels = raw.header["spike_channels"]
    titles, notes = _titles(channels, names)
    # NeuroExplorer keeps the waveforms of neuron "a" as another one, "a_wf".
    waveforms = {name for name in titles if name.removesuffix(_WAVEFORMS) in {*titles} - {name}}
    segments = []
    for segment in range(raw.segment_count(block)):
        times = [_times(raw, block, segment, unit) for unit in range(len(channels))]
        start = float(raw.segment_t_start(block, segment))
        stated = float(raw.segment_t_stop(block, segment))
        stop = max([stated, *(float(train.max()) for train in times if train.size)])
        if stop > stated:
            ends = f"{stop:.10g} s after the end that the file states, {stated:.10g} s"
            notes.append(f"spikes go on to {ends}; they are kept")
        known = raw.raw_annotations["blocks"][block]["segments"][segment]["spikes"]
        units = zip(titles, times, map(_columns, channels, known), strict=True)
        trains = [Train(name, train, start, stop, row) for name, train, row in units]
        segments.append([train for train in trains if train.name not in waveforms])
    left_out = [f"waveforms of units left out: {len(waveforms)}"] if waveforms else []
    return segments, [*notes, *left_out]


def _times(raw: Any, block: int, segment: int, unit: int) -> Any:
    stamps = raw.get_spike_timestamps(block, segment, unit)
    claimed = raw.spike_count(block, segment, unit)
    if len(stamps) < claimed:
        # In some formats the last block written is not the last spike; none is after 1e9 s.
        stamps = raw.get_spike_timestamps(block, segment, unit, None, 1e9)
    if not 0 <= claimed <= len(stamps):
        raise damaged(f"unit {unit} claims {claimed:,} spikes and has {len(stamps):,}")
    return np.asarray(raw.rescale_spike_timestamp(stamps, "float64"))


def _titles(channels: Any, names: str | None) -> tuple[list[str], list[str]]:
    """Names of units: those in the file, or Neo's ids if units share their channel's name."""
    titles = list(map(str, channels["name"]))
    ids = list(map(str, channels["id"]))
    if names == "id":
        return ids, []
    shared = len(set(titles)) < len(titles)
    if names is None and shared and all("#" in name for name in ids):
        return ids, ["units are named by channel and number, since those of a channel share a name"]
    return titles, []


def _columns(channel: Any, annotations: dict[str, Any]) -> dict[str, Any]:
    """Annotations of a unit, and its quality if its number tells it."""
    columns = scalars(annotations)
    # Plexon and Blackrock number units from 1; 0 are spikes that the sorter gave to no unit.
    number = str(channel["id"]).partition("#")[2]
    if number:
        columns["quality"] = {"0": "unsorted", "255": "noise"}.get(number, "sorted")
    return {name: value for name, value in columns.items() if name not in ("file_origin", "name")}


def _check_magic(path: Path, reader: str) -> None:
    """Refuse what Neo's readers of NeuroExplorer and Plexon would take for one of their files."""
    magic = {"NeuroExplorerIO": b"NEX1", "PlexonIO": b"PLEX"}.get(reader, b"")
    with path.open("rb") as file:
        start = file.read(len(magic))
    if start != magic:
        problem = f"it begins with {start!r}, not with {magic!r} as files for Neo's {reader} do"
        raise BadFile(problem, advice("copy it again, or name another {io}"))
    if reader == "PlexonIO":
        _check_plexon(path)


def _check_plexon(path: Path) -> None:
    """Refuse a Plexon file that ends within a data block or lacks spikes that its header counts."""
    content = np.memmap(path, dtype=np.uint8, mode="r").data
    n_spikes, size = 0, len(content)
    at = _PLX_HEADER + int(np.dot(struct.unpack_from("<3i", content, 140), _PLX_CHANNELS))
    while _PLX_HEADER <= at <= size - _PLX_BLOCK:
        kind, n_waveforms, n_samples = struct.unpack_from("<H10x2H", content, at)
        n_spikes += kind == 1
        at += _PLX_BLOCK + 2 * n_waveforms * n_samples
    # The header counts the first four units of 130 channels, so that there may be more.
    claimed = sum(struct.unpack_from(f"<{_N_PLX_COUNTS}i", content, _PLX_COUNTS))
    if at != size or claimed > n_spikes:
        raise damaged(f"it has {n_spikes:,} of {claimed:,} spikes and ends at {at:,} of {size:,}")
    if not n_spikes:
        raise BadFile("there is no spike in it", "check that spikes were sorted and exported")

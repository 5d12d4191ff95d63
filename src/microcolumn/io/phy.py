"""Folders of phy and Kilosort, read with NumPy."""

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ..errors import BadFile, advice
from ..validation import Floats
from ._arrays import (
    check_index,
    check_same_length,
    flat_numbers,
    load_array,
    mismatched,
    split_by_unit,
)
from ._clocks import is_rate, whole_epoch
from ._columns import DEPTH_COLUMNS
from ._containment import files_inside, is_inside
from ._session import Session
from ._tables import unit_rows

Table = dict[int, dict[str, str]]

#: Files that are opened; others, such as raw data, may be links to wherever they lie.
_TABLES = ("cluster_*.tsv", "cluster_*.csv")
_FILES = (
    *("params.py", "spike_times.npy", "spike_clusters.npy", "spike_templates.npy"),
    *("templates.npy", "template_ind.npy", "templates_ind.npy"),
    *("channel_positions.npy", "whitening_mat_inv.npy"),
)
#: Groups that phy gives to clusters without a verdict.
_UNJUDGED = ("", "unsorted", "none", "nan")
#: More than any params.py needs.
_PARAMS_BYTES, _LINE_BYTES = 1 << 16, 1 << 12


def load(path: Path, *, sampling_rate: float | None = None) -> Session:
    """Clusters of a folder that phy can open.

    Units are the clusters that have spikes, and those with ``n_spikes`` 0 in
    ``cluster_info.tsv``, known by their numbers. Their quality is the group given in phy, else
    Kilosort's label (``KSLabel``), else ``"unsorted"``; those of quality ``"noise"`` are left out
    later, unless asked for. Depths are the column ``depth`` of
    ``cluster_info.tsv``, else the height of the channel on which the cluster's most frequent
    template is largest. All columns of ``cluster_*.tsv`` are kept.

    Parameters
    ----------
    path : Path
        The folder.
    sampling_rate : float, optional
        Samples per second, if ``params.py`` does not state it or is wrong.
    """
    files_inside(path, *_FILES, *_TABLES)
    params = _params(path / "params.py")
    rate = _rate(path, params, sampling_rate)
    samples = _samples(path)
    table, file = _tables(path), _cluster_file(path)
    clusters = flat_numbers(_array(path, file), file, whole=True).astype(np.int64)
    check_same_length("spike_times.npy", samples, file, clusters)
    # Clusters of the tables that neither fire nor are stated to be silent were merged or split.
    silent = {number for number, row in table.items() if row.get("n_spikes") == "0"}
    numbers = sorted(silent.union(np.unique(clusters).tolist()))
    place = np.searchsorted(numbers, clusters)
    rows = [table.get(number, {}) for number in numbers]
    columns: dict[str, list[Any]] = {"quality": list(map(_quality, rows))}
    for name in dict.fromkeys(name for row in table.values() for name in row):
        values = [row.get(name, "") for row in rows]
        columns["cluster_quality" if name == "quality" else name] = values
    stated = params.get("sample_rate", rate)
    notes = [f"{rate:g} samples per second as stated; params.py: {stated}"] * (stated != rate)
    if not any(name.lower() in DEPTH_COLUMNS for name in columns):
        depths, note = _depths(path, place, len(numbers))
        notes += note
        if depths is not None:
            columns["depth"] = depths
    times = samples / rate
    epochs, note = whole_epoch(_raw_duration(path, params, rate), [times], "the raw file")
    ids, trains = list(map(str, numbers)), split_by_unit(times, place, len(numbers))
    return Session(ids, trains, columns, epochs=epochs, notes=(*notes, *note))


def _params(path: Path) -> dict[str, Any]:
    """Assignments of literals in ``params.py``, which is not executed."""
    if not path.is_file():
        return {}
    with path.open("rb") as file:
        text = file.read(_PARAMS_BYTES).decode("utf-8", errors="replace")
    params = {}
    for line in text.splitlines():
        name, _, value = line.partition("=")
        try:
            params[name.strip()] = ast.literal_eval(value.strip()[:_LINE_BYTES])
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue  # a comment, an expression or a call
    return params


def _rate(path: Path, params: Mapping[str, Any], sampling_rate: float | None) -> float:
    rate = params.get("sample_rate") if sampling_rate is None else sampling_rate
    if is_rate(rate):
        return float(rate)
    problem = f"the sampling rate is {rate!r}"
    if rate is None:
        there = (path / "params.py").is_file()
        problem = "params.py states no sample_rate" if there else "it has no params.py"
    raise BadFile(problem, advice("pass {sampling_rate} in Hz, such as 30000"))


def _array(path: Path, name: str) -> NDArray[Any]:
    if not (path / name).is_file():
        raise BadFile(f"it has no {name}", "name the folder that phy opens")
    return load_array(path / name)


def _samples(path: Path) -> NDArray[Any]:
    samples = flat_numbers(_array(path, "spike_times.npy"), "spike_times.npy")
    parts = np.flatnonzero(np.isfinite(samples) & (samples != np.trunc(samples)))
    if parts.size:
        k = parts[0]
        problem = f"spike_times.npy: spike {k} is at {samples[k]:.10g}, no whole number of samples"
        raise BadFile(problem, "if these are seconds, save them as a CSV of unit and time")
    return samples


def _is_filled(path: Path) -> bool:
    """Whether an array that may be missing is there and not empty."""
    return path.is_file() and path.stat().st_size > 0 and load_array(path, mapped=True).size > 0


def _cluster_file(path: Path) -> str:
    """File with the cluster of each spike; before phy saves it there are only templates."""
    files = ("spike_clusters.npy", "spike_templates.npy")
    return next((name for name in files if (path / name).is_file()), files[0])


def _tables(path: Path) -> Table:
    """Entries of each cluster by column; phy's own tables overrule its export, cluster_info."""
    files = sorted(files_inside(path, *_TABLES))
    merged: Table = {}
    for file in sorted(files, key=lambda file: file.stem != "cluster_info"):
        for cluster, entries in unit_rows(file, ("cluster_id", "id")).items():
            try:
                known = merged.setdefault(int(cluster), {})
            except ValueError:
                remedy = "clusters have whole numbers: save the table again in phy"
                raise BadFile(f"{file.name} names the cluster {cluster!r}", remedy) from None
            known.update({name: entry for name, entry in entries.items() if entry})
    return merged


def _quality(row: Mapping[str, str]) -> str:
    """The group given by a person, or else Kilosort's label."""
    verdicts = (row.get(name, "") for name in ("group", "KSLabel"))
    verdict = next((word for word in verdicts if word.lower() not in _UNJUDGED), "unsorted")
    return "noise" if verdict.lower() == "noise" else verdict


def _depths(
    path: Path, place: NDArray[np.int64], n_clusters: int
) -> tuple[list[float] | None, list[str]]:
    """Height of each cluster's peak channel in µm, None if it is not told; and notes."""
    needed = ("templates.npy", "spike_templates.npy", "channel_positions.npy")
    missing = [name for name in needed if not _is_filled(path / name)]
    if missing:
        return None, [f"no depths: there is neither a column depth nor a filled {missing[0]}"]
    templates = load_array(path / "templates.npy", mapped=True)
    positions = load_array(path / "channel_positions.npy")
    if templates.ndim != 3 or positions.ndim != 2 or positions.shape[1] < 2:
        shapes = f"{templates.shape} and channel_positions.npy {positions.shape}"
        problem = f"templates.npy has shape {shapes}"
        raise BadFile(problem, "they need (templates, samples, channels) and (channels, 2)")
    used = flat_numbers(_array(path, "spike_templates.npy"), "spike_templates.npy", whole=True)
    check_same_length(_cluster_file(path), place, "spike_templates.npy", used)
    check_index("spike_templates.npy", used, len(templates), "templates")
    heights = positions[:, 1].astype(np.float64)
    channels, unwhiten = _channels(path, templates.shape, len(heights))
    depths = [np.nan] * n_clusters
    # products this small are faster on one core than on two
    with threadpool_limits(limits=1, user_api="blas"):
        for n, mine in enumerate(split_by_unit(used.astype(np.int64), place, n_clusters)):
            if mine.size:
                template = int(np.bincount(mine).argmax())
                depths[n] = _height(templates[template], channels[template], heights, unwhiten)
    return depths, ["depths are the y positions of the peak channels of templates"]


def _channels(
    path: Path, shape: tuple[int, ...], n_channels: int
) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Channels of each template, shape (n_templates, n_local), and what undoes the whitening."""
    n_templates, _, n_local = shape
    named = [path / name for name in ("template_ind.npy", "templates_ind.npy")]
    there = [file for file in named if file.is_file()]
    if not there and n_local != n_channels:
        problem = f"templates.npy has {n_local} channels and channel_positions.npy {n_channels}"
        raise BadFile(problem, "add templates_ind.npy, which says which")
    every = np.broadcast_to(np.arange(n_channels), (n_templates, n_channels))
    channels = load_array(there[-1]) if there else every
    inverse = path / "whitening_mat_inv.npy"
    unwhiten = load_array(inverse) if inverse.is_file() else None
    for name, array, needed in (
        ("templates_ind.npy", channels, (n_templates, n_local)),
        (inverse.name, unwhiten, (n_channels, n_channels)),
    ):
        if array is not None and array.shape != needed:
            raise mismatched(f"{name} has shape {array.shape} and needs {needed}")
    return channels, unwhiten


def _height(
    template: NDArray[Any], channels: NDArray[Any], heights: Floats, unwhiten: NDArray[Any] | None
) -> float:
    """Height of the channel on which a template is largest, NaN if it is empty.

    Kilosort's templates are whitened, so that a neighbour of the peak channel may be larger. Like
    phy, we undo that first, if there is a ``whitening_mat_inv.npy``.
    """
    # templates with fewer channels than others are padded with channels that do not exist
    places = channels.astype(np.int64)
    used = (places >= 0) & (places < len(heights))
    waveform, places = template.astype(np.float64)[:, used], places[used]
    if unwhiten is not None:
        waveform = waveform @ unwhiten[np.ix_(places, places)]
    sizes = np.ptp(waveform, axis=0) if waveform.size else np.zeros(0)
    known = sizes.size and np.isfinite(sizes).all() and sizes.max() > 0
    return float(heights[places[np.argmax(sizes)]]) if known else np.nan


def _raw_duration(path: Path, params: Mapping[str, Any], rate: float) -> float | None:
    """Seconds in the raw file by its size; None if unknown, or if it lies elsewhere."""
    named = params.get("dat_path")
    files = [path / str(name) for name in (named if isinstance(named, list | tuple) else [named])]
    plain = (f.is_file() and is_inside(f, path) and f.suffix != ".cbin" for f in files)
    if named is None or not all(plain):
        return None
    try:
        width = np.dtype(params.get("dtype", "int16")).itemsize * int(params["n_channels_dat"])
        n_bytes = sum(file.stat().st_size - int(params.get("offset", 0)) for file in files)
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    return n_bytes // width / rate if width > 0 and n_bytes > 0 else None

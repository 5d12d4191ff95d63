"""Sessions of Klusters and NeuroScope: clusters and times of spikes as text, parameters as XML.

Of each group of electrodes (tetrode or shank), ``base.res.N`` has the sample of each spike and
``base.clu.N`` the number of clusters and then the cluster of each spike (Klusters' manual, File
Formats; NeuroScope also calls them ``base.N.res`` and ``base.N.clu``). By the convention of these
programs, cluster 0 holds artefacts and cluster 1 spikes that could not be told apart.
"""

import re
from collections import defaultdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import BadFile, damaged, name_list
from ..validation import Floats
from ._arrays import check_same_length, split_by_unit
from ._clocks import stated_rate, whole_epoch
from ._columns import as_number
from ._containment import file_inside, is_inside
from ._session import Session

_NAME = re.compile(
    r"(?P<base>.+)\.(?:(?P<a>clu|res)\.(?P<n>\d{1,4})|(?P<m>\d{1,4})\.(?P<b>clu|res))"
)
_ARTEFACTS, _UNSORTED = 0, 1
_NO_UNITS = {_ARTEFACTS: "artefacts", _UNSORTED: "which could not be told apart"}
#: More bytes than any parameters take.
_XML_BYTES = 1 << 22
#: Raw signals, which tell how long was recorded, and the rates of their samples.
_SIGNALS = {".dat": "samplingRate", ".eeg": "lfpSamplingRate", ".lfp": "lfpSamplingRate"}


def load(path: Path, *, sampling_rate: float | None = None, mua: bool = False) -> Session:
    """Clusters of all groups; unit ``"3_12"`` is cluster 12 of group 3.

    Cluster 0 of each group, artefacts, is left out. So is cluster 1, the spikes that could not be
    told apart, unless ``mua`` asks for them: then they are a multiunit of quality ``"mua"``. A
    column ``shank`` has the group. The size of the raw file tells how long was recorded.

    Parameters
    ----------
    path : Path
        The folder of a session, or one of its files, such as ``base.xml`` or ``base.clu.1``.
    sampling_rate : float, optional
        Samples per second, if ``base.xml`` does not state it or is wrong.
    mua : bool
        Keep cluster 1 of each group as a multiunit.
    """
    home = path if path.is_dir() else path.parent
    base, groups = _groups(path, home)
    parameters = _parameters(home, base)
    of_file = parameters["samplingRate"] or None
    rate, notes = stated_rate(of_file, sampling_rate, f"{base}.xml", "sampling_rate")
    units: dict[str, list[str]] = {"ids": [], "shank": [], "quality": []}
    trains: list[Floats] = []
    left_out = {_ARTEFACTS: 0, _UNSORTED: 0}
    for group, files in sorted(groups.items()):
        samples, clusters = _group(files, home)
        numbers, codes = np.unique(clusters, return_inverse=True)
        by_cluster = split_by_unit(samples, codes, numbers.size)
        for cluster, mine in zip(numbers.tolist(), by_cluster, strict=True):
            if cluster == _ARTEFACTS or (cluster == _UNSORTED and not mua):
                left_out[cluster] += mine.size
                continue
            units["ids"].append(f"{group}_{cluster}")
            units["shank"].append(str(group))
            units["quality"].append("mua" if cluster == _UNSORTED else "good")
            trains.append(mine / rate)
    for cluster, what in _NO_UNITS.items():
        size = left_out[cluster]
        notes += [f"spikes of cluster {cluster}, {what}, left out: {size}"] * (size > 0)
    epochs, note = whole_epoch(_duration(home, base, parameters), trains, "the raw file")
    ids = units.pop("ids")
    return Session(ids, trains, units, epochs=epochs, notes=(*notes, *note))


def is_klusters(path: Path) -> bool:
    """Whether a file is one of a session, or a folder holds one."""
    if path.is_dir():
        return any(match["a"] == "res" or match["b"] == "res" for match in _matches(path))
    beside = path.suffix == ".xml" and any(m["base"] == path.stem for m in _matches(path.parent))
    return beside or _NAME.fullmatch(path.name) is not None


def _matches(home: Path) -> list[re.Match[str]]:
    return [match for file in home.iterdir() if (match := _NAME.fullmatch(file.name))]


def _groups(path: Path, home: Path) -> tuple[str, dict[int, dict[str, str]]]:
    """Name of the session, and the files of each of its groups by their kinds."""
    sessions: dict[str, dict[int, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for match in _matches(home):
        kind, group = match["a"] or match["b"], int(match["n"] or match["m"])
        sessions[match["base"]][group][kind] = match.string
    if path.is_file():
        own = _NAME.fullmatch(path.name)
        base = own["base"] if own else path.stem
        sessions = {base: sessions[base]} if base in sessions else {}
    if not sessions:
        raise BadFile("there are no .clu and .res files", "name the folder of the session")
    if len(sessions) > 1:
        problem = f"it holds several sessions: {name_list(sorted(sessions))}"
        raise BadFile(problem, "name one of their files, such as its .xml")
    [(base, groups)] = sessions.items()
    return base, groups


def _group(files: dict[str, str], home: Path) -> tuple[Floats, NDArray[np.int64]]:
    """Sample and cluster of each spike of a group."""
    for kind, other in (("res", "clu"), ("clu", "res")):
        if kind not in files:
            remedy = "sort its spikes or copy the file there, or move this one away"
            raise BadFile(f"{files[other]} has no .{kind} file beside it", remedy)
    samples, clusters = (_whole_numbers(home / files[kind], home) for kind in ("res", "clu"))
    check_same_length(files["res"], samples, f"{files['clu']} after its first line", clusters[1:])
    return samples, clusters[1:].astype(np.int64)


def _whole_numbers(path: Path, home: Path) -> Floats:
    """The numbers of a file, one on each line."""
    with file_inside(path, home).open(encoding="latin-1") as file:
        try:
            numbers = np.loadtxt(file, dtype=np.float64, comments=None, ndmin=1)
        except ValueError:
            numbers = np.array([np.nan])
    if numbers.ndim != 1 or not np.all(np.isfinite(numbers) & (numbers == np.trunc(numbers))):
        raise damaged(f"{path.name} does not hold one whole number per line")
    return numbers


def _parameters(home: Path, base: str) -> dict[str, float]:
    """Numbers of the parameters by name, 0 for those that are not stated.

    They are searched for as text, since XML can refer to other files, and unfold to gigabytes.
    """
    path, text = home / f"{base}.xml", ""
    if path.is_file():
        with file_inside(path, home).open("rb") as file:
            text = file.read(_XML_BYTES).decode("utf-8", errors="replace")
    names = ("samplingRate", "lfpSamplingRate", "nChannels", "nBits")
    entries = {name: re.search(rf"<{name}>\s*([0-9.]{{1,20}})\s*</{name}>", text) for name in names}
    numbers = {name: as_number(entry[1]) if entry else 0.0 for name, entry in entries.items()}
    return {name: number if number > 0 else 0.0 for name, number in numbers.items()}


def _duration(home: Path, base: str, parameters: dict[str, float]) -> float | None:
    """Seconds in a raw file by its size; None if there is none in the folder."""
    for suffix, rate in _SIGNALS.items():
        file = home / f"{base}{suffix}"
        width = parameters["nChannels"] * parameters["nBits"] / 8 * parameters[rate]
        if width > 0 and file.is_file() and is_inside(file, home):
            return file.stat().st_size / width
    return None

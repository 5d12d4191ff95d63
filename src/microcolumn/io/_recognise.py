"""Which format a path holds: by content first, by extension second."""

import zipfile
from pathlib import Path

from ..errors import BadFile
from ._containment import is_hdf5
from ._tables import GZIP
from .alf.folders import is_alf
from .cellinfo import SPIKES_SUFFIX
from .klusters import is_klusters
from .mclust import t_files

#: Readers by the first bytes of a file.
_BY_MAGIC = {
    b"\x93NUMPY": "npz",
    **dict.fromkeys((b"PAR1", b"ARROW1", b"FEA1"), "parquet"),  # Parquet; Feather, new and old
    b"%%BEGINHEADER": "mclust",
    **dict.fromkeys((b"NEX1", b"PLEX", b"NEURALEV", b"NEURALCD", b"BREVENTS"), "neo"),
}
#: Extensions of HDF5 files that Neo reads; NWB files may have them too.
_NEO_HDF5 = (".nix", ".kwik", ".brw")
#: What is in files called .h5 that Neo reads: those of NIX and of MEArec.
_NEO_MARKS = (b"nix", b"spiketrains")
#: Every NWB file has this attribute at its root, which libraries write first.
_NWB_MARK, _MARK_WITHIN = b"nwb_version", 1 << 20
#: Groups of results of CaImAn.
_CAIMAN_MARKS = (b"estimates", b"remove_very_bad_comps")
#: Extensions that any text may have.
_OF_TEXT = ("", ".dat", ".asc", ".tab")
_BY_EXTENSION = {
    **dict.fromkeys((".nwb", ".zarr"), "nwb"),
    **dict.fromkeys((".csv", ".tsv", ".txt"), "csv"),
    **dict.fromkeys((".parquet", ".pqt", ".feather", ".arrow"), "parquet"),
    ".mat": "matlab",
    ".npz": "npz",
}
#: Readers of the times and units that the caller names in a file of another format.
_CONTAINERS = {
    **dict.fromkeys(("matlab", "cellinfo"), "matlab"),
    **dict.fromkeys(("npz", "pynapple", "spikeinterface"), "npz"),
    "parquet": "parquet",
}
#: Readers of folders by the names of files in them, in the order in which they are looked for.
_FOLDERS = (
    ("phy", ("spike_times.npy", "spike_clusters.npy")),
    ("spikeinterface", ("spikes/.zgroup", "spikes/zarr.json")),
    ("spikeinterface", ("sorting/.zgroup", "sorting/zarr.json")),
    ("nwb", (".zgroup", ".zattrs", "zarr.json", ".zmetadata")),
    ("spikeinterface", ("si_folder.json", "*_info.json")),
    ("cellinfo", (f"*{SPIKES_SUFFIX}",)),
    ("suite2p", ("spks.npy", "*/spks.npy")),
)


def recognise(path: Path, *, mapped: bool = False) -> str:
    """Name of the reader for ``path``; of its container if the caller names what to read."""
    name = _folder(path) if path.is_dir() else _file(path)
    name = name or _BY_EXTENSION.get(path.suffix.lower())
    if mapped and path.is_file():
        return _CONTAINERS.get(str(name), "hdf5" if is_hdf5(path) else "csv")
    if name is None and path.is_dir():
        problem = "it is a folder without spike_times.npy or any other mark of a known format"
        raise BadFile(problem, "name the file itself, or the reader")
    return name or "neo"


def _folder(path: Path) -> str | None:
    for name, marks in _FOLDERS:
        if any(any(path.glob(mark)) for mark in marks):
            return name
    if t_files(path):
        return "mclust"
    if is_klusters(path):
        return "klusters"
    return "alf" if is_alf(path) else None


def _file(path: Path) -> str | None:
    with path.open("rb") as file:
        head = file.read(1024)
    if head.startswith((b"MATLAB 5.0", b"MATLAB 7.3")):
        return "cellinfo" if path.name.endswith(SPIKES_SUFFIX) else "matlab"
    if is_hdf5(path):
        return _hdf5(path)
    if is_klusters(path):
        return "klusters"
    if name := next((name for magic, name in _BY_MAGIC.items() if head.startswith(magic)), None):
        return name
    if head.startswith(b"PK") and zipfile.is_zipfile(path):
        return _archive(path)
    if head.startswith(GZIP):  # which is for tables alone
        if _BY_EXTENSION.get(Path(path.stem).suffix.lower(), "csv") != "csv":
            raise BadFile("it is compressed", "unpack it first, for example with gunzip")
        return "csv"
    if _is_table(path, head):
        return "csv"
    return "mclust" if t_files(path) else None


def _is_table(path: Path, head: bytes) -> bool:
    """Whether a file is text with columns of time and unit, or with any under a plain extension."""
    first_line = head.split(b"\n", 1)[0].lower()
    if b"\0" in head or not any(mark in first_line for mark in (b",", b";", b"\t", b" ")):
        return False
    if b"time" in first_line and b"unit" in first_line:
        return True
    return path.suffix.lower() in _OF_TEXT and first_line.isascii()


def _hdf5(path: Path) -> str:
    """Reader of an HDF5 file, by its extension; NWB files may have those of others."""
    suffix = path.suffix.lower()
    if suffix in (".mat", ".nwb"):
        return _BY_EXTENSION[suffix]
    with path.open("rb") as file:
        start = file.read(_MARK_WITHIN)
    if _NWB_MARK in start:
        return "nwb"
    if all(mark in start for mark in _CAIMAN_MARKS):
        return "caiman"
    of_neo = suffix in _NEO_HDF5 or (suffix == ".h5" and any(mark in start for mark in _NEO_MARKS))
    return "neo" if of_neo else "hdf5"


def _archive(path: Path) -> str | None:
    """Reader of an archive of arrays, by their names."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except Exception:  # a damaged directory makes zipfile raise nearly anything
        return None
    if "spike_times.npy" in names:
        return "npz"
    if "spike_indexes_seg0.npy" in names:
        return "spikeinterface"
    if {"t.npy", "start.npy"} <= names:
        return "pynapple"
    return "npz" if any(name.endswith(".npy") for name in names) else None

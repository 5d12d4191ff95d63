"""The formats by name; nothing is loaded for them, so that the command line can list them."""

from typing import NamedTuple


class Reader(NamedTuple):
    """A format: its name in sentences, the extra that installs its library, and its sandbox.

    ``sandboxed`` names compiled libraries that a damaged file can crash; a format that has some is
    read in a process of its own. A reader of a folder checks its files ``by_file``, as it opens
    them, and hands those for a compiled library to that process one by one.
    """

    title: str
    extra: str | None = None
    sandboxed: tuple[str, ...] = ()
    by_file: bool = False


#: Readers by name; each is a module here with a function ``load(path, **options) -> Session``.
READERS = {
    "nwb": Reader("NWB", extra="nwb", sandboxed=("pynwb",)),
    "phy": Reader("a phy or Kilosort folder"),
    "alf": Reader("an ALF folder", extra="alf", by_file=True),
    "neo": Reader("a format of Neo", extra="neo"),
    "pynapple": Reader("a pynapple file"),
    "spikeinterface": Reader("a SpikeInterface sorting", by_file=True),
    "mclust": Reader("T-files of MClust"),
    "klusters": Reader("a session of Klusters or NeuroScope"),
    "suite2p": Reader("a folder of suite2p"),
    "caiman": Reader("results of CaImAn", extra="hdf5", sandboxed=("h5py",)),
    "cellinfo": Reader("a session of CellExplorer", extra="matlab", by_file=True),
    "matlab": Reader("a MATLAB file", extra="matlab", sandboxed=("scipy.io", "h5py")),
    "csv": Reader("a table of unit and time"),
    "parquet": Reader("Parquet or Feather", extra="parquet", sandboxed=("pyarrow.parquet",)),
    "npz": Reader("NumPy arrays"),
    "hdf5": Reader("an HDF5 file", extra="hdf5", sandboxed=("h5py",)),
}

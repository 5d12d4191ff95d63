from . import csv, matlab, neo, npz, nwb, phy, pynapple, spikeinterface
from ._lfp import LFP
from ._read import READERS, read
from .neo import from_neo
from .npz import save
from .nwb.lfp import read_flashes, read_lfp
from .pynapple import from_pynapple
from .spikeinterface import from_spikeinterface

__all__ = [
    "LFP",
    "READERS",
    "csv",
    "from_neo",
    "from_pynapple",
    "from_spikeinterface",
    "matlab",
    "neo",
    "npz",
    "nwb",
    "phy",
    "pynapple",
    "read",
    "read_flashes",
    "read_lfp",
    "save",
    "spikeinterface",
]

from . import (
    alf as alf,
    caiman as caiman,
    cellinfo as cellinfo,
    csv as csv,
    hdf5 as hdf5,
    klusters as klusters,
    matlab as matlab,
    mclust as mclust,
    neo as neo,
    npz as npz,
    nwb as nwb,
    parquet as parquet,
    phy as phy,
    pynapple as pynapple,
    spikeinterface as spikeinterface,
    suite2p as suite2p,
)
from ._lfp import LFP as LFP
from ._read import option_names as option_names, read as read
from ._readers import READERS as READERS
from ._remote import is_url as is_url
from .neo import from_neo as from_neo
from .npz import save as save
from .nwb.lfp import read_flashes as read_flashes, read_lfp as read_lfp
from .pynapple import from_pynapple as from_pynapple, to_pynapple as to_pynapple
from .spikeinterface import from_spikeinterface as from_spikeinterface

"""An NWB file with everything that the reader knows, and the same in Zarr."""

import warnings

import pytest
from planted_nwb import write_full, write_zarr


@pytest.fixture(scope="session")
def full(tmp_path_factory):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyNWB's, about its own schemas
        return write_full(tmp_path_factory.mktemp("nwb") / "full.nwb")


@pytest.fixture(scope="session")
def full_zarr(full):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return write_zarr(full, full.with_suffix(".nwb.zarr"))

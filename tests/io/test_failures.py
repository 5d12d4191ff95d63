"""Sizes that only a header claims."""

import pytest

from microcolumn.errors import BadFile
from microcolumn.io.failures import check_claim


def test_a_claim_beyond_what_a_file_can_hold_is_refused(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes(1000))
    check_claim(path, 50_000_000, "spike_times")
    check_claim(path, 1000, "spike_times", compressed=False)
    with pytest.raises(BadFile, match="spike_times claims 10,000,000,000 bytes in a file of"):
        check_claim(path, 10**10, "spike_times")
    with pytest.raises(BadFile, match="claims 1,001 bytes in a file of 1,000"):
        check_claim(path, 1001, "spike_times", compressed=False)


def sizes(tmp_path, n_bytes):
    """A file of so many bytes, none of them written."""
    path = tmp_path / "a.mat"
    with path.open("wb") as file:
        file.truncate(n_bytes)
    return path


def test_a_claim_may_be_what_deflate_can_do_up_to_4_gib_and_100_times_the_size_beyond(tmp_path):
    small, larger = 4_000_000, 60_000_000
    path = sizes(tmp_path, small)
    check_claim(path, 1000 * small, "X")
    with pytest.raises(ValueError, match="X claims 4,200,000,000 bytes"):
        check_claim(path, 1050 * small, "X")
    path = sizes(tmp_path, larger)
    check_claim(path, 100 * larger, "X")
    with pytest.raises(ValueError, match="X claims 10,000,000,000 bytes"):
        check_claim(path, 10_000_000_000, "X")

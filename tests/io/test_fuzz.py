"""A short run of the command that feeds readers mutated files."""

import re
import subprocess
import sys
from pathlib import Path

import fuzz
import numpy as np
import pytest
import written

from microcolumn.io import _containment

COMMAND = [sys.executable, str(Path(fuzz.__file__))]


def test_mutations_are_many_and_repeatable():
    made = {fuzz.mutated(b"0123456789" * 20, np.random.default_rng(n)) for n in range(100)}
    assert len(made) > 90
    again = {fuzz.mutated(b"0123456789" * 20, np.random.default_rng(n)) for n in range(100)}
    assert made == again


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What one run of the command says of all readers."""
    # Into a file: the idle worker of a process that was killed would hold a pipe open.
    with (tmp_path_factory.mktemp("fuzz") / "printed").open("w+") as file:
        subprocess.run(
            [*COMMAND, "--files", "8"], stdout=file, stderr=subprocess.STDOUT, check=False
        )
        file.seek(0)
        return file.read()


@pytest.mark.integration
@pytest.mark.parametrize("reader", fuzz.SEEDS)
def test_mutated_files_are_read_or_refused_in_one_sentence(reader, printed):
    assert re.search(rf"^{reader}: \d+ read, \d+ refused, 0 failed$", printed, re.MULTILINE), (
        printed
    )


def test_a_reader_that_raises_or_eats_memory_is_found(tmp_path, monkeypatch):
    def broken(path, **options):
        raise KeyError("units")

    monkeypatch.setattr(fuzz.io, "read", broken)
    assert "KeyError" in fuzz.attempt(tmp_path)
    monkeypatch.setattr(fuzz.io, "read", lambda path, **options: np.ones(300_000_000))
    assert fuzz.attempt(tmp_path).startswith("took ")


def test_a_reader_that_follows_links_is_found(tmp_path, monkeypatch):
    folder = written.write_phy(written.small_recording(), tmp_path / "phy")
    fuzz._link(folder / "cluster_info.tsv", folder, np.random.default_rng(0))
    assert fuzz.attempt(folder) == "refused"
    monkeypatch.setattr(_containment, "is_inside", lambda path, home: True)
    assert fuzz.attempt(folder).startswith("foreign file: ")

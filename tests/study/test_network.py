"""Stores on file systems that several machines have mounted."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from small_study import small_plan

from microcolumn.study import _network as network
from microcolumn.study._network import network_file_system
from microcolumn.study._run import run
from microcolumn.study._store import Store

MOUNTS = r"""
24 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
25 24 0:22 / {root}/home rw,relatime - nfs4 server:/home rw,vers=4.2
26 25 0:23 / {root}/home/me/local rw,relatime shared:5 - xfs /dev/sdb rw
27 24 0:24 / {root}/my\040work rw,relatime - lustre 10.0.0.1@tcp:/work rw
28 24 0:25 / {root}/twice rw - nfs server:/a rw
29 24 0:26 / {root}/twice rw - tmpfs tmpfs rw
"""


@pytest.fixture
def mounted(tmp_path, monkeypatch):
    """A folder in which some file systems are mounted, by the system's table of them."""
    table = tmp_path / "mountinfo"
    table.write_text(MOUNTS.format(root=tmp_path).lstrip())
    monkeypatch.setattr(network, "_MOUNTS", table)
    return tmp_path


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("home/me/study.db", "nfs4"),
        ("home/me/local/study.db", ""),
        ("homes/study.db", ""),
        ("my work/study.db", "lustre"),
        ("twice/study.db", ""),
        ("study.db", ""),
    ],
)
def test_a_file_is_where_the_deepest_mount_is(mounted, place, kind):
    assert network_file_system(mounted / place) == kind


def test_a_link_is_where_it_leads(mounted):
    (mounted / "home").mkdir()
    (mounted / "link").symlink_to(mounted / "home")
    assert network_file_system(mounted / "link" / "study.db") == "nfs4"


def test_where_the_system_does_not_say_files_are_local(monkeypatch):
    monkeypatch.setattr(network, "_MOUNTS", Path("/does/not/exist"))
    assert network_file_system(Path("study.db")) == ""


def test_a_store_that_machines_share_has_no_memory_that_they_would_have_to_share(mounted):
    (mounted / "home").mkdir()
    elsewhere, shared = mounted / "study.db", mounted / "home" / "study.db"
    Store.create(elsewhere).close()
    elsewhere.rename(shared)  # one that was made on a local disk, too
    with Store.create(shared) as store:
        store.write_study(command="as ever")
        assert [file.name for file in shared.parent.iterdir()] == ["study.db"]
    with closing(sqlite3.connect(shared)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    with Store.open(shared) as store:
        assert store.read_study() == {"command": "as ever"}


def test_a_run_says_that_its_store_is_on_a_network_file_system(mounted, capsys):
    (mounted / "home").mkdir()
    path = mounted / "home" / "study.db"
    run(small_plan(n_splits=1, models="Ising"), path, n_jobs=1)
    [sentence] = capsys.readouterr().err.splitlines()
    assert sentence.startswith(f"{path} is on a network file system (nfs4), where an ordinary ")
    assert [file.name for file in path.parent.iterdir() if "lock" not in file.name] == ["study.db"]

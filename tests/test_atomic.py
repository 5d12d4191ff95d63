import errno
import os
from contextlib import suppress

import pytest

from microcolumn.atomic import atomic_write


def test_a_file_is_replaced_whole_or_left_as_it_was(tmp_path):
    path = tmp_path / "words.csv"
    path.write_text("as it was")
    with suppress(KeyboardInterrupt), atomic_write(path) as file:
        file.write(b"half of")
        raise KeyboardInterrupt
    assert path.read_text() == "as it was"
    with atomic_write(path) as file:
        file.write(b"all of it")
    assert path.read_text() == "all of it"
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_written_to_is_one_sentence(tmp_path):
    sentence = "it is no plain file; choose another place"
    with pytest.raises(OSError, match=sentence), atomic_write(tmp_path):
        pass
    missing = tmp_path / "folder" / "file"
    with (
        pytest.raises(OSError, match=f"cannot write {missing}: No such file"),
        atomic_write(missing),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_is_one_sentence_with_the_file_and_what_to_do(tmp_path, monkeypatch, number):
    def full(*_):
        raise OSError(number, os.strerror(number))

    path = tmp_path / "page.html"
    path.write_text("as it was")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="free some space") as failure, atomic_write(path) as file:
        file.write(b"all of it")
    reason = os.strerror(number)
    assert str(failure.value) == (
        f"cannot write {path}: {reason}; free some space, or choose another place"
    )
    assert path.read_text() == "as it was"
    assert list(tmp_path.iterdir()) == [path]


def test_what_fails_while_a_file_is_open_is_not_taken_for_a_full_disk(tmp_path):
    lost = ConnectionResetError(errno.ECONNRESET, "reset")
    with pytest.raises(ConnectionResetError) as failure, atomic_write(tmp_path / "model"):
        raise lost
    assert failure.value is lost

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

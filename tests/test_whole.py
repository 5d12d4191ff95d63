from contextlib import suppress

import pytest

from microcolumn.whole import whole_file


def test_a_file_is_replaced_whole_or_left_as_it_was(tmp_path):
    path = tmp_path / "words.csv"
    path.write_text("as it was")
    with suppress(KeyboardInterrupt), whole_file(path) as file:
        file.write(b"half of")
        raise KeyboardInterrupt
    assert path.read_text() == "as it was"
    with whole_file(path) as file:
        file.write(b"all of it")
    assert path.read_text() == "all of it"
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_written_to_is_one_sentence(tmp_path):
    sentence = "it is no plain file; choose another place"
    with pytest.raises(OSError, match=sentence), whole_file(tmp_path):
        pass
    missing = tmp_path / "folder" / "file"
    with pytest.raises(OSError, match=f"cannot write {missing}: No such file"), whole_file(missing):
        pass
    assert list(tmp_path.iterdir()) == []

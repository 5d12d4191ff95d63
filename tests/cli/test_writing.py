from contextlib import suppress

from microcolumn.cli import writing


def test_a_file_is_replaced_whole_or_left_as_it_was(tmp_path):
    path = tmp_path / "words.csv"
    path.write_text("as it was")
    with suppress(KeyboardInterrupt), writing.whole(path) as file:
        file.write(b"half of")
        raise KeyboardInterrupt
    assert path.read_text() == "as it was"
    with writing.whole(path) as file:
        file.write(b"all of it")
    assert path.read_text() == "all of it"
    assert list(tmp_path.iterdir()) == [path]

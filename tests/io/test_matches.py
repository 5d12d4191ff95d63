"""Tables in the layouts that versions of UnitMatch write, made as its code makes them."""

import itertools
import random
from contextlib import suppress

import pytest

from microcolumn.errors import BadArgument, BadFile
from microcolumn.io import read_matches

#: Units by recording with their unique ids: cells 10 and 11 are in both, 11 as two units of 2.
UNITS = [(1, 7, 10), (1, 9, 11), (1, 12, 13), (2, 4, 10), (2, 5, 11), (2, 6, 11), (2, 8, 14)]
#: Columns of recordings, of the intermediate unique ids and of others, by version.
LAYOUTS = {
    "Python of 2024": ("RecSes 1", "RecSes 2", "UID int 1", "UM UID int 2", "UID1", "UID2"),
    "Python": ("RecSes 1", "RecSes 2", "UID 1", "UID 2", "UID orig 1", "UID orig 2"),
    "MATLAB": ("RecSes1", "RecSes2", "UID1", "UID2", "UID1Liberal", "UID2Liberal"),
}


def write(path, layout="Python", number=float, units=UNITS):
    """A row for every two units, themselves included; other ids tell all units apart."""
    names = LAYOUTS[layout]
    lines = [",".join(["ID1", "ID2", *names[:2], "Matches", "TotalScore", *names[2:]])]
    for (j, b), (k, a) in itertools.product(enumerate(units), repeat=2):
        row = [a[1], b[1], a[0], b[0], int(a[2] == b[2]), 0.5, a[2], b[2], k, j]
        lines.append(",".join(str(number(value)) if value != 0.5 else "0.5" for value in row))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("number", [int, float])
def test_cells_are_units_of_one_unique_id_in_every_layout(tmp_path, layout, number):
    path = write(tmp_path / "MatchTable.csv", layout, number)
    assert read_matches(path) == {"7": "4"}  # cell 11 is two units of the second recording
    assert read_matches(path, first=2, second=1) == {"4": "7"}


def test_other_recordings_are_asked_for_by_number(tmp_path):
    third = [(3, 1, 13), (3, 2, 10)]
    path = write(tmp_path / "MatchTable.csv", units=[*UNITS, *third])
    assert read_matches(path, first=1, second=3) == {"7": "2", "12": "1"}
    assert read_matches(path, first=1, second=4) == {}


def test_other_unique_ids_are_asked_for_by_column(tmp_path):
    path = write(tmp_path / "MatchTable.csv")
    assert read_matches(path, match_by="UID orig 1") == {}  # in which no two units are the same
    path = write(tmp_path / "matlab.csv", "MATLAB")
    assert read_matches(path, match_by="UID1Liberal") == {}


def test_a_table_without_unique_ids_is_refused_with_the_column_that_is_missing(tmp_path):
    path = tmp_path / "MatchTable.csv"
    path.write_text("ID1,ID2,RecSes 1,RecSes 2,UM Probabilities\n7,4,1,2,0.9\n")
    with pytest.raises(BadFile, match=r"MatchTable.csv: .* no column 'UID 1'"):
        read_matches(path)


@pytest.mark.parametrize("entry", ["7.5", "", "seven", "nan", "inf", "1e999"])
def test_an_id_that_is_no_whole_number_is_refused_with_its_line(tmp_path, entry):
    path = tmp_path / "MatchTable.csv"
    path.write_text(f"ID1,ID2,RecSes 1,RecSes 2,UID 1,UID 2\n7,4,1,2,0,0\n{entry},4,1,2,0,0\n")
    with pytest.raises(BadFile, match="line 3 has not whole numbers"):
        read_matches(path)


def test_a_recording_is_not_matched_with_itself(tmp_path):
    with pytest.raises(BadArgument) as caught:
        read_matches(write(tmp_path / "MatchTable.csv"), first=2, second=2)
    assert caught.value.argument == "second"


def test_damaged_tables_are_read_or_refused_in_a_sentence(tmp_path):
    rng = random.Random(0)
    whole = write(tmp_path / "whole.csv").read_bytes()
    path = tmp_path / "damaged.csv"
    for _ in range(300):
        content = bytearray(whole)
        for _ in range(rng.randint(1, 20)):
            content[rng.randrange(len(content))] = rng.randrange(256)
        path.write_bytes(content[: rng.randint(1, len(content))])
        with suppress(BadFile):
            assert all(
                float(unit).is_integer() for pair in read_matches(path).items() for unit in pair
            )

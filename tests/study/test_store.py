import math
import sqlite3
import struct

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from stored import JOB, check_whole, put

from microcolumn.study._schema import FORMAT_VERSION, tables
from microcolumn.study.store import Store, StoreError


@settings(deadline=None, max_examples=30)
@given(values=st.lists(st.floats(), min_size=1, max_size=8), blob=st.binary(max_size=9000))
def test_numbers_and_models_come_back_bit_for_bit(tmp_path_factory, values, blob):
    path = tmp_path_factory.mktemp("store") / "study.db"
    special = [math.inf, -math.inf, math.nan, 5e-324, -2.2e-310, 1.7976931348623157e308, 0.1, 3.0]
    values = values + special
    with Store.create(path) as store:
        fits = [{"l1": float(k), "value": value, "file": blob} for k, value in enumerate(values)]
        store.finish("a", JOB, {"fits": fits})
    with Store.open(path) as store:
        rows = store.rows("fits")
    assert [row["file"] for row in rows] == [blob] * len(values)
    # SQLite keeps no sign of zero; all nans are one NULL.
    plain = [math.nan if math.isnan(value) else value + 0.0 for value in values]
    assert [struct.pack("d", row["value"]) for row in rows] == [
        struct.pack("d", value) for value in plain
    ]


def test_what_is_absent_is_nan_in_columns_of_numbers_and_none_elsewhere(path):
    with Store.create(path) as store:
        store.finish("a", JOB, {"scores": [{"model": "Ising"}]})
        (row,) = store.rows("scores")
        assert math.isnan(row["bits_per_second"])
        assert row["normaliser"] is None
        assert row["n_nonzero"] is None
        assert len(store.rows("scores", bits_per_second=math.nan, normaliser=None)) == 1


def test_a_failure_is_kept_until_its_job_finishes(path):
    with Store.create(path) as store:
        store.fail("a", "fit of B4", "first", "...")
        store.fail("a", "fit of B4", "second", "...")
        store.fail("b", "fit of T6", "third", "...")
        assert [row["error"] for row in store.rows("failures")] == ["second", "third"]
        store.finish("a", JOB, {})
        assert [row["digest"] for row in store.rows("failures")] == ["b"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"fit": [{}]}, "no table 'fit'"),
        ({"fits": [{"l1": 0.0, "lambda": 1}]}, "fits has no column 'lambda'"),
        ({"normalisers": [{"l1": 0.0, "method": [[1, 0.5]]}]}, "method cannot hold a list"),
        ({"fits": [{"l1": 0.0, "value": "high"}]}, "REAL column fits.value"),
        ({"fits": [{"l1": 0.0}, {"l1": 0.0}]}, "UNIQUE"),
        ({"fits": [{}]}, "fits.l1"),
    ],
)
def test_rows_that_do_not_fit_are_refused_and_nothing_of_the_job_is_kept(path, rows, message):
    with Store.create(path) as store:
        with pytest.raises(ValueError, match=message):
            store.finish("a", JOB, {"scores": [{"model": "Ising"}]} | rows)
        assert store.finished() == set()
        assert store.rows("scores") == store.rows("environments") == []
        put(store, 1)
        check_whole(store, [1])


def test_a_job_is_finished_once(path):
    with Store.create(path) as store:
        put(store, 1)
        with pytest.raises(ValueError, match=r"job 000001 is in .* already"):
            put(store, 1)
        check_whole(store, [1])


@pytest.mark.parametrize("use", [Store.create, Store.open])
def test_places_where_no_store_can_be_are_named(tmp_path, use):
    with pytest.raises(StoreError, match="is a folder"):
        use(tmp_path)
    with pytest.raises(StoreError, match="does not exist; "):
        use(tmp_path / "nowhere" / "study.db")
    assert list(tmp_path.iterdir()) == []


def another_program(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE mail (subject)")
    connection.close()


def another_version(path, version):
    Store.create(path).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda path: path.write_bytes(b"short"), "not a study's store"),
        (lambda path: path.write_bytes(b"a, long, table\n" * 999), "not a study's store"),
        (another_program, "database of another program"),
        (lambda path: another_version(path, FORMAT_VERSION + 1), "a newer microcolumn"),
        (lambda path: another_version(path, FORMAT_VERSION - 1), "an older microcolumn"),
    ],
)
@pytest.mark.parametrize("use", [Store.create, Store.open])
def test_a_file_that_is_not_such_a_store_is_refused_and_left_alone(path, use, write, message):
    write(path)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=message) as caught:
        use(path)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def filled(path, n_jobs):
    with Store.create(path) as store:
        for number in range(n_jobs):
            put(store, number)


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5, 0.9])
def test_a_truncated_store_is_reported_as_damaged(path, share):
    filled(path, 20)
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(StoreError, match="damaged"):
        Store.create(path)


def test_a_store_with_flipped_bits_is_read_or_refused_in_a_sentence(path):
    """What SQLite cannot see, flips within a model's bytes, the model's own checksum does."""
    filled(path, 5)
    content = path.read_bytes()
    random = np.random.default_rng(0)
    refusals = []
    for _ in range(300):
        flipped = bytearray(content)
        # Mostly in the beginnings of pages, where their structure is.
        place = 4096 * random.integers(len(content) // 4096) + random.geometric(0.02) - 1
        flipped[min(place, len(content) - 1)] ^= 1 << random.integers(8)
        path.write_bytes(flipped)
        try:
            with Store.create(path) as store:
                for table in tables():
                    store.rows(table)
        except StoreError as error:
            refusals.append(str(error))
    assert 0 < len(refusals) < 300
    assert all(str(path) in message and "\n" not in message for message in refusals)


def test_a_closed_store_is_a_single_file(path):
    filled(path, 5)
    assert list(path.parent.iterdir()) == [path]
    with Store.open(path) as store:
        check_whole(store, range(5))
    assert list(path.parent.iterdir()) == [path]


def test_a_lock_held_by_another_program_is_a_sentence(path, monkeypatch):
    monkeypatch.setattr("microcolumn.study._connection._PATIENCE", 0.1)
    with Store.create(path) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"is locked by another program .* are kept"):
            put(store, 1)
        other.close()
        put(store, 1)
        check_whole(store, [1])


def test_damage_that_only_reading_finds_is_reported_as_damage(path):
    filled(path, 20)
    with Store.open(path) as store:
        place = store._connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'fits'"
        ).fetchone()[0]
    content = bytearray(path.read_bytes())
    content[(place - 1) * 4096 : place * 4096] = bytes(4096)
    path.write_bytes(content)
    with Store.open(path) as store, pytest.raises(StoreError, match="is damaged"):
        store.rows("fits")


def test_a_store_is_read_while_a_transaction_is_open(path):
    with Store.create(path) as writer, Store.open(path) as reader:
        put(writer, 1)
        with writer._transaction() as connection:
            connection.execute("DELETE FROM failures")
            check_whole(reader, [1])

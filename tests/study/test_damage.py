"""Bytes that change on the disk: never another result, always a sentence, and the rest is read."""

import sqlite3

import numpy as np
import planted_study as planted
import pytest
from flipped_stores import flipped, outcome, told
from stored import check_integrity, put

from microcolumn.report import report_dict
from microcolumn.study import Results, StoreError, status
from microcolumn.study._damage import sound
from microcolumn.study._schema import RESULTS, tables
from microcolumn.study._store import Store


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    return planted.write(tmp_path_factory.mktemp("intact") / "study.db").read_bytes()


@pytest.fixture
def path(content, tmp_path):
    file = tmp_path / "study.db"
    file.write_bytes(content)
    return file


def change(path, statement):
    """Change rows behind the back of their checksums."""
    connection = sqlite3.connect(path)
    assert connection.execute(statement).rowcount
    connection.commit()
    connection.close()


def test_a_store_as_it_was_written_is_read_itself(path):
    assert sound(path) == (path, "")
    assert Results(path).damage == status(path).damage == ""


def test_another_score_is_left_out_and_named_and_all_else_is_shown(path):
    whole = report_dict(Results(path))
    scored = "SELECT digest FROM planned WHERE kind = 'test' AND split = 1 AND window = 1"
    change(path, f"UPDATE scores SET bits_per_second = 99 WHERE job IN ({scored} LIMIT 1)")
    results = Results(path)
    assert results.damage.startswith(
        f"{path} is damaged (test, cells, instantaneous, window 1, split 1); "
    )
    splits = [score.split for score in results.comparison("cells").models[0].splits]
    assert splits == [0, 2, 3]
    shown = report_dict(results)
    assert shown["cautions"][0] == results.damage
    assert "1 of " in shown["cautions"][1]
    assert shown["comparisons"][1:] == whole["comparisons"][1:]
    assert results.damage in str(status(path))


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("UPDATE fits SET file = zeroblob(9) WHERE l1 = 0", "and 33 more"),
        ("DELETE FROM normalisers WHERE l1 = 0", "and 33 more"),
        ("UPDATE jobs SET seconds = 2 WHERE kind = 'describe'", "describe, cells, instantaneous"),
        ("UPDATE study SET value = 'x' WHERE key = 'command'", "command in table study"),
        ("UPDATE recordings SET n_spikes = 7", "cells in table recordings"),
        ("UPDATE planned SET split = 7 WHERE position = 3", "3 in table planned"),
        ("UPDATE environments SET versions = '{}'", "1 in table environments"),
    ],
)
def test_any_other_value_is_named(path, statement, named):
    change(path, statement)
    report, damage = told(path)
    assert report
    assert named in damage


def test_a_plan_that_changed_is_refused_with_the_remedy(path):
    change(path, "UPDATE study SET value = replace(value, '4', '5') WHERE key = 'plan'")
    with pytest.raises(StoreError, match=r"plan in table study\); .*run the study again"):
        Results(path)


def test_an_index_that_lost_a_row_is_refused_in_a_sentence(path):
    connection = sqlite3.connect(path)
    root = "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_annealings_1'"
    [page] = connection.execute(root).fetchone()
    connection.close()
    flip = bytearray(path.read_bytes())
    flip[page * 4096 - 8] ^= 1  # within the entry at the end of the page
    path.write_bytes(flip)
    for use in (Results, status, Store.create):
        with pytest.raises(StoreError, match=r"is damaged \(row 1 missing from index"):
            use(path)


def test_a_definition_that_changed_is_named(path):
    path.write_bytes(path.read_bytes().replace(b"scores.job = planned", b"scores.job < planned"))
    with pytest.raises(StoreError, match="the definition of 'current_scores' changed"):
        Results(path)


def test_a_run_computes_what_is_damaged_again(tmp_path):
    path = tmp_path / "study.db"
    with Store.create(path) as store:
        for number in range(4):
            put(store, number)
        store.write_study(command="study run")
    change(path, "UPDATE fits SET file = zeroblob(9) WHERE job = 'job 000002' AND l1 = 0")
    change(path, "UPDATE fits SET job = CAST(x'6aff' AS TEXT) WHERE job = 'job 000003'")
    change(path, "UPDATE environments SET versions = '{}'")
    change(path, "UPDATE study SET value = 'study rum'")
    with Store.create(path) as store:
        assert "command in table study; 1 in table environments; job job 000002" in store.mend()
        assert store.finished() == {"job 000000", "job 000001"}
        assert store.read_study() == {}
        put(store, 2)
        put(store, 3)
        assert store.mend() == ""
    check_integrity(path)


def test_every_row_has_a_checksum_of_its_own_or_of_its_job():
    stored = {name for name in tables() if not name.startswith("current_")}
    assert {name for name in stored if "checksum" not in tables()[name].types} == set(RESULTS)


def test_stores_with_flipped_bytes_are_never_silently_different(path, content):
    intact, _ = told(path)
    for seed in range(4):
        path.write_bytes(flipped(content, np.random.default_rng(seed)))
        assert outcome(path, intact) != "DIFFERENT"

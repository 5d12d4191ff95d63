from pathlib import Path

import pytest

from microcolumn.cli.stores import comparison_store, default_store, store_of


def test_a_plan_has_its_store_beside_it_and_a_quick_look_another():
    assert default_store(Path("a/plan.toml")) == Path("a/plan.db")
    assert default_store(Path("a/plan.toml"), quick=True) == Path("a/plan-quick.db")


def test_a_store_is_its_own(tmp_path):
    assert store_of(tmp_path / "study.db") == tmp_path / "study.db"


def test_a_plan_that_was_only_tried_quickly_names_that_store(tmp_path):
    (tmp_path / "plan-quick.db").touch()
    with pytest.raises(ValueError, match=r"plan-quick\.db; name that instead"):
        store_of(tmp_path / "plan.toml")


def test_comparisons_of_many_recordings_have_short_names_that_their_ends_tell_apart():
    many = [f"session_{n:02}" for n in range(30)]
    first, second = (comparison_store([*many, last], quick=False) for last in ("a", "b"))
    assert first != second
    assert max(len(first.name), len(second.name)) < 80

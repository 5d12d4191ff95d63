"""Planted groups and hidden units: the pairing against all others, and who is right."""

from itertools import permutations

import pytest
from hypothesis import given, strategies as st

from microcolumn.evaluate import Assemblies, Assembly, PlantedGroup, match_groups

UNITS = [f"u{n}" for n in range(6)]
groups = st.lists(st.sets(st.sampled_from(UNITS), min_size=1), max_size=4)


def assemblies_of(members):
    """Hidden units h5, h6, ... of these units."""
    rest = ("IV", 0.5, 0.5, 0.1, 1.0, 2, 1.0, 0.9, 1.0, 0.1)
    rows = [Assembly(5 + k, tuple(sorted(each)), (), *rest) for k, each in enumerate(members)]
    return Assemblies(tuple(rows), 3, exact=True)


def alike(a, b):
    return len({*a} & {*b}) / len({*a} | {*b})


@given(groups, groups)
def test_no_other_pairing_has_more_in_common(planted, hidden):
    names = {f"g{k}": sorted(each) for k, each in enumerate(planted)}
    matched = match_groups(names, assemblies_of(hidden))
    assert [each.name for each in matched] == list(names)
    used = [each.hidden for each in matched if each.hidden]
    assert len(used) == len({*used})
    together = sum(alike(each.units, each.found) for each in matched if each.hidden)
    # Any order of the hidden units, with empty places for groups that get none.
    others = [*hidden, *[None] * len(planted)]
    best = max(
        sum(alike(a, b) for a, b in zip(planted, order, strict=False) if b)
        for order in permutations(others, len(planted))
    )
    assert together == pytest.approx(best)
    for each in matched:
        assert {*each.right, *each.missed} == {*each.units}
        assert {*each.right, *each.wrong} == {*each.found}
        assert (not each.hidden) == (not each.right)


def test_a_hidden_unit_stands_for_one_group():
    found = assemblies_of([{"u0", "u1", "u2"}, {"u3", "u5"}])
    matched = match_groups({"a": ["u0", "u1"], "b": ["u1", "u2"], "c": ["u3", "u4"]}, found)
    assert matched == (
        PlantedGroup("a", ("u0", "u1"), "h5", ("u0", "u1", "u2")),
        PlantedGroup("b", ("u1", "u2"), "", ()),
        PlantedGroup("c", ("u3", "u4"), "h6", ("u3", "u5")),
    )
    assert [each.missed for each in matched] == [(), ("u1", "u2"), ("u4",)]
    assert [each.wrong for each in matched] == [("u2",), (), ("u5",)]

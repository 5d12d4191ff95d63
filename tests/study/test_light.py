"""What a lighter comparison of words of many bits leaves out."""

from __future__ import annotations

from microcolumn.study import Experiment
from microcolumn.study._jobs import specs_of
from microcolumn.study._light import lighter


def test_weak_penalties_and_many_components_are_left_out():
    grid = [{"l1": l1, "count": True} for l1 in (1e-5, 1e-4, 1e-3, 1e-2)]
    assert lighter(grid) == grid[1:]
    sizes = [{"n_components": n} for n in (1, 10, 40, 60)]
    assert lighter(sizes) == sizes[:3]
    assert lighter([{"n_edges": 5}, {}]) == [{"n_edges": 5}, {}]


def test_semi_restricted_models_are_left_out_of_long_words_unless_models_are_chosen():
    light = Experiment("light", light_above=64)
    assert "SemiRBM 25 likelihood" in [spec.name for spec in specs_of(light, 64, 1)]
    assert "SemiRBM 25 likelihood" not in [spec.name for spec in specs_of(light, 65, 1)]
    assert "SemiRBM 25 likelihood" not in [spec.name for spec in specs_of(light, 13, 5)]
    chosen = Experiment("light", light_above=64, models=("Ising", "SemiRBM"))
    assert "SemiRBM 25 likelihood" in [spec.name for spec in specs_of(chosen, 300, 1)]
    whole = Experiment("whole")
    assert "SemiRBM 25 likelihood" in [spec.name for spec in specs_of(whole, 300, 1)]

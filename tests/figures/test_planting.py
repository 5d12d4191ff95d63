"""The figure of planted groups: a panel for each recording that was simulated with some."""

import planted_study as planted
import pytest

from microcolumn import figures, plot
from microcolumn.recording import Recording
from microcolumn.study import NotComputedError, Results


def test_it_draws_the_pairs_of_the_best_model_with_hidden_units(planted_results, monkeypatch):
    shown = []
    monkeypatch.setattr(plot, "planted", lambda groups, units, **_: shown.append((groups, units)))
    figures.planted(planted_results)
    [(groups, units)] = shown
    assert groups == planted_results.planted("cells", experiment="instantaneous")
    assert {each.name: each.units for each in groups} == planted.recording().groups
    assert units.ids == planted.recording().units.ids


def test_a_group_has_the_units_that_are_modelled(planted_results):
    ids = planted_results.units("cells", experiment="spatiotemporal").ids
    where = {"experiment": "spatiotemporal", "window": 2}
    known = planted.recording().groups.items()
    left = {name: [unit for unit in units if unit in ids] for name, units in known}
    found = planted_results.planted("cells", **where)
    assert {each.name: [*each.units] for each in found} == {n: u for n, u in left.items() if u[1:]}


def test_without_planted_groups_there_is_no_figure(tmp_path):
    given = planted.recording()
    data = Recording(given.trains, given.units, given.epochs, simulated=True)
    results = Results(planted.write(tmp_path / "study.db", data=data))
    assert results.planted("cells", experiment="instantaneous") == ()
    assert "planted" not in [each.name for each in figures.available_figures(results)]
    with pytest.raises(NotComputedError, match="whose planted groups are known; run the study"):
        figures.planted(results)

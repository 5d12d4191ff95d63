"""What shows how long fits will still take."""

import io
import sys

import pytest

import microcolumn as mc
from microcolumn.solvers import _bars as bars


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("objective", ["mpf", "likelihood"])
def test_a_path_of_penalties_tells_how_many_are_done(objective, monkeypatch):
    words = mc.simulate.microcolumn(n_units=3, minutes=0.2, seed=0).bin(0.020)
    monkeypatch.setattr(bars, "_PATIENCE", 0.0)
    terminal, log = Terminal(), io.StringIO()
    model = mc.Ising(objective=objective)
    monkeypatch.setattr(sys, "stderr", terminal)
    model.fit_path(words, [1e-3, 1e-2])
    assert "penalties" in terminal.getvalue()
    assert "/2 [" in terminal.getvalue()
    monkeypatch.setattr(sys, "stderr", log)
    model.fit_path(words, [1e-3, 1e-2])
    assert log.getvalue() == ""


def test_a_single_step_has_no_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert bars.delayed_bar(1, "penalties").disable
    with bars.delayed_bar(2, "penalties") as two:
        assert not two.disable

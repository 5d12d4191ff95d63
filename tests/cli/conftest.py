import pytest


@pytest.fixture(autouse=True)
def no_step_is_slow(monkeypatch):
    """However busy the machine is, commands say nothing of steps that take long."""
    monkeypatch.setattr("microcolumn.study.progress._SLOW_S", 600.0)

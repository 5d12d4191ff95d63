import pytest

from microcolumn.models import penalised


@pytest.fixture
def out_of_reach(monkeypatch):
    """No exact sum is small enough for a fit by likelihood."""
    monkeypatch.setattr(penalised, "EXACT_FIT", 0.0)

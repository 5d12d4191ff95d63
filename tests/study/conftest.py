import pytest


@pytest.fixture
def path(tmp_path):
    """Where a study may keep its store."""
    return tmp_path / "study.db"


@pytest.fixture(scope="session")
def results(planted_results):
    """Those of the planted study; tests only read them."""
    return planted_results

import pytest
from small_study import results_of, small_plan

from microcolumn.study._run import run


@pytest.fixture
def path(tmp_path):
    """Where a study may keep its store."""
    return tmp_path / "study.db"


@pytest.fixture(scope="session")
def results(planted_results):
    """Those of the planted study; tests only read them."""
    return planted_results


@pytest.fixture(scope="session")
def alone(tmp_path_factory):
    """All that the store says of a small study that one process did by itself, undisturbed."""
    path = tmp_path_factory.mktemp("alone") / "study.db"
    run(small_plan(), path, n_jobs=1)
    return results_of(path)

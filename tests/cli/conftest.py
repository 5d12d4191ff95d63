import pytest
import written


@pytest.fixture(autouse=True)
def no_step_is_slow(monkeypatch):
    """However busy the machine is, commands say nothing of steps that take long."""
    monkeypatch.setattr("microcolumn.study.progress._SLOW_S", 600.0)


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """A file with a small recording; tests only read it."""
    path = tmp_path_factory.mktemp("recorded") / "session.npz"
    return written.write_npz(written.small_recording(), path)

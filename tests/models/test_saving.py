"""Writing model files: all at once, over older ones, and not before a fit."""

import os

import pytest

import microcolumn as mc
from microcolumn.models import to_bytes


def _fitted(cls):
    return cls().fit(mc.simulate.microcolumn(n_units=4, minutes=0.5, seed=1).bin())


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "model.safetensors"
    model = _fitted(mc.Ising)
    model.save(path)
    before = path.read_bytes()

    def fail(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(OSError, match="No space left"):
        mc.Ising(l1=0.5).fit([[0, 1], [1, 0], [1, 1]]).save(path)
    assert os.listdir(tmp_path) == ["model.safetensors"]
    assert path.read_bytes() == before


def test_an_unfitted_model_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match="not fitted yet"):
        to_bytes(mc.Ising())
    with pytest.raises(ValueError, match="not fitted yet"):
        mc.Ising().save(tmp_path / "model.safetensors")
    assert os.listdir(tmp_path) == []

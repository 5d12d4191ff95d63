"""Model files: exact round trips, one sentence for everything else, nothing executed."""

import hashlib
import io
import json
import os
import pickle
import struct
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st
from safetensors.numpy import save as tensors

import microcolumn as mc
from microcolumn.errors import BadFile
from microcolumn.models import _files as files, to_bytes
from microcolumn.models._saving import digest_of

CLASSES = {"independent": mc.Independent, "ising": mc.Ising, "rbm": mc.RBM, "srbm": mc.SemiRBM}
SETTINGS = {mc.RBM: {"n_hidden": 2}, mc.SemiRBM: {"n_hidden": 2}}


def _fitted(cls, **settings):
    words = mc.simulate.microcolumn(n_units=4, minutes=0.5, seed=1).bin()
    return cls(**SETTINGS.get(cls, {}), **settings).fit(words)


def _assert_refused(path, match="is not a microcolumn model"):
    """By its name and, if it is a file, by its bytes."""
    with pytest.raises(ValueError, match=match) as caught:
        mc.load(path)
    _assert_one_sentence(str(caught.value), os.fspath(path))
    if path.is_file():
        with pytest.raises(ValueError, match=match) as caught:
            files.from_bytes(path.read_bytes(), "row 3")
        _assert_one_sentence(str(caught.value), "row 3")


def _assert_one_sentence(message, name):
    assert message.startswith(f"{name}: it is not a microcolumn model: ")
    assert message.endswith("pass a model as its save method writes it")
    assert "\n" not in message


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """The bytes of a small model file."""
    path = tmp_path_factory.mktemp("whole") / "model.safetensors"
    _fitted(mc.SemiRBM).save(path)
    return path.read_bytes()


def test_log_z_of_a_model_comes_back_with_it(content):
    model = files.from_bytes(content)
    assert files.from_bytes(content, log_z=model.log_partition())._log_partition is not None
    again = files.from_bytes(to_bytes(model), log_z=model.log_partition())
    assert again.log_partition() == model.log_partition()


def test_the_same_bytes_are_made_in_another_process():
    script = (
        "import hashlib, microcolumn as mc; from microcolumn.models import to_bytes;"
        "words = mc.simulate.microcolumn(n_units=4, minutes=0.5, seed=1).bin();"
        "print(hashlib.sha256(to_bytes(mc.Ising().fit(words))).hexdigest())"
    )
    command = [sys.executable, "-c", script]
    other = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    assert other == hashlib.sha256(to_bytes(_fitted(mc.Ising))).hexdigest()


@pytest.mark.parametrize("window", [1, 2])
def test_what_a_model_is_of_comes_back_and_costs_little(tmp_path, window):
    units = mc.Units(
        ["7", "12"], [np.nan, 900.0], ["", "IV"], depth_reference="tip", quality=["good", "mua"]
    )
    recording = mc.Recording([[50.01, 50.09, 51.0], [50.05, 50.5]], units, [[50.0, 52.0]])
    model = mc.Ising().fit(recording.bin(0.010).embed(window))
    model.save(tmp_path / "model.safetensors")
    copy = mc.load(tmp_path / "model.safetensors")
    assert (copy.bin_width_, copy.window_, copy.unit_ids_) == (0.010, window, ("7", "12"))
    assert (copy.words_info_.start_s, copy.words_info_.stop_s) == (50.0, pytest.approx(52.0))
    assert copy.words_info_.n_bins == model.words_info_.n_bins == 201 - window
    assert (copy.units_.layer, copy.units_.quality) == (("", "IV"), ("good", "mua"))
    assert copy.units_.depth_reference == "tip"
    assert np.array_equal(copy.units_.depth_um, [np.nan, 900.0], equal_nan=True)
    assert copy.units_.multiunit.tolist() == [False, True]
    with_origin = (tmp_path / "model.safetensors").stat().st_size
    model.words_info_ = None
    assert with_origin - len(to_bytes(model)) < 400


@pytest.mark.parametrize("kind", CLASSES)
def test_a_model_made_from_parameters_comes_back(tmp_path, random_parameters, every_word, kind):
    model = CLASSES[kind].from_parameters(random_parameters(kind, 4, 5, scale=30.0))
    model.save(tmp_path / "model.safetensors")
    copy = mc.load(tmp_path / "model.safetensors")
    assert not hasattr(copy, "rates_")
    assert copy.get_params() == model.get_params()
    assert np.array_equal(copy.score_samples(every_word(4)), model.score_samples(every_word(4)))


def test_a_file_cut_short_at_any_length_is_refused(tmp_path, content):
    path = tmp_path / "model.safetensors"
    for length in [*range(600), *range(600, len(content), 37), len(content) - 1]:
        path.write_bytes(content[:length])
        _assert_refused(path)


@settings(
    deadline=None, max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(place=st.floats(0.0, 1.0, exclude_max=True), bit=st.integers(0, 7), head=st.booleans())
@example(place=0.0, bit=0, head=False)
def test_a_flipped_bit_anywhere_is_refused(tmp_path, content, place, bit, head):
    # Half of the flips go to the first kilobyte: lengths, names, shapes and settings.
    at = int(place * min(1024, len(content)) if head else place * len(content))
    damaged = bytearray(content)
    damaged[at] ^= 1 << bit
    path = tmp_path / "model.safetensors"
    path.write_bytes(damaged)
    _assert_refused(path)


class _Bomb:
    """Makes a folder when unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


def _zip():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("b.npy", b"nothing")
    return buffer.getvalue()


_FOREIGN = {
    "empty": b"",
    "text": b"b,J,W,c\n0,1,2,3\n",
    "zeros": bytes(4096),
    "random": np.random.default_rng(0).bytes(5000),
    "zip": _zip(),
    "a header said to be huge": struct.pack("<Q", 2**63 - 1) + b"{}",
    "a header said to be longer than the file": struct.pack("<Q", 10_000) + b"{}",
    "a header of nothing": struct.pack("<Q", 2) + b"{}",
    "a header that is a list": struct.pack("<Q", 2) + b"[]",
    "deeply nested": struct.pack("<Q", 60_000) + b"[" * 60_000,
    "tensors of someone else": tensors({"weight": np.ones((2, 3), dtype=np.float32)}),
    "tensors of someone else, marked": tensors({"b": np.ones(2)}, metadata={"format": "pt"}),
    "half precision": tensors({"b": np.ones(2, dtype=np.float16)}),
}


@pytest.mark.parametrize("name", _FOREIGN)
def test_a_foreign_file_is_refused(tmp_path, name):
    path = tmp_path / "model.safetensors"
    path.write_bytes(_FOREIGN[name])
    _assert_refused(path)


def test_a_pickle_is_refused_and_never_executed(tmp_path):
    path, trace = tmp_path / "model.safetensors", tmp_path / "executed"
    path.write_bytes(pickle.dumps(_Bomb(str(trace))))
    _assert_refused(path)
    assert not trace.exists()


def _forged(header=(), arrays=()):
    """A file with a right fingerprint and wrong content."""
    head = {"model": "Ising", "settings": {}, "fitted": {}} | dict(header)
    body = {"b": np.zeros(2), "J": np.zeros((2, 2))} | dict(arrays)
    body = {name: array for name, array in body.items() if array is not None}
    text = json.dumps(head | {"sha256": digest_of(head, body)})
    return tensors(body, metadata={"microcolumn-model-1": text})


_WORDS = {
    "rates": np.full(2, 0.5),
    "kept_words": np.zeros((3, 2), dtype=np.uint8),
    "frequent_words": np.zeros((1, 2), dtype=np.uint8),
    "frequencies": np.ones(1),
}


_WITH_WINDOW = {"fitted": {"window_": 1}}
_UNITS = {"ids": ["a", "b"], "depth_um": None, "multiunit": [False, False]}
_ORIGIN = {"bin_width": 0.02, "start_s": 0.0, "stop_s": 1.0, "n_bins": 50, "units": _UNITS}


@pytest.mark.parametrize(
    ("header", "arrays"),
    [
        ({"model": "os.system"}, {}),
        ({"model": "RBM"}, {"J": np.ones((2, 2)) - np.eye(2)}),
        ({"settings": "text"}, {}),
        ({"settings": [1, 2]}, {}),
        ({"settings": {"l1": "much"}}, {}),
        ({"settings": {"l1": -1.0}}, {}),
        ({"settings": {"unknown": 1}}, {}),
        ({"settings": {"l1__deep": 1}}, {}),
        ({"fitted": {"score": 1}}, {}),
        ({"fitted": {"objective_": "low"}}, {}),
        ({"fitted": 3}, {}),
        ({"fitted": {"window_": 0}}, {}),
        ({"fitted": {"window_": 1.5}}, {}),
        ({"fitted": {"window_": True}}, {}),
        ({"fitted": {"window_": 3}}, {}),
        ({"feature_names": ["one"]}, {}),
        ({"origin": _ORIGIN}, {}),  # without a window
        (_WITH_WINDOW | {"origin": _ORIGIN | {"units": {"ids": ["a"]}}}, {}),
        (_WITH_WINDOW | {"origin": _ORIGIN | {"bin_width": -1.0}}, {}),
        (_WITH_WINDOW | {"origin": _ORIGIN | {"n_bins": "many"}}, {}),
        (_WITH_WINDOW | {"origin": {}}, {}),
        ({}, {"b": None}),
        ({}, {"b": np.zeros((2, 2))}),
        ({}, {"b": np.array([0.0, np.nan])}),
        ({}, {"b": np.zeros(2, dtype=np.int64)}),
        ({}, {"J": np.ones((2, 2))}),
        ({}, {"J": np.zeros((3, 3))}),
        ({}, {"W": np.zeros((2, 1)), "c": np.zeros(2)}),
        ({}, {"rates": np.full(2, 0.5)}),
        ({}, _WORDS | {"rates": np.full(3, 0.5)}),
        ({}, _WORDS | {"kept_words": np.full((3, 2), 2, dtype=np.uint8)}),
        ({}, _WORDS | {"kept_words": np.zeros((0, 2), dtype=np.uint8)}),
        ({}, _WORDS | {"frequent_words": np.zeros((1, 3), dtype=np.uint8)}),
        ({}, _WORDS | {"frequencies": np.ones(2)}),
    ],
)
def test_inconsistent_content_is_refused(tmp_path, header, arrays):
    path = tmp_path / "model.safetensors"
    path.write_bytes(_forged(header, arrays))
    _assert_refused(path, "its content is inconsistent")


def test_a_model_that_was_removed_is_refused_in_one_sentence(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(_forged({"model": "TwoTree"}, {}))
    with pytest.raises(BadFile, match=r"TwoTree was removed on .*; open it with a version") as told:
        mc.load(path)
    assert told.value.path == str(path)


@pytest.mark.parametrize("text", ["", "no json", "[1, 2]", "3", "null", "{}", "[" * 100_000])
def test_a_description_that_is_none_is_refused(tmp_path, text):
    path = tmp_path / "model.safetensors"
    path.write_bytes(tensors({"b": np.zeros(2)}, metadata={"microcolumn-model-1": text}))
    _assert_refused(path, "its content is inconsistent")

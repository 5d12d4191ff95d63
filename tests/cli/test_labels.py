"""``--group-by`` names labels in commands, ``--network`` writes couplings."""

import json

import pytest
from commands import assert_option_refused, assert_refused, done

import microcolumn as mc

CELL_TYPES = ["FS", "RS"] * 3
ISING = ("--model", "Ising", "--l1", "1e-3")


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    recording = mc.simulate.microcolumn(n_units=6, minutes=2, seed=0)
    known = recording.units
    units = mc.Units(
        known.ids,
        known.depth_um,
        labels={"cell_type": CELL_TYPES, "column_name": ["A", "A", "A", "B", "B", "B"]},
    )
    path = tmp_path_factory.mktemp("labels") / "session.npz"
    recording.with_units(units).save(path)
    return path


@pytest.fixture(scope="module")
def model(session):
    words = mc.read(session, group_by=["cell_type", "column_name"]).bin(0.020)
    return mc.Ising(l1=1e-3).fit(words)


BOTH = ("--group-by", "cell_type", "--group-by", "column_name")


def test_info_lists_units_by_label(session):
    told = done("info", session, "--group-by", "cell_type").stdout
    assert any(line.split()[:2] == ["cell", "type"] for line in told.splitlines())


def test_fit_prints_what_couplings_go_with(session, model, tmp_path):
    told = done("fit", session, *ISING, *BOTH, "--out", tmp_path / "m.safetensors").stdout
    assert str(mc.evaluate.coupling_factors(model)) in told


def test_fit_tells_programs_the_same(session, model, tmp_path):
    out = tmp_path / "m.safetensors"
    told = json.loads(done("fit", session, *ISING, *BOTH, "--out", out, "--json").stdout)
    assert told["coupling_factors"] == mc.evaluate.coupling_factors(model).to_rows()


def test_fit_without_labels_says_nothing_about_them(session, tmp_path):
    assert "|J|" not in done("fit", session, *ISING, "--out", tmp_path / "m.safetensors").stdout


def test_a_model_without_couplings_is_fitted_with_a_warning(session, tmp_path):
    out, rbm = tmp_path / "m.safetensors", ("--model", "RBM", "--hidden", 1, "--l1", "1e-3")
    assert "no couplings" in done("fit", session, *rbm, *BOTH, "--out", out).stderr
    assert out.exists()


def test_fit_writes_the_network(session, model, tmp_path):
    words = mc.read(session, group_by="cell_type").bin(0.020)
    network = tmp_path / "couplings.csv"
    done("fit", session, *ISING, "--out", tmp_path / "m.safetensors", "--network", network)
    mc.evaluate.intervals(model, words).save_network(tmp_path / "expected.csv")
    assert network.read_text() == (tmp_path / "expected.csv").read_text()


def test_a_network_that_cannot_be_written_is_refused_before_the_fit(session, tmp_path):
    out = tmp_path / "m.safetensors"
    for options in ((*ISING, "--network", "n.txt"), ("--model", "RBM", "--network", "n.csv")):
        assert_option_refused("network", "fit", session, *options, "--out", out)


def test_an_unknown_label_is_refused_by_the_name_of_its_option(session):
    assert_refused("--group-by is 'colour'", "info", session, "--group-by", "colour")

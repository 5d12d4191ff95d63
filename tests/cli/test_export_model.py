"""A model of a study as a file of its own."""

import json

import numpy as np
import pytest
import written
from commands import done, refused

import microcolumn as mc


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    path = tmp_path_factory.mktemp("recorded") / "session.npz"
    return written.write_npz(written.small_recording(), path)


@pytest.fixture(scope="module")
def study(session):
    """One split of windows of two bins of the three most active units; a plan beside its store."""
    plan = session.with_name("plan.toml")
    plan.write_text(
        f'''
        [recordings.cells]
        file = "{session.name}"
        depth_reference = "surface"

        [experiments.windows]
        bin_width = 0.040
        most_active = 3
        windows = [1, 2]
        models = ["RBM"]
        n_hidden = [2]
        l1 = [1e-4, 1e-3]
        n_splits = 1

        '''
    )
    mc.study.run(mc.study.Plan.from_toml(plan), plan.with_suffix(".db"), n_jobs=1)
    return plan


def test_a_model_of_a_study_becomes_a_file(study, session, tmp_path):
    out = tmp_path / "rbm.safetensors"
    asked = ("--recording", "cells", "--model", "RBM", "--window", 2, "--l1", 1e-3)
    told = done("study", "export-model", study, *asked, "--out", out).stdout
    results = mc.study.Results(study.with_suffix(".db"))
    expected = results.model("cells", "RBM 2", window=2, l1=1e-3)
    np.testing.assert_array_equal(mc.load(out).W_, expected.W_)
    assert str(expected.log_partition()) in told
    train, _, _ = results.words("cells", window=2)
    assert mc.load(out).unit_ids_ == train.units.ids
    rows = done("predict", session, "--model", out).stdout.splitlines()
    assert len(rows) == 1 + 3 * 499
    told = json.loads(done("study", "export-model", study, *asked, "--json", "--out", out).stdout)
    assert (told["file"], told["window"], told["bin_width_s"]) == (str(out), 2, 0.04)
    assert told["units"] == list(train.units.ids)


def test_a_model_that_a_study_does_not_have_is_one_sentence(study, tmp_path):
    out = tmp_path / "rbm.safetensors"
    store = study.with_suffix(".db")
    for sentence, arguments in {
        "no recording 'B4'; it has cells": (store, "--recording", "B4", "--model", "RBM"),
        "choose one of RBM 2": (store, "--recording", "cells", "--model", "Ising", "--window", 1),
        "has 1, 2; choose one": (store, "--recording", "cells", "--model", "RBM"),
        "nothing.db": (tmp_path / "nothing.db", "--recording", "cells", "--model", "RBM"),
    }.items():
        refused(sentence, "study", "export-model", *arguments, "--out", out)
        assert not list(tmp_path.iterdir())

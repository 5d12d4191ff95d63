"""Studies with models outside the paper's family."""

import json
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from small_study import small_plan

import microcolumn as mc
from microcolumn.models import ModelSpec
from microcolumn.study._jobs import families, specs_of
from microcolumn.study._results import Results
from microcolumn.study._run import run
from microcolumn.study.plan import Experiment

MODELS = ("Ising", "BernoulliMixture", "CommonDrive")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("alternatives") / "study.db"
    run(small_plan(n_splits=3, models=MODELS), path, n_jobs=1)
    return path


@pytest.fixture(scope="module")
def results(store):
    return Results(store)


def test_a_alternative_is_fitted_once_whatever_the_objectives_and_hidden_units():
    experiment = Experiment(
        "e", models=("RBM", "CommonDrive"), n_hidden=(2, 3), objectives=("mpf", "likelihood")
    )
    names = [spec.name for spec in specs_of(experiment, 5, 1)]
    assert names == ["RBM 2 mpf", "RBM 3 mpf", "RBM 2", "RBM 3", "CommonDrive"]
    assert families(experiment, 5, 2)["CommonDrive"] == ModelSpec("CommonDrive")


def test_the_fit_chosen_is_kept_with_all_that_was_tried(results, store):
    train, validation, _ = results.words("A", split=1)
    found = mc.evaluate.choose(mc.models.BernoulliMixture(random_state=1), train, validation)
    kept = results.model("A", "BernoulliMixture", split=1)
    assert np.array_equal(kept.modes_, found.best.modes_)
    with closing(sqlite3.connect(store)) as connection:
        query = "SELECT tried FROM current_fits WHERE model = 'BernoulliMixture' AND split = 1"
        [(tried,)] = connection.execute(query).fetchall()
    told = json.loads(tried)
    assert [each["settings"] for each in told] == list(found.settings)
    scores = [score.bits_per_second for score in found.scores]
    assert [each["validation_bits_per_second"] for each in told] == pytest.approx(scores)


def test_test_scores_are_those_of_the_fits(results):
    compared = results.comparison("A")
    for split in range(3):
        train, _, test = results.words("A", split=split)
        for name in MODELS:
            score = mc.score(
                results.model("A", name, split=split), test, mc.Independent().fit(train)
            )
            assert compared.scores[name].by_split[split] == pytest.approx(score.bits_per_second)
    assert compared.scores["CommonDrive"].chosen.startswith("drive of")
    assert compared.scores["CommonDrive"].n_parameters >= 10  # a rate and a gain for each unit


def test_scores_tell_what_a_dirichlet_process_around_the_model_adds(results):
    train, _, test = results.words("A", split=2)
    process = mc.models.DirichletProcess(results.model("A", "CommonDrive", split=2)).fit(train)
    [score] = [
        each for each in results.comparison("A").scores["CommonDrive"].splits if each.split == 2
    ]
    assert score.dirichlet_gain == pytest.approx(
        mc.score(process, test, process.base_).bits_per_second
    )


def test_prediction_patterns_and_adequacy_have_alternatives(results):
    assert results.predictions("A", "CommonDrive")["rest"].model == ModelSpec("CommonDrive")
    found = results.patterns("A")
    assert {"BernoulliMixture", "CommonDrive"} <= set(found.statistics)
    assert found.synchrony["CommonDrive"].probability.sum() == pytest.approx(1.0)
    assert list(results.adequacy("A")) == ["Independent", *MODELS]

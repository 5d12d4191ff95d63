import json
import math
import shutil
import sqlite3
import sys
from dataclasses import replace

import numpy as np
import planted_study as planted
import pytest
from scipy import stats

import microcolumn as mc
from microcolumn.figures import CaptionedFigure
from microcolumn.models import ModelSpec
from microcolumn.report import page, report_dict
from microcolumn.study._results import Results
from microcolumn.study._schema import tables
from microcolumn.study.index import NotComputedError
from microcolumn.study.plan import Plan
from microcolumn.study.store import Store

SPATIOTEMPORAL = {"experiment": "spatiotemporal", "window": 3}


@pytest.fixture
def partial(tmp_path):
    """A study in which two splits of the instantaneous experiment are tested."""

    def is_done(job):
        early = job.split < 2 and job.experiment == "instantaneous"
        return early and job.kind not in ("predict", "structure")

    return Results(planted.write(tmp_path / "study.db", keep=is_done))


def test_a_store_that_no_run_has_used_has_no_results(tmp_path):
    Store.create(tmp_path / "study.db").close()
    with pytest.raises(NotComputedError, match="has no plan yet; run a study first"):
        Results(tmp_path / "study.db")


def test_scores_are_the_means_of_the_stored_rows(results):
    found = results.comparison("cells")
    values = [planted.bits_per_second("RBM", split) for split in range(4)]
    best = found.best
    assert (best.name, found.n_splits, found.n_planned) == ("RBM 5", 4, 4)
    assert best.bits_per_second == pytest.approx(np.mean(values))
    of_training = np.std(values, ddof=1) * math.sqrt(1 / 3 + 1 / 4)  # splits share half of it
    assert best.stderr == pytest.approx(math.hypot(planted.STDERR + 0.1, of_training))
    assert best.per_neuron == pytest.approx(np.mean(values) / 23)
    assert best.l1 == (1e-3, 1e-3, 1e-3, 4e-3)
    assert best.n_live_hidden == 2.5


def test_pairs_are_compared_by_the_differences_of_stored_scores(results):
    pair = results.comparison("cells").pair("RBM 5", "Ising")
    differences = 2.0 + np.array(planted.HIDDEN)
    # Of test words, whose errors both models share but for 0.1 bits/s, and of training words.
    variance = np.array([0.1**2, differences.var(ddof=1) * (1 / 3 + 1 / 4)])
    assert pair.bits_per_second == pytest.approx(2.0)
    assert pair.stderr == pytest.approx(math.sqrt(variance.sum()))
    assert pair.df == pytest.approx(variance.sum() ** 2 / (variance**2 / [10, 3]).sum())
    assert results.comparison("cells").split_by == "blocks"
    assert str(results.comparison("cells").pair("RBM 5", "SemiRBM 5")).endswith("are the same")


def test_scores_per_neuron_by_window_join_models_that_grow_with_the_words(results):
    found = results.by_window("cells")
    assert found.windows == (1, 2, 3)
    assert [m.name for m in found.models["RBM"]] == ["RBM 4", "RBM 8", "RBM 12"]
    assert [m.per_neuron for m in found.models["RBM"]] == pytest.approx([3.0, 4.0, 5.0])
    assert [m.per_neuron for m in found.models["Ising"]] == pytest.approx([2.5, 3.5, 3.5])


def test_predictions_are_means_over_splits_for_each_unit(results):
    found = results.predictions("cells", "RBM", **SPATIOTEMPORAL)
    assert list(found) == ["rest", "past"]
    unit = found["past"].units[2]
    assert (unit.unit, unit.position, unit.rate_hz) == ("u2", 2, 3.0)
    assert unit.gain_bits_per_second == pytest.approx(1.15)
    assert unit.stderr == pytest.approx(stats.sem([1.0, 1.1, 1.2, 1.3]))
    assert found["past"].n_splits == len(found["past"].calibrations) == 4
    assert found["past"].calibrations[0]["n_bins"] == [3, 4]
    assert list(results.predictions("cells", "RBM")) == ["rest"]


def test_layers_are_those_of_every_split(results):
    found = results.layers("cells", "SemiRBM")
    assert found.splits == (0, 1, 2, 3)
    assert found.overall_p_values == pytest.approx((0.01, 0.05, 0.09, 0.13))
    assert found.n_live_hidden == (2, 3, 2, 3)
    assert found.contrast() == (pytest.approx(0.03), pytest.approx(0.01), (0.002,) * 4)


def test_the_model_is_the_one_that_was_chosen_with_its_stored_normaliser(results):
    early, last = (results.model("cells", "RBM", split=split) for split in (0, 3))
    assert isinstance(early, mc.RBM)
    assert (early.l1, last.l1) == (1e-3, 4e-3)
    assert early.W_[0, 0] == 0.2 + 1e-3
    log_z = early.log_partition()
    assert (log_z.value, log_z.stderr, log_z.method) == (planted.LOG_Z + 1e-3, 0.01, "ais")
    assert log_z.trace == ((32, 1.4, 0.1), (64, 1.5, 0.01))
    assert log_z.reverse is None
    assert results.model("cells", "Ising", split=2).J_[0, 1] == 2.1


def test_the_model_to_draw_is_the_sparsest_within_a_standard_error_of_the_best(tmp_path):
    """Scores of the planted grid are 9 ± 0.5 bits/s each."""

    def change(job, rows):
        for row in rows.get("normalisers", []):
            row["validation_bits_per_second"] = {0.0: 9.0, 1e-3: 8.6, 4e-3: scores}[row["l1"]]

    for scores, expected in ((8.6, 4e-3), (8.4, 1e-3), (float("nan"), 1e-3)):
        store = planted.write(
            tmp_path / f"{scores}.db", keep=lambda job: job.kind == "fit", change=change
        )
        assert Results(store).display_model("cells", "RBM").l1 == expected


def test_any_l1_of_the_plan_has_its_model(results):
    assert results.model("cells", "RBM", l1=0.0).W_[0, 0] == 0.2
    path = results.path("cells", "RBM", split=1)
    assert [model.l1 for model in path] == list(planted.L1)
    with pytest.raises(ValueError, match=r"l1 is 0\.5; .* has 0\.0, 0\.001, 0\.004"):
        results.model("cells", "RBM", l1=0.5)


def test_words_are_the_parts_of_the_split_ready_for_predictions(results):
    train, validation, test = results.words("cells", split=1, **SPATIOTEMPORAL)
    words = planted.recording()
    most_active = np.sort(np.argsort(-words.spike_counts, kind="stable")[:4])
    whole = words.take(most_active.tolist()).bin(0.0067).embed(3)
    both, expected = whole.split(0.5, by="blocks", random_state=1)
    first, second = both.split(0.8, by="blocks", random_state=1)
    for part, reference in ((train, first), (validation, second), (test, expected)):
        np.testing.assert_array_equal(part.bins, reference.bins)
        np.testing.assert_array_equal(part.X[part.index], reference.X[reference.index])
    model = results.model("cells", "RBM", split=1, **SPATIOTEMPORAL)
    trace = mc.evaluate.predict(model, test, given="past", baseline=train.rates).probability
    assert trace.shape == (test.n_bins, 4)


def test_assemblies_come_back_as_they_were_stored(results):
    expected = planted.assemblies(planted.recording().units.ids)
    assert results.assemblies("cells", "RBM") == expected
    assert len(results.assemblies("cells", "Ising")) == 0


def test_an_unfinished_study_shows_what_is_there(partial):
    found = partial.comparison("cells")
    assert (found.n_splits, found.n_planned) == (2, 4)
    assert found.best.bits_per_second == pytest.approx(12.0)
    assert [condition.window for condition in partial.tested()] == [1]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda r: r.comparison("cells", experiment="spatiotemporal", window=2), "a test"),
        (lambda r: r.predictions("cells", "RBM"), "a prediction by RBM 5"),
        (lambda r: r.layers("cells", "RBM"), "the structure of RBM 5"),
        (lambda r: r.interactions("cells", "RBM"), "the structure of RBM 5"),
        (lambda r: r.assemblies("cells", "RBM"), "the assemblies of RBM 5"),
        (lambda r: r.model("cells", "RBM", split=3), "the test of split 3"),
        (lambda r: r.path("cells", "RBM", split=3), "RBM 5 of split 3"),
    ],
)
def test_what_is_not_computed_yet_is_said_to_be_so(partial, ask, message):
    with pytest.raises(NotComputedError, match=f"^{message} of 'cells', .* run the study further$"):
        ask(partial)


def _with_high_scores(job, rows):
    for row in rows.get("scores", []):
        row["bits_per_second"] = 99.0


def test_results_of_an_earlier_plan_are_not_mixed_in(tmp_path):
    path = tmp_path / "study.db"
    planted.write(path, change=_with_high_scores)
    later = Plan(planted.PLAN.sources, (replace(planted.PLAN.experiments[0], seed=7, n_splits=2),))
    planted.write(path, plan=later)
    found = Results(path).comparison("cells")
    assert found.n_splits == found.n_planned == 2
    assert found.best.bits_per_second == pytest.approx(12.0)


def test_provenance_counts_the_jobs_of_the_plan(results, partial):
    found = results.provenance()
    assert found["n_done"] == found["n_planned"] == 139
    assert found["seconds"] == 1.5 * 139
    assert found["environments"] == [planted.ENVIRONMENT]
    assert (found["first"][-8:], found["last"][-8:]) == ("00+00:00", "03+00:00")
    assert found["command"] == "microcolumn study run plan.toml"
    found = partial.provenance()
    # Two descriptions; two splits of three fits and a test; patterns, annealing.
    assert (found["n_done"], found["n_planned"]) == (12, 139)


def test_activation_is_that_of_the_model_on_the_test_words(results):
    test = results.words("cells", split=2)[2]
    for l1 in (None, 0.0):
        model = results.model("cells", "RBM", split=2, l1=l1)
        found = results.activation("cells", "RBM", split=2, l1=l1)
        active = model.hidden(test.expand())
        assert found.mean == pytest.approx(active.mean(axis=0))
        assert found.variance == pytest.approx(active.var(axis=0))
        assert found.order.tolist() == [0]
    assert results.activation("cells", "Ising").order.size == 0


def test_patterns_and_annealing_come_with_what_they_are_of(results):
    patterns = results.patterns("cells")
    names = ["Independent", "Ising", "RBM 5", "SemiRBM 5"]
    assert list(patterns.statistics) == names
    assert list(patterns.synchrony) == ["data", *names]
    assert patterns.l1 == {"Ising": 4e-3, "RBM 5": 1e-3, "SemiRBM 5": 1e-3}
    test = results.words("cells")[2]
    assert np.array_equal(patterns.statistics["RBM 5"].X, test.X)
    found = results.annealing("cells", **SPATIOTEMPORAL)
    assert (found.model, found.l1, found.log_z.value) == (ModelSpec("Ising"), 4e-3, 1.504)
    assert found.convergence.n_steps == (1, 2, 4, 8)


def test_scores_are_one_tidy_table(results, monkeypatch):
    table = results.scores()
    assert len(table) == 4 * 4 + 3 * 4 * 3
    rbm = table[(table.name == "RBM 12") & (table.window == 3)]
    assert set(rbm.n_hidden) == {12}
    means = table.groupby(["experiment", "window", "name"]).bits_per_second.mean()
    for condition in results.tested():
        for model in results.comparison(**condition.names).models:
            found = means[condition.experiment.name, condition.window, model.name]
            assert found == pytest.approx(model.bits_per_second)
    monkeypatch.setitem(sys.modules, "pandas", None)
    rows = results.scores()
    assert [row["stderr"] for row in rows] == table.stderr.tolist()
    assert list(rows[0]) == list(table.columns)
    assert not any(isinstance(value, list) for value in rows[0].values())


class Counted:
    """Queries of tables of the store, of all connections opened meanwhile."""

    def __init__(self, monkeypatch):
        self.queries = []
        connect = sqlite3.connect

        def traced(*arguments, **options):
            connection = connect(*arguments, **options)
            connection.set_trace_callback(self._note)
            return connection

        monkeypatch.setattr(sqlite3, "connect", traced)

    def _note(self, statement):
        if statement.startswith("SELECT") and "sqlite_schema" not in statement:
            self.queries.append(statement)


@pytest.mark.integration
def test_the_number_of_queries_does_not_grow_with_the_number_of_jobs(
    results, tmp_path, monkeypatch
):
    small = planted.write(tmp_path / "study.db", plan=planted.more_splits(planted.PLAN, 1))
    large = shutil.copy(results.file, tmp_path / "large.db")
    tables()  # SQLite is asked once what it makes of the schema
    found = {}
    for path in (large, small):
        counted = Counted(monkeypatch)
        # What is drawn was asked for before; to write it down takes seconds.
        monkeypatch.setattr(CaptionedFigure, "svg", lambda self, prefix: f"<svg id={prefix}/>")
        opened = Results(path)
        json.dumps(report_dict(opened))
        page(opened, progress=False)
        found[path] = len(counted.queries)
        monkeypatch.undo()
    assert found[large] == found[small] <= 25


def test_a_single_split_has_the_error_of_its_test_words(tmp_path):
    path = planted.write(tmp_path / "s.db", keep=lambda job: job.kind == "test" and job.split == 0)
    pair = Results(path).comparison("cells").pair("RBM 5", "Ising")
    assert (pair.n_splits, pair.stderr, pair.df) == (1, pytest.approx(0.1), pytest.approx(10))


def test_the_animal_is_that_of_the_plan_else_that_of_the_file(tmp_path):
    [first, _] = planted.PLAN.experiments
    recorded = planted.recording()._like(animal="of the file")
    for stated, expected in (("", "of the file"), ("of the plan", "of the plan")):
        plan = Plan((replace(planted.SOURCE, animal=stated),), (first,))
        path = planted.write(tmp_path / f"{expected}.db", plan, data=recorded)
        found = Results(path)
        assert found.animal("cells") == found.comparison("cells").animal == expected
    path = planted.write(tmp_path / "a.db", Plan((planted.SOURCE,), (first,)))
    assert Results(path).animal("cells") == ""

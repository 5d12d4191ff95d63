"""The data of the explorers against the store and against words counted another way."""

import json

import large_study
import numpy as np
import planted_study
import pytest

from microcolumn.evaluate._activation import hidden_activation
from microcolumn.parameters import Parameters
from microcolumn.plot._laminar import laminar
from microcolumn.recording import Recording
from microcolumn.report._assemblies import _label, words_ending_at
from microcolumn.report._explorer import PARAMETERS, explorers, most_per_matrix, strongest
from microcolumn.study import Results
from microcolumn.words import Words


def dense(sparse, rows, columns):
    matrix = np.zeros(rows * columns)
    matrix[np.cumsum(sparse["gaps"], dtype=int)] = sparse["values"]
    return matrix.reshape(rows, columns)


def small(path, n_units=6, n_hidden=3, data=None, keep=lambda job: True, **settings):
    data = large_study.recording(n_units, 20.0) if data is None else data
    plan = large_study.plan_of(data, n_hidden, planted_study.L1, **settings)
    return large_study.write(path, plan, keep)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return small(tmp_path_factory.mktemp("study") / "cells.db", n_units=9, n_hidden=4)


@pytest.fixture(scope="module")
def explorer(results):
    [found] = explorers(results)
    return found


@pytest.fixture(scope="module")
def planted(planted_results):
    """Explorers of single bins and of windows."""
    return explorers(planted_results)


def test_a_path_holds_every_stored_parameter_to_four_digits(results, explorer):
    order = laminar(results.units("cells")).order
    assert [path["name"] for path in explorer["models"]] == ["Ising", "RBM 4", "SemiRBM 4"]
    for path in explorer["models"]:
        assert path["chosen"] == 1
        assert (path["steps"][0]["J"] is None) == (path["model"] == "RBM")
        assert (path["steps"][0]["W"] is None) == (path["model"] == "Ising")
        for step, model in zip(path["steps"], results.path("cells", path["name"]), strict=True):
            if step["J"] is not None:
                upper = np.triu(model.J_[np.ix_(order, order)], 1)
                np.testing.assert_allclose(dense(step["J"], 9, 9), upper, rtol=5e-4)
                assert step["J"]["total"] == np.count_nonzero(upper)
            if step["W"] is not None:
                W = model.W_[np.ix_(order, step["hidden"])]
                np.testing.assert_allclose(dense(step["W"], 9, len(step["hidden"])), W, rtol=5e-4)
                assert len(step["hidden"]) == model.n_live_hidden_


def test_hidden_units_are_ordered_by_the_variance_of_their_activation(results, explorer):
    X = results.words("cells")[2].expand()
    for path in explorer["models"][1:]:
        for step, model in zip(path["steps"], results.path("cells", path["name"]), strict=True):
            variances = model.hidden(X).var(axis=0)[step["hidden"]]
            assert (np.diff(variances) <= 1e-12).all()


def test_validation_scores_are_those_of_the_store(results, explorer):
    for step, l1 in zip(explorer["models"][1]["steps"], planted_study.L1, strict=True):
        assert step["l1"] == l1
        assert step["score"] == pytest.approx(large_study.validation_score(l1), rel=5e-4)
        assert step["error"] == 0.5
        assert step["method"] == "annealed importance sampling"


def test_units_are_listed_from_superficial_to_deep(results, explorer):
    units = results.units("cells")
    assert explorer["layers"] == [["II/III", 0, 3], ["IV", 3, 6], ["V/VI", 6, 9]]
    assert explorer["units"][4] == [units.ids[4], "IV", pytest.approx(units.depth_um[4], rel=1e-3)]


def test_activations_and_units_are_those_of_the_best_model_with_hidden_units(results, explorer):
    found = explorer["assemblies"]
    assert found["model"] == "RBM 4"
    model = results.model("cells", "RBM 4")
    words = large_study.recording(9, 20.0).bin(0.020)
    first = round(found["start_s"] / 0.020)
    X = words.expand()[first : first + found["n_bins"]]
    test = results.words("cells")[2]
    columns = hidden_activation(model, test).order
    assert len(found["hidden"]) == found["n_live"] == columns.size
    for unit, column in zip(found["hidden"], columns, strict=True):
        p = model.hidden(X)[:, column]
        np.testing.assert_allclose(np.array(unit["thousandths"]) / 1000, p, atol=1.01e-3)
        np.testing.assert_array_equal(np.array(unit["thousandths"]) > 500, p > 0.5)
        assert unit["positive"] == np.flatnonzero(model.W_[:, column] > 0).tolist()
        assert unit["negative"] == np.flatnonzero(model.W_[:, column] < 0).tolist()
        assert unit["mean"] == pytest.approx(model.hidden(test.expand())[:, column].mean(), 1e-3)
    for row, bins in enumerate(found["spikes"]):
        assert bins == np.flatnonzero(X[:, row]).tolist()


def test_windows_end_in_the_bins_of_the_stretch():
    words = Words.from_array(np.random.default_rng(0).random((50, 3)) < 0.3, 0.020)
    windows = words.embed(4).expand()
    np.testing.assert_array_equal(words_ending_at(words, 10, 20, 4), windows[7:17])


def test_each_experiment_shows_its_longest_words(planted):
    assert [(each["experiment"], each["window"]) for each in planted] == [
        ("instantaneous", 1),
        ("spatiotemporal", 3),
    ]
    windows = planted[1]
    assert len(windows["units"]) == 4
    [ising] = [path for path in windows["models"] if path["name"] == "Ising"]
    assert ising["steps"][0]["J"]["total"] == 1
    # The planted coupling is between the first two bits, both of the oldest bin.
    [place], [value] = ising["steps"][0]["J"]["gaps"], ising["steps"][0]["J"]["values"]
    assert max(divmod(place, 12)) < 4
    assert value == 0.1


def test_labels_have_the_layers_that_were_tested(planted):
    found = planted[0]["assemblies"]
    assert found["tested"]
    [label] = [unit["label"] for unit in found["hidden"]]
    assert label.startswith("layer IV, 60 %")
    assert label.endswith("of its weight, p\xa0=\xa00.001; active with 2 units")


@pytest.mark.parametrize(
    ("strength", "said"),
    [
        ([1.0, 2.0, 0.0], "active with 2 units"),
        ([1.0, -2.0, -1.0], "active with 1 unit, silences 2"),
        ([0.0, -2.0, 0.0], "silences 1 unit"),
    ],
)
def test_hidden_units_without_layers_are_known_by_their_company(strength, said):
    assert _label(None, np.array(strength)) == said


def test_the_split_shown_is_the_first_that_is_tested(tmp_path):
    results = small(tmp_path / "cells.db", keep=lambda job: job.split != 0, n_splits=3)
    [found] = explorers(results)
    test = results.words("cells", split=1)[2]
    for path in found["models"]:
        models = results.path("cells", path["name"], split=1)
        for step, model in zip(path["steps"], models, strict=True):
            if step["J"] is not None:
                np.testing.assert_allclose(dense(step["J"], 6, 6), np.triu(model.J_), rtol=5e-4)
            else:
                assert step["hidden"] == hidden_activation(model, test).order.tolist()
    shown = results.model("cells", found["assemblies"]["model"], split=1)
    means = np.sort(shown.hidden(test.expand()).mean(axis=0)[shown.parameters_.live])
    assert sorted(unit["mean"] for unit in found["assemblies"]["hidden"]) == pytest.approx(
        means, rel=1e-3
    )


def test_some_of_the_units_may_be_explored(tmp_path):
    results = small(tmp_path / "cells.db", n_units=8, most_active=5)
    [found] = explorers(results)
    ids = [name for name, _, _ in found["units"]]
    counts = large_study.recording(8, 20.0).spike_counts
    assert ids == [f"u{n}" for n in np.sort(np.argsort(-counts, kind="stable")[:5])]


def test_a_study_without_live_hidden_units_has_no_assemblies(tmp_path):
    def dead(job, bits, l1):
        kept = planted_study.theta(job, bits, l1)
        none = None if kept.W is None else np.zeros_like(kept.W)
        return Parameters(b=kept.b, J=kept.J, W=none, c=kept.c)

    found, _ = explorers(Results(planted_study.write(tmp_path / "cells.db", parameters=dead)))
    assert found["assemblies"] is None
    assert found["models"][1]["steps"][0]["W"] == {"total": 0, "gaps": [], "values": []}


def test_one_silent_unit_without_depth_or_layer_is_explored(tmp_path):
    data = Recording([[]], epochs=[[0.0, 30.0]])
    [found] = explorers(small(tmp_path / "cells.db", n_hidden=2, data=data))
    assert found["units"] == [["0", "", None]]
    assert found["layers"] == []
    assert found["assemblies"]["spikes"] == [[]]


def test_all_is_json_without_nan(explorer, tmp_path):
    def nan(job, rows):
        for row in rows.get("normalisers", ()):
            row |= {"validation_bits_per_second": np.nan, "validation_stderr": np.inf}

    found = explorers(Results(planted_study.write(tmp_path / "cells.db", change=nan)))
    assert found[0]["models"][0]["steps"][0]["score"] is None
    for each in (*found, explorer):
        assert json.loads(json.dumps(each, allow_nan=False)) == each


def test_only_the_strongest_entries_of_large_matrices_travel():
    matrix = np.random.default_rng(0).normal(size=(30, 20))
    kept = strongest(matrix, 100)
    assert kept["total"] == 600
    assert len(kept["values"]) == 100
    found = dense(kept, 30, 20)
    weakest = np.sort(np.abs(matrix).ravel())[-100]
    np.testing.assert_allclose(found[found != 0], matrix[np.abs(matrix) >= weakest], rtol=5e-4)


def test_matrices_share_the_budget_and_small_ones_stay_whole():
    sizes = [5, 10, 1000, 2000]
    most = most_per_matrix(sizes, 500)
    together = sum(min(size, most) for size in sizes)
    assert most > 10
    assert 500 - len(sizes) < together <= 500
    assert most_per_matrix([], 500) == 0


def test_many_units_stay_within_the_budget(tmp_path):
    [found] = explorers(small(tmp_path / "cells.db", n_units=400, n_hidden=120))
    sizes = [
        len(step[name]["values"])
        for path in found["models"]
        for step in path["steps"]
        for name in ("J", "W")
        if step[name] is not None
    ]
    assert PARAMETERS - 100 < sum(sizes) <= PARAMETERS
    assert found["models"][0]["steps"][0]["J"]["total"] == 400 * 399 // 2

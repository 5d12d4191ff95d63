"""The data of the explorers against the store and against words counted another way."""

import json

import large_study
import numpy as np
import planted_study
import pytest

from microcolumn.parameters import Parameters
from microcolumn.plot.laminar import laminar
from microcolumn.recording import Recording
from microcolumn.report import _explorer
from microcolumn.report._explorer import PARAMETERS, WEIGHTS, compact, explorers, strongest
from microcolumn.study import Results


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


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def unpacked(text):
    """The numbers of :func:`compact`, read letter by letter."""
    numbers, step, shift = [], 0, 0
    for value in map(LETTERS.index, text):
        step, shift = step + (value % 32 << shift), shift + 5
        if value < 32:
            numbers.append((numbers or [0])[-1] + step)
            step = shift = 0
    return numbers


@pytest.mark.parametrize("bins", [[], [0], [0, 31, 63, 64, 2000, 9_000_000], [5, 6, 7]])
def test_spikes_are_letters_that_tell_every_bin(bins):
    assert unpacked(compact(np.array(bins, dtype=np.int64))) == bins


def spikes_of(found):
    X = np.zeros((found["n_bins"], len(found["spikes"])), dtype=int)
    for row, text in enumerate(found["spikes"]):
        X[unpacked(text), row] = 1
    return X


def activation(unit, X, window=1):
    """P(h = 1 | x) of windows of rows in the order of the raster, from what the page is told."""
    n_words = len(X) - window + 1
    words = np.hstack([X[lag : lag + n_words] for lag in range(window)])
    return 1.0 / (1.0 + np.exp(-unit["bias"] - words @ np.array(unit["weights"])))


def test_the_raster_has_all_spikes_and_the_hidden_units_of_the_best_model(results, explorer):
    found = explorer["assemblies"]
    assert (found["model"], found["epochs"]) == ("RBM 4", [[0, 0.0]])
    model = results.model("cells", "RBM 4")
    X = large_study.recording(9, 20.0).bin(0.020).expand()
    order = laminar(results.units("cells")).order
    np.testing.assert_array_equal(spikes_of(found), X[:, order])
    test = results.words("cells")[2]
    columns = np.argsort(-np.abs(model.W_).sum(axis=0))[: model.n_live_hidden_].tolist()
    assert [unit["column"] for unit in found["hidden"]] == columns
    assert found["n_live"] == len(columns)
    for unit in found["hidden"]:
        p = model.hidden(X)[:, unit["column"]]
        np.testing.assert_allclose(activation(unit, X[:, order]), p, atol=1e-6)
        mean = model.hidden(test.expand())[:, unit["column"]].mean()
        assert unit["mean"] == pytest.approx(mean, 1e-3)


def test_where_spikes_are_too_many_the_part_is_where_the_first_hidden_unit_is_on(
    tmp_path, monkeypatch
):
    results = small(tmp_path / "cells.db", data=large_study.recording(6, 70.0))
    monkeypatch.setattr(_explorer, "SPIKES", 400)
    [explorer] = explorers(results)
    found = explorer["assemblies"]
    X = large_study.recording(6, 70.0).bin(0.020).expand()
    p = results.model("cells", found["model"]).hidden(X)[:, found["hidden"][0]["column"]]
    [[_, start]] = found["epochs"]
    first, n = round(start / 0.020), found["n_bins"]
    assert n < found["total"] == len(X)
    assert sum(map(len, found["spikes"])) <= 400
    np.testing.assert_array_equal(
        spikes_of(found), X[first : first + n][:, laminar(results.units("cells")).order]
    )
    assert p[first : first + n].sum() == pytest.approx(
        max(p[k : k + n].sum() for k in range(p.size - n + 1)), rel=1e-9
    )


def test_activations_belong_to_windows_that_end_in_the_bins_shown(planted_results, planted):
    found = planted[1]["assemblies"]
    model = planted_results.model("cells", found["model"], experiment="spatiotemporal", window=3)
    windows = planted_results.all_words("cells", experiment="spatiotemporal").embed(3)
    for unit in found["hidden"]:
        p = model.hidden(windows.X)[windows.index, unit["column"]]
        np.testing.assert_allclose(activation(unit, spikes_of(found), 3), p, atol=1e-6)


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
                assert sorted(step["hidden"]) == np.flatnonzero(model.parameters_.live).tolist()
    shown = results.model("cells", found["assemblies"]["model"], split=1)
    means = np.sort(shown.hidden(test.expand()).mean(axis=0)[shown.parameters_.live])
    assert sorted(unit["mean"] for unit in found["assemblies"]["hidden"]) == pytest.approx(
        means, rel=1e-3
    )


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
    assert found["assemblies"]["spikes"] == [""]


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


def test_many_units_stay_within_the_budget(tmp_path):
    [found] = explorers(small(tmp_path / "cells.db", n_units=400, n_hidden=120))
    sizes = [
        len(step[name]["values"])
        for path in found["models"]
        for step in path["steps"]
        for name in ("J", "W")
        if step[name] is not None
    ]
    assert max(sizes) == PARAMETERS // len(sizes)  # the same share for each
    assert found["models"][0]["steps"][0]["J"]["total"] == 400 * 399 // 2
    hidden = found["assemblies"]["hidden"]
    assert sum(len(unit["weights"]) + len(unit["percent"]) for unit in hidden) <= WEIGHTS
    assert len(hidden) == found["assemblies"]["n_live"]

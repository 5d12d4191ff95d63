"""The table of units against models, intervals and predictions read from the same store."""

from dataclasses import replace

import numpy as np
import planted_study as planted
import pytest
from planted_intervals import planted_intervals
from scipy import stats

from microcolumn.parameters import Parameters
from microcolumn.study import Plan, Results
from microcolumn.study.codec import to_blob

INSTANTANEOUS = Plan(planted.PLAN.sources, planted.PLAN.experiments[:1])
N_UNITS = 23


def rows_of(results, **where):
    return results.unit_table("cells", **where).to_dict("records")


def test_a_row_has_what_is_known_of_the_unit(planted_results):
    units, data = planted_results.units("cells"), planted_results.data("cells")
    rows = rows_of(planted_results)
    assert [row["unit"] for row in rows] == list(units.ids)
    assert [row["layer"] for row in rows] == list(units.layer)
    assert [row["depth_um"] for row in rows] == units.depth_um.tolist()
    assert [row["rate_hz"] for row in rows] == data.rates_hz.tolist()
    assert {row["depth_reference"] for row in rows} == {units.depth_reference}


def test_gains_are_means_over_splits_with_corrected_errors(planted_results):
    ratio = planted_results.plan.experiments[0].test_to_train
    unit = planted_results.predictions("cells", "RBM")["rest"].units[7]
    values = [0.5 * 7 + 0.1 * split for split in range(4)]
    row = rows_of(planted_results)[7]
    assert row["gain_model"] == "RBM 5"  # the best of all
    assert row["gain_bits_per_second"] == unit.gain_bits_per_second == pytest.approx(3.65)
    assert row["gain_stderr"] == pytest.approx(stats.sem(values) * np.sqrt(1 + 4 * ratio))
    # By hand for the least sure unit, whose q-value is its p-value.
    row = rows_of(planted_results)[0]
    t = np.mean([0.0, 0.1, 0.2, 0.3]) / (stats.sem(values) * np.sqrt(1 + 4 * ratio))
    freedom = 1 / (1 / 3 + 1 / 19)  # of 4 splits and of 20 blocks of time
    assert planted_results.blocks_dealt(planted_results.tested()[0]) == 20
    assert row["gain_q_value"] == pytest.approx(2 * stats.t(freedom).sf(t))


def test_assemblies_are_listed_from_the_largest_weight_down(tmp_path):
    def stable(job, rows):
        for row in rows.get("assemblies", []):
            found = row["found"]
            everything = [
                replace(each, units=found[0].units, stability=1.0, bits_per_second=2.0)
                for each in found
            ]
            row["found"] = replace(found, rows=tuple(everything[:3]))

    def parameters(job, bits, l1):
        """Unit 0 belongs most to hidden unit 2 and least to hidden unit 0, which is a mirror."""
        if not job.model.n_hidden:
            return planted.theta(job, bits, l1)
        W = np.zeros((bits, job.model.n_hidden))
        W[:3, 0], W[:3, 1], W[:3, 2] = (-1.0, -3.0, -3.0), (2.0, 1.0, 1.0), (3.0, 2.0, 2.0)
        c = np.array([4.0, -3.0, -3.0, 0.0, 0.0])
        J = np.zeros((bits, bits)) if job.model.model == "SemiRBM" else None
        return Parameters(b=np.full(bits, -2.0), J=J, W=W, c=c)

    path = planted.write(tmp_path / "study.db", INSTANTANEOUS, change=stable, parameters=parameters)
    results = Results(path)
    rows = rows_of(results)
    W = results.model("cells", "RBM").parameters_.canonical_sign()[0].W
    for n, row in enumerate(rows[:3]):
        order = sorted(range(3), key=lambda k: -W[n, k])
        assert row["assemblies"] == tuple(f"h{k}" for k in order)
    assert rows[0]["assemblies"] == ("h2", "h1", "h0")
    assert rows[1]["assemblies"] == ("h0", "h2", "h1")
    assert [row["assemblies"] for row in rows[3:]] == [()] * 20
    assert {row["assemblies_model"] for row in rows} == {"RBM 5"}


def test_partners_are_the_surest_couplings_of_the_ising_model(tmp_path):
    nats = np.array([0.5, -0.9, 0.05, 0.7, 0.3, np.nan])
    pairs = [[0, k + 1] for k in range(len(nats))]

    def with_intervals(job, rows):
        ids = planted.recording().units.ids
        for row in rows.get("structures", []):
            if job.split == 0 and job.model.model == "Ising":
                row["intervals"] = to_blob(planted_intervals("Ising", ids, pairs, nats, 0.1))

    results = Results(planted.write(tmp_path / "s.db", INSTANTANEOUS, change=with_intervals))
    rows, ids = rows_of(results), results.units("cells").ids
    assert rows[0]["partners"] == (ids[2], ids[4], ids[1])
    assert rows[0]["partners_nats"] == (-0.9, 0.7, 0.5)
    assert rows[0]["partners_stderr"] == (0.1, 0.1, 0.1)
    assert (rows[2]["partners"], rows[2]["partners_nats"]) == ((ids[0],), (-0.9,))
    assert rows[3]["partners"] == rows[6]["partners"] == ()  # not sure, and not known
    assert {row["partners_model"] for row in rows} == {"Ising"}


def test_without_intervals_partners_are_those_of_the_best_model_with_couplings(planted_results):
    rows, ids = rows_of(planted_results), planted_results.units("cells").ids
    best = planted_results.comparison("cells").models
    [name] = {row["partners_model"] for row in rows}
    assert name == next(model.name for model in best if model.spec.model != "RBM") == "SemiRBM 5"
    J = planted_results.model("cells", "SemiRBM").J_
    assert (rows[0]["partners"], rows[1]["partners"]) == ((ids[1],), (ids[0],))
    assert rows[0]["partners_nats"] == (J[0, 1],)
    assert np.isnan(rows[0]["partners_stderr"]).all()
    assert all(row["partners"] == () for row in rows[2:])


def test_in_windows_a_partner_is_named_once_by_its_strongest_bins(tmp_path):
    def parameters(job, bits, l1):
        theta = planted.theta(job, bits, l1)
        if theta.J is None:
            return theta
        n_units, J = bits // job.window, np.zeros((bits, bits))
        if job.window == 3:
            J[0, n_units] = 9.0  # unit 0 with itself, one bin later
            J[0, n_units + 1], J[0, 1], J[2 * n_units, 2] = 0.4, 0.2, -0.3
        return Parameters(b=theta.b, J=J + J.T, W=theta.W, c=theta.c)

    results = Results(planted.write(tmp_path / "study.db", parameters=parameters))
    where = {"experiment": "spatiotemporal", "window": 3}
    rows, ids = rows_of(results, **where), results.units("cells", experiment="spatiotemporal").ids
    assert rows[0]["partners"] == (ids[1], ids[2])
    assert rows[0]["partners_nats"] == (0.4, -0.3)
    assert rows[1]["partners"] == rows[2]["partners"] == (ids[0],)


def test_what_is_not_computed_is_empty(tmp_path):
    kinds = ("predict", "structure", "assemblies")
    path = planted.write(tmp_path / "s.db", INSTANTANEOUS, keep=lambda job: job.kind not in kinds)
    rows = rows_of(Results(path))
    assert len(rows) == N_UNITS
    assert {row["gain_model"] + row["assemblies_model"] for row in rows} == {""}
    assert np.isnan([row["gain_bits_per_second"] for row in rows]).all()
    assert {row["partners"] for row in rows} == {()}


def test_two_splits_are_too_few_for_a_q_value(tmp_path):
    plan = planted.more_splits(INSTANTANEOUS, 2)
    rows = rows_of(Results(planted.write(tmp_path / "study.db", plan)))
    assert np.isnan([row["gain_q_value"] for row in rows]).all()
    assert np.isfinite([row["gain_stderr"] for row in rows]).all()

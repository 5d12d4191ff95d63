"""Each kind of job against the public interface called by hand, with the documented splits."""

import warnings

import numba
import numpy as np
import pytest
from small_study import recording, small_plan
from threadpoolctl import threadpool_info

import microcolumn as mc
from microcolumn.energy import log_weight
from microcolumn.models import ModelSpec, from_bytes
from microcolumn.study import _compute as work
from microcolumn.study._compute import Task, execute, split_words
from microcolumn.study._describe import DataResult
from microcolumn.study._jobs import Job
from microcolumn.study._run import run
from microcolumn.study.codec import from_blob, plain
from microcolumn.study.plan import Experiment
from microcolumn.study.store import Store
from microcolumn.survey.stretch import busiest_stretch

L1 = (1e-3, 4e-3)
SEED, SPLIT = 3, 1


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A study of single bins, dealt from another seed than 0."""
    path = tmp_path_factory.mktemp("study") / "study.db"
    run(small_plan(seed=SEED), path, n_jobs=1)
    with Store.open(path) as opened:
        yield opened


@pytest.fixture(scope="module")
def results(store):
    return mc.study.open(store.path)


@pytest.fixture(scope="module")
def windows(tmp_path_factory):
    """A study of windows of two bins, dealt in blocks."""
    path = tmp_path_factory.mktemp("windows") / "study.db"
    run(small_plan(n_splits=1, windows=2, models="RBM"), path, n_jobs=1)
    with Store.open(path) as opened:
        yield opened


@pytest.fixture(scope="module")
def dealt():
    """Training, validation and test words of the split, as docs/method.md, section 6, has them."""
    state = SEED + SPLIT
    train, test = recording().bin(0.020).split(0.5, by="blocks", random_state=state)
    train, validation = train.split(0.8, by="blocks", random_state=state)
    return train, validation, test


@pytest.fixture(scope="module")
def by_hand(dealt):
    """Paths of fits of the three models."""
    state = SEED + SPLIT
    ising = mc.Ising(random_state=state).fit_path(dealt[0], L1)
    rbm = mc.RBM(3, random_state=state).fit_path(dealt[0], L1)
    semi = mc.SemiRBM(3, random_state=state).fit_path(dealt[0], L1, nested=(ising, rbm))
    return {"Ising": ising, "RBM 3": rbm, "SemiRBM 3": semi}


@pytest.fixture(scope="module")
def best(by_hand, dealt):
    """The fit of each path that scores best on the validation words."""
    return {
        name: max(path, key=lambda fit: mc.score(fit, dealt[1]).bits_per_second)
        for name, path in by_hand.items()
    }


def job_of(store, **equal):
    [row] = store.rows("jobs", **{"split": SPLIT} | equal)
    return row["digest"]


NAMES = ("Ising", "RBM 3", "SemiRBM 3")


def test_a_split_is_dealt_as_documented(dealt):
    experiment = Experiment("instantaneous", seed=SEED)
    ours = split_words(recording().bin(0.020), experiment, 1, SPLIT)
    for mine, theirs in zip(ours, dealt, strict=True):
        np.testing.assert_array_equal(mine.expand(), theirs.expand())


def test_the_parts_share_no_bin_and_leave_none_out():
    words = recording().bin(0.020)
    for by in ("words", "blocks"):
        experiment = Experiment("instantaneous", split_by=by, train=0.6, validation=0.25)
        train, validation, test = split_words(words, experiment, 1, 0)
        assert train.n_bins + validation.n_bins + test.n_bins == words.n_bins
        together = sum(part.expand().sum(axis=0, dtype=int) for part in (train, validation, test))
        np.testing.assert_array_equal(together, words.expand().sum(axis=0, dtype=int))
        assert train.n_bins == pytest.approx(0.45 * words.n_bins, rel=0.1)
        assert validation.n_bins == pytest.approx(0.15 * words.n_bins, rel=0.1)


def test_windows_are_embedded_before_they_are_dealt():
    words = recording().bin(0.020)
    ours = split_words(words, Experiment("late", windows=(1, 3), seed=2), 3, 1)
    train, test = words.embed(3).split(0.5, by="blocks", random_state=3)
    train, validation = train.split(0.8, by="blocks", random_state=3)
    for mine, theirs in zip(ours, (train, validation, test), strict=True):
        np.testing.assert_array_equal(mine.expand(), theirs.expand())


@pytest.mark.parametrize("name", NAMES)
def test_fits_are_those_of_the_model_called_by_hand(store, by_hand, name):
    rows = store.rows("fits", job=job_of(store, kind="fit", model=name))
    assert [row["l1"] for row in rows] == list(L1)
    for row, fit in zip(rows, by_hand[name], strict=True):
        stored = from_bytes(row["file"])
        for field in ("b", "J", "W", "c"):
            ours, theirs = getattr(stored.parameters_, field), getattr(fit.parameters_, field)
            np.testing.assert_array_equal(ours, theirs)
        assert row["value"] == fit.objective_
        assert row["optimality"] == fit.optimality_
        assert row["converged"] == 1
        assert row["n_couplings"] == (
            0 if name == "RBM 3" else np.count_nonzero(np.triu(fit.J_, 1))
        )
        assert row["n_live_hidden"] == (
            0 if name == "Ising" else np.count_nonzero(np.any(fit.W_, axis=0))
        )


@pytest.mark.parametrize("name", NAMES)
def test_normalisers_are_sums_over_all_words_and_activations_are_on_the_test_words(
    store, by_hand, dealt, every_word, name
):
    for fit in by_hand[name]:
        [row] = store.rows("normalisers", job=job_of(store, kind="fit", model=name), l1=fit.l1)
        log_z = np.log(np.exp(log_weight(fit.parameters_, every_word(5))).sum())
        assert row["value"] == pytest.approx(log_z, rel=1e-12)
        assert row["converged"] == 1
        score = mc.score(fit, dealt[1])
        assert row["validation_bits_per_second"] == score.bits_per_second
        assert row["validation_stderr"] == score.stderr
        active = fit.hidden(dealt[2].expand())
        np.testing.assert_allclose(row["activation"]["mean"], active.mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(
            row["activation"]["variance"], active.var(axis=0), rtol=1e-9, atol=1e-15
        )


@pytest.mark.parametrize("name", NAMES)
def test_the_fit_that_validation_prefers_is_scored_on_the_test_words(store, best, dealt, name):
    [row] = store.rows("scores", job=job_of(store, kind="test"), model=name)
    score = mc.score(best[name], dealt[2])
    assert row["l1"] == best[name].l1
    assert row["bits_per_second"] == score.bits_per_second
    assert row["stderr"] == score.stderr
    assert row["nats_per_word"] == pytest.approx(best[name].score(dealt[2]), rel=1e-12)
    assert row["n_words"] == dealt[2].n_bins
    train, _, test = dealt
    nats = best[name].score_samples(test) - mc.Independent().fit(train).score_samples(test)
    edges = np.arange(201) * recording().bin(0.020).n_bins / 200  # stretches of the recording
    bits = nats / (np.log(2.0) * 0.020) / test.n_bins
    np.testing.assert_allclose(
        row["gain_by_cell"], np.histogram(test.bins, edges, weights=bits)[0], atol=1e-9
    )
    np.testing.assert_allclose(
        row["share_by_cell"], np.histogram(test.bins, edges)[0] / test.n_bins, atol=1e-12
    )
    by_active = [bits[test.X[test.index].sum(axis=1) == k].sum() for k in range(6)]
    np.testing.assert_allclose(row["gain_by_active"], by_active, atol=1e-9)


def test_the_independent_model_is_the_zero_of_the_scores(store, dealt):
    [row] = store.rows("scores", job=job_of(store, kind="test"), model="Independent")
    assert row["bits_per_second"] == 0.0
    independent = mc.Independent().fit(dealt[0])
    assert row["nats_per_word"] == pytest.approx(independent.score(dealt[2]), rel=1e-12)


def check_predictions(rows, prediction, rates):
    gained = mc.evaluate.prediction_gain(prediction)
    for n, row in enumerate(rows):
        assert (row["position"], row["unit"]) == (n, f"u{n}")
        assert row["rate_hz"] == pytest.approx(rates[n] / 0.020, rel=1e-12)
        assert row["gain_bits_per_second"] == gained.bits_per_second[n]
        assert row["brier"] == gained.brier[n]
        assert row["roc_area"] == mc.evaluate.roc(prediction, n).area


@pytest.mark.parametrize("name", NAMES)
def test_single_bins_are_predicted_from_the_rest(store, best, dealt, name):
    job = job_of(store, kind="predict", model=name)
    rows = store.rows("predictions", job=job)
    assert {row["given"] for row in rows} == {"rest"}
    check_predictions(rows, mc.evaluate.predict(best[name], dealt[2], given="rest"), dealt[0].rates)


def test_windows_are_predicted_from_the_past_too(windows):
    experiment = Experiment("instantaneous", windows=2)
    train, _, test = split_words(recording().bin(0.020), experiment, 2, 0)
    [scored] = windows.rows("scores", model="RBM 3")
    fit = mc.RBM(3, random_state=0).fit_path(train, L1)[L1.index(scored["l1"])]
    for given in ("rest", "past"):
        rows = windows.rows("predictions", given=given)
        prediction = mc.evaluate.predict(fit, test, given=given)
        check_predictions(rows, prediction, train.rates[-5:])
        [row] = windows.rows("calibrations", given=given)
        expected = mc.evaluate.calibration(prediction)
        assert row["observed"] == expected.observed.tolist()
        assert row["n_bins"] == expected.n_bins.tolist()
        assert row["error"] == expected.error


def test_intervals_are_those_of_couplings_of_the_first_split(store):
    train, _, _ = split_words(recording().bin(0.020), Experiment("instantaneous", seed=SEED), 1, 0)
    for name in NAMES:
        [job] = store.rows("jobs", split=0, kind="structure", model=name)
        [row] = store.rows("structures", job=job["digest"])
        if name != "Ising":
            assert row["intervals"] is None
            continue
        [job] = store.rows("jobs", split=0, kind="test")
        [scored] = store.rows("scores", job=job["digest"], model=name)
        fit = mc.Ising(random_state=SEED).fit_path(train, L1)[L1.index(scored["l1"])]
        stored = from_blob(mc.evaluate.Intervals, row["intervals"])
        own = mc.evaluate.intervals(fit, train)
        np.testing.assert_array_equal(stored.couplings.low, own.couplings.low)
        assert str(stored) == str(own)


@pytest.mark.parametrize("name", NAMES)
def test_structure_is_that_of_the_chosen_fit(store, best, name):
    [row] = store.rows("structures", job=job_of(store, kind="structure", model=name))
    layers = mc.evaluate.layer_statistics(best[name], recording().units)
    assert row["layers"] == plain(layers)
    found = mc.evaluate.effective_interactions(best[name], 3)
    interactions = row["interactions"]
    assert interactions["rms_nats"] == found.rms_nats
    assert [len(strongest) for strongest in interactions["strongest"]] == [
        len(found.strongest(2)),
        len(found.strongest(3)),
    ]
    assert row["intervals"] is None  # figures and tables show those of the first split


def test_the_data_are_described_and_the_words_kept_bit_for_bit(store):
    [row] = store.rows("descriptions")
    words, expected = from_blob(mc.Words, row["words"]), recording().bin(0.020)
    for name in ("X", "counts", "index", "epoch_starts", "bins"):
        np.testing.assert_array_equal(getattr(words, name), getattr(expected, name))
        assert getattr(words, name).dtype == getattr(expected, name).dtype
    assert words.units.ids == expected.units.ids
    assert words.units.layer == expected.units.layer
    times = words.clock.times_s(words.bins, words.bin_width)
    np.testing.assert_array_equal(times, expected.clock.times_s(expected.bins, 0.020))
    data = from_blob(DataResult, row["data"])
    np.testing.assert_array_equal(data.rates_hz, recording().rates_hz)
    suggested = mc.survey.suggest_bin_width(recording())
    assert (data.suggestion.width_s, data.suggestion.reason) == (
        suggested.width_s,
        suggested.reason,
    )
    np.testing.assert_array_equal(data.suggestion.counts, suggested.counts)
    assert (data.start_s, data.stop_s) == busiest_stretch(recording(), 2.0)


@pytest.mark.parametrize("name", ["Independent", *NAMES])
def test_patterns_and_synchrony_are_those_of_the_first_split(results, name):
    train, _, test = results.words("A")
    model = mc.Independent().fit(train) if name == "Independent" else results.model("A", name)
    found, expected = results.patterns("A"), mc.evaluate.pattern_statistics(model, test)
    for field in ("X", "n_active", "empirical", "model", "lower", "upper"):
        np.testing.assert_array_equal(
            getattr(found.statistics[name], field), getattr(expected, field)
        )
    assert found.statistics[name].n_words == expected.n_words
    synchrony = mc.evaluate.synchrony(model)
    np.testing.assert_array_equal(found.synchrony[name].probability, synchrony.probability)
    np.testing.assert_array_equal(
        found.synchrony["data"].probability, mc.evaluate.synchrony(test).probability
    )


def test_adequacy_is_that_of_the_test_words_of_the_first_split(results):
    train, _, test = results.words("A")
    found = results.adequacy("A")
    assert list(found) == ["Independent", *NAMES]
    assert found["Ising"] == mc.evaluate.adequacy(results.model("A", "Ising"), test, initial=train)
    assert results.explainable("A") == mc.evaluate.explainable(test, mc.Independent().fit(train))


def test_annealing_is_of_the_ising_model_of_the_first_split(results):
    found, model = results.annealing("A"), results.model("A", "Ising")
    assert (found.model, found.split, found.l1) == (ModelSpec("Ising"), 0, model.l1)
    assert found.log_z.value == model.log_partition().value == found.convergence.exact
    expected = mc.partition.annealing_convergence(model.parameters_, rates=model.rates_, exact=None)
    np.testing.assert_array_equal(found.convergence.log_weights, expected.log_weights)


def task(kind="fit", model=None, threads=1):
    job = Job(kind, "A", "instantaneous", 1, 0, model)
    experiment = small_plan().experiments[0]
    return Task("d0", job, experiment, recording().bin(0.020), {}, {}, threads)


def test_a_failure_is_an_outcome_with_its_traceback():
    outcome = execute(task())
    assert outcome.digest == "d0"
    assert outcome.rows == {}
    assert outcome.error.startswith("ValueError: the job fit, A")
    assert outcome.error.endswith("names no model")
    assert "Traceback" in outcome.trace


def test_a_job_runs_on_its_threads_with_one_for_blas_and_gives_them_back(monkeypatch):
    seen = {}

    def look(_):
        seen["kernels"] = numba.get_num_threads()
        seen["blas"] = {
            pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"
        }
        return {}

    monkeypatch.setitem(work._WORK, "fit", look)
    before = numba.get_num_threads()
    execute(task(threads=1000))
    assert seen == {"kernels": numba.config.NUMBA_NUM_THREADS, "blas": {1}}
    execute(task(threads=1))
    assert seen["kernels"] == 1
    assert numba.get_num_threads() == before


def test_warnings_go_into_the_outcome_and_nowhere_else(monkeypatch):
    def warn(_):
        for text in ("slow", "slow", "odd"):
            warnings.warn(text, UserWarning, stacklevel=1)
        return {}

    monkeypatch.setitem(work._WORK, "fit", warn)
    assert execute(task()).warnings == ("slow", "odd")


@pytest.mark.parametrize("model", [ModelSpec("Ising"), ModelSpec("RBM", 3)])
def test_the_number_of_threads_does_not_change_a_bit(model):
    one, two = (execute(task(model=model, threads=threads)) for threads in (1, 2))
    assert one.rows["fits"] == two.rows["fits"]
    assert plain(one.rows["normalisers"]) == plain(two.rows["normalisers"])
    assert len(one.rows["fits"]) == len(one.rows["normalisers"]) == 2


def test_the_first_split_may_choose_for_all(tmp_path):
    """The other splits fit at its penalty and size, to words of their own."""
    models = ["Ising", "RBM", "SemiRBM", "BernoulliMixture"]
    plan = small_plan(n_splits=2, n_hidden="auto", models=models, choose_once=True)
    results = run(plan, tmp_path / "once.db", n_jobs=1)
    train, _, _ = split_words(recording().bin(0.020), Experiment("e"), 1, 1)
    for name in ("Ising", "RBM", "SemiRBM", "BernoulliMixture"):
        with Store.open(tmp_path / "once.db") as store:
            jobs = [job_of(store, kind="fit", model=name, split=k) for k in (0, 1)]
            tried, [row] = (store.rows("fits", job=job) for job in jobs)
        chosen, other = (results.model("A", name, split=k) for k in (0, 1))
        assert other.get_params() == chosen.get_params() | {"random_state": 1}
        assert len(tried) == (1 if name == "BernoulliMixture" else 2)
        assert row["l1"] == getattr(chosen, "l1", 0.0)
        assert other.score(train) > chosen.score(train)


def test_validation_chooses_the_number_of_hidden_units_once_for_both_models(tmp_path):
    plan = small_plan(n_splits=1, n_hidden="auto", group_l1=2e-3)
    run(plan, tmp_path / "auto.db", n_jobs=1)
    with Store.open(tmp_path / "auto.db") as store:
        jobs = [job_of(store, kind="fit", model=name, split=0) for name in ("RBM", "SemiRBM")]
        rbm, both = (store.rows("fits", job=job) for job in jobs)
    train, validation, _ = split_words(recording().bin(0.020), Experiment("e"), 1, 0)
    by_hand = mc.evaluate.choose_n_hidden(mc.RBM(group_l1=2e-3), train, validation, L1)
    settings, score = by_hand.settings[by_hand.best_index], by_hand.scores[by_hand.best_index]
    tried = {"settings": settings, "validation_bits_per_second": score.bits_per_second}
    assert (rbm[0]["tried"], both[0]["tried"]) == ([tried], None)
    assert {from_bytes(row["file"]).n_hidden for row in (*rbm, *both)} == {10}
    for row, fit in zip(rbm, by_hand.fits, strict=True):
        stored = from_bytes(row["file"])
        assert stored.group_l1 == 2e-3
        np.testing.assert_array_equal(stored.W_, fit.W_)
    found = mc.study.open(tmp_path / "auto.db").comparison("A").scores
    assert found["RBM"].chosen == f"10 hidden units, l1 {by_hand.best.l1:.2g}"
    assert (found["SemiRBM"].n_hidden, found["SemiRBM"].spec) == (10, ModelSpec("SemiRBM"))

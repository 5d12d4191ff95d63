import csv
import json
import os
from io import StringIO

import numpy as np
import pytest
import written
from commands import assert_option_refused, assert_refused, done

import microcolumn as mc

#: Too few words to bring units together: a small penalty leaves weights to look at.
RBM = ("--model", "RBM", "--hidden", "3", "--l1", "1e-4")


@pytest.fixture(scope="module")
def words(session):
    return mc.read(session, depth_reference="unstated").bin(0.020)


@pytest.fixture(scope="module")
def saved(session):
    """A model of words of two bins, as the command saves it."""
    path = session.with_name("rbm.safetensors")
    done("fit", session, *RBM, "--window", 2, "--out", path)
    return path


def fitted_rbm(words, **settings):
    """The model that the options ``RBM`` ask for: by likelihood, if nothing else is said."""
    return mc.RBM(n_hidden=3, l1=1e-4, **settings).fit(words)


def test_fit_saves_the_model_that_the_api_fits(saved, words):
    told, expected = mc.load(saved), fitted_rbm(words.embed(2))
    assert told.get_params() == expected.get_params()
    assert told.window_ == 2
    for name in ("b_", "W_", "c_"):
        np.testing.assert_array_equal(getattr(told, name), getattr(expected, name))


def test_fit_prints_the_certificate_and_where_the_model_is(session, words, tmp_path):
    out = tmp_path / "ising.safetensors"
    told = done("fit", session, "--model", "Ising", "--l1", "0.001", "--out", out).stdout
    model = mc.Ising(l1=0.001).fit(words)
    assert "1,000 bins of 20 ms" in told
    assert f"optimality  {model.optimality_:.2g}\n" in told
    assert f"iterations  {model.n_iter_}\n" in told
    assert "hidden" not in told
    assert f"couplings   {np.count_nonzero(np.triu(model.J_))} of 10 pairs\n" in told
    assert str(model.log_partition()) in told
    assert told.endswith(f"saved       {out}\n")
    assert [file.name for file in tmp_path.iterdir()] == ["ising.safetensors"]


def test_without_a_penalty_fit_chooses_one_and_says_from_which(session, words, tmp_path):
    out = tmp_path / "ising.safetensors"
    told = done("fit", session, "--model", "Ising", "--seed", 2, "--out", out).stdout
    tuned = mc.tune(mc.Ising(random_state=2), words, random_state=2)
    assert f"settings    {tuned.choices['Ising']}, chosen on a fifth of the words\n" in told
    np.testing.assert_array_equal(mc.load(out).J_, tuned.best.J_)
    told = json.loads(done("fit", session, "--model", "Ising", "--out", out, "--json").stdout)
    assert told["settings"]["l1"] in [each["l1"] for each in told["tried"]]
    told = json.loads(
        done("fit", session, "--model", "Ising", "--l1", 0.01, "--out", out, "--json").stdout
    )
    assert (told["settings"]["l1"], told["tried"]) == (0.01, None)


def test_fit_tells_programs_what_the_model_is_of_and_how_well_it_converged(
    session, words, tmp_path
):
    out = tmp_path / "ising.safetensors"
    asked = ("--train", 0.5, "--epochs", "0-10", "--json")
    told = json.loads(done("fit", session, "--model", "ising", *asked, "--out", out).stdout)
    model = mc.load(out)
    assert told["file"] == str(out)
    assert (told["model"], told["settings"]["l1"]) == ("Ising", model.l1)
    assert told["units"] == list(words.units.ids)
    assert (told["bin_width_s"], told["window"], told["n_words"]) == (0.020, 1, 250)
    assert 0.0 <= told["trained_from_s"] < told["trained_to_s"] <= 10.0
    assert (told["optimality"], told["n_iter"]) == (model.optimality_, model.n_iter_)
    assert told["certificate"] is None
    assert told["log_partition"]["nats"] == model.log_partition().value
    recording = mc.read(session, depth_reference="unstated", epochs=[[0, 10]])
    _, test = recording.bin(0.020).split(0.5, by="blocks", random_state=0)
    assert told["held_out"]["bits_per_second"] == float(mc.score(model, test))


def test_fit_passes_every_setting_on(session, tmp_path):
    out = tmp_path / "model.safetensors"
    asked = ("--objective", "likelihood", "--starts", 2, "--seed", 5, "--most-active", 3)
    told = done("fit", session, *RBM, *asked, "--bin-width", 0.01, "--out", out).stdout
    settings = mc.load(out).get_params()
    assert settings["objective"] == "likelihood"
    assert (settings["n_init"], settings["random_state"], settings["l1"]) == (2, 5, 1e-4)
    assert "3 units, 2,000 bins of 10 ms" in told
    n_spikes = [train.size for train in written.small_recording().trains]
    assert min(n_spikes[1:4]) > n_spikes[0] > n_spikes[4] == 0
    assert mc.load(out).unit_ids_ == ("11", "12", "13")


def test_fit_scores_the_words_that_it_leaves_out(session, words, tmp_path):
    out = tmp_path / "model.safetensors"
    told = done("fit", session, *RBM, "--train", 0.6, "--seed", 3, "--out", out).stdout
    train, test = words.split(0.6, by="blocks", random_state=3)
    model = fitted_rbm(train, random_state=3)
    np.testing.assert_array_equal(mc.load(out).W_, model.W_)
    assert f"{mc.score(model, test)} above independent units on 400 words" in told


def test_a_fit_that_did_not_converge_says_so_in_one_line(tmp_path):
    twin = written.small_recording().trains[0]
    recording = mc.Recording([twin, twin], mc.Units(["a", "b"]), [[0.0, 20.0]])
    session = tmp_path / "recorded.npz"
    recording.save(session)
    out = tmp_path / "ising.safetensors"
    asked = ("--model", "Ising", "--objective", "mpf", "--l1", 0, "--out", out)
    result = done("fit", session, *asked)
    [line] = result.stderr.splitlines()
    assert line.startswith("microcolumn: warning: Ising without a penalty has no finite optimum")
    assert out.exists()


def rows_of(text):
    return list(csv.DictReader(StringIO(text)))


@pytest.mark.parametrize("given", ["rest", "past"])
def test_predict_writes_what_the_api_predicts(session, saved, words, given, tmp_path):
    out = tmp_path / "predicted.csv"
    result = done("predict", session, "--model", saved, "--given", given, "--out", out)
    expected = mc.evaluate.predict(mc.load(saved), words.embed(2), given=given)
    rows = rows_of(out.read_text())
    shape = (expected.n_bins, 5)
    assert [row["unit"] for row in rows] == list(words.units.ids) * expected.n_bins
    told = {name: np.array([float(row[name]) for row in rows]).reshape(shape) for name in rows[0]}
    np.testing.assert_array_equal(told["probability"], expected.probability)
    np.testing.assert_array_equal(told["spike"], expected.spikes)
    np.testing.assert_allclose(told["time_s"][:, 0], expected.times_s, rtol=0, atol=1e-9)
    *lines, last = result.stderr.splitlines()
    assert last == f"predictions: {out}"
    assert [line.split()[0] for line in lines] == ["unit", *words.units.ids, "mean"]
    assert lines[1].split()[1:] == [
        f"{mc.evaluate.prediction_gain(expected).bits_per_second[0]:z.3f}",
        f"{mc.evaluate.roc(expected, 0).area:.3f}",
    ]
    assert lines[5].split()[2] == "-"  # a unit that never fires has no ROC


def test_predict_keeps_to_the_units_and_the_stretch_it_is_asked_for(session, saved, words):
    asked = ("--predict", "12,10", "--from", 5, "--to", 5.1)
    rows = rows_of(done("predict", session, "--model", saved, *asked).stdout)
    expected = mc.evaluate.predict(mc.load(saved), words.embed(2), positions=[2, 0]).stretch(
        5.0, 5.1
    )
    assert [row["unit"] for row in rows] == ["12", "10"] * 5
    assert [row["time_s"] for row in rows][::2] == ["5.0", "5.02", "5.04", "5.06", "5.08"]
    told = np.array([float(row["probability"]) for row in rows]).reshape(5, 2)
    np.testing.assert_array_equal(told, expected.probability)


def test_a_model_that_does_not_know_its_units_is_told_them(session, tmp_path):
    out = tmp_path / "made.safetensors"
    mc.Ising.from_parameters(mc.Parameters(b=[-1.0, -2.0, 0.5])).save(out)
    asked = ("predict", session, "--model", out)
    assert_refused("does not say its bin width; give --bin-width", *asked, "--ids", "10,11,12")
    assert_refused("name them with --ids", *asked, "--bin-width", 0.04)
    told = done(*asked, "--bin-width", 0.04, "--ids", "12,10", "--ids", "11").stdout
    rows = rows_of(told)
    assert [row["unit"] for row in rows[:3]] == ["12", "10", "11"]
    by_hand = 1.0 / (1.0 + np.exp([1.0, 2.0, -0.5]))
    np.testing.assert_allclose([float(row["probability"]) for row in rows[:3]], by_hand)
    assert float(rows[3]["time_s"]) == 0.04


def test_sample_prints_words_drawn_from_the_model(saved):
    told = done("sample", saved, "--n", 50, "--seed", 4).stdout
    expected = mc.load(saved).sample(50, random_state=4)
    header, *rows = csv.reader(StringIO(told))
    np.testing.assert_array_equal(np.array(rows, dtype=int), expected)
    assert header == [f"{unit}@{k}" for k in (-1, 0) for unit in (10, 11, 12, 13, 14)]


def test_bad_input_of_fit_is_one_sentence_and_leaves_no_file(session, tmp_path):
    out = ("--out", tmp_path / "model.safetensors")
    assert_refused("does not exist; check the path", "fit", tmp_path / "no.nwb", *RBM, *out)
    assert_refused("no unit has ids '99'", "fit", session, *RBM, "--ids", "99", *out)
    for argument, options in {
        "model": ("--model", "Potts"),
        "n_hidden": ("--model", "Ising", "--hidden", 3),
        "l1": ("--model", "Ising", "--l1", -1),
        "objective": (*RBM, "--objective", "pcd"),
        "bin_width": (*RBM, "--bin-width", 20),
        "window": (*RBM, "--window", 0),
        "most_active": (*RBM, "--most-active", 0),
        "fraction": (*RBM, "--train", 1),
        "option": (*RBM, "--option", "oops"),
    }.items():
        assert_option_refused(argument, "fit", session, *options, *out)
        assert not list(tmp_path.iterdir())


def test_bad_input_of_predict_is_one_sentence(session, saved, tmp_path):
    out = tmp_path / "predicted.csv"
    for sentence, arguments in {
        "no.nwb does not exist; check the path": (tmp_path / "no.nwb", "--model", saved),
        "no.safetensors does not exist": (session, "--model", tmp_path / "no.safetensors"),
        "is not a microcolumn model": (session, "--model", session),
        "--ids is given, but": (session, "--model", saved, "--ids", "10,11"),
        "no unit has ids '99'; there is '10', '11'": (session, "--model", saved, "--predict", 99),
        "no predicted bin starts between 30": (session, "--model", saved, "--from", 30),
        "--bin-width is given, but": (session, "--model", saved, "--bin-width", 0.04),
    }.items():
        assert_refused(sentence, "predict", *arguments, "--out", out)
        assert not list(tmp_path.iterdir())


def test_bad_input_of_sample_is_one_sentence(session, saved, tmp_path):
    assert_refused("does not exist", "sample", tmp_path / "no.safetensors")
    assert_refused("is not a microcolumn model", "sample", session)
    assert_option_refused("n_samples", "sample", saved, "--n", 0)
    assert_option_refused("out", "sample", saved, "--out", tmp_path / "words.xlsx")
    assert_option_refused("given", "predict", session, "--model", saved, "--given", "future")
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_one_sentence_and_fit_says_it_first(
    session, saved, tmp_path
):
    nowhere, folder, pipe = (tmp_path / name for name in ("no/a.csv", "folder.csv", "pipe.csv"))
    folder.mkdir()
    os.mkfifo(pipe)
    for out in (nowhere, folder, pipe):
        sentence = "No such file or directory" if out == nowhere else "it is no plain file"
        # The recording is missing too: a long fit must not end in vain.
        assert_refused(f"cannot write {out}: ", "fit", "no.nwb", *RBM, "--out", out)
        assert_refused(sentence, "predict", session, "--model", saved, "--out", out)
        assert_refused(sentence, "sample", saved, "--out", out)
    assert set(tmp_path.iterdir()) == {folder, pipe}


def test_information_is_that_of_the_api(session, words, tmp_path):
    paths = [tmp_path / f"{name}.safetensors" for name in ("pairs", "mixed")]
    done("fit", session, "--model", "Ising", "--l1", "1e-3", "--out", paths[0])
    done("fit", session, *RBM, "--out", paths[1])
    models = [option for path in paths for option in ("--model", path)]
    expected = mc.evaluate.information({path.stem: mc.load(path) for path in paths}, words)
    assert str(expected) in done("information", session, *models).stdout
    told = json.loads(done("information", session, *models, "--json").stdout)
    assert [row["name"] for row in told] == ["data", "pairs", "mixed"]
    assert told[1]["entropy"] == expected.entropy[1]
    assert told[0]["share"] is None


def test_information_needs_a_model_that_knows_its_units(session, tmp_path):
    path = tmp_path / "plain.safetensors"
    mc.Ising(l1=0.1).fit(np.eye(5)[[0, 1, 2, 3, 4, 0]]).save(path)
    assert_refused("does not say its units", "information", session, "--model", path)

"""Models outside the paper's family at the command line."""

import csv
import json

import numpy as np
import pytest
from commands import assert_refused, done, run

import microcolumn as mc


@pytest.mark.parametrize("name", ["populationtracking", "BernoulliMixture", "CommonDrive"])
def test_a_alternative_is_fitted_at_chosen_settings_saved_and_drawn_from(session, tmp_path, name):
    out = tmp_path / "alternative.safetensors"
    told = done("fit", session, "--model", name, "--seed", 3, "--out", out)
    model, words = mc.load(out), mc.read(session, depth_reference="unstated").bin(0.020)
    seed = {"random_state": 3} if hasattr(model, "random_state") else {}
    tuned = mc.tune(type(model)(**seed), words, random_state=3)
    expected, [choice] = tuned.best, tuned.choices.values()
    assert f"settings    {choice}, chosen on a fifth of the words\n" in told.stdout
    assert f"parameters  {expected.n_parameters_}\n" in told.stdout
    np.testing.assert_array_equal(model.score_samples(words), expected.score_samples(words))
    drawn = run("sample", out, "--n", 4, "--seed", 1)
    rows = list(csv.reader(drawn.stdout.splitlines()))
    assert rows[0] == list(words.units.ids)
    np.testing.assert_array_equal(np.array(rows[1:], int), model.sample(4, random_state=1))
    predicted = json.loads(run("predict", session, "--model", out, "--json").stdout)
    gain = mc.evaluate.prediction_gain(mc.evaluate.predict(model, words)).bits_per_second
    assert [row["bits_per_second"] for row in predicted["units"]] == pytest.approx(gain)


def test_an_option_that_a_alternative_lacks_is_refused(session, tmp_path):
    asked = ("--model", "CommonDrive", "--hidden", 3, "--out", tmp_path / "m")
    assert_refused("--hidden is no setting of CommonDrive; leave it out", "fit", session, *asked)

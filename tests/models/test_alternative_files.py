"""Files of alternatives whose fingerprint is right and whose arrays make no sense are refused."""

from dataclasses import replace

import numpy as np
import pytest
from forged import forged
from safetensors.numpy import load as arrays_of

import microcolumn as mc
from microcolumn.models import from_bytes, to_bytes

X = np.random.default_rng(0).integers(0, 2, (200, 4))
MODELS = {
    "mixture": mc.models.BernoulliMixture(2),
    "drive": mc.models.CommonDrive("free"),
    "projections": mc.models.RandomProjections(10, n_inputs=2),
    "potentials": mc.models.ProjectionPotentials(2),
    "semiparametric": mc.models.SemiparametricPairwise(),
    "gaussian": mc.models.DichotomizedGaussian(),
    "cascade": mc.models.CascadedLogistic(l1=1e-3),
    "tracking": mc.models.PopulationTracking(),
    "dirichlet": mc.models.DirichletProcess(mc.Independent(), 1.0),
    "history": mc.models.HistoryGLM(n_lags=3, basis=2),
}


def changed(place, value):
    """A copy of an array with another value in a place."""

    def change(array):
        array = array.copy()
        array[place] = value
        return array

    return change


#: How an array of a model is spoilt.
SPOILT = [
    ("mixture", "modes", lambda a: a + 1.0),
    ("mixture", "modes", lambda a: a * np.nan),
    ("mixture", "modes", lambda a: a[0]),
    ("mixture", "weights", lambda a: a + 0.5),
    ("mixture", "weights", lambda a: np.ones(1)),
    ("drive", "b", lambda a: a[1:]),
    ("drive", "w", lambda a: a * np.nan),
    ("drive", "w", lambda a: a[:, None].copy()),
    ("drive", "drive", lambda a: a[1:]),
    ("drive", "weights", lambda a: a + 0.5),
    ("projections", "inputs", lambda a: a + 3),
    ("projections", "inputs", lambda a: a[:, ::-1].copy()),
    ("projections", "inputs", lambda a: a.astype(np.int64)),
    ("projections", "weights", lambda a: a[1:]),
    ("projections", "thresholds", lambda a: -a),
    ("projections", "strengths", lambda a: a * np.nan),
    ("potentials", "ramp_axis", lambda a: a + 1),
    ("potentials", "ramp_axis", lambda a: a[::-1].copy()),
    ("potentials", "signs", lambda a: 2.0 * a),
    ("semiparametric", "J", np.triu),
    ("semiparametric", "knots", lambda a: a[::-1].copy()),
    ("gaussian", "thresholds", lambda a: a[1:]),
    ("gaussian", "correlations", lambda a: np.triu(a)),
    ("gaussian", "correlations", lambda a: 2.0 * a),
    ("gaussian", "correlations", lambda a: np.sign(a - 0.5)),
    ("cascade", "order", np.ones_like),
    ("cascade", "order", lambda a: a.astype(float)),
    ("cascade", "weights", np.ones_like),
    ("cascade", "weights", lambda a: a[:, 1:].copy()),
    ("cascade", "b", changed(1, np.nan)),
    ("cascade", "thresholds", lambda a: a - 1),
    ("tracking", "active_distribution", lambda a: a + 0.5),
    ("tracking", "active_distribution", lambda a: a[1:]),
    ("tracking", "seen", lambda a: a[::-1].copy()),
    ("tracking", "seen", lambda a: a + 1),
    ("tracking", "probabilities", np.ones_like),
    ("tracking", "unit_rates", np.zeros_like),
    ("dirichlet", "base", np.zeros_like),
    ("dirichlet", "words", np.zeros_like),
    ("dirichlet", "words", lambda a: a + np.uint64(16)),
    ("dirichlet", "words", lambda a: a.astype(float)),
    ("dirichlet", "word_counts", np.zeros_like),
    ("dirichlet", "concentration", np.zeros_like),
    ("history", "b", lambda a: a[0]),
    ("history", "basis", lambda a: a[:, 1:].copy()),
    ("history", "weights", lambda a: a[:, :, 1:].copy()),
    ("history", "weights", lambda a: a * np.nan),
    ("history", "rates", lambda a: a[1:]),
]


@pytest.fixture(scope="module")
def contents():
    return {name: to_bytes(model.fit(X)) for name, model in MODELS.items()}


@pytest.mark.parametrize("model", MODELS)
def test_a_forged_file_with_all_arrays_as_they_are_is_read(contents, model):
    content = contents[model]
    assert from_bytes(forged(content)).n_features_in_ == 4


@pytest.mark.parametrize(("model", "name", "change"), SPOILT)
def test_arrays_that_make_no_sense_are_refused(contents, model, name, change):
    arrays = arrays_of(contents[model])
    arrays[name] = np.asarray(change(arrays[name]))
    with pytest.raises(ValueError, match="is not a microcolumn model"):
        from_bytes(forged(contents[model], arrays))


@pytest.mark.parametrize("name", ["log_z", "certificate"])
@pytest.mark.parametrize("changes", [{"converged": 1}, {"converged": None}, {"more": 1.0}])
def test_records_that_make_no_sense_are_refused(contents, name, changes):
    content = contents["projections"]
    with pytest.raises(ValueError, match="is not a microcolumn model"):
        from_bytes(forged(content, **{name: changes}))


def test_a_normaliser_is_read_as_it_was_found_but_for_its_seconds(contents):
    log_z = MODELS["projections"].log_partition()
    expected = replace(log_z, seconds=0.0, trace=None, modes=None)
    assert from_bytes(contents["projections"]).log_partition() == expected


def test_projections_without_their_log_z_are_refused(contents):
    with pytest.raises(ValueError, match="inconsistent"):
        from_bytes(forged(contents["projections"], without=["log_z"]))

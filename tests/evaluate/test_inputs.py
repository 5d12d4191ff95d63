"""Bad words and bad baselines get one sentence, whichever score is asked for."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import microcolumn as mc
from microcolumn.evaluate import compare, conditional_gain
from microcolumn.models import HistoryGLM, Independent, Ising
from microcolumn.parameters import Parameters
from microcolumn.words import Words

WORDS = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 0], [0, 0, 0]])
SCORES = [
    mc.score,
    conditional_gain,
    lambda model, words, **options: compare({"model": model}, words, **options),
]

pytestmark = pytest.mark.parametrize("score", SCORES, ids=["excess", "conditional", "compare"])


def _fitted():
    return Ising(l1=0.1).fit(WORDS)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            WORDS[:, :2],
            "words have 2 bits but Ising was fitted on 3; pass the same units and window",
        ),
        (Words.from_array(WORDS).embed(2), "words have 6 bits but Ising was fitted on 3"),
        (WORDS[0], "Expected 2D array, got 1D array"),
        (WORDS * 2, r"X\[0, 2\] is 2; words are binary"),
        (np.where(WORDS, np.nan, 0.0), "NaN"),
    ],
)
def test_words_that_do_not_fit_are_refused(score, words, sentence):
    with pytest.raises(ValueError, match=sentence):
        score(_fitted(), words)


def test_a_bin_width_beside_words_is_refused_and_a_bad_one_named(score):
    with pytest.raises(ValueError, match="Words carry their own bin width; leave out bin_width"):
        score(_fitted(), Words.from_array(WORDS), bin_width=0.01)
    with pytest.raises(ValueError, match="bin_width is -1"):
        score(_fitted(), WORDS, bin_width=-1)


def test_a_model_that_was_not_fitted_is_refused(score, request):
    if "compare" in request.node.name:
        pytest.skip("fits what is not fitted")
    with pytest.raises(NotFittedError):
        score(Ising(), WORDS)


def test_a_model_made_from_parameters_asks_for_a_baseline(score):
    model = Ising.from_parameters(Parameters(b=np.zeros(3), J=np.zeros((3, 3))))
    with pytest.raises(ValueError, match=r"this Ising was never fitted.* pass baseline="):
        score(model, WORDS)
    score(model, WORDS, baseline=Independent().fit(WORDS))
    score(model, WORDS, baseline=[0.2, 0.2, 0.4])


@pytest.mark.parametrize(
    ("baseline", "error", "sentence"),
    [
        ([0.1, 0.2], ValueError, r"baseline has shape \(2,\) for 3 units"),
        ([0.1, 0.0, 0.2], ValueError, r"baseline\[1\] is 0.0"),
        ([0.1, 0.2, np.nan], ValueError, r"baseline\[2\] is nan"),
        (Independent().fit(WORDS[:, :2]), ValueError, "baseline has 2 units but the model has 3"),
        (Independent(), NotFittedError, "not fitted"),
        (HistoryGLM(n_lags=1, basis=1), TypeError, "baseline is an? .*HistoryGLM; pass"),
    ],
)
def test_a_baseline_that_does_not_fit_is_refused(score, baseline, error, sentence):
    with pytest.raises(error, match=sentence):
        score(_fitted(), WORDS, baseline=baseline)

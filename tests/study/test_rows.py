import json
import math

from microcolumn.evaluate._splits import SplitScore
from microcolumn.study._rows import decoded, plain, split_score


def test_json_columns_are_read_and_others_left_alone():
    row = {"trace": "[[32, 1.5, 0.1]]", "method": "[ais]", "survey": None}
    assert decoded(row, "trace", "survey") == {
        "trace": [[32, 1.5, 0.1]],
        "method": "[ais]",
        "survey": None,
    }


def test_plain_values_are_what_json_can_hold():
    value = {0.5: (math.nan, math.inf, 1.0, None), "score": SplitScore(0, 1.0, math.nan)}
    found = json.loads(json.dumps(plain(value), allow_nan=False))
    assert found["0.5"] == [None, None, 1.0, None]
    assert (found["score"]["bits_per_second"], found["score"]["block_stderr"]) == (1.0, None)


def test_a_score_without_sizes_or_normaliser_has_none():
    names = ("n_nonzero", "n_couplings", "n_live_hidden", "normaliser")
    row = dict.fromkeys(names) | {
        "bits_per_second": 2.0,
        "block_stderr": 0.1,
        "penalty": math.nan,
        "converged": 0,
    }
    score = split_score(3, row, fit_converged=True)
    assert (score.split, score.n_nonzero, score.normaliser) == (3, 0, "")
    assert not score.converged

"""The answer that page, text and JSON open with, of planted studies."""

from dataclasses import replace

import planted_study as planted
import pytest

from microcolumn.evaluate._significance import with_error
from microcolumn.report import _assembly_table
from microcolumn.report._answer import whole_answer
from microcolumn.study import Plan, Results

INSTANTANEOUS = Plan(planted.PLAN.sources, planted.PLAN.experiments[:1])

QUESTIONS = [
    "Do groups matter beyond pairs?",
    "How large is the gain?",
    "Do the groups stay in layers?",
    "Which model is best?",
    "Is the best model good enough?",
    "Do the other experiments agree?",
    "What does it hold for?",
]


@pytest.fixture(scope="module")
def answer(planted_results):
    return whole_answer(planted_results)


def test_numbers_are_those_of_the_comparison(answer, planted_results):
    told = dict(answer.paragraphs)
    pair = planted_results.comparison("cells").pair("RBM 5", "Ising")
    by = with_error(pair.bits_per_second, pair.stderr)
    assert f"scores {by} bits/s (+20.0 ± " in told[QUESTIONS[0]]
    assert "in 4 of 4 splits (p = 0.024)" in told[QUESTIONS[0]]
    assert "0.25 bits per spike" in told[QUESTIONS[1]]  # 2 bits/s of 8 spikes/s
    assert "pairs alone reach 83.3 ± " in told[QUESTIONS[1]]  # 10 of 12 bits/s
    assert "is 4 times as likely with groups" in told[QUESTIONS[1]]  # 2 bits


def test_assemblies_are_counted_as_in_the_table_of_each_model_that_may_be_the_best(tmp_path):
    """Hidden units of the best model recur in one of three other splits, which is not enough."""

    def unstable(job, rows):
        for row in rows.get("assemblies", []):
            if job.model.model == "RBM":
                some = [replace(each, stability=1 / 3) for each in row["found"]]
                row["found"] = replace(row["found"], rows=tuple(some))

    results = Results(planted.write(tmp_path / "study.db", INSTANTANEOUS, change=unstable))
    told = dict(whole_answer(results).paragraphs)[QUESTIONS[2]]
    assert "0 of 4 live hidden units of RBM 5 in the first split are assemblies; of" in told
    assert "of SemiRBM 5, whose score is not clearly lower, 1 of 4." in told
    assert "a group of units that recurs in at least 80 % of the other splits and" in told
    rbm, semi = _assembly_table.tables(results, results.tested()[0])
    assert [row[-1] for row in rbm.rows].count("assembly") == 0
    assert [row[-1] for row in semi.rows].count("assembly") == 1

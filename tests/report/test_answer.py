"""The answer that page, text and JSON open with, of planted studies."""

from dataclasses import replace

import planted_study as planted
import pytest

from microcolumn.evaluate._significance import with_error
from microcolumn.report import _assembly_table, report_dict
from microcolumn.report._answer import whole_answer
from microcolumn.report._assembly_table import ASSEMBLY
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


def answer_of(path, change=lambda job, rows: None, keep=lambda job: True, plan=INSTANTANEOUS):
    return whole_answer(Results(planted.write(path / "study.db", plan, keep=keep, change=change)))


@pytest.fixture(scope="module")
def answer(planted_results):
    return whole_answer(planted_results)


def test_the_title_is_the_result(answer):
    assert answer.title == (
        "Groups of units describe unseen activity better than pairs do in cells (simulated)"
    )
    assert answer.subtitle == "The whole study, computed on 2026-01-02"
    assert answer.quick is None
    assert answer.simulated == "Simulated: cells"


def test_each_question_is_asked_once_and_begins_with_its_answer(answer):
    told = dict(answer.paragraphs)
    assert [question for question, _ in answer.paragraphs] == QUESTIONS
    beginnings = [
        "Yes. RBM 5 ",
        "Groups add 2.00 bits/s",
        "Undecided: 65 %",
        "RBM 5 has the highest",
    ]
    beginnings += ["Yes, as far as these words can tell: RBM 5 ", "Yes. ", "The scores hold for "]
    for text, beginning in zip(told.values(), beginnings, strict=True):
        assert text.startswith(beginning)
        assert text.endswith(".")


def test_numbers_are_those_of_the_comparison(answer, planted_results):
    told = dict(answer.paragraphs)
    pair = planted_results.comparison("cells").pair("RBM 5", "Ising")
    by = with_error(pair.bits_per_second, pair.stderr)
    assert f"scores {by} bits/s (+20.0 ± " in told[QUESTIONS[0]]
    assert "in 4 of 4 splits (p = 0.024)" in told[QUESTIONS[0]]
    assert "0.25 bits per spike" in told[QUESTIONS[1]]  # 2 bits/s of 8 spikes/s
    assert "pairs alone reach 83.3 ± " in told[QUESTIONS[1]]  # 10 of 12 bits/s
    assert "is 4 times as likely with groups" in told[QUESTIONS[1]]  # 2 bits


def test_layers_are_means_over_splits_and_p_must_be_small_in_all_of_them(answer, tmp_path):
    """Overall p is 0.01, 0.05, 0.09 and 0.13; one of the live hidden units is in a layer."""
    told = dict(answer.paragraphs)[QUESTIONS[2]]
    assert "65 % (50 % if layers are shuffled) of all weight of RBM 5 lies in the main " in told
    assert "layer of its hidden unit (permutation test, p < 0.05 in 1 of 4 splits)" in told
    assert "1.0 of 2.5 live hidden units are concentrated in one layer" in told
    assert told.endswith(
        " 1 of 4 live hidden units of RBM 5 in the first split is an assembly; of SemiRBM 5, whose "
        f"score is not clearly lower, 1 of 4. {ASSEMBLY}"
    )

    def sure(job, rows):
        for row in rows.get("structures", []):
            row["layers"] = replace(row["layers"], overall_p_value=0.01)

    assert dict(answer_of(tmp_path, sure).paragraphs)[QUESTIONS[2]].startswith(
        "More than by chance"
    )


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


def test_a_model_that_is_clearly_worse_has_no_part_in_the_answer_about_assemblies(tmp_path):
    def worse(job, rows):
        for row in rows.get("scores", []):
            row["bits_per_second"] -= 5.0 * row["model"].startswith("SemiRBM")
        for row in rows.get("differences", []):
            for name, sign in (("first", -5.0), ("second", 5.0)):
                row["bits_per_second"] += sign * row[name].startswith("SemiRBM")

    told = dict(answer_of(tmp_path, worse).paragraphs)[QUESTIONS[2]]
    assert told.endswith(f"1 of 4 live hidden units of RBM 5 in the first split is an assembly. "
                         f"{ASSEMBLY}")  # fmt: skip


def test_without_layers_they_were_not_tested(tmp_path):
    def without(job, rows):
        for row in rows.get("structures", []):
            row["layers"] = None

    told = dict(answer_of(tmp_path, without).paragraphs)[QUESTIONS[2]]
    assert told.startswith("No labels of several layers, so this was not tested.")


def test_a_line_for_each_experiment_stands_in_the_table(answer):
    assert [row[0] for row in answer.table.rows] == [
        "cells (simulated), instantaneous",
        "cells (simulated), spatiotemporal, T = 3",
    ]
    assert answer.table.note.endswith("not for the number of experiments or recordings")
    assert answer.table.rows[0][1:] == (
        "2.00 ± 0.20", "+20", "0.024", "groups better", "RBM 5"
    )  # fmt: skip
    assert dict(answer.paragraphs)[QUESTIONS[5]].startswith(
        "Yes. cells (simulated), spatiotemporal, T = 3: groups better (RBM 12 minus Ising: "
    )


def test_where_the_same_words_were_fitted_by_likelihood_that_answers(tmp_path):
    first = planted.PLAN.experiments[0]
    other = replace(first, name="likelihood", models=("Ising", "RBM"))
    flow = replace(first, objectives="mpf")
    found = answer_of(tmp_path, plan=Plan(planted.PLAN.sources, (flow, other)))
    told = dict(found.paragraphs)
    assert told[QUESTIONS[0]].startswith("Yes. RBM 5 (hidden units that each ")
    assert told[QUESTIONS[3]].startswith("RBM 5 has the highest score of 2 models")
    assert told[QUESTIONS[5]].endswith(
        "cells (simulated), instantaneous: groups better (RBM 5 mpf minus Ising mpf: "
        "2.00 ± 0.20 bits/s)."
    )
    assert [row[0] for row in found.table.rows] == [
        "cells (simulated), likelihood",
        "cells (simulated), instantaneous",
    ]


def test_one_comparison_needs_no_table(tmp_path):
    found = answer_of(tmp_path, keep=lambda job: job.kind == "test")
    assert found.table is None
    assert QUESTIONS[5] not in dict(found.paragraphs)
    assert dict(found.paragraphs)[QUESTIONS[2]] == "Not computed yet; run the study further."
    assert QUESTIONS[4] not in dict(found.paragraphs)


def test_a_study_that_has_barely_begun_says_what_to_do(tmp_path):
    found = answer_of(tmp_path, keep=lambda job: False, plan=planted.PLAN)
    assert found.title == "Nothing is tested yet; run the study further"
    assert found.paragraphs == found.findings == ()
    assert "jobs are not done yet" in found.subtitle


def test_two_splits_decide_nothing(tmp_path):
    path = planted.write(tmp_path / "study.db", INSTANTANEOUS, keep=lambda job: job.split < 2)
    results = Results(path)
    found = whole_answer(results)
    assert found.title.startswith("Undecided whether groups of units describe")
    assert dict(found.paragraphs)[QUESTIONS[0]].startswith(
        "Too few splits to decide (2; at least 3 are needed). So far RBM 5 "
    )
    assert "p = " not in "".join(text for _, text in found.paragraphs[:4])
    assert report_dict(results)["answer"]["findings"][0]["verdict"] == "too few splits"


def test_a_fit_behind_that_has_not_converged_leaves_it_open(tmp_path):
    def unfinished(job, rows):
        for row in rows.get("scores", []):
            if row["model"] == "Ising" and job.split == 2:
                row["fit_converged"] = False

    found = answer_of(tmp_path, unfinished)
    assert found.title.startswith("Undecided whether groups")
    told = dict(found.paragraphs)[QUESTIONS[0]]
    assert told.startswith("Open: the fit of Ising has not converged. So far RBM 5 ")

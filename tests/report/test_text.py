import json
from dataclasses import replace

import planted_study as planted
import pytest

from microcolumn.report import report_dict, report_text
from microcolumn.study._plan import Plan
from microcolumn.study._results import Results

TIMES = "\N{MULTIPLICATION SIGN}"
INSTANTANEOUS = Plan(planted.PLAN.sources, planted.PLAN.experiments[:1])


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return Results(planted.write(tmp_path_factory.mktemp("study") / "study.db"))


@pytest.fixture(scope="module")
def text(results):
    return report_text(results)


def test_the_answer_comes_first(text, results):
    lines = text.splitlines()
    assert lines[0] == f"cells: 23 units, {planted.recording().n_spikes:,} spikes, 12 s"
    assert lines[3] == "instantaneous: 23 units in 20 ms bins, 4 of 4 splits by words"
    assert " ".join(lines[6:9]) == results.comparison("cells").answer


def test_models_stand_in_an_aligned_table(text):
    expected = f"""\
  model                   bits/s  per unit  λ              non-zero  couplings  live hidden  \
log Z  converged
  RBM 5      12.00 ± 0.55 ± 0.30     0.522  1e-3 {TIMES}3, 4e-3        50          0     2.5 of 5  \
exact         no
  SemiRBM 5  12.00 ± 0.55 ± 0.30     0.522  1e-3 {TIMES}3, 4e-3        50          0     2.5 of 5  \
exact        yes
  Ising      10.00 ± 0.46 ± 0.30     0.435  4e-3 {TIMES}4              50         30            -  \
exact        yes
"""
    assert expected in text


def test_every_pair_has_a_line(text):
    expected = """\
  difference                     bits/s  better in       p
  RBM 5 - SemiRBM 5         0.00 ± 0.00     0 of 4       1
  RBM 5 - Ising             2.00 ± 0.20     4 of 4  0.0023
  RBM 5 - Independent      12.00 ± 1.22     4 of 4  0.0023
"""
    assert expected in text


def test_growth_with_lags_is_a_table_and_a_sentence_for_each_model(text):
    expected = """\
  T                  Ising                    RBM
  1  2.500 ± 0.114 ± 0.075  3.000 ± 0.137 ± 0.075
  2  3.500 ± 0.114 ± 0.075  4.000 ± 0.137 ± 0.075
  3  3.500 ± 0.114 ± 0.075  5.000 ± 0.137 ± 0.075
  Ising: the last step up by more than 2 standard errors is to T = 2, of up to 3
  RBM: the last step up by more than 2 standard errors is to T = 3, the longest computed
"""
    assert expected in text
    assert "T = 3: RBM 12 is better than Ising by 6.00 ± 0.20 bits/s" in text


def test_predictions_layers_and_interactions_have_their_tables(text):
    for line in (
        "  RBM 12  past             0.900  1.650 (unit u3, 4.0 Hz)     0.714             0.0250",
        "  RBM 5                         65% (50%)  0.07                  4 of 10         ",
        "  Ising                                 -     -                        -         ",
        "  SemiRBM 5         90.0%      97.0%         99.0%",
    ):
        assert line in text


def test_the_end_says_what_to_doubt_and_where_all_this_comes_from(text):
    cautions, provenance = text.split("Cautions\n========\n")[1].split("Provenance\n==========\n")
    assert "  cells, instantaneous, RBM 5: the fit has not converged in 1 of 4 tests\n" in cautions
    fingerprint = planted.facts()["cells"].fingerprint
    assert provenance == (
        "  232 of 232 jobs, 6 min of work, "
        "2026-01-02 03:04:00+00:00 to 2026-01-02 03:04:03+00:00\n"
        "  machine a chip, microcolumn 0.1.0, numpy 2.1.0, python 3.12.1\n"
        "  instantaneous: seeds 0 to 3\n"
        "  spatiotemporal: seeds 0 to 3\n"
        f"  cells: sha256 {fingerprint[:16]}, simulated\n"
    )


def test_a_single_split_has_a_dash_for_what_it_cannot_say(tmp_path):
    plan = Plan(INSTANTANEOUS.sources, (replace(INSTANTANEOUS.experiments[0], n_splits=1),))
    text = report_text(Results(planted.write(tmp_path / "study.db", plan=plan)))
    assert "  RBM 5      12.60 ± - ± 0.30     0.548  1e-3 " in text
    assert "  RBM 5 - Ising             2.10 ± 0.15     1 of 1" in text
    assert "1 of 1 splits by words" in text


def test_an_unfinished_study_is_reported_as_far_as_it_is(tmp_path):
    def is_done(job):
        return job.split < 2 and job.window < 3 and job.kind not in ("predict", "structure")

    text = report_text(Results(planted.write(tmp_path / "study.db", keep=is_done)))
    assert "2 of 4 splits by words" in text
    assert "  3                      -                      -\n" in text
    assert "RBM: the last step up by more than 2 standard errors is to T = 2, the longest" in text
    assert "T = 2: RBM 8 is better than Ising" in text
    assert "predicted" not in text
    assert "jobs are not done; run the study further" in text


def test_a_study_that_has_barely_begun_says_so(tmp_path):
    path = planted.write(tmp_path / "study.db", keep=lambda job: False)
    text = report_text(Results(path))
    assert "Nothing is tested yet; run the study further." in text
    only_first = planted.write(
        tmp_path / "first.db", keep=lambda job: job.window == 1 and job.kind == "test"
    )
    assert "Ising: too few T are computed to see it grow" in report_text(Results(only_first))


def test_the_dictionary_holds_the_same_with_the_cautions(results):
    found = json.loads(json.dumps(report_dict(results), allow_nan=False))
    assert found["cautions"][1].endswith("the fit has not converged in 1 of 4 tests")
    assert len(found["comparisons"]) == 4
    assert Plan.from_dict(found["plan"]) == planted.PLAN
    first = found["comparisons"][0]
    assert (first["recording"], first["experiment"], first["window"]) == (
        "cells",
        "instantaneous",
        1,
    )
    assert first["answer"] == results.comparison("cells").answer
    assert first["models"][0]["bits_per_second"] == pytest.approx(12.0)
    by_model = first["by_model"]["RBM 5"]
    assert by_model["predictions"]["rest"]["units"][1]["unit"] == "u1"
    assert by_model["normalisers"]["0"]["0.001"]["reverse"] is None


def test_the_dictionary_leaves_out_what_is_not_computed(tmp_path):
    tested = planted.write(tmp_path / "tested.db", keep=lambda job: job.kind == "test")
    first = report_dict(Results(tested))["comparisons"][0]
    assert "predictions" not in first["by_model"]["RBM 5"]

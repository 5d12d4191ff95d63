import planted_study as planted
import pytest

from microcolumn.formatting import text_table
from microcolumn.report import _tables as tables, report_text
from microcolumn.report._cautions import cautions
from microcolumn.report._effects import effects
from microcolumn.report._growth import gains, growth, growth_sentences
from microcolumn.study import Results


@pytest.fixture(scope="module")
def text(planted_results):
    return report_text(planted_results)


def test_the_answer_comes_first(text, planted_results):
    lines = text.splitlines()
    n_spikes = planted.recording().n_spikes
    assert lines[0] == "Simulated: cells."
    assert lines[2] == f"cells (simulated): 23 units, {n_spikes:,} spikes, 12 s"
    said = planted_results.comparison("cells").statements
    assert " ".join(lines[8 : 8 + len(said)]) == planted_results.comparison("cells").answer


def test_all_tables_are_in_the_text(text, planted_results):
    for condition in (planted_results.tested()[0], planted_results.tested()[-1]):
        compared = planted_results.comparison(**condition.names)
        for table in (
            tables.models(compared),
            tables.pairs(compared),
            tables.predictions(planted_results, condition),
            tables.layers(planted_results, condition),
            effects(compared),
        ):
            assert text_table(table.header, table.rows, left=table.left, indent=2) in text
    found = planted_results.by_window("cells")
    for table in (growth(found), gains(found)):
        assert text_table(table.header, table.rows, left=table.left, indent=2) in text
    for sentence in growth_sentences(found):
        assert sentence in text


def test_the_end_has_the_cautions_and_where_all_this_comes_from(text, planted_results):
    said, provenance = text.split("Cautions\n========\n")[1].split("Provenance\n==========\n")
    assert [line.strip() for line in said.strip().splitlines()] == cautions(planted_results)
    fingerprint = planted.facts()["cells"].fingerprint
    for fact in (fingerprint[:16], "numpy 2.1.0", "seeds 0 to 3", "2026-01-02 03:04:03+00:00"):
        assert fact in provenance


def test_an_unfinished_study_is_reported_as_far_as_it_is(tmp_path):
    def is_done(job):
        return job.kind == "test" and job.split < 2 and job.window < 3

    results = Results(planted.write(tmp_path / "study.db", keep=is_done))
    text = report_text(results)
    assert "2 of 4 splits" in text
    assert "  3                      -                      -\n" in text
    answer = results.comparison("cells", experiment="spatiotemporal", window=2).answer
    assert f"T = 2: {answer.split(';')[0]}" in text
    assert "too few splits to decide (2; at least 3 are needed)" in text
    assert "p = " not in text
    assert "p < " not in text.replace("p < 0.05", "")
    assert cautions(results)[0] in text


def test_a_study_that_has_barely_begun_has_a_report(tmp_path):
    results = Results(planted.write(tmp_path / "study.db", keep=lambda job: False))
    assert "Nothing is tested yet" in report_text(results)

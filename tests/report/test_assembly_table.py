"""Tables and sentences about assemblies say what the results say, each hidden unit once."""

import planted_study as planted
import pytest

from microcolumn.evaluate import Assemblies
from microcolumn.report import _assembly_table, report_text
from microcolumn.study import Results


@pytest.fixture(scope="module")
def condition(planted_results):
    return planted_results.tested()[0]


def test_there_is_a_row_for_each_hidden_unit_of_each_model_that_has_some(
    planted_results, condition
):
    made = list(_assembly_table.tables(planted_results, condition))
    assert [table.title for table in made] == ["assemblies, RBM 5", "assemblies, SemiRBM 5"]
    found = planted_results.assemblies("cells", "RBM")
    for row, each in zip(made[0].rows, found, strict=True):
        shown = dict(zip(made[0].header, row, strict=True))
        assert (shown["units"], shown["verdict"]) == (" ".join(each.units), each.verdict)
        assert shown["recurs in"] == f"{round(3 * each.stability)} of 3"
        assert shown["bits/s lost"] == f"{each.bits_per_second:.2f} ± 0.25"
        assert (shown["layer"], shown["share"], shown["p"]) == ("IV", "0.90", "0.004")


def test_a_sentence_counts_each_hidden_unit_once_over_all_splits(planted_results, condition):
    first, second, *signs = _assembly_table.sentences(planted_results, condition)
    told = "1 of 4 live hidden units are assemblies (1 unstable, 1 not needed and 1 no group); "
    assert first == f"RBM 5: {told}1 of the 1 lie within one layer (p < 0.05, corrected)"
    assert second.startswith(f"SemiRBM 5: {told}")
    told = "75% of the 40 couplings beside the hidden units are negative (mean over 4 splits)"
    assert signs[-1] == f"SemiRBM 5: {told}"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Assemblies((), 4, True), "no live hidden unit"),
        (
            Assemblies(planted.assemblies([str(n) for n in range(10)]).rows, 1, True),
            "4 live hidden units; with one split it is not known which of them recur",
        ),
    ],
)
def test_what_cannot_be_said_is_not_said(found, said):
    assert _assembly_table._counts(found) == said


def test_the_report_has_tables_and_sentences_or_goes_without(planted_results, tmp_path):
    text = report_text(planted_results)
    assert "assemblies, SemiRBM 5\n" in text
    assert "RBM 5: 1 of 4 live hidden units are assemblies" in text
    tested = planted.write(tmp_path / "study.db", keep=lambda job: job.kind == "test")
    assert "assemblies" not in report_text(Results(tested))

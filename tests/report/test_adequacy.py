"""What the report says about the adequacy of models, from planted results."""

import pytest

from microcolumn.report._adequacy import (
    adequacy_of,
    adequacy_table,
    explained_text,
)


@pytest.fixture
def condition(planted_results):
    return planted_results.index.at("cells", "instantaneous", None)


def test_the_table_has_a_row_for_independent_units_and_each_model(planted_results, condition):
    table = adequacy_table(planted_results, condition)
    assert table.header[1] == "3 or more active"  # the largest number seen in 1 % of the words
    assert [row[0] for row in table.rows] == ["Independent", "Ising", "RBM 5", "SemiRBM 5"]
    assert [row[1] for row in table.rows] == ["1.00 %", "1.30 %", "1.60 %", "1.90 %"]
    assert [row[4] for row in table.rows] == ["0.005", "0.02", "0.31", "0.40"]
    assert [row[6] for row in table.rows] == [
        "misses synchrony: 3 or more active units in 2.00 ± 0.20 % of words, the model has 1.00 %",
        "differs measurably (p = 0.02) but by little",
        "describes these words within their noise (p = 0.31, about 500 independent words)",
        "describes these words within their noise (p = 0.40, about 500 independent words)",
    ]
    assert "3 or more active: observed in 2.00 ± 0.20 % of words" in table.note


def test_shares_are_of_the_scores_of_the_same_split(planted_results, condition):
    table = adequacy_table(planted_results, condition)
    assert "(16.00 ± 1.00 bits/s could be explained, at most 20.00)" in table.note
    explained = {row[0]: row[5] for row in table.rows}
    assert explained["Independent"] == "-"  # all gains are above theirs
    compared = planted_results.comparison(**condition.names)
    score = next(s for s in compared.best.splits if s.split == 0)
    share = f"{100 * score.bits_per_second / 16:.0f}"
    assert explained[compared.best.name].startswith(f"{share} ± ")
    told = explained_text(planted_results, condition, compared.best.name)
    assert told.endswith(f"(at least {100 * score.bits_per_second / 20:.0f} %)")
    name, adequacy, worse = adequacy_of(planted_results, condition)
    assert (name, worse) == (compared.best.name, "")  # SemiRBM 5 describes them, but is no worse
    assert adequacy.describes
    assert explained_text(planted_results, condition, name).startswith(f"it explains {share} ± ")

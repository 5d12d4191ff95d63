"""What the report says about the adequacy of models, from planted results."""

import pytest

from microcolumn.report._findings import _explained, finding


@pytest.fixture
def condition(planted_results):
    return planted_results.index.at("cells", "instantaneous", None)


def test_shares_are_of_the_scores_of_the_same_split(planted_results, condition):
    compared = planted_results.comparison(**condition.names)
    score = next(s for s in compared.best.splits if s.split == 0)
    share = f"{100 * score.bits_per_second / 16:.0f}"
    told = _explained(planted_results, condition, compared.best)
    assert told.endswith(f"(at least {100 * score.bits_per_second / 20:.0f} %)")
    found = finding(planted_results, condition, several=False)
    assert found.adequate == compared.best.name
    assert found.also_adequate == ""  # SemiRBM 5 describes them, but is no worse
    assert found.adequacy.describes
    assert found.explained.startswith(f"it explains {share} ± ")

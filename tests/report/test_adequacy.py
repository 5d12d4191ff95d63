"""What the report says about the adequacy of models, from planted results."""

import pytest

from microcolumn.report._adequacy import adequacy_of, explained_text


@pytest.fixture
def condition(planted_results):
    return planted_results.index.at("cells", "instantaneous", None)


def test_shares_are_of_the_scores_of_the_same_split(planted_results, condition):
    compared = planted_results.comparison(**condition.names)
    score = next(s for s in compared.best.splits if s.split == 0)
    share = f"{100 * score.bits_per_second / 16:.0f}"
    told = explained_text(planted_results, condition, compared.best.name)
    assert told.endswith(f"(at least {100 * score.bits_per_second / 20:.0f} %)")
    name, adequacy, worse = adequacy_of(planted_results, condition)
    assert (name, worse) == (compared.best.name, "")  # SemiRBM 5 describes them, but is no worse
    assert adequacy.describes
    assert explained_text(planted_results, condition, name).startswith(f"it explains {share} ± ")

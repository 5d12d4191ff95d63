"""The first sentence of each section answers it, with numbers that are stored."""

import pytest
from planted_comparison import compared as planted_comparison

from microcolumn.evaluate._significance import p_text
from microcolumn.models._spec import INDEPENDENT
from microcolumn.report import _section_intros
from microcolumn.report._section_intros import section_intro
from microcolumn.report._tables import longest


@pytest.fixture
def compared(planted_results):
    return [planted_results.comparison(**each.names) for each in longest(planted_results)]


@pytest.mark.parametrize(
    ("levels", "n_splits", "said"),
    [
        ([{"RBM 5": 30.0, "Ising": 20.0}], 4, ""),
        ([{"RBM 5": 20.1, "Ising": 20.0}], 4, "; its lead over the next model is not sure ({1})"),
        (
            [{"RBM 5": 1.1, "Ising": 1.0}],
            4,
            "; that gain is not sure ({0}); its lead over the next model is not sure ({1})",
        ),
        ([{"Ising": 30.0}], 4, ""),
        (
            [{"RBM 5": 30.0, "Ising": 20.0}],
            2,
            "; that gain is not sure (few splits); its lead over the next model is not sure (few "
            "splits)",
        ),
        (
            [{"RBM 5": best, "Ising": 20.0} for best in (30.0, 20.1)],
            4,
            "; its lead over the next model is not sure in 1 of 2",
        ),
    ],
)
def test_a_lead_that_may_be_chance_is_said_to_be(monkeypatch, levels, n_splits, said):
    found = [planted_comparison(each, n_splits=n_splits) for each in levels]
    monkeypatch.setattr(_section_intros, "_compared", lambda results: found)
    best, *others = levels[0]
    p = [p_text(found[0].pair(best, o).p_holm) for o in (INDEPENDENT, *others)]
    assert f"above independent units{said.format(*p)}. " in section_intro(None, "Comparison")


def test_converged_fits_of_words_of_every_length_are_counted(planted_results):
    tested = planted_results.tested()
    assert len(tested) > len(longest(planted_results))
    splits = [
        split
        for condition in tested
        for each in [planted_results.comparison(**condition.names)]
        for model in (*each.models, *each.unranked)
        for split in model.splits
    ]
    sure = sum(split.fit_converged and split.normaliser_converged for split in splits)
    counts = f"All {sure} fits" if sure == len(splits) else f"{sure} of {len(splits)} fits"
    assert section_intro(planted_results, "Fitting").startswith(counts)

"""The first sentence of each section answers it, with numbers that are stored."""

import pytest
from planted_comparison import compared as planted_comparison

from microcolumn.evaluate._significance import p_text
from microcolumn.models._spec import INDEPENDENT
from microcolumn.report import _section_intros
from microcolumn.report._section_intros import section_intro
from microcolumn.report._tables import longest
from microcolumn.report._units import known_units


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


def test_longer_words_are_compared_with_the_shortest(planted_results):
    found = planted_results.by_window("cells", experiment="spatiotemporal")
    said = section_intro(planted_results, "Time")
    steps = [models[-1].per_neuron - models[0].per_neuron for models in found.models.values()]
    assert f"{min(steps):.2f}" in said
    assert f"Words of {found.windows[-1]} instead of {found.windows[0]} bin" in said


def test_predictions_from_other_units_and_from_other_bits_stand_apart(planted_results):
    units, bits = (
        max(
            planted_results.predictions(model=spec, **each.names)["rest"].gain_per_unit
            for spec in planted_results.index.specs(each)
        )
        for each in longest(planted_results)
    )
    assert section_intro(planted_results, "Prediction").startswith(
        f"The model that predicts best gains {units:.2f} bits/s per unit given all other units and "
        f"{bits:.2f} bits/s per unit given all other bits of words of several bins, over firing "
        "rates."
    )


def test_units_are_counted_where_none_is_in_an_assembly_or_predicted(planted_results, monkeypatch):
    found = [
        row | {"assemblies": (), "gain_q_value": 0.6}
        for row in known_units(planted_results, planted_results.tested()[0])
    ]
    monkeypatch.setattr(_section_intros, "known_units", lambda *_: found)
    assert section_intro(planted_results, "Units").startswith(
        f"Of {len(found)} units, 0 are in an assembly of the best model with hidden units and 0 "
        "are predicted, beyond chance, better than by their rate."
    )

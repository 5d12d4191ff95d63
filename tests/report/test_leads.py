"""The first sentence of each section answers it, with numbers that are stored."""

import planted_study as planted
import pytest

from microcolumn.report._leads import lead
from microcolumn.report._tables import longest
from microcolumn.study import Results

TITLES = (
    *("Data", "Comparison", "Parameters", "Assemblies and layers", "Units", "Time"),
    *("Prediction", "Fitting"),
)


@pytest.fixture
def compared(planted_results):
    return [planted_results.comparison(**each.names) for each in longest(planted_results)]


def test_the_data_are_counted(planted_results):
    [row] = planted_results.recordings.values()
    said = lead(planted_results, "Data")
    assert said.startswith(f"1 recording of {row['n_units']} units and ")


def test_the_best_model_is_named_with_its_score(planted_results, compared):
    said = lead(planted_results, "Comparison")
    best = max(compared, key=lambda each: each.best.bits_per_second).best
    assert f"{best.bits_per_second:.2f} bits/s above independent units" in said
    assert any(said.startswith(f"{each.best.name} scores best in ") for each in compared)


def test_sizes_of_models_with_hidden_units_and_with_pairs_are_compared(planted_results, compared):
    said = lead(planted_results, "Parameters")
    sizes = [m.n_parameters for each in compared for m in each.models if m.spec.model == "Ising"]
    assert f"pairwise model {min(sizes):.0f}" in said


def test_converged_fits_are_counted(planted_results, compared):
    splits = [
        split
        for each in compared
        for model in (*each.models, *each.unranked)
        for split in model.splits
    ]
    sure = sum(split.fit_converged and split.normaliser_converged for split in splits)
    counts = f"All {sure} fits" if sure == len(splits) else f"{sure} of {len(splits)} fits"
    assert lead(planted_results, "Fitting").startswith(counts)


def test_longer_words_are_compared_with_the_shortest(planted_results):
    found = planted_results.by_window("cells", experiment="spatiotemporal")
    said = lead(planted_results, "Time")
    steps = [models[-1].per_neuron - models[0].per_neuron for models in found.models.values()]
    assert f"{min(steps):.2f}" in said
    assert f"Words of {found.windows[-1]} instead of {found.windows[0]} bin" in said


def test_predictions_of_the_best_model_are_told(planted_results):
    gains = [
        planted_results.predictions(model=spec, **each.names)["rest"].gain_per_unit
        for each in longest(planted_results)
        for spec in planted_results.index.specs(each)
    ]
    assert f"{max(gains):.2f} bits/s per unit over firing rates" in lead(
        planted_results, "Prediction"
    )


@pytest.mark.parametrize("title", TITLES)
def test_a_study_that_has_barely_begun_has_leads_without_answers(title, tmp_path):
    results = Results(planted.write(tmp_path / "study.db", keep=lambda job: False))
    said = lead(results, title)
    assert said.endswith(".")
    assert title == "Data" or not said[0].isdigit()

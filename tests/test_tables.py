"""Results as rows and data frames, against what they hold."""

import sys

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.tables import AsTable


def test_units_and_epochs_are_tables_of_what_is_known():
    units = mc.Units(["a", "b"], depth_um=[300.0, np.nan], layer=["IV", ""])
    frame = units.to_dataframe()
    assert [*frame.columns] == ["id", "layer", "depth_um", "multiunit"]
    assert (frame.depth_um[0], np.isnan(frame.depth_um[1]), [*frame.id]) == (
        300.0,
        True,
        ["a", "b"],
    )
    epochs = mc.Epochs([[0.0, 1.5], [2.0, 3.0]], labels=["movie", "dark"])
    assert epochs.to_rows()[0] == {"start_s": 0.0, "stop_s": 1.5, "label": "movie"}


def test_results_are_tables_with_their_own_numbers():
    words = mc.simulate.microcolumn(n_units=5, minutes=2, seed=0).bin()
    train, test = words.split()
    tuned = mc.tune(["Ising", "PopulationTracking"], train)
    compared = mc.compare(tuned.models, test)
    frame = compared.to_dataframe()
    assert [*frame.name] == [model.name for model in compared.ranked]
    assert [*frame.bits_per_second] == [model.bits_per_second for model in compared.ranked]
    model = tuned.models["Ising"]
    prediction = mc.evaluate.predict(model, test)
    gain, curve = mc.evaluate.prediction_gain(prediction), mc.evaluate.calibration(prediction)
    assert [*gain.to_dataframe().brier] == gain.brier.tolist()
    assert [*curve.to_dataframe().observed] == curve.observed.tolist()
    adequacy = mc.evaluate.adequacy(model, test)
    assert {row["statistics"]: row["p_value"] for row in adequacy.to_rows()} == adequacy.p_values
    for result in (mc.evaluate.intervals(model, train), mc.evaluate.synchrony(test), tuned):
        assert len(result.to_dataframe()) == len(result.to_rows()) > 0


def test_a_result_may_be_a_table_of_other_results():
    theta = mc.Parameters(b=np.zeros(8), W=np.kron(np.eye(2), np.ones((4, 1))))
    layers = mc.evaluate.layer_statistics(theta, ["II/III"] * 4 + ["IV"] * 4)
    assert [*layers.to_dataframe().layer] == ["II/III", "IV"]


def test_without_pandas_a_sentence_says_what_to_do(monkeypatch):
    class Table(AsTable):
        _columns = ("x",)
        x = (1, 2)

    monkeypatch.setitem(sys.modules, "pandas", None)
    assert Table().to_rows() == [{"x": 1}, {"x": 2}]
    with pytest.raises(ImportError, match=r"needs pandas: pip install pandas, or use to_rows\(\)$"):
        Table().to_dataframe()

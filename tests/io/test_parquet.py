"""Tables of Parquet and Feather are read as the CSV of the same table is."""

import sys

import numpy as np
import pandas as pd
import pyarrow
import pytest
from pyarrow import feather, parquet
from refusals import assert_refused

import microcolumn as mc
from microcolumn.io._readers import READERS
from microcolumn.io.parquet import load
from microcolumn.io.sandbox import read_checked

N_SPIKES = 1000


def spikes(**columns):
    """A table of spikes of seven units, with columns of units and of spikes."""
    rng = np.random.default_rng(0)
    unit = rng.integers(1, 13, N_SPIKES)
    table = {
        "unit": unit,
        "time": np.sort(rng.uniform(0.0, 60.0, N_SPIKES)),
        "depth": np.where(unit == 3, np.nan, 100.0 * unit),
        "layer": np.where(unit < 5, "IV", "V"),
        "quality": np.where(unit == 7, "mua", "good"),
        "amplitude": rng.normal(size=N_SPIKES),
    }
    return pd.DataFrame(table | columns)


def written(path, table):
    """A table in the format of the extension, by pandas or pyarrow."""
    if isinstance(table, pd.DataFrame):
        options = {"index": False} if path.suffix == ".csv" else {}
        getattr(table, f"to_{path.suffix[1:]}")(path, **options)
    else:
        (parquet.write_table if path.suffix == ".parquet" else feather.write_feather)(table, path)
    return path


@pytest.fixture(params=[".parquet", ".feather"])
def file(request, tmp_path):
    return tmp_path / f"a{request.param}"


def trains(recording):
    return dict(zip(recording.units.ids, map(np.ndarray.tolist, recording.trains), strict=True))


def test_a_table_is_what_its_csv_is(file):
    table = spikes()
    expected = mc.read(written(file.with_suffix(".csv"), table), depth_reference="surface")
    found = mc.read(written(file, table), depth_reference="surface")
    assert trains(found) == trains(expected)
    assert found.units.layer == expected.units.layer
    assert found.units.quality == expected.units.quality
    np.testing.assert_array_equal(found.units.depth_um, expected.units.depth_um)
    assert found.notes == expected.notes
    assert "not read, since they change within units: 'amplitude'" in found.notes


@pytest.mark.parametrize(
    ("times", "options"),
    [
        (pd.to_timedelta([250_000_000, 1_500_000_001], unit="ns"), {}),
        (pyarrow.array([250, 1500], pyarrow.duration("ms")), {}),
        (pyarrow.array([250_000_000, 1_500_000_001]), {"time_unit": "ns"}),
        (np.array([250, 1500], dtype=np.uint16), {"time_unit": "samples", "sampling_rate": 1000}),
        (np.array([0.25, 1.5], dtype=np.float32), {}),
    ],
)
def test_times_of_any_type_are_seconds(times, options, file):
    table = pyarrow.table({"unit": ["a", "a"], "time": pyarrow.array(times)})
    found = mc.read(written(file, table), **options)
    np.testing.assert_allclose(found.trains[0], [0.25, 1.5], rtol=1e-9)


@pytest.mark.parametrize(
    ("units", "ids"),
    [
        (pd.Categorical(["b", "a", "b"]), ("a", "b")),
        (pd.Categorical([10, 2, 10]), ("2", "10")),
        (pd.array([10, 2, 10], dtype="Int16"), ("2", "10")),
        (np.array([10.0, 2.0, 10.0]), ("2", "10")),
        (pyarrow.array([" b", "a", "b"], pyarrow.large_string()), ("a", "b")),
    ],
)
def test_units_of_any_type_have_their_names(units, ids, file):
    found = mc.read(written(file, pyarrow.table({"unit": units, "time": [0.1, 0.2, 0.3]})))
    assert found.units.ids == ids
    assert trains(found)[ids[-1]] == [0.1, 0.3]


def test_more_rows_than_a_batch_keep_their_order_and_numbers(file):
    n_rows = 200_000
    table = pd.DataFrame({"unit": np.arange(n_rows) % 7, "time": np.arange(n_rows) / 100})
    table["depth"] = 100.0 * table["unit"]
    found = mc.read(written(file, table), depth_reference="tip")
    for n, train in enumerate(found.trains):
        np.testing.assert_array_equal(train, np.arange(n, n_rows, 7) / 100)
    table.loc[150_000, "depth"] = 1.0
    assert_refused(
        written(file, table),
        r"row 150001: depth of unit '4' is 1.0 but was 400.0 bef",
        depth_reference="tip",
    )


WRONG = {
    "no time": ({"time": [0.1, None]}, {}, "row 2: time is nan; leave out spikes whose time is"),
    "no unit": ({"unit": ["a", None]}, {}, "row 2 names no unit; complete or remove it"),
    "no number of a unit": ({"unit": [1, None]}, {}, "row 2 names no unit; complete or remove it"),
    "dates": (
        {"time": pd.to_datetime(["2020-01-01", "2020-01-02"])},
        {},
        r"its column 'time' is of type timestamp\[.s\]; save one time in seconds per row",
    ),
    "text": ({"time": ["0.1", "0.2"]}, {}, "column 'time' is of type .*string.*; save one time"),
    "lists": (
        {"time": [[0.1, 0.2], [0.3]]},
        {},
        "column 'time' is of type list<.*>; save one time in seconds per row, and one",
    ),
    "structs": (
        {"unit": [{"x": 1}, {"x": 2}]},
        {},
        "column 'unit' is of type struct<.*one name of",
    ),
    "nothing": ({"unit": pyarrow.nulls(2)}, {}, "column 'unit' is of type null; save one name of"),
    "two units of time": (
        {"time": pyarrow.array([1, 2], pyarrow.duration("us"))},
        {"time_unit": "s"},
        "'time' is in us but time_unit is 's'; leave time_unit= out",
    ),
    "a column twice": ({"Time": [1.0, 2.0]}, {}, "names a column twice; rename one"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_one_sentence(name, file):
    columns, options, sentence = WRONG[name]
    table = pyarrow.table({"unit": ["a", "b"], "time": [0.1, 0.2]} | columns)
    assert_refused(written(file, table), sentence, **options)


def test_without_pyarrow_the_error_names_what_installs_it(file, monkeypatch):
    written(file, spikes())
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        ImportError, match=r"needs pyarrow; .* pip install 'microcolumn\[parquet\]'"
    ):
        read_checked(load, file, READERS["parquet"]._replace(sandboxed=()))


def hostile_rows(path):
    """Twenty million rows that take kilobytes."""
    same = np.zeros(20_000_000)
    parquet.write_table(pyarrow.table({"unit": same, "time": same}), path, compression="zstd")


def test_rows_beyond_what_a_file_of_its_size_may_hold_are_refused(tmp_path):
    hostile_rows(tmp_path / "a.parquet")
    assert_refused(
        tmp_path / "a.parquet", r"a.parquet claims .* bytes in a file of .*; it is damag"
    )

"""Tables of unit and time, as spreadsheets and scripts write them."""

import csv
import gzip

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from refusals import assert_refused

import microcolumn as mc
from microcolumn.io import _tables


def written(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


def trains(recording):
    return {
        name: train.tolist()
        for name, train in zip(recording.units.ids, recording.trains, strict=True)
    }


@settings(deadline=None, max_examples=25)
@given(
    spikes=st.lists(st.tuples(st.integers(0, 12), st.floats(0, 1000)), min_size=1, max_size=40).map(
        lambda spikes: sorted(spikes, key=lambda spike: spike[1])
    ),
    separator=st.sampled_from(",;\t"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    swapped=st.booleans(),
)
def test_every_spike_goes_to_its_unit(spikes, separator, quoting, swapped, tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "a.csv"
    rows = [("Unit", "Time"), *((f"n{unit}", repr(time)) for unit, time in spikes)]
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=separator, quoting=quoting)
        writer.writerows(row[::-1] if swapped else row for row in rows)
    expected = {
        f"n{unit}": [time for mine, time in spikes if mine == unit]
        for unit in sorted({unit for unit, _ in spikes})
    }
    recording = mc.read(path)
    assert trains(recording) == expected
    assert list(recording.units.ids) == list(expected)


def test_more_rows_than_are_held_at_once_keep_their_order_and_line_numbers(tmp_path):
    n_rows = 20_000
    lines = ["unit,time", *(f"{k % 7},{k / 100}" for k in range(n_rows))]
    recording = mc.read(written(tmp_path / "a.csv", "\n".join(lines) + "\n\n\n"))
    for n, train in enumerate(recording.trains):
        np.testing.assert_array_equal(train, np.arange(n, n_rows, 7) / 100)
    lines[15_000] = "3,abc"
    assert_refused(
        written(tmp_path / "a.csv", "\n".join(lines)), "line 15001: time 'abc' is not a number"
    )


def test_units_come_in_the_natural_order_of_their_names(tmp_path):
    names = ["u10", "u2", "a", "u02", "u", "u2b", "10", "9"]
    rows = "".join(f"{name},0.5\n" for name in names)
    recording = mc.read(written(tmp_path / "a.csv", "unit,time\n" + rows))
    assert recording.units.ids == ("9", "10", "a", "u", "u02", "u2", "u2b", "u10")
    assert_refused(
        written(tmp_path / "b.csv", f"unit,time\nu2,0.5\nu{'1' * 5000},0.5\n"),
        r"'unit' holds 'u1111.*, 5,001 characters; names have 200",
    )


@pytest.mark.parametrize(
    ("header", "options", "ticks"),
    [
        ("unit,time", {}, 1.0),
        ("cluster,spike_time", {}, 1.0),
        ("neuron,t", {"time_unit": "ms"}, 1e3),
        ("unit_id,time_ms", {}, 1e3),
        ("Unit ID,Time [s]", {}, 1.0),
        ("unit,time (µs)", {}, 1e6),
        ("unit,time_ns", {}, 1e9),
        ("unit,time(\u03bcs)", {}, 1e6),
        ("unit,time_us", {"time_unit": "us"}, 1e6),
        ("unit,time", {"time_unit": "samples", "sampling_rate": 30_000}, 3e4),
        ("unit,sample_index", {"sampling_rate": 30_000.0}, 3e4),
    ],
)
def test_times_are_in_the_unit_that_the_header_or_the_caller_states(
    header, options, ticks, tmp_path
):
    path = written(tmp_path / "a.csv", f"{header}\n1,6\n1,90000\n")
    assert trains(mc.read(path, **options)) == {"1": [6 / ticks, 90_000 / ticks]}


def test_columns_of_units_are_kept_and_columns_of_spikes_named_in_a_note(tmp_path):
    path = written(
        tmp_path / "a.tsv",
        "time\tunit\tdepth\tLayer\tquality\tarea\tamplitude\n"
        "0.1\tb\t500\tIV\tmua\tV1\t31.5\n"
        "0.2\ta\t\tV\tgood\tS1\t20.1\n"
        "0.3\tb\t500\tIV\tmua\tV1\t30.9\n",
    )
    recording = mc.read(path, depth_reference="surface")
    np.testing.assert_array_equal(recording.units.depth_um, [np.nan, 500.0])
    assert recording.units.layer == ("V", "IV")
    assert recording.units.quality == ("good", "mua")
    assert recording.notes[0] == "not read, since they change within units: 'amplitude'"
    by_area = mc.read(path, depth_reference="surface", layers="area")
    assert by_area.units.layer == ("S1", "V1")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_text_of_any_editor_is_read(encoding, newline, tmp_path):
    text = newline.join(["unit,time", " µ1 ,0.25", '"µ2", 0.5'])
    recording = mc.read(written(tmp_path / "a.csv", text, encoding))
    assert trains(recording) == {"µ1": [0.25], "µ2": [0.5]}


def test_a_spreadsheet_with_semicolons_and_decimal_commas_is_read(tmp_path):
    path = written(tmp_path / "a.csv", "unit;time;depth\r\n7;0,25;512,5\r\n7;1,5e0;512,5\r\n")
    recording = mc.read(path, depth_reference="surface")
    assert trains(recording) == {"7": [0.25, 1.5]}
    assert recording.units.depth_um.tolist() == [512.5]


def test_a_compressed_table_is_read_unless_it_unpacks_to_far_more_than_its_size(
    tmp_path, monkeypatch
):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"unit,time\n1,0.5\n"))
    assert trains(mc.read(path)) == {"1": [0.5]}
    monkeypatch.setattr(_tables, "_FINE", 1000)
    path.write_bytes(gzip.compress(b"unit,time\n" + b"1,0.5\n" * 100_000))
    assert_refused(path, r"it unpacks to more than .* bytes; it is damaged")


COUNTS = np.random.default_rng(0).poisson(0.3, (40, 3))


def _counts_file(path, header="", index=False, transposed=False):
    rows = (COUNTS.T if transposed else COUNTS).tolist()
    lines = [",".join(map(str, ([n] if index else []) + row)) for n, row in enumerate(rows)]
    return written(path, "\n".join([*([header] if header else []), *lines, ""]))


@pytest.mark.parametrize(
    ("made", "names"),
    [
        ({}, ("0", "1", "2")),
        ({"transposed": True}, ("0", "1", "2")),
        ({"header": "a,b,c"}, ("a", "b", "c")),
        ({"header": ",a,b,c", "index": True}, ("a", "b", "c")),  # as pandas writes it
    ],
)
def test_a_matrix_of_counts_is_read_with_its_bin_width(made, names, tmp_path):
    recording = mc.read(_counts_file(tmp_path / "a.csv", **made), bin_width=0.02)
    assert recording.units.ids == names
    assert recording.duration_s == 40 * 0.02
    np.testing.assert_array_equal(recording.bin(0.02).expand(), COUNTS > 0)
    np.testing.assert_array_equal(recording.spike_counts, COUNTS.sum(axis=0))


BINS = {"bin_width": 0.02}


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ("0,1\n1,0\n", BINS, "is square, so that its axis of time is not known; pass units_in="),
        ("a,b,c\n0,1,1\n", BINS, "1 rows, 3 named columns; pass units_in="),
        ("0,1\n1,0.5\n0,0\n", BINS, "has 0.5 in row 2 and column 2; counts are whole numbers"),
        ("0,1\n1\n0,0\n", BINS, "line 2 has 1 fields, the first 2"),
        ("0,1\n1,0\n0,9e18\n", BINS, "counts .* claims .* bytes in a file of"),
        ("0,1\n1,0\n0,1\n", BINS | {"times": "x"}, "times does not apply to a matrix of counts"),
        ("unit,time\n1,6\n", {"time_unit": "min"}, "time_unit is 'min'; choose one of 's', 'ms'"),
        ("unit,time_ms\n1,6\n", {"time_unit": "s"}, "'time_ms' is in ms but time_unit is 's'"),
        ("unit,time\n1,6\n", {"time_unit": "samples"}, "sampling_rate is None; pass sampling_rate"),
        ("unit,samples\n1,6\n", {"sampling_rate": -1}, "sampling_rate is -1; pass sampling_rate="),
        ("unit,time\n1,6\n", {"sampling_rate": 30_000}, "30000 but times are in s; pass time_unit"),
    ],
)
def test_what_contradicts_the_options_is_one_sentence(text, options, sentence, tmp_path):
    assert_refused(written(tmp_path / "a.csv", text), sentence, **options)


DAMAGE = {
    "no header": ("1,0.5\n1,0.6\n", "it has no header; add 'unit,time' as its first line"),
    "no header, named units": ("a,0.5\n", "it has no header; add 'unit,time'"),
    "an empty first line": (" \nunit,time\n", "its first line is empty; it needs a header"),
    "time in no unit": ("unit,time (min)\n1,2\n", "no columns 'unit' and 'time'; name the columns"),
    "a line of blanks": ("unit,time\n1,0.5\n  \n1,0.6\n", "line 3 is empty; remove it"),
    "other columns": ("unit,when\n1,2\n", r"times='...' units='...' \(columns: unit, when\)"),
    "likely columns": ("cell,spiketime\n1,2\n", "for example times='spiketime' units='cell' "),
    "a column twice": ("unit,time,Time\n1,2,3\n", "names a column twice; rename one"),
    "text": ("unit,time\n1,0.5\n1,soon\n", "line 3: time 'soon' is not a number; correct or"),
    "no unit": ("unit,time\n1,0.5\n,0.6\n", "line 3 names no unit"),
    "NaN": ("unit,time\n1,0.5\n1,NaN\n", "line 3: time is nan; leave out spikes whose time"),
    "negative": ("unit,time\n1,-0.5\n", "first spike is at -0.5 s, before 0; .*: start=-1$"),
    "decimal commas": ('unit,time\n1,"0,5"\n', "line 2: time '0,5' is not a number; write decimal"),
    "more commas": ("unit,time\n1,0,5\n", "line 2 has 3 fields, the first 2; .*points"),
    "a short line": ("unit,time\n1,0.5\n1\n", "line 3 has 1 fields, the first 2"),
    "an empty line": ("unit,time\n1,0.5\n\n1,0.6\n", "line 3 is empty; remove it"),
    "two depths": (
        "unit,time,depth\n1,0.1,50\n2,0.2,70\n1,0.3,60\n",
        "line 4: depth of unit '1' is '60' but was '50' before; give each unit one depth",
    ),
    "no spike": ("unit,time\n", "there is no unit in it"),
    "one endless field": ("unit,time\n1,0.5\n" + "x" * 200_000, "cannot be read as a table"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_one_sentence_with_the_file_and_the_line(name, tmp_path):
    text, sentence = DAMAGE[name]
    assert_refused(written(tmp_path / "a.csv", text), sentence, reader="csv")

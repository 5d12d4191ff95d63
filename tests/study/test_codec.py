"""Dataclasses through JSON, rows and blobs and back, bit for bit."""

import json
import math
from dataclasses import dataclass, field

import numpy as np
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as arrays

from microcolumn.evaluate import SplitScore
from microcolumn.partition import LogPartition
from microcolumn.partition.result import Mode
from microcolumn.study.codec import from_blob, json_text, plain, row_of, to_blob, typed
from microcolumn.units import Units


@dataclass(frozen=True)
class Inner:
    name: str
    values: np.ndarray
    missing: float | None = None


@dataclass(frozen=True)
class Outer:
    inner: Inner
    several: tuple[Inner, ...]
    by_name: dict[str, float] = field(default_factory=dict)
    pairs: tuple[tuple[int, float], ...] | None = None
    number: float = math.nan
    sure: bool = False


def test_plain_values_are_what_json_can_hold():
    score = SplitScore(0, 1.0, math.nan)
    value = {0.5: (math.nan, math.inf, np.float64(1.0), None), "score": score}
    found = json.loads(json.dumps(plain(value), allow_nan=False))
    assert found["0.5"] == [None, None, 1.0, None]
    assert (found["score"]["bits_per_second"], found["score"]["stderr"]) == (1.0, None)
    assert plain(np.arange(3)) == [0, 1, 2]


def test_modes_of_a_normaliser_come_back_and_may_be_missing():
    modes = (Mode(0.9, 0.01, 1.5, True), Mode(0.1, 0.01, math.nan, None))
    log_z = LogPartition(1.0, 0.0, "exact", 1.0, 0.1, True, modes=modes, lower_bound=0.5)
    back = typed(LogPartition, json.loads(json_text(log_z)))
    assert back.modes[0] == modes[0]
    assert back.modes[1].seen is None
    assert math.isnan(back.modes[1].n_active)
    before = {name: v for name, v in row_of(log_z).items() if name not in ("modes", "lower_bound")}
    assert typed(LogPartition, before).modes is None


def test_a_dataclass_comes_back_from_json_with_its_types():
    outer = Outer(
        Inner("a", np.array([1.5])),
        (Inner("b", np.array([])),),
        {"x": math.nan},
        ((3, 0.5), (4, math.nan)),
        sure=True,
    )
    back = typed(Outer, json.loads(json_text(outer)))
    assert isinstance(back.inner, Inner)
    assert (back.several[0].name, back.sure) == ("b", True)
    assert back.pairs[0] == (3, 0.5)
    assert math.isnan(back.pairs[1][1])
    assert math.isnan(back.by_name["x"])
    assert math.isnan(back.number)
    assert back.inner.missing is None


@settings(deadline=None, max_examples=25)
@given(arrays.arrays(np.float64, st.integers(0, 9)), st.floats(allow_infinity=False))
def test_arrays_come_back_from_a_blob_bit_for_bit(values, number):
    bits = (Inner("b", (values > 0).astype(np.uint8)),)
    outer = Outer(Inner("a", values), bits, number=number)
    data = to_blob(outer)
    back = from_blob(Outer, data)
    assert back.inner.values.tobytes() == values.tobytes()
    assert [each.values.dtype for each in back.several] == [e.values.dtype for e in outer.several]
    assert back.number == number or math.isnan(number)
    assert to_blob(back) == data  # nothing of the time when it was written


def test_a_table_of_units_comes_back_from_a_blob():
    units = Units(["a", "b"], [300.0, math.nan], ["IV", ""], depth_reference="tip")
    back = from_blob(Units, to_blob(units))
    assert (back.ids, back.layer, back.depth_reference) == (units.ids, units.layer, "tip")
    np.testing.assert_array_equal(back.depth_um, units.depth_um)
    assert from_blob(Units, to_blob(Units("ab"))).depth_um is None

"""How many units are in a group, and how many are predicted."""

import math

from microcolumn.report._units import unit_sentences


def row(unit="a", **known):
    """A unit of which nothing is known beyond its rate, and what is given."""
    unknown = {
        "window": 1,
        "unit": unit,
        "layer": "",
        "depth_um": math.nan,
        "depth_reference": "",
        "rate_hz": 1.5,
        "assemblies": (),
        "assemblies_model": "",
        "partners": (),
        "partners_nats": (),
        "partners_stderr": (),
        "partners_model": "",
        "gain_bits_per_second": math.nan,
        "gain_stderr": math.nan,
        "gain_q_value": math.nan,
        "gain_model": "",
    }
    return unknown | known


def test_the_counts_are_of_members_and_of_sure_gains():
    member = {"assemblies_model": "RBM 5", "gain_model": "Ising", "gain_stderr": 0.1}
    rows = [
        row("a", assemblies=("h0",), gain_bits_per_second=0.9, gain_q_value=0.01, **member),
        row("b", gain_bits_per_second=0.2, gain_q_value=0.2, **member),
        row("c", gain_bits_per_second=-0.9, gain_q_value=0.01, **member),
    ]
    assert unit_sentences(rows, n_splits=4) == [
        "1 of 3 units is in an assembly of RBM 5",
        "1 of 3 units is predicted better by Ising, from all other units, than by their rate (at a "
        "false discovery rate of 5 %)",
    ]
    windows = unit_sentences([each | {"window": 4} for each in rows], n_splits=4)
    assert "by Ising, from all other bits, their own too, than by their rate" in windows[1]
    few = [each | {"gain_q_value": math.nan} for each in rows]
    [counted] = unit_sentences(few, n_splits=1)  # nothing is known to recur
    assert counted.startswith("2 of 3 units are predicted better by Ising")
    assert "too few splits to test" in counted

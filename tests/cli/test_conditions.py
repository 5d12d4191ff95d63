import json

import numpy as np
import pytest
from commands import assert_option_refused, assert_refused, done

import microcolumn as mc


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """A recording of 15 visits in turn to "dark" and "light", in which unit 1 fires more."""
    rng = np.random.default_rng(1)
    edges = 10.0 * np.arange(16)
    rates = [np.full(15, 8.0), np.where(np.arange(15) % 2, 12.0, 6.0)]
    trains = [
        np.concatenate([s + np.sort(rng.uniform(0, 10, rng.poisson(10 * r))) for s, r in visits])
        for visits in (zip(edges, each, strict=False) for each in rates)
    ]
    labels = ["dark", "light"] * 7 + ["dark"]
    epochs = mc.Epochs(np.column_stack((edges[:-1], edges[1:])), labels)
    path = tmp_path_factory.mktemp("two") / "two.npz"
    mc.Recording(trains, mc.Units(["0", "1"]), epochs).save(path)
    return path


def test_conditions_by_label_are_contrasted_and_drawn(two, tmp_path):
    picture = tmp_path / "two.png"
    asked = ("--a", "dark", "--b", "light", "--l1", "1e-3")
    told = done("contrast", two, *asked, "--figure", picture).stdout
    assert told.startswith("Ising: dark and light differ (p = ")
    assert "in 1 of 2 rates and 0 of 1 couplings" in told
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_stretches_of_time_are_contrasted_as_json(two):
    asked = ("--a", "0-75", "--b", "75-150", "--model", "Independent", "--json")
    told = json.loads(done("contrast", two, *asked).stdout)
    assert (told["n_visits"], told["alternate"], told["differs"]) == (1, False, False)
    assert [row["of"] for row in told["differences"] if row["kind"] == "rates"] == ["0", "1"]


def test_conditions_that_cannot_be_contrasted_are_refused(two):
    assert_refused(
        "no epoch is labelled 'flashes'", "contrast", two, "--a", "dark", "--b", "flashes"
    )
    assert_option_refused("b", "contrast", two, "--a", "dark", "--b", "0-20")
    assert_option_refused("a", "contrast", two, "--a", "dark", "--a", "0-20", "--b", "light")

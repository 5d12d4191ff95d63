"""Couplings as graphs and files hold the numbers of the intervals."""

import csv

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.errors import BadArgument
from microcolumn.evaluate import intervals

networkx = pytest.importorskip("networkx")


@pytest.fixture(scope="module")
def words():
    rng = np.random.default_rng(0)
    on = rng.random((4000, 1)) < 0.1 * (np.arange(5) < 3)
    X = rng.random((4000, 5)) < np.where(on, 0.8, 0.05)
    units = mc.Units(["a", "b", "c & d", "=e", "f"], [1.0, 2.0, 3.0, 4.0, np.nan])
    return mc.Words.from_array(X, units=units)


@pytest.fixture(scope="module")
def found(words):
    return intervals(mc.Ising(l1=1e-3).fit(words), words)


def test_edges_are_the_significant_couplings_with_their_errors(found, words):
    graph = found.to_networkx(words.units)
    sure = found.couplings.significant()
    assert graph.number_of_edges() == sure.sum() >= 3
    for (n, m), estimate, stderr in zip(
        found.pairs[sure].tolist(),
        found.couplings.estimate[sure],
        found.couplings.stderr[sure],
        strict=True,
    ):
        edge = graph.edges[found.names[n], found.names[m]]
        assert (edge["coupling"], edge["stderr"]) == (estimate, stderr)
        assert edge["weight"] == abs(estimate)


def test_nodes_are_all_units_with_biases_and_what_their_table_knows(found, words):
    graph = found.to_networkx(words.units)
    assert list(graph) == list(words.units.ids)
    assert graph.nodes["b"]["depth_um"] == 2.0
    assert graph.nodes["b"]["bias"] == found.biases.estimate[1]


def test_without_a_rate_all_couplings_that_have_an_estimate_are_edges(found):
    known = np.isfinite(found.couplings.q_value).sum()
    assert found.to_networkx(rate=None).number_of_edges() == known


def test_a_graphml_file_reads_as_the_same_graph(found, words, tmp_path):
    found.save_network(tmp_path / "network.graphml", words.units)
    graph, read = (
        found.to_networkx(words.units),
        networkx.read_graphml(tmp_path / "network.graphml"),
    )
    assert networkx.utils.graphs_equal(networkx.Graph(graph.edges), networkx.Graph(read.edges))
    for first, second, about in graph.edges(data=True):
        assert read.edges[first, second] == pytest.approx(about)


def test_a_csv_file_has_a_row_for_each_edge(found, tmp_path):
    found.save_network(tmp_path / "network.csv", rate=None)
    with (tmp_path / "network.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    expected = found.edges(rate=None)
    assert [float(row["estimate"]) for row in rows] == [row["estimate"] for row in expected]
    assert rows[0]["first"] == "a"
    assert "'=e" in {row["second"] for row in rows}  # no formula of a spreadsheet


def test_other_endings_are_refused_and_nothing_is_written(found, tmp_path):
    with pytest.raises(BadArgument) as caught:
        found.save_network(tmp_path / "network.gml")
    assert caught.value.argument == "path"
    assert not list(tmp_path.iterdir())


def test_a_missing_library_is_named_with_the_command_that_installs_it(found, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "networkx", None)
    with pytest.raises(ImportError, match=r"pip install 'microcolumn\[network\]'"):
        found.to_networkx()

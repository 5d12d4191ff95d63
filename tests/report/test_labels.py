"""A study of units grouped by labels says their names where it says layers otherwise."""

import csv

import pytest
from small_study import recording, small_plan

from microcolumn import evaluate, figures, report
from microcolumn.report._sections import sections
from microcolumn.report._structure import layer_sentences
from microcolumn.report.text import report_lines
from microcolumn.study import Results
from microcolumn.study._run import run
from microcolumn.study.sources import fingerprint
from microcolumn.units import Units

LABELS = {"cell_type": ["FS", "RS", "FS", "RS", "RS"], "shank": ["1", "1", "2", "2", "2"]}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    store = tmp_path_factory.mktemp("labels") / "study.db"
    units = Units(recording().units.ids, labels=LABELS, group_by=list(LABELS))
    run(small_plan(recording().with_units(units)), store, n_jobs=1, progress=False)
    return Results(store)


def text_of(results):
    return "\n".join(line for line, _ in report_lines(results, 200))


def test_each_label_is_tested_in_each_split(results):
    model, units = results.model("A", "Ising"), results.units("A")
    for name in LABELS:
        found = results.layers("A", "Ising", group_by=name)
        expected = evaluate.layer_statistics(model, units, group_by=name)
        assert found.statistics[0].couplings == expected.couplings
        assert {each.group_by for each in found.statistics} == {name}
    assert results.layers("A", "Ising").statistics[0].group_by == "cell_type"


def test_the_report_speaks_of_labels_by_their_names(results):
    said = text_of(results)
    assert "Do the groups stay in one cell type?" in said
    assert "units by cell type" in said
    assert "FS: 2, RS: 3" in said
    assert "shuffled layers" not in said
    assert "layers are shuffled" not in said


def test_there_is_a_sentence_for_every_label(results):
    [condition] = results.tested()
    said = list(layer_sentences(results, condition))
    assert any("within one cell type" in line for line in said)
    assert any("within one shank" in line for line in said)


def test_tables_of_units_have_a_column_for_every_label(results, tmp_path):
    report.write_tables(results, tmp_path)
    with (tmp_path / "units.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["cell_type"] for row in rows] == LABELS["cell_type"]
    assert [row["shank"] for row in rows] == LABELS["shank"]
    with (tmp_path / "assemblies.csv").open(newline="") as file:
        assert {"cell_type", "cell_type_share"} <= set(next(csv.reader(file)))
    assert [each for each in sections(results, None) if each.id == "numbers"]


def test_captions_name_the_label(results):
    caption = figures.layers(results, "A").caption
    assert "in each cell type" in caption
    assert "layer" not in caption


def test_labels_are_part_of_what_a_study_is_of():
    """Others would give other tests, though the spikes are the same."""
    cells = recording()
    grouped = [
        cells.with_units(Units(cells.units.ids, labels=LABELS, group_by=name)) for name in LABELS
    ]
    unused = cells.with_units(Units(cells.units.ids, cells.units.depth_um, cells.units.layer))
    assert len({fingerprint(each) for each in (cells, *grouped)}) == 3
    assert fingerprint(unused) == fingerprint(cells)

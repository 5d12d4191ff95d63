from dataclasses import replace

import planted_study as planted
import pytest

from microcolumn.report._content import BulletList, Heading, Paragraph, TableItem
from microcolumn.report._methods import methods, references
from microcolumn.report._sections import answers, glossary, sections, simulated, summary, tally
from microcolumn.study._experiment import Experiment
from microcolumn.study._plan import Plan
from microcolumn.study._results import Results

INSTANTANEOUS = Plan(planted.PLAN.sources, planted.PLAN.experiments[:1])


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return Results(planted.write(tmp_path_factory.mktemp("study") / "study.db"))


@pytest.fixture(scope="module")
def by_id(results):
    drawn = {
        (n, "cells"): Paragraph(f"Figure {n}", absent=True) for n in ("1", "2", "4", "5", "6", "S1")
    }
    drawn["3", None] = Paragraph("Figure 3", absent=True)
    return {section.id: section for section in sections(results, drawn)}


def items(section):
    return [*section.items, *(item for block in section.blocks for item in block.items)]


def shown_tables(section):
    return [item.table for item in items(section) if isinstance(item, TableItem)]


def test_sections_follow_the_argument_each_with_its_figures(by_id):
    shown = {
        name: [item.text for item in items(section) if getattr(item, "absent", False)]
        for name, section in by_id.items()
    }
    assert list(shown.items()) == [
        ("data", ["Figure 1"]),
        ("comparison", ["Figure 3", "Figure 4"]),
        ("parameters", ["Figure 2"]),
        ("assemblies", []),
        ("time", ["Figure 5"]),
        ("prediction", ["Figure 6"]),
        ("fitting", ["Figure S1"]),
    ]


def test_several_comparisons_are_put_side_by_side(results, tmp_path):
    assert answers(results)[1].about.endswith("splits by blocks, T = 3")
    table = summary(results)
    assert [row[:2] for row in table.rows] == [
        ("cells, instantaneous", "RBM 5"),
        ("cells, spatiotemporal, T = 3", "RBM 12"),
    ]
    assert table.rows[0][2:] == (
        "SemiRBM 5: 0.00 ± 0.00, p = 1",
        "2.00 ± 0.20, p = 0.0023",
        "12.00 ± 1.22, p = 0.0023",
    )
    assert summary(Results(planted.write(tmp_path / "one.db", plan=INSTANTANEOUS))) is None


def test_experiments_have_headings_only_where_there_are_several(by_id):
    def headings(section):
        return [item.text for item in items(section) if isinstance(item, Heading)]

    assert headings(by_id["comparison"]) == ["instantaneous", "spatiotemporal, T = 3"]
    assert headings(by_id["time"]) == []


def test_fits_are_counted(by_id):
    [listed] = [item for item in by_id["fitting"].items if isinstance(item, BulletList)]
    assert listed.lines == (
        "cells, instantaneous: 11 of the 12 fits tested have converged; "
        "log Z was summed exactly for all",
        "cells, spatiotemporal, T = 3: 7 of the 8 fits tested have converged; "
        "log Z was annealed for 8 of them and summed exactly for the others",
    )


def test_a_log_z_in_doubt_is_told(tmp_path):
    def doubtful(job, rows):
        for row in rows.get("scores", []):
            row["normaliser"] = "ais"
            row["converged"] = job.split > 0

    store = planted.write(tmp_path / "study.db", plan=INSTANTANEOUS, change=doubtful)
    fitting = sections(Results(store), {})[-1]
    [line] = fitting.items[0].lines
    assert line.endswith("and may not be relied upon for 3")


def test_no_layers_are_one_sentence(tmp_path):
    def without_layers(job, rows):
        for row in rows.get("structures", []):
            row["layers"] = None

    store = planted.write(tmp_path / "study.db", plan=INSTANTANEOUS, change=without_layers)
    found = {section.id: section for section in sections(Results(store), {})}
    assert "time" not in found  # single bins have nothing to say of it
    said = [item.text for item in items(found["assemblies"]) if isinstance(item, Paragraph)]
    assert said == ["The units are not in several layers, so no layers were tested."]


def test_a_study_that_has_barely_begun_says_so_in_every_section(tmp_path):
    results = Results(planted.write(tmp_path / "study.db", keep=lambda job: False))
    found = {section.id: section for section in sections(results, {})}
    assert answers(results) == []
    for name in ("comparison", "parameters", "assemblies", "time", "prediction", "fitting"):
        [item] = items(found[name])
        assert "yet" in item.text
    assert len(shown_tables(found["data"])) == 1


def test_the_methods_tell_the_plan():
    said = dict(methods(planted.PLAN, layers=True))
    words = said["Words and models: instantaneous"]
    for part in ("all units of cells", "20\xa0ms", "hidden units: 5", "0, 10⁻³ and 4·10⁻³"):
        assert part in words
    assert "dealt 4 times (seeds 0 to 3) at random word by word" in words
    assert "fitted on 40\xa0% of the words" in words
    windows = said["Words and models: spatiotemporal"]
    for part in ("the 4 most active units", "6.7\xa0ms", "T = 1, 2 and 3 ", "as many as bits"):
        assert part in windows
    assert "in contiguous blocks" in windows
    assert "500 chains" in said["Normalisation"]
    assert "up to 100,000, until" in said["Normalisation"]
    assert "Layers" in said
    assert "Layers" not in dict(methods(planted.PLAN, layers=False))


def test_one_split_and_one_model_are_told_as_such():
    experiment = Experiment("short", models="Ising", l1=0.0, n_splits=1, n_init=3, seed=7)
    said = dict(methods(Plan(planted.PLAN.sources, (experiment,)), layers=False))
    words = said["Words and models"]
    assert "Ising models were fitted by" in words
    assert "from the best of 3 starts" in words
    assert "dealt once (seed 7)" in words
    assert "an L1 penalty of 0 on" in words
    assert "chosen by its likelihood" not in words
    assert "one or two splits" in said["Scores and errors"]
    assert "one or two splits" not in dict(methods(planted.PLAN, layers=False))["Scores and errors"]


def test_experiments_that_differ_are_told_apart():
    first, second = planted.PLAN.experiments
    experiments = (replace(first, max_steps=500), replace(second, objectives=("mpf", "likelihood")))
    said = dict(methods(Plan(planted.PLAN.sources, experiments), layers=False))
    assert "up to 500 or 100,000, by experiment, until" in said["Normalisation"]
    assert "2011) and by maximum likelihood from" in said["Words and models: spatiotemporal"]
    alone = replace(first, objectives=("likelihood",))
    said = methods(Plan(planted.PLAN.sources, (alone,)), layers=False)
    assert "fitted by maximum likelihood" in said[0][1]
    assert "Sohl-Dickstein et al. 2011" not in [each.key for each in references(said)]


def test_names_and_numbers_are_explained_where_they_are_used(results, tmp_path):
    terms = dict(glossary(results))
    assert list(terms) == ["Independent", "Ising", "RBM n", "SemiRBM n", "T", "splits", "bits/s"]
    alone = Plan.of({"cells": planted.SOURCE}, models="Ising", objectives=("mpf", "likelihood"))
    path = planted.write(tmp_path / "one.db", plan=alone, keep=lambda job: False)
    assert list(dict(glossary(Results(path)))) == [
        "Independent",
        "Ising",
        "likelihood",
        "splits",
        "bits/s",
    ]


def test_simulated_recordings_are_told(results):
    assert simulated(results).startswith("Simulated: cells. ")


def test_many_comparisons_are_counted(results):
    found = tally(results)
    assert found.headline == "RBM 5 scores best in 1 of 2 comparisons, RBM 12 in 1"
    assert found.details == (
        "the best is 0.00 to 6.00 bits/s above the next, beyond chance (p < 0.05) in 1 of 2",
        "it is 12.00 to 20.00 bits/s above firing rates",
    )


def test_all_that_is_cited_is_listed_by_name():
    said = methods(planted.PLAN, layers=True)
    keys = [reference.key for reference in references(said)]
    assert keys == sorted(keys)
    for key in ("Köster et al. 2014", "Neal 2001", "Nadeau & Bengio 2003"):
        assert key in keys
    assert "Phipson & Smyth 2010" not in [
        each.key for each in references(methods(planted.PLAN, layers=False))
    ]

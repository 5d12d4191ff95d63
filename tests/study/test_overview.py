"""What a notebook shows of a study: its plan, how much is done and what is best so far."""

from xml.etree import ElementTree


def tables_of(results):
    root = ElementTree.fromstring(results._repr_html_())
    return [[[c.text for c in line] for line in table.iter("tr")] for table in root.iter("table")]


def test_every_condition_has_a_row_with_its_best_model(results):
    facts, found = tables_of(results)
    jobs = results.provenance()
    assert dict(facts)["jobs"] == f"{jobs['n_done']:,} of {jobs['n_planned']:,} done"
    rows = [dict(zip(found[0], row, strict=True)) for row in found[1:]]
    assert [(row["experiment"], int(row["bins per word"])) for row in rows] == [
        (at.experiment.name, at.window) for at in results.index.conditions()
    ]
    first, best = rows[0], results.comparison("cells").best
    assert first["recording"] == "cells (simulated)"
    assert (first["units"], first["splits tested"]) == ("23", "4 of 4")
    assert first["best model"] == best.name
    assert first["bits/s over independent units"] == f"{best.bits_per_second:.2f}"

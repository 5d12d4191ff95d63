import planted_study as planted
import pytest

from microcolumn.figures import FIGURES
from microcolumn.report._content import BulletList, Paragraph
from microcolumn.report._sections import _of_recordings, sections
from microcolumn.study import Plan, Results

INSTANTANEOUS = Plan(planted.PLAN.sources, planted.PLAN.experiments[:1])


@pytest.fixture(scope="module")
def by_id(planted_results):
    drawn = {
        (name, "cells" if each.per_recording else None): Paragraph(name, "absent")
        for name, each in FIGURES.items()
        if name not in ("opening", "patterns")  # which open the page, or are not on it
    }
    return {section.id: section for section in sections(planted_results, drawn)}


def items(section):
    return [*section.items, *(item for block in section.blocks for item in block.items)]


def of_kind(section, kind):
    return [item for item in items(section) if isinstance(item, kind)]


def test_without_layers_a_sentence_says_so(tmp_path, by_id):
    def without_layers(job, rows):
        for row in rows.get("structures", []):
            row["layers"] = None

    store = planted.write(tmp_path / "study.db", INSTANTANEOUS, change=without_layers)
    found = {section.id: section for section in sections(Results(store), {})}
    assert "time" not in found  # a study of single bins
    assert not any(each.folded for each in found.values())  # all fits are by likelihood
    said = [
        [line for each in of_kind(s["numbers"], BulletList) for line in each.lines]
        for s in (by_id, found)
    ]
    assert any("within layers" in line for line in said[0])
    assert not any("within layers" in line for line in said[1])
    absent = [each.text for each in of_kind(found["numbers"], Paragraph)]
    assert any(text.startswith("No labels of several layers") for text in absent)


def test_of_several_recordings_each_has_a_block_that_says_its_size(planted_results, monkeypatch):
    cells = planted_results.recordings["cells"]
    others = cells | {"name": "others", "n_units": 1, "simulated": 0}
    monkeypatch.setattr(planted_results, "recordings", {"cells": cells, "others": others})
    drawn = {("data", name): Paragraph(name, "absent") for name in ("cells", "others")}
    items, blocks = _of_recordings(planted_results, drawn, "data")
    size = f"{cells['n_spikes']:,} spikes, {cells['duration_s']:.0f} s"
    assert items == []
    assert [each.facts for each in blocks] == [
        f"{cells['n_units']} units, {size}" + ", simulated" * cells["simulated"],
        f"1 unit, {size}",
    ]


def test_every_figure_is_shown_once(by_id):
    drawn = [item.text for s in by_id.values() for item in of_kind(s, Paragraph)]
    names = [name for name in drawn if name in FIGURES]
    assert sorted(names) == sorted({*FIGURES} - {"opening", "patterns"})

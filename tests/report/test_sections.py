import planted_study as planted
import pytest

from microcolumn.figures import FIGURES
from microcolumn.report._content import BulletList, Paragraph
from microcolumn.report._sections import sections
from microcolumn.study import Plan, Results

INSTANTANEOUS = Plan(planted.PLAN.sources, planted.PLAN.experiments[:1])


@pytest.fixture(scope="module")
def by_id(planted_results):
    drawn = {
        (name, "cells" if each.per_recording else None): Paragraph(name, "absent")
        for name, each in FIGURES.items()
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
    said = [
        [line for each in of_kind(s["assemblies"], BulletList) for line in each.lines]
        for s in (by_id, found)
    ]
    assert any("within layers" in line for line in said[0])
    assert not any("within layers" in line for line in said[1])
    [missing] = of_kind(found["assemblies"], Paragraph)
    assert missing.text.startswith("No labels of several layers")

"""Numbers that a report says more than once are the same, but for the digits that are shown."""

import re
from dataclasses import replace

import planted_study as planted
import pytest

from microcolumn import figures
from microcolumn.figures.geometry import points_of
from microcolumn.report import _tables as tables, report_dict
from microcolumn.report._answer import whole_answer
from microcolumn.report._structure import assembly_sentences, assembly_tables, layer_sentences
from microcolumn.report.scoreboard import scoreboard
from microcolumn.study import Plan, Results

FIRST = planted.PLAN.experiments[0]
FLOW = replace(FIRST, objectives="mpf")


STUDIES = {
    "all": {},
    "two splits": {"keep": lambda job: job.split is None or job.split < 2},
    "one split": {"plan": Plan(planted.PLAN.sources, (replace(FIRST, n_splits=1),))},
    "flow": {"plan": Plan(planted.PLAN.sources, (FLOW, replace(FIRST, name="likelihood")))},
}


def found_in(pattern, text):
    """The numbers of a sentence, as they are written; the sentence must be there."""
    match = re.search(pattern, text.replace("\N{NO-BREAK SPACE}", " "))
    assert match, f"{pattern!r} is not in {text!r}"
    return [each.replace("\N{MINUS SIGN}", "-") for each in match.groups()]


def said(results):
    """Each quantity by name: what each place says it is."""
    answer, found = whole_answer(results), report_dict(results)["answer"]["findings"][0]
    paragraphs = dict(answer.paragraphs)
    board = "\n".join(line.text for line in scoreboard(results, 100))
    pair, first = found["groups"], found["groups"]["first"]
    condition = next(each for each in results.tested() if each[1].name == found["experiment"])
    compared = results.comparison(**condition.names)
    percent, gain, low, high = found_in(
        r"activity (\S+) % better .* \((\S+) bits/s, 95 % interval (\S+) to (\S+)\)", answer.title
    )
    row = rf"{first} +(\S+) +(\S+) \((\S+) %\) +(\S+) to (\S+) "
    score, *by_board = found_in(row, board)
    sentence = found_in(
        r"scores (\S+) ± (\S+) bits/s \((\S+) ± ", paragraphs["Do groups matter beyond pairs?"]
    )
    best = found_in(r"score of .* models, (\S+) ± (\S+) bits/s", paragraphs["Which model is best?"])
    quantities = {
        "gain": [gain, by_board[0], sentence[0], pair["bits_per_second"]],
        "its error": [sentence[1], pair["stderr"]],
        "its per cent": [percent, by_board[1], sentence[2], 100 * found["relative"]["value"] - 100],
        "its lower end": [low, by_board[2], found["interval"][0]],
        "its upper end": [high, by_board[3], found["interval"][1]],
        "score": [score, best[0], compared.scores[first].bits_per_second],
        "reached": [
            *found_in(r"reaches (\S+) % ", answer.summary),
            *found_in(r"reaches (\S+) ± ", paragraphs["How large is the gain?"]),
            100 * found["share_without_groups"]["value"],
        ],
    }
    shown = tables.models(compared)
    cells = dict(zip(shown.header, shown.rows[0], strict=True))
    assert cells["model"] == first
    quantities["score"] += [cells["bits/s"]]
    quantities["error of the score"] = [best[1], cells["±"]]
    ranking = figures.ranking(results)
    with ranking.style():
        [points] = points_of(ranking)[0]
    drawn = {values[4]: values[5:] for values in points.rows}
    quantities["score"] += [drawn[first][0]]
    assert points.columns[2] == f"minus {pair['second']}"
    quantities["gain"] += [drawn[first][1]]
    if answer.table is not None:
        _, bits, relative, p, *_ = answer.table.rows[0]
        quantities["gain"] += [bits.split(" ± ")[0]]
        quantities["its error"] += [bits.split(" ± ")[1]]
        quantities["its per cent"] += [relative]
        assert p in answer.summary
        assert p in paragraphs["Do groups matter beyond pairs?"]
    layers = paragraphs["Do the groups stay in layers?"]
    share, chance = found_in(r"(\S+) % of a group's weight .*, (\S+) % if", layers)
    of_model = next(each for each in layer_sentences(results, condition) if each.startswith(first))
    quantities["share"] = [
        share,
        *found_in(r"(\S+) % of group weight", answer.summary),
        *found_in(r"(\S+) % of the weight", of_model),
        100 * found["layers"]["share"],
    ]
    quantities["share by chance"] = [
        chance,
        *found_in(r"(\S+) % by chance", answer.summary),
        100 * found["layers"]["expected"],
    ]
    if found["n_assemblies"] is not None:
        table = next(assembly_tables(results, condition))
        called = [row[table.header.index("called")] for row in table.rows]
        quantities["assemblies"] = [
            *found_in(r"(\d+) of \d+ hidden units? of", layers),
            *found_in(r"(\d+) of \d+ hidden", next(assembly_sentences(results, condition))),
            called.count("assembly"),
            found["n_assemblies"],
        ]
    return quantities


def places(text):
    """Digits behind the point; of a number that is no text, all of them."""
    return len(text.partition(".")[2]) if isinstance(text, str) else 12


@pytest.mark.parametrize("name", STUDIES)
def test_sections_agree_with_each_other(name, tmp_path):
    results = Results(planted.write(tmp_path / "study.db", **STUDIES[name]))
    for quantity, texts in said(results).items():
        assert len(texts) > 1
        exact = float(max(texts, key=places))
        for each in texts:
            least = 0.51 * 10.0 ** -places(each)
            assert float(each) == pytest.approx(exact, abs=least), f"{quantity}: {texts}"

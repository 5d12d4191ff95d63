"""Every sentence of reports, kept in files.

After a change, ``python tests/report/test_snapshots.py`` writes them anew: read the difference.
"""

import re
import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

import planted_study as planted
from planted_comparison import GROUPS, finding

from microcolumn.models.spec import ALTERNATIVES, OBJECTIVES, PAPER_MODELS
from microcolumn.report._answer_sentences import QUESTIONS, answer
from microcolumn.report._findings import Layering
from microcolumn.report._methods import methods, references
from microcolumn.report.scoreboard import scoreboard
from microcolumn.report.text import report_text
from microcolumn.study import Plan, Results

FOLDER = Path(__file__).parent / "snapshots"
FIRST, SECOND = planted.PLAN.experiments
INSTANTANEOUS = Plan(planted.PLAN.sources, (FIRST,))
FLOW = replace(FIRST, objectives="mpf")

#: Models of a common drive.
DRIVE = {"PopulationTracking": 6.0, "KPairwise": 11.0}
#: Scores of models that give each kind of answer.
KINDS = {
    "groups": {"levels": GROUPS},
    "pairs": {"levels": {"Ising": 12.0, "RBM 25": 10.0}},
    "equal": {"levels": {"Ising": 10.0, "RBM 25": 10.01}, "scatter": 0.1},
    "same": {"levels": {"Ising": 10.0, "RBM 25": 10.0}, "scatter": 0.0},
    "undecided": {"levels": GROUPS, "scatter": 40.0},
    "open": {"levels": GROUPS, "Ising": {"fit_converged": False}},
    "untested": {"levels": {"Ising": 10.0}},
}
LAYERS = Layering("RBM 25", 4, 4, 0.8, 0.5, 3.0, 10.0)


class Fit(str):
    """What a test of adequacy found, in words, and by its kind."""

    missed, describes, pairs_in_doubt = (), True, False


class Doubtful(Fit):
    pairs_in_doubt = True


class Missing(Fit):
    missed, describes = ("pairs",), False


def answers():
    """Titles and paragraphs of one recording and of several, by what they are of."""
    one = {kind: finding(kind, **options) for kind, options in KINDS.items()}
    alternative = finding("alternative", levels=GROUPS | {"BernoulliMixture": 20.0})
    rows = planted.assemblies(list("abcdefghij"))
    inside = replace(one["groups"], layering=LAYERS, assemblies={"RBM 25": rows})
    outside = replace(inside, layering=replace(LAYERS, n_inside=0, share=0.55))
    none = replace(finding().compared, models=())
    cases = {kind: [each] for kind, each in one.items()}
    mixed = combinations(("groups", "equal", "undecided", "untested"), 2)
    cases |= {" and ".join(kinds): [one[kind] for kind in kinds] for kinds in mixed}
    cases |= {
        "all": list(one.values()),
        "thirty": [replace(inside, recording=f"recording {n}") for n in range(30)],
        "alternative": [alternative],
        "equal alternative": [
            finding(levels=KINDS["equal"]["levels"] | {"KPairwise": 20.0}, scatter=0.1)
        ],
        "alternative and groups": [alternative, one["groups"]],
        "alternatives behind": [
            finding(n, levels=GROUPS | {"BernoulliMixture": 11.0, "KPairwise": 5.0}) for n in "AB"
        ],
        "drive": [finding(levels=GROUPS | DRIVE)],
        "drive is enough": [finding(levels={**GROUPS, **DRIVE, "KPairwise": 14.0})],
        "drive is equal": [finding(levels={**GROUPS, **DRIVE, "KPairwise": 12.0}, scatter=0.1)],
        "drives": [
            finding(n, levels={**GROUPS, **DRIVE, "KPairwise": 10.0 + 2.0 * k})
            for k, n in enumerate("ABC")
        ],
        "two splits": [finding(n_splits=2)],
        "one split": [finding(n_splits=1)],
        "layers": [inside],
        "layers and none": [inside, outside, one["groups"]],
        "a large gain": [finding(levels={"Ising": 50.0, "RBM 25": 61.0})],
        "a small gain": [finding(levels={"Ising": 50.0, "RBM 25": 50.1}, scatter=0.01)],
        "an alternative model behind": [finding(levels=GROUPS | {"KPairwise": 11.0})],
        "by words": [finding(split_by="words")],
        "no split": [finding(split_by="")],
        "log Z": [finding(**{"RBM 25": {"normaliser_converged": False}})],
        "three": [finding(levels=GROUPS | {"SemiRBM 25": 11.0})],
        "sizes": [finding(levels=GROUPS | {"KPairwise": 20.0}, KPairwise={"size": "6 couplings"})],
        "spurious modes": [replace(one["groups"], compared=none, kind="untested")],
    }
    for kind in (Fit, Doubtful, Missing):
        fit = replace(one["groups"], adequacy=kind("so says it"), adequate="RBM 25")
        cases[kind.__name__] = [fit]
        cases[f"two {kind.__name__}"] = [fit, replace(fit, recording="B")]
    alike = replace(cases["Fit"][0], also_adequate="Ising")
    cases |= {"Fit of two models": [alike], "two Fits of two models": [alike, *cases["Fit"]]}
    for name, found in cases.items():
        yield f"{name}: {answer('title', found, recordings=f'{len(found)} recordings')}"
        summary = answer("summary", found)
        assert len(summary.split()) <= 45, summary
        yield f"  summary: {summary}"
        for question in (*QUESTIONS.values(), "holds_for"):
            yield f"  {question}: {answer(question, found)}"
        if len(found) == 1:
            yield f"  statements: {' / '.join(found[0].compared.statements)}"


def study(plan=INSTANTANEOUS, **options):
    """Sentences and tables of a planted study."""

    def lines(folder):
        results = Results(planted.write(folder / "study.db", plan, **options))
        yield from (line.text for line in scoreboard(results, seconds=70.0))
        yield f"\n{report_text(results)}"
        yield from (f"{name}: {text}" for name, text in methods(plan, layers=True))

    return lines


def without(table, **changes):
    """A change of the rows of a table in every second split."""

    def change(job, rows):
        for row in rows.get(table, []):
            if job.split % 2 and row["model"] != "Independent":
                row.update(changes)

    return change


STUDIES = {
    "planted": study(planted.PLAN),
    "begun": study(
        Plan(planted.PLAN.sources, (replace(FIRST, n_hidden=("auto",)), SECOND)),
        keep=lambda job: False,
    ),
    "tests": study(planted.PLAN, keep=lambda job: job.kind == "test"),
    "two-splits": study(keep=lambda job: job.split is None or job.split < 2),
    "one-split": study(Plan(planted.PLAN.sources, (replace(FIRST, n_splits=1),))),
    "unsure": study(change=without("scores", fit_converged=False, normaliser_converged=False)),
    "empty": study(change=without("scores", n_live_hidden=0, n_couplings=0)),
    "spurious-modes": study(
        Plan(planted.PLAN.sources, (FLOW,)), change=without("scores", false_mass=0.25)
    ),
    "flow": study(Plan(planted.PLAN.sources, (FLOW, replace(FIRST, name="likelihood")))),
    "leaking": study(Plan(planted.PLAN.sources, (replace(SECOND, split_by="words"),))),
    "quick": study(
        replace(
            INSTANTANEOUS,
            full=Plan(planted.PLAN.sources, (replace(FIRST, n_splits=10, n_hidden=25),)),
        )
    ),
}


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_says_what_it_said(name, tmp_path):
    expected = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert "\n".join(STUDIES[name](tmp_path)) == expected


def test_answers_say_what_they_said():
    expected = (FOLDER / "answers.txt").read_text(encoding="utf-8")
    assert "\n".join(answers()) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_answers_follow_from_scores(kind):
    assert finding(**KINDS[kind]).kind == kind


def test_every_work_that_methods_cite_is_listed():
    all_models = replace(FIRST, models=(*PAPER_MODELS, *ALTERNATIVES), objectives=OBJECTIVES)
    written = methods(Plan(planted.PLAN.sources, (all_models,)), layers=True)
    cited = re.findall(r"[(;] ?([A-Z][^();,]*? \d{4})", " ".join(text for _, text in written))
    assert set(cited) == {work.key for work in references(written)}


if __name__ == "__main__":
    from tempfile import TemporaryDirectory

    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "answers.txt").write_text("\n".join(answers()), encoding="utf-8")
    for name, lines in STUDIES.items():
        with TemporaryDirectory() as folder:
            (FOLDER / f"{name}.txt").write_text("\n".join(lines(Path(folder))), encoding="utf-8")

"""Studies by commands: what is printed, what is kept, and what is said where it goes wrong."""

import json
from pathlib import Path

import planted_study as planted
import pytest
from commands import one_sentence, run as microcolumn
from small_study import recording, when_finished

from microcolumn.report import report_text
from microcolumn.report.scoreboard import scoreboard
from microcolumn.study import Plan, Results, _compute as work
from microcolumn.study.store import Store

PLAN = """
[recordings.cells]
file = "cells.npz"

[instantaneous]
models = ["Ising", "RBM"]
n_hidden = 3
l1 = [1e-3, 4e-3]
max_words = 2000
n_splits = 1
"""
#: A description, two fits, one test, patterns and annealing, predictions and structure of both, and
#: assemblies of the RBM.
N_JOBS = 1 + 2 + 1 + 2 + 2 + 2 + 1


def failing(monkeypatch, kind, error):
    def fail(task):
        raise error

    monkeypatch.setitem(work._WORK, kind, fail)


def strict(text):
    """JSON whose numbers are numbers: Python alone would read NaN."""

    def refuse(constant):
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


@pytest.fixture(autouse=True)
def blank(monkeypatch):
    """A page without content, which takes seconds to draw."""
    monkeypatch.setattr("microcolumn.report.write", lambda results, page: page.write_text("page"))


@pytest.fixture
def plan(tmp_path):
    """A plan and its recording, five units and 2,000 words, in a folder."""
    recording().save(tmp_path / "cells.npz")
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


@pytest.fixture
def in_folder(plan, monkeypatch):
    monkeypatch.chdir(plan.parent)
    return plan.parent


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A finished study with known results; tests only read it."""
    return planted.write(tmp_path_factory.mktemp("planted") / "study.db")


def test_a_run_prints_its_answer_and_keeps_its_store_beside_the_plan(plan):
    result = microcolumn("study", "run", plan, "--jobs", 1)
    assert result.exit_code == 0, result.output
    store = plan.with_name("plan.db")
    *_, page, numbers = lines = result.stdout.splitlines()
    assert lines[2:-2] == [line.text for line in scoreboard(Results(store))][2:]
    assert page == f"page     microcolumn study page {store}"
    assert numbers == f"numbers  microcolumn study report {store}"
    assert not store.with_name("plan.db.lock").exists()
    assert len(when_finished(plan.with_name("plan.db"))) == N_JOBS


def test_a_run_prints_json_alone_on_its_output(plan):
    result = microcolumn("study", "run", plan, "--jobs", 1, "--json")
    told = strict(result.stdout)
    assert told["provenance"]["n_done"] == N_JOBS
    assert told["comparisons"][0]["recording"] == "cells"
    assert told["plan"] == Plan.from_toml(plan).as_dict()


def test_an_interrupted_run_goes_on_and_does_nothing_twice(plan, monkeypatch):
    store = plan.with_name("plan.db")
    with monkeypatch.context() as patch:
        failing(patch, "test", KeyboardInterrupt())
        said = one_sentence(microcolumn("study", "run", plan, "--jobs", 1), code=130)
    assert said == "microcolumn: interrupted; run the same command again to go on"
    before = when_finished(store)
    assert 0 < len(before) < N_JOBS
    told = microcolumn("study", "status", plan).stdout.splitlines()
    assert told[0] == f"{store}: {len(before)} of {N_JOBS} jobs done, run again to go on"
    result = microcolumn("study", "run", plan, "--jobs", 1)
    assert result.exit_code == 0
    said = result.stderr.splitlines()[0]
    assert said == f"{len(before)} of {N_JOBS} jobs are in {store} already"
    after = when_finished(store)
    assert len(after) == N_JOBS
    assert {digest: after[digest] for digest in before} == before
    assert microcolumn("study", "run", plan, "--jobs", 1).exit_code == 0
    assert when_finished(store) == after


def test_a_job_that_fails_is_told_by_run_status_and_report(plan, monkeypatch):
    with monkeypatch.context() as patch:
        failing(patch, "structure", ZeroDivisionError("no layers"))
        said = one_sentence(microcolumn("study", "run", plan, "--jobs", 1), code=1)
    assert said.startswith(f"microcolumn: 2 of {N_JOBS} jobs failed, the first with ")
    assert "ZeroDivisionError: no layers" in said
    assert said.endswith("run again to retry")
    status = microcolumn("study", "status", plan)
    assert status.exit_code == 0
    failed = [line for line in status.stdout.splitlines() if line.startswith("  failed: ")]
    assert len(failed) == 2
    assert all("structure, cells" in line and "no layers" in line for line in failed)
    report = microcolumn("study", "report", plan)
    assert "2 jobs failed" in report.stdout
    assert "RBM 3" in report.stdout  # what is computed is reported
    assert microcolumn("study", "run", plan, "--jobs", 1).exit_code == 0
    assert "failed" not in microcolumn("study", "status", plan).stdout


@pytest.mark.parametrize("command", ["status", "report"])
def test_a_plan_that_was_edited_since_it_was_run_is_told(plan, command):
    microcolumn("study", "run", plan, "--jobs", 1)
    asked = ("study", command, plan)
    assert microcolumn(*asked).stderr == ""
    plan.write_text(PLAN.replace("n_splits = 1", "n_splits = 2"))
    result = microcolumn(*asked)
    assert result.exit_code == 0
    assert "differs from what was run (instantaneous: n_splits was 1, is 2)" in result.stderr
    Store.create(plan.with_name("new.db")).close()
    new = plan.rename(plan.with_name("new.toml"))
    assert "differs" not in microcolumn("study", command, new).stderr


def test_the_status_of_a_running_study_says_who_runs_it(tmp_path, monkeypatch):
    monkeypatch.setattr("microcolumn.study.store._PATIENCE", 0.1)
    path = planted.write(tmp_path / "study.db", keep=lambda job: job.kind == "fit")
    with Store.create(path) as store, store.lock():
        told = microcolumn("study", "status", path).stdout
        recording().save(tmp_path / "cells.npz")
        again = microcolumn("compare", tmp_path / "cells.npz", "--store", path, "--jobs", 1)
        said = one_sentence(again)
    assert ", running (process " in told.splitlines()[0]
    assert "another run" in said


def test_a_report_has_the_answer_and_as_json_no_nan(stored):
    assert microcolumn("study", "report", stored, "--all").stdout == report_text(Results(stored))
    *lines, rest = microcolumn("study", "report", stored).stdout.splitlines()
    assert len(lines) < 40
    assert rest == f"all of it: microcolumn study report {stored} --all"
    told = strict(microcolumn("study", "report", stored, "--json").stdout)
    assert len(told["comparisons"]) == 4
    assert "cautions" in told


@pytest.mark.parametrize("command", ["status", "report"])
def test_a_study_that_was_never_run_has_nothing_to_tell(plan, command):
    said = one_sentence(microcolumn("study", command, plan))
    assert said.startswith(f"microcolumn: {plan.with_name('plan.db')} does not exist; ")


SETTINGS = ("--model", "ising", "--l1", 4e-3, "--l1", 1e-3, "--splits", 1, "--jobs", 1)


def test_compare_reads_several_files_as_it_is_told(in_folder):
    recording(seed=1).save(in_folder / "more.npz")
    which = ("--ids", "u0,u1", "--ids", "u4", "--epochs", "0-30")
    layers = in_folder / "layers.csv"
    layers.write_text("unit,layer\n" + "".join(f"u{n},L{n}\n" for n in range(5)))
    result = microcolumn("compare", "cells.npz", "more.npz", *which, "--layers", layers, *SETTINGS)
    assert result.exit_code == 0, result.output
    assert "page     cells-more-comparison.html\nnumbers  " in result.stdout
    assert Path("cells-more-comparison.html").exists()
    found = Results("cells-more-comparison.db")
    assert list(found.recordings) == ["cells", "more"]
    for name, seed in {"cells": 0, "more": 1}.items():
        row = found.recordings[name]
        assert [(unit["id"], unit["layer"]) for unit in row["units"]] == [
            ("u0", "L0"),
            ("u1", "L1"),
            ("u4", "L4"),
        ]
        trains = [recording(seed=seed).trains[n] for n in (0, 1, 4)]
        assert row["n_spikes"] == sum(int((train < 30.0).sum()) for train in trains)
        assert f"\n  {name} " in result.stdout  # a line of the table


def test_each_comparison_has_a_store_of_its_own_which_the_same_command_continues(in_folder):
    recording(seed=1).save(in_folder / "of mouse 2.npz")
    for _ in range(2):
        first = microcolumn("compare", "cells.npz", "--quick", *SETTINGS)
        second = microcolumn("compare", "of mouse 2.npz", "--quick", *SETTINGS)
    stores = ["cells-comparison-quick.db", "of_mouse_2-comparison-quick.db"]
    assert sorted(path.name for path in in_folder.glob("*.db")) == stores
    for result, store in zip((first, second), stores, strict=True):
        assert result.exit_code == 0, result.output
        assert "the plan changed" not in result.stderr
        assert f"jobs are in {store} already" in result.stderr


def test_compare_passes_its_settings_on(in_folder):
    more = ("--bin-width", 0.04, "--most-active", 3, "--seed", 7, "--store", "mine.db", "--json")
    result = microcolumn("compare", "cells.npz", *more, "--split-by", "words", *SETTINGS)
    assert result.exit_code == 0, result.output
    assert strict(result.stdout)["comparisons"][0]["n_units"] == 3
    [experiment] = Results("mine.db").plan.experiments
    assert (experiment.bin_width, experiment.most_active, experiment.seed) == (0.04, 3, 7)
    assert (experiment.models, experiment.n_splits) == (("Ising",), 1)
    assert (experiment.l1, experiment.split_by) == ((1e-3, 4e-3), "words")


@pytest.mark.usefixtures("in_folder")
def test_compare_at_several_bin_widths_says_how_the_answer_depends_on_them():
    result = microcolumn("compare", "cells.npz", "--bin-width", "0.04,0.02", *SETTINGS)
    assert result.exit_code == 0, result.output
    experiments = Results("cells-comparison.db").plan.experiments
    assert {each.name: each.bin_width for each in experiments} == {"40 ms": 0.04, "20 ms": 0.02}
    header = next(line for line in result.stdout.splitlines() if line.startswith("  bits/s "))
    assert header.split() == ["bits/s", "20", "ms", "40", "ms"]
    assert "No bin width decides whether groups matter: not tested at 20 ms and 40" in result.stdout


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--model", "Potts"), "choose one of 'Ising', 'RBM', 'SemiRBM'"),
        (("--ids", "u9"), "no unit has ids 'u9'"),
        (("--epochs", "sleep"), "no epoch is labelled 'sleep'"),
        (("--splits", "0"), "microcolumn: --splits is 0"),
        (("--option", "reader=npz"), "has an option of its own; use --reader"),
        (("--option", "depth_reference=tip"), "use --depth-reference"),
        (("--bin-width", "0.02,x"), "--bin-width is '0.02,x'; give numbers with commas between"),
        (("--bin-width", "0.02,0.02"), "lists 0.02 twice; list it once"),
        (("--bin-width", "20"), "looks like milliseconds; give seconds"),
        (("--option", "reader"), "is not of the form name=value"),
    ],
)
@pytest.mark.usefixtures("in_folder")
def test_compare_refuses_in_one_sentence(asked, said):
    assert said in one_sentence(microcolumn("compare", "cells.npz", "--jobs", 1, *asked))

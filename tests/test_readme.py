"""What the README and the pages it leads to say is what happens."""

import re
import shlex
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from small_study import recording

from microcolumn.cli import app
from microcolumn.partition.cost import EXACT_LOG_Z, side_operations
from microcolumn.study import SPATIOTEMPORAL, Plan, Results, run

ROOT = Path(__file__).parents[1]
USE = ("files", "studies", "models", "benchmarks", "similar", "alternatives", "cluster")
PAGES = {
    path: path.read_text()
    for path in (ROOT / "README.md", *(ROOT / "docs" / f"{name}.md" for name in USE))
}
README = PAGES[ROOT / "README.md"]
TEXT = "\n".join(PAGES.values())


def blocks(language, text=TEXT):
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def shell_lines():
    """Commands of the pages, in blocks and in the text, without their comments."""
    lines = [line for block in blocks("bash") for line in block.splitlines()]
    inline = re.findall(r"`(microcolumn [^`]+)`", re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL))
    return [line.partition("  #")[0].strip() for line in lines + inline]


def commands_of(program):
    return [shlex.split(line)[1:] for line in shell_lines() if line.startswith(f"{program} ")]


@pytest.mark.parametrize(
    ("page", "kept"),
    [
        ("README.md", "rbm.safetensors"),
        pytest.param("docs/studies.md", "monday.db", marks=pytest.mark.integration),
    ],
)
def test_each_analysis_runs_as_printed(page, kept, tmp_path, monkeypatch, capsys):
    [code] = blocks("python", PAGES[ROOT / page])
    monkeypatch.chdir(tmp_path)
    exec(compile(code, page, "exec"), {})
    assert "bits/s" in capsys.readouterr().out
    assert (tmp_path / kept).exists()


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 120


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """The plan as printed, beside a recording of the name it has there."""
    folder = tmp_path_factory.mktemp("plan")
    [text] = blocks("toml")
    (folder / "plan.toml").write_text(text)
    recording().save(folder / "monday.npz")
    (folder / "monday.npz").rename(folder / "monday.nwb")  # formats go by content
    return Plan.from_toml(folder / "plan.toml")


@pytest.fixture(scope="module")
def results(plan, tmp_path_factory):
    """Results of the plan as printed, made small."""
    monday, simulated = plan.quick().sources
    single, windows = plan.quick().experiments
    small = {"max_words": 2000, "most_active": 4, "l1": (1e-3, 4e-3), "n_hidden": 3, "n_splits": 2}
    reduced = Plan(
        (monday, replace(simulated, minutes=0.7)),
        (
            replace(single, **small),
            replace(windows, **(small | {"windows": (1, 2), "n_splits": 1})),
        ),
    )
    return run(reduced, tmp_path_factory.mktemp("store") / "plan.db", n_jobs=1)


def test_the_plan_says_what_its_comments_say(plan):
    single, windows = plan.experiments
    assert (single.bin_width, single.windows, single.n_splits) == (0.020, (1,), 5)
    assert (windows.bin_width, windows.most_active, windows.recordings) == (
        0.0067,
        10,
        ("simulated",),
    )
    assert windows.windows == (1, 2, 3, 4)
    assert SPATIOTEMPORAL.windows == (*range(1, 11), 15)
    assert single.validation == 0.2  # a fifth


def test_the_plan_runs(results):
    assert results.provenance()["n_done"] == results.provenance()["n_planned"]
    assert list(results.recordings) == ["monday", "simulated"]
    assert results.by_window("simulated").windows == (1, 2)


def test_the_query_lists_scores_by_split(results):
    [query] = re.findall(r'sqlite3 plan\.db "([^"]+)"', TEXT)
    with closing(sqlite3.connect(results.file)) as connection:
        rows = connection.execute(query).fetchall()
    expected = {
        ("monday", "instantaneous", 1, score.split, model.name, score.bits_per_second)
        for model in Results(results.file).comparison("monday").models
        for score in model.splits
    }
    assert len(expected) == 18  # nine models, two splits
    assert expected <= set(rows)
    assert len({row[:5] for row in rows}) == len(rows)  # no two scores look like one


def test_every_command_exists_with_its_options():
    asked = commands_of("microcolumn")
    known = typer.main.get_command(app).commands
    assert {words[0] for words in asked} == set(known)
    for words in asked:
        command = typer.main.get_command(app)
        while words and words[0] in getattr(command, "commands", {}):
            command = command.commands[words[0]]
            words = words[1:]
        command.make_context("microcolumn", words)  # refuses what it does not know


def test_continuous_integration_finds_both_commands():
    scripts = [(ROOT / ".ci" / name).read_text() for name in ("run", "demo")]
    wanted = re.findall(r"'(\.venv/bin/(?:pytest|microcolumn demo))'", "".join(scripts))
    assert wanted == [".venv/bin/pytest", ".venv/bin/microcolumn demo"]
    for words in wanted:
        assert sum(words in line for line in README.splitlines()) == 1


def test_every_picture_page_and_benchmark_it_names_exists():
    for path, text in PAGES.items():
        for target in re.findall(r"\]\(([^)#]+)", text):
            assert target.startswith("https://") or (path.parent / target).exists(), target
        for benchmark in re.findall(r"`((?:benchmarks|tests)/\w+\.py)", text):
            assert (ROOT / benchmark).exists(), benchmark


@pytest.mark.parametrize(
    ("phrase", "n_units", "n_hidden", "coupled"),
    [
        ("40 Ising units", 40, 0, True),
        ("34 with 25 hidden units", 34, 25, True),
        ("127 with 32 live hidden units", 127, 32, False),
        ("2,047 with 28", 2047, 28, False),
    ],
)
def test_the_largest_models_that_it_calls_exact_are_the_largest(phrase, n_units, n_hidden, coupled):
    assert phrase in " ".join(TEXT.split())
    assert min(side_operations(n_units, n_hidden, coupled)) <= EXACT_LOG_Z
    assert min(side_operations(n_units + 1, n_hidden, coupled)) > EXACT_LOG_Z

"""Studies on a cluster by commands: submitted, lost, submitted again and collected."""

import json
import os
import re
import subprocess

import cluster
import pytest
from commands import one_sentence, run as microcolumn
from small_study import recording, results_of

PLAN = """
[recordings.cells]
file = "cells.npz"

[instantaneous]
models = ["Ising"]
l1 = [1e-3, 4e-3]
max_words = 2000
n_splits = 2
"""
#: A description; two fits, tests, predictions and structures; patterns and annealing.
N_JOBS = 1 + 2 * 4 + 2


@pytest.fixture
def plan(tmp_path):
    """A plan in a folder whose name needs quotes."""
    folder = tmp_path / "my 100% study"
    folder.mkdir()
    recording().save(folder / "cells.npz")
    path = folder / "plan.toml"
    path.write_text(PLAN)
    return path


@pytest.fixture
def sbatch(tmp_path, monkeypatch):
    """Programs of SLURM by name, made of the shell commands that a test gives."""
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)

    def make(**commands):
        for name, command in commands.items():
            file = programs / name
            file.write_text(f"#!/bin/sh\necho {name} \"$@\" >> '{programs}/called'\n{command}\n")
            file.chmod(0o755)
        return programs / "called"

    return make


@pytest.mark.integration
@pytest.mark.skipif(bool(cluster.why_not()), reason=cluster.why_not() or "it is there")
def test_a_study_on_slurm_whose_tasks_were_lost_ends_with_the_bits_of_a_local_one(plan):
    store = plan.with_name("plan.db")
    with cluster.running_slurm():
        asked = ("study", "submit", plan, "--slurm", "--array", 2, "--time", 10)
        said = microcolumn(*asked, "--", "--hold", "--comment=by hand")
        assert said.exit_code == 0, said.output
        first, second, last = re.search(r"as (\d+), (\d+), (\d+);", said.stderr).groups()
        assert f"{N_JOBS} jobs for 4 tasks; submitted to SLURM as " in said.stderr
        assert "Comment=by hand" in cluster.asked("scontrol", "show", "job", last)
        told = microcolumn("study", "status", plan).stdout
        assert f"0 of {N_JOBS} jobs done, on SLURM" in told
        assert "tasks on SLURM: 5 waiting" in told
        assert "have not ended (5 waiting); wait for them" in one_sentence(microcolumn(*asked))
        # Half of the first stage and all of the second are lost.
        cluster.asked("scancel", f"{first}_1", second)
        cluster.asked("scontrol", "release", f"{first}_0", last)
        cluster.wait_for_jobs()
        told = microcolumn("study", "status", plan).stdout
        assert f"2 of {N_JOBS} jobs done, submit again to go on" in told
        assert "2 completed" in told  # a task and the job that collects
        assert "2 cancelled" in told  # SLURM forgets tasks that are taken out of a waiting array

        again = microcolumn("study", "submit", plan, "--slurm", "--array", 1)
        assert f"{N_JOBS - 2} jobs for 2 tasks" in again.stderr
        cluster.wait_for_jobs()
        assert (
            f"{N_JOBS} of {N_JOBS} jobs done, complete"
            in microcolumn("study", "status", plan).stdout
        )
        assert "all jobs are done" in microcolumn("study", "submit", plan, "--slurm").stderr
    alone = plan.with_name("alone.db")
    assert microcolumn("study", "run", plan, "--store", alone, "--jobs", 1).exit_code == 0
    assert results_of(store) == results_of(alone)
    logs = plan.with_name("plan.db.parts") / "2" / "logs"
    assert "test, cells, instantaneous, window 1, split 0: done in " in "".join(
        log.read_text() for log in logs.iterdir()
    )


def test_a_dry_run_prints_the_scripts_and_leaves_nothing_behind(plan):
    options = ("--time", "1:00:00", "--mem", "4G", "--partition", "cpu", "--gres", "gpu:1")
    done = microcolumn(
        "study", "submit", plan, "--slurm", *options, "--dry-run", "--", "-A", "my lab"
    )
    assert done.exit_code == 0, done.output
    assert f"{N_JOBS} jobs for {N_JOBS} tasks; nothing was submitted" in done.stderr
    flags = "--time=1:00:00 --partition=cpu --mem=4G --gres=gpu:1"
    assert done.stdout.count(f"#SBATCH {flags} -A 'my lab'\n") == 2
    assert f"#SBATCH {flags.removesuffix(' --gres=gpu:1')} -A 'my lab'\n" in done.stdout  # collects
    assert "#SBATCH --array=0-2\n" in done.stdout
    assert "#SBATCH --array=0-7\n" in done.stdout
    assert sorted(file.name for file in plan.parent.iterdir()) == ["cells.npz", "plan.toml"]


def test_the_scripts_that_are_written_without_slurm_are_whole(plan):
    done = json.loads(microcolumn("study", "submit", plan, "--array", 1, "--json").stdout)
    assert (done["n_jobs"], done["n_tasks"], done["numbers"]) == (N_JOBS, 2, [])
    for path, text in done["scripts"].items():
        with open(path) as file:
            assert file.read() == text
        subprocess.run(["bash", "-n", path], check=True)
        [output] = re.findall(r"^#SBATCH --output '(.*)'$", text, re.MULTILINE)
        assert output.startswith(f"{plan.parent}/plan.db.parts/1/logs/".replace("%", "%%"))
    # No task was submitted, so that there is nothing to wait for or to ask about.
    assert (
        f"0 of {N_JOBS} jobs done, run again to go on"
        in microcolumn("study", "status", plan).stdout
    )


def test_without_sbatch_a_submission_is_one_sentence(plan, monkeypatch):
    monkeypatch.setenv("PATH", str(plan.parent))
    said = one_sentence(microcolumn("study", "submit", plan, "--slurm"))
    assert said == (
        "microcolumn: sbatch is not there; SLURM's commands are on the login nodes of a cluster"
    )
    assert not plan.with_name("plan.db").exists()


def test_what_sbatch_refuses_is_told_and_nothing_stays_submitted(plan, sbatch):
    refused = "echo sbatch: error: no such partition >&2; echo twice >&2; exit 1"
    called = sbatch(
        sbatch=f'case "$*" in *afterany:7*) {refused};; *) echo "7;east";; esac', scancel=""
    )
    said = one_sentence(microcolumn("study", "submit", plan, "--slurm"))
    assert said == "microcolumn: sbatch refused: sbatch: error: no such partition twice"
    assert called.read_text().splitlines()[-1] == "scancel 7"


def test_tasks_that_were_killed_are_told_with_what_to_ask_for(plan, sbatch):
    killed = "echo '7_0|OUT_OF_MEMORY'; echo '7_1|TIMEOUT'; echo '7_2|RUNNING'"
    lost = "echo '7_[3,5-6%2]|CANCELLED by 0'"
    now = "echo '7|2|FAILED'; echo '99|N/A|RUNNING'"  # squeue knows later than sacct, and more
    sbatch(sbatch="echo 7", squeue=now, sacct=f"{killed}; {lost}")
    submit = ("study", "submit", plan, "--slurm", "--mem", "1G")
    assert microcolumn(*submit).exit_code == 0
    told = microcolumn("study", "status", plan)
    counts = "1 out of memory, 1 timeout, 1 failed, 3 cancelled"
    assert f"tasks on SLURM: {counts}; their logs are in {plan.parent}" in told.stdout
    for said in (told.stdout, microcolumn(*submit).stderr):
        assert "1 of the last tasks ran out of memory: ask for more with --mem" in said
        assert "1 of the last tasks ran out of time: ask for more with --time" in said


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--array=0-3",), "--array is set by the submission itself; leave it out"),
        (("-d", "singleton"), "-d is set by the submission itself"),
        (("--arr=0-1",), "--arr is set by the submission itself"),  # sbatch takes abbreviations
        (("--depend=singleton",), "--depend is set by the submission itself"),
        (("--wra=x",), "--wra is set by the submission itself"),
        (("--comment=a\nb",), "has characters that no script can hold"),
    ],
)
def test_options_that_would_undo_a_submission_are_refused(plan, flags, said):
    assert said in one_sentence(microcolumn("study", "submit", plan, "--dry-run", "--", *flags))

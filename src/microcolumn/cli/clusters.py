"""Commands that give a study to a cluster, and take back what it found."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from .commands import command, study
from .output import Json, own_command, print_json, say, show
from .reading import given
from .stores import PlanFile, PlanOrStore, Quick, StoreFile, default_store, place_of

_of_sbatch = partial(typer.Option, rich_help_panel="What each task asks SLURM for")


@command(study, "study submit plan.toml --slurm --array 100 --time 1:00:00 -- --account=lab")
def submit(
    plan: PlanFile,
    flags: Annotated[
        list[str] | None, typer.Argument(help="After --, further options of sbatch.")
    ] = None,
    slurm: Annotated[
        bool,
        typer.Option("--slurm", help="Submit the scripts; they are only written without it."),
    ] = False,
    array: Annotated[
        int | None, typer.Option(min=1, help="Most tasks of a stage; 200 by default.")
    ] = None,
    time: Annotated[str | None, _of_sbatch(help="Time, such as 1:00:00.")] = None,
    partition: Annotated[str | None, _of_sbatch(help="Partition.")] = None,
    mem: Annotated[str | None, _of_sbatch(help="Memory, such as 4G.")] = None,
    gres: Annotated[str | None, _of_sbatch(help="Generic resources, such as gpu:1.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the scripts; write and submit nothing.")
    ] = False,
    store: StoreFile = None,
    quick: Quick = False,
    json: Json = False,
) -> None:
    """Have SLURM compute what the plan asks for and the store does not have.

    Jobs are dealt to arrays of tasks, one array for each stage, and a last small job collects.
    Afterwards, or when tasks were lost, the same command submits what is missing.
    """
    from ..study import Plan, submit as submit_study

    options = given(time=time, partition=partition, mem=mem, gres=gres)
    read = Plan.from_toml(plan)
    done = submit_study(
        read.quick() if quick else read,
        store or default_store(plan, quick),
        slurm=slurm,
        **given(array=array),
        flags=[*(f"--{name}={value}" for name, value in options.items()), *(flags or ())],
        dry_run=dry_run,
        command=own_command(),
    )
    for sentence in done.sentences:
        say(sentence, err=True)
    if json:
        shown = ("scripts", "numbers", "n_jobs", "sentences")
        print_json({name: getattr(done, name) for name in shown} | {"n_tasks": len(done.tasks)})
        return
    for path, text in done.scripts.items():
        say(f"# {path}\n{text}")
    jobs, submitted = "all jobs are done", "nothing was submitted"
    if done.n_jobs:
        jobs = f"{done.n_jobs:,} jobs for {len(done.tasks):,} tasks"
    if done.numbers:
        submitted = f"submitted to SLURM as {', '.join(done.numbers)}; see microcolumn study status"
    say(f"{jobs}; {submitted}", err=True)


@command(study, "study work plan.db.parts/1 --stage 1 --task 0")
def work(
    folder: Annotated[Path, typer.Argument(help="The submission's folder.")],
    stage: Annotated[int, typer.Option(help="Stage, counted from 1.")],
    task: Annotated[int, typer.Option(help="Task of the stage, counted from 0.")],
    threads: Annotated[int, typer.Option(min=1, help="Threads; results do not depend on it.")] = 1,
    json: Json = False,
) -> None:
    """Do one task of a study that was submitted, as its scripts do."""
    from ..study import StudyError, run_array_task

    n_failed = run_array_task(folder, stage, task, threads=threads)
    if json:
        print_json({"failed": n_failed})
    if n_failed:
        raise StudyError(f"{n_failed} jobs of this task failed; see the lines above")


@command(study, "study collect plan.toml")
def collect(study: PlanOrStore, json: Json = False) -> None:
    """Merge what tasks have computed into the store; every other command does so, too."""
    from ..study import collect as collect_parts

    found = collect_parts(place_of(study, by_time=True))
    for sentence in found.sentences:
        say(sentence, err=True)
    text = f"merged {found.merged:,} jobs that are done and {found.failed:,} that failed"
    show(json, {"merged": found.merged, "failed": found.failed}, text)

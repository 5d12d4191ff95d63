"""Commands that give a study to a cluster, and take back what it found."""

from functools import partial
from pathlib import Path

import typer

from .commands import command, study
from .output import JSON, own_command, print_json, say, show
from .reading import given
from .stores import PLAN_FILE, PLAN_OR_STORE, QUICK, STORE_FILE, default_store, place_of

_of_sbatch = partial(typer.Option, rich_help_panel="What each task asks SLURM for")


@command(study, "study submit plan.toml --slurm --array 100 --time 1:00:00 -- --account=lab")
def submit(
    plan: Path = PLAN_FILE,
    flags: list[str] | None = typer.Argument(None, help="After --, further options of sbatch."),
    slurm: bool = typer.Option(
        False, "--slurm", help="Submit the scripts; they are only written without it."
    ),
    array: int | None = typer.Option(None, min=1, help="Most tasks of a stage; 200 by default."),
    time: str | None = _of_sbatch(None, help="Time, such as 1:00:00."),
    partition: str | None = _of_sbatch(None, help="Partition."),
    mem: str | None = _of_sbatch(None, help="Memory, such as 4G."),
    gres: str | None = _of_sbatch(None, help="Generic resources, such as gpu:1."),
    dry_run: bool = typer.Option(
        False, "--dry-run", help="Print the scripts; write and submit nothing."
    ),
    store: Path | None = STORE_FILE,
    quick: bool = QUICK,
    json: bool = JSON,
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
    folder: Path = typer.Argument(help="The submission's folder."),
    stage: int = typer.Option(help="Stage, counted from 1."),
    task: int = typer.Option(help="Task of the stage, counted from 0."),
    threads: int = typer.Option(1, min=1, help="Threads; results do not depend on it."),
    json: bool = JSON,
) -> None:
    """Do one task of a study that was submitted, as its scripts do."""
    from ..study import StudyError, run_array_task

    n_failed = run_array_task(folder, stage, task, threads=threads)
    if json:
        print_json({"failed": n_failed})
    if n_failed:
        raise StudyError(f"{n_failed} jobs of this task failed; see the lines above")


@command(study, "study collect plan.toml")
def collect(study: Path = PLAN_OR_STORE, json: bool = JSON) -> None:
    """Merge what tasks have computed into the store; every other command does so, too."""
    from ..study import collect as collect_parts

    found = collect_parts(place_of(study, by_time=True))
    for sentence in found.sentences:
        say(sentence, err=True)
    text = f"merged {found.merged:,} jobs that are done and {found.failed:,} that failed"
    show(json, {"merged": found.merged, "failed": found.failed}, text)

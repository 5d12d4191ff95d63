"""Commands that run, watch and report studies."""

from __future__ import annotations

import shlex
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import models, pages, reading
from .failures import one_sentence
from .stores import PlanOrStore, beside, store_of

if TYPE_CHECKING:
    from ..study import Plan, Results

_setting = partial(typer.Option, rich_help_panel="What is compared")

Jobs = Annotated[
    int | None, typer.Option(min=1, help="Jobs at once on this machine; one per core by default.")
]
Scheduler = Annotated[
    str | None,
    typer.Option(help="Do the jobs on the Dask cluster at this address: tcp://host:8786."),
]
Quick = Annotated[
    bool, typer.Option("--quick", help="A small version of the same study, for a first look.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def add_to(app: typer.Typer) -> None:
    """Make these commands known to ``microcolumn``."""
    example = "microcolumn compare session.nwb --depth-reference surface --splits 5"
    app.command(epilog=f"Example: {example}")(compare)
    study = typer.Typer(
        help="The whole experiment from a plan: run it, watch it, report it, show it.",
        no_args_is_help=True,
    )
    study.command(epilog="Example: microcolumn study run plan.toml --jobs 4")(run)
    study.command(epilog="Example: microcolumn study status plan.toml")(status)
    study.command(epilog="Example: microcolumn study report plan.toml --json")(report)
    example = "microcolumn study model plan.toml --recording B4 --variant RBM --out rbm.safetensors"
    study.command("model", epilog=f"Example: {example}")(models.export)
    pages.add_to(study)
    app.add_typer(study, name="study")


def compare(
    files: Annotated[list[Path], typer.Argument(help="Recordings of any known format.")],
    reader: reading.Reader = None,
    depth_reference: reading.DepthReference = "unstated",
    layers: reading.Layers = None,
    option: reading.Option = None,
    epochs: reading.Epochs = None,
    unit: reading.Unit = None,
    layer: reading.Layer = None,
    quality: reading.Quality = None,
    multiunit: reading.Multiunit = None,
    min_rate: reading.MinRate = None,
    max_rate: reading.MaxRate = None,
    bin_width: Annotated[float | None, _setting(help="Seconds; 0.020 by default.")] = None,
    most_active: Annotated[int | None, _setting(help="Keep the most active units.")] = None,
    model: Annotated[
        list[str] | None,
        _setting(help="Ising, RBM or SemiRBM, all by default; repeatable."),
    ] = None,
    hidden: Annotated[
        list[int] | None, _setting(help="Hidden units, 25 by default; repeatable.")
    ] = None,
    penalty: Annotated[
        list[float] | None,
        _setting(help="L1 penalty to choose from, by default 0 to 0.01; repeatable."),
    ] = None,
    objective: Annotated[
        list[str] | None,
        _setting(help="mpf (the default) or likelihood; repeatable."),
    ] = None,
    splits: Annotated[
        int | None, _setting(help="Splits into training and test part, 10 by default.")
    ] = None,
    seed: Annotated[int, _setting(min=0, help="Same seed, same numbers.")] = 0,
    spatiotemporal: Annotated[
        bool,
        _setting(
            "--spatiotemporal",
            help="Also the paper's windows of 1 to 15 bins of 6.7 ms, with its settings.",
        ),
    ] = False,
    store: Annotated[
        Path | None,
        typer.Option(help="Where results are kept; comparison.db by default, or -quick.db."),
    ] = None,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    quick: Quick = False,
    json: Json = False,
) -> None:
    """Compare models on recordings by the paper's protocol, and print who wins by how much.

    Finished jobs are kept in the store: the same command goes on where it was interrupted.
    """
    from ..study import Plan

    with one_sentence():
        plan = Plan.of(
            files,
            spatiotemporal=spatiotemporal,
            read=reading.given(
                reader=reader,
                depth_reference=depth_reference,
                layers=layers,
                quality=quality,
                epochs=reading.stretch(epochs),
                **reading.format_options(option),
            ),
            select=reading.given(
                ids=unit,
                layer=layer,
                multiunit=multiunit,
                min_rate_hz=min_rate,
                max_rate_hz=max_rate,
            ),
            **reading.given(
                bin_width=bin_width,
                most_active=most_active,
                models=model,
                n_hidden=hidden,
                l1=None if penalty is None else sorted(penalty),
                objectives=objective,
                n_splits=splits,
                seed=seed,
            ),
        )
    _run(plan, store or beside(Path("comparison"), quick), jobs, scheduler, quick, json)


def run(
    plan: Annotated[Path, typer.Argument(help="The plan, a TOML file.")],
    store: Annotated[
        Path | None, typer.Option(help="Where results are kept; beside the plan by default.")
    ] = None,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    quick: Quick = False,
    json: Json = False,
) -> None:
    """Compute what the plan asks for and the store does not have, then print the report.

    However a run ends, finished jobs are kept: the same command goes on where it was.
    """
    from ..study import Plan

    with one_sentence():
        read = Plan.from_toml(plan)
    _run(read, store or beside(plan, quick), jobs, scheduler, quick, json)


def status(study: PlanOrStore) -> None:
    """Tell how far a study is, also while it runs in another terminal."""
    from ..study import status as status_of

    with one_sentence():
        typer.echo(status_of(store_of(study)))


def report(study: PlanOrStore, json: Json = False) -> None:
    """Print what a study has found so far."""
    from ..study import Results

    with one_sentence():
        _print(Results(store_of(study)), json)


def _run(
    plan: Plan, store: Path, jobs: int | None, scheduler: str | None, quick: bool, json: bool
) -> None:
    from ..study import run as run_study

    with one_sentence():
        if jobs is not None and scheduler is not None:
            raise ValueError("--jobs is for this machine; leave it out beside --scheduler")
        results = run_study(
            plan.quick() if quick else plan,
            store,
            n_jobs=jobs,
            scheduler=scheduler,
            command=shlex.join(["microcolumn", *sys.argv[1:]]),
        )
        _print(results, json)
    show = shlex.join(["microcolumn", "study", "page", str(store)])
    typer.echo(f"results are kept in {store}; show them: {show}", err=True)


def _print(results: Results, json: bool) -> None:
    from json import dumps

    from ..report import report_dict, report_text

    if json:
        typer.echo(dumps(report_dict(results), indent=2, allow_nan=False))
    else:
        typer.echo(report_text(results))

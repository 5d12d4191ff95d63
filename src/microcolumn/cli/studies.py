"""Commands that run, watch and report studies."""

from __future__ import annotations

import shlex
import time
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..errors import BadArgument
from ..models.spec import USUAL_ALTERNATIVES
from ..study.progress import log_if_slow
from . import models, output, reading, stores
from .commands import app, command, study

if TYPE_CHECKING:
    from ..study import Plan, Results

_setting = partial(typer.Option, rich_help_panel="What is compared")
_rare = partial(_setting, hidden=True)

JOBS = typer.Option(None, min=1, help="Jobs at once on this machine; one per core by default.")
SCHEDULER = typer.Option(
    None, help="Do the jobs on the Dask cluster at this address, tcp://host:8786.", hidden=True
)


@dataclass(frozen=True)
class Settings:
    """What is compared: fields of an experiment."""

    bin_width: str | None = _setting(
        None,
        help="Width of a bin, seconds, 0.020 by default; several such as 0.02,0.01,0.05 tell how "
        "the answer depends on it.",
    )
    most_active: int | None = _setting(None, help="Keep this many most active units.")
    models: list[str] | None = _setting(
        None,
        "--model",
        help="Ising, RBM, SemiRBM, or an alternative by its name, as for fit; by default these "
        f"three and {', '.join(USUAL_ALTERNATIVES)}. Repeatable.",
    )
    n_hidden: list[int] | None = _rare(
        None, "--hidden", help="Hidden units; by default chosen as the penalty is. Repeatable."
    )
    l1: list[float] | None = _rare(
        None, help="Penalty λ (L1) to choose from; by default made for the words. Repeatable."
    )
    objectives: list[str] | None = _rare(
        None,
        "--objective",
        help="likelihood, pseudolikelihood or mpf; likelihood by default. Repeatable.",
    )
    n_splits: int | None = _setting(
        None, "--splits", help="Splits into training and test part, 10 by default."
    )
    split_by: str | None = _rare(
        None,
        help="Split by blocks of time, or by single words as the paper does; blocks by default.",
    )
    seed: int = _setting(0, min=0, help="Same seed, same numbers.")


@command(app, "compare session.nwb --depth-reference surface --quick --open")
def compare(
    data: reading.Data,
    settings: Settings,
    files: list[str] = typer.Argument(help="Recordings of any known format, or URLs."),
    spatiotemporal: bool = _setting(
        False,
        "--spatiotemporal",
        help="Also windows of 1 to 15 bins of 6.7 ms of the 10 most active units.",
    ),
    store: Path | None = typer.Option(
        None,
        help="Where results are kept; session-comparison.db or, with --quick, "
        "session-comparison-quick.db for session.nwb by default.",
    ),
    jobs: int | None = JOBS,
    scheduler: str | None = SCHEDULER,
    quick: bool = stores.QUICK,
    open_page: bool = output.OPEN,
    json: bool = output.JSON,
) -> None:
    """Compare models on recordings: print which is best, by how much, how sure, and write a page.

    The protocol is the paper's, with penalties made for the words of each recording and with
    training and test parts that are blocks of time.

    Finished jobs are kept in the store: after an interruption, the same command continues.
    """
    output.say_started(output.OF_FITS)
    from ..io import is_url
    from ..study import Plan

    asked = vars(settings) | {
        "models": [models.canonical_name(name) for name in settings.models or ()],
        "l1": sorted(settings.l1 or ()),
        "bin_width": reading.numbers("bin_width", settings.bin_width),
    }
    plan = Plan.of(
        [file if is_url(file) else Path(file) for file in files],
        spatiotemporal=spatiotemporal,
        read=data.reading(),
        select=data.selection(),
        **reading.given(**asked),
    )
    kept = store or stores.comparison_store((source.name for source in plan.sources), quick)
    results = _run(plan, kept, jobs, scheduler, quick, json)
    from .. import report

    page = kept.with_suffix(".html")
    with log_if_slow("drawing the page"):
        report.write(results, page)
    _say_where(kept, str(page), json)
    output.show_page(page, open_page, quiet=True)


@command(study, "study run plan.toml --jobs 4")
def run(
    plan: Path = stores.PLAN_FILE,
    store: Path | None = stores.STORE_FILE,
    jobs: int | None = JOBS,
    scheduler: str | None = SCHEDULER,
    quick: bool = stores.QUICK,
    json: bool = output.JSON,
) -> None:
    """Compute what the plan asks for and the store does not have, then print the answer.

    Finished jobs are kept in the store: after an interruption, the same command continues.
    """
    output.say_started(output.OF_FITS)
    from ..study import Plan

    read = Plan.from_toml(plan)
    kept = store or stores.default_store(plan, quick)
    _run(read, kept, jobs, scheduler, quick, json)
    _say_where(kept, shlex.join(["microcolumn", "study", "page", str(kept)]), json)


@command(study, "study status plan.toml")
def status(study: Path = stores.PLAN_OR_STORE, json: bool = output.JSON) -> None:
    """Print how far a study is, also while it runs in another terminal."""
    from ..study import status as status_of

    found = status_of(stores.store_of(study, by_time=True))
    output.show(json, asdict(found) | {"complete": found.complete}, found)


@command(study, "study report plan.toml --all")
def report(
    study: Path = stores.PLAN_OR_STORE,
    whole: bool = typer.Option(False, "--all", help="All tables, by recording and experiment."),
    json: bool = output.JSON,
) -> None:
    """Print what a study has found so far, on a page; in a terminal, longer output is paged."""
    results = stores.results_of(study)
    from ..report import report_dict
    from ..report.text import report_lines, short_report

    if json:
        output.print_json(report_dict(results))
        return
    columns = output.terminal_columns()
    lines = report_lines(results, columns) if whole else short_report(results, columns)
    output.say_lines(lines, paged=True)
    if not whole:
        output.say(f"all of it: {shlex.join(['microcolumn', 'study', 'report', str(study)])} --all")


def _run(
    plan: Plan, store: Path, jobs: int | None, scheduler: str | None, quick: bool, json: bool
) -> Results:
    """Run a plan, and print its scoreboard or all of its results for programs."""
    from ..report import report_dict
    from ..report.scoreboard import scoreboard
    from ..report.text import bin_width_lines
    from ..study import run as run_study

    if jobs is not None and scheduler not in (None, "slurm"):
        raise BadArgument("jobs", "is for this machine", "leave it out with --scheduler")
    started = time.monotonic()
    results = run_study(
        plan.quick() if quick else plan,
        store,
        n_jobs=jobs,
        scheduler=scheduler,
        progress=True,
        command=output.own_command(),
    )
    if json:
        output.print_json(report_dict(results))
    else:
        seconds = time.monotonic() - started
        columns = output.terminal_columns()
        output.say_lines(scoreboard(results, columns, seconds=seconds))
        output.say_lines(bin_width_lines(results, columns))
    return results


def _say_where(store: Path, page: str, json: bool) -> None:
    """Say where the page is and how all numbers are printed; with JSON on standard error."""
    numbers = shlex.join(["microcolumn", "study", "report", str(store)])
    output.say(f"page     {page}\nnumbers  {numbers}", err=json)

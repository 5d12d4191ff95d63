"""The demonstration: simulate a microcolumn, compare models of it, and see what they find."""

from pathlib import Path

import typer

from ..study.progress import log_if_slow
from . import output
from .commands import app, command

#: Models of the short demonstration.
MODELS = ("Ising", "RBM", "SemiRBM", "BernoulliMixture")


@command(app, "demo --open")
def demo(
    paper: bool = typer.Option(
        False, "--paper", help="The paper's whole protocol on three recordings; it takes hours."
    ),
    jobs: int | None = typer.Option(None, min=1, help="Jobs at once; one per core by default."),
    out: Path = typer.Option(Path("microcolumn-demo"), help="Folder for results."),
    open_page: bool = output.OPEN,
    json: bool = output.JSON,
) -> None:
    """Simulate a microcolumn, compare models of it, and see whether they find what was planted.

    It takes about a minute and ends with a page. An interrupted demo continues where it stopped.
    """
    output.say_started(output.OF_FITS)
    from .. import report  # the numerical libraries load only when a command runs
    from ..figures.planting import planted_and_found
    from ..report.scoreboard import scoreboard
    from ..study import Plan, run
    from ..wording import worded_lines

    output.make_folder(out)
    plan = Plan.paper() if paper else Plan.of("B4", models=MODELS).quick()
    store = out / ("paper.db" if paper else "demo.db")
    page = store.with_suffix(".html")
    if not json:
        recordings = {source.name: source.load() for source in plan.sources}
        for line in worded_lines("cli", "planted", recordings=recordings, plan=plan):
            output.say(line)
    results = run(plan, store, n_jobs=jobs, progress=True, command=output.own_command())
    _, found = planted_and_found(results)
    if not json:
        output.say_lines(scoreboard(results, output.terminal_columns(), brief=True))
        for line in worded_lines("cli", "found", found=found):
            output.say(line)
    with log_if_slow("drawing the page", None):
        report.write(results, page)
    if json:
        whole = report.report_dict(results)
        shown = {name: whole[name] for name in ("answer", "cautions")} | {"planted": found}
        output.print_json(shown | {"results": results.file, "page": page})
    output.show_page(page, open_page, quiet=json)
    if not json:
        output.say("next: microcolumn compare YOUR_FILE --quick")

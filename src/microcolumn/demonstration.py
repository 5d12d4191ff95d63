"""The whole way once, on simulated recordings: from nothing to the page."""

from __future__ import annotations

from pathlib import Path

from . import report
from .study import Plan, Results, run as run_study


def run(
    folder: Path, *, full: bool = False, n_jobs: int | None = None, command: str = ""
) -> tuple[Results, Path]:
    """Run the paper's protocol on its simulated recordings and write the page about it.

    Parameters
    ----------
    folder : Path
        Where the store and the page go; a store that is there is continued.
    full : bool
        The whole protocol, which takes hours, or a small version of it.
    n_jobs : int, optional
        Jobs at once; one per core where left out.
    command : str
        What to note down as the origin of the run.

    Returns
    -------
    results : Results
        Of the study.
    page : Path
        The report, one HTML file.
    """
    plan = Plan.paper() if full else Plan.paper().quick()
    store = folder / ("paper.db" if full else "quick.db")
    results = run_study(plan, store, n_jobs=n_jobs, command=command)
    page = store.with_suffix(".html")
    report.write(results, page)
    return results, page

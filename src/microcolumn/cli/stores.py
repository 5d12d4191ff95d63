"""Where the results of a plan are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

PlanOrStore = Annotated[Path, typer.Argument(help="The plan (TOML) or its store (SQLite).")]


def beside(plan: Path, quick: bool = False) -> Path:
    """The store beside a plan."""
    return plan.with_name(f"{plan.stem}-quick.db" if quick else f"{plan.stem}.db")


def store_of(study: Path) -> Path:
    """The store beside a plan that was run; a store is its own."""
    if study.suffix.lower() != ".toml":
        return study
    store, quick = beside(study), beside(study, quick=True)
    if quick.exists() and not store.exists():
        raise ValueError(f"{study} was run with --quick alone, into {quick}; name that instead")
    if study.exists() and store.exists():
        _tell_changes(study, store)
    return store


def _tell_changes(plan: Path, store: Path) -> None:
    """Say that a plan was edited or moved after it was run: a store knows what was run alone."""
    from ..study import NotComputedError, Plan, Results
    from ..study._plan import diff

    try:
        run = Results(store).plan
    except NotComputedError:  # a run that is about to begin
        return
    try:
        edited = diff(run, Plan.from_toml(plan))
    except (ValueError, OSError) as error:  # one that is being edited; the store is as good as ever
        edited = [str(error)]
    if edited:
        told = "; ".join(edited)
        typer.echo(f"{plan} differs from what was run ({told}); run it again", err=True)

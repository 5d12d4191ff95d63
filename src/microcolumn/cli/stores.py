"""Where the results of a plan are kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import typer

from ..errors import BadInput
from .output import say, say_started

if TYPE_CHECKING:
    from ..study import Results

#: Of names of recordings, as many letters as fit into names of files: 255 bytes, up to 4 each.
MOST_LETTERS = 50

PLAN_FILE = typer.Argument(help="The plan, a TOML file.")
PLAN_OR_STORE = typer.Argument(help="The plan (TOML) or its store (SQLite).")
STORE_FILE = typer.Option(None, help="Where results are kept; next to the plan by default.")
QUICK = typer.Option(False, "--quick", help="A small version of the same study, for a first look.")


def default_store(plan: Path, quick: bool = False) -> Path:
    """The store next to a plan."""
    return plan.with_name(f"{plan.stem}-quick.db" if quick else f"{plan.stem}.db")


def comparison_store(recordings: Iterable[str], quick: bool) -> Path:
    """The store of a comparison, here and named after its recordings: others have their own."""
    names = re.sub(r"[^\w-]+", "_", "-".join(recordings))
    if len(names) > MOST_LETTERS:  # then their ends tell them apart
        names = f"{names[:MOST_LETTERS]}-{crc32(names.encode()):08x}"
    return default_store(Path(f"{names}-comparison"), quick)


def results_of(study: Path) -> Results:
    """Results of a study, whose store is as :func:`store_of` finds it."""
    say_started()
    from ..study import Results

    return Results(store_of(study))


def store_of(study: Path, *, by_time: bool = False) -> Path:
    """The store of a study, as :func:`place_of` finds it, with all parts that can be merged."""
    from ..study import StoreError, collect
    from ..study.submission import parts_folder

    store = place_of(study, by_time=by_time)
    if not parts_folder(store).is_dir():
        return store
    try:
        sentences = collect(store).sentences
    except StoreError as error:  # what was merged before can be shown all the same
        sentences = (f"what tasks have computed since was not merged: {error}",)
    for sentence in sentences:
        say(sentence, err=True)
    return store


def place_of(study: Path, *, by_time: bool = False) -> Path:
    """The store next to a plan that was run; a store is its own.

    A plan that was edited since is noted on standard error. With ``by_time``, a plan file that is
    older than the store is not read: comparing plans takes the numerical libraries.
    """
    if study.suffix.lower() != ".toml":
        return study
    store, quick = default_store(study), default_store(study, quick=True)
    if quick.exists() and not store.exists():
        raise BadInput(f"{study} was run with --quick alone, into {quick}", "name that instead")
    if study.exists() and store.exists():
        newer = store.stat().st_mtime > study.stat().st_mtime
        if not (by_time and newer):
            _tell_changes(study, store)
    return store


def _tell_changes(plan: Path, store: Path) -> None:
    """Say that a plan was edited or moved after it was run: a store knows what was run alone."""
    from ..study import Plan
    from ..study.plan import diff
    from ..study.store import Store

    with Store.open(store) as opened:
        run = opened.read_study().get("plan")
    if run is None:  # a run that is about to begin
        return
    try:
        edited = diff(Plan.from_dict(json.loads(run)), Plan.from_toml(plan))
    except (ValueError, OSError) as error:  # one that is being edited; the store is as good as ever
        edited = [str(error)]
    if edited:
        differences = "; ".join(edited)
        say(f"{plan} differs from what was run ({differences}); run it again", err=True)

"""Where the results of a plan are kept."""

from __future__ import annotations

from pathlib import Path


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
    return store

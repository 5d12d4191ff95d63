"""What a notebook shows of a study: how much is done, and the best model of each recording."""

from __future__ import annotations

from collections.abc import Mapping

from ..evaluate import Comparison
from ..formatting import counted, enumeration, html_table
from ..notebook import card, facts
from ._experiment import Experiment
from ._stored import StoredStudy
from .index import Condition, Key

#: Most rows of a table that a notebook shows, and most failures.
_MOST_ROWS, _MOST_FAILURES = 100, 3


def overview(study: StoredStudy, comparisons: Mapping[Key, Comparison]) -> str:
    """A study as HTML: its plan, its recordings, how much is done, and what is best so far."""
    jobs = study.provenance()
    failed = [f"{each['job']}: {each['error']}" for each in jobs["failures"]]
    about = {
        "recordings": counted(len(study.plan.sources), "recording"),
        "jobs": f"{jobs['n_done']:,} of {jobs['n_planned']:,} done",
        "failed": "; ".join(failed[:_MOST_FAILURES]) + " ..." * (len(failed) > _MOST_FAILURES),
    }
    about |= {each.name: _plan_of(each) for each in study.plan.experiments}
    rows = [_row(study, at, comparisons.get(at.key)) for at in study.index.conditions()]
    table = _table(rows[:_MOST_ROWS]) if rows else ""
    more = f"<p>and {len(rows) - _MOST_ROWS:,} more</p>" * (len(rows) > _MOST_ROWS)
    return card(f"Study {study.file.name}", facts(about), table, more)


def _plan_of(experiment: Experiment) -> str:
    n_bins = f" x {', '.join(map(str, experiment.windows))}" * (experiment.windows != (1,))
    words = f"words of {experiment.bin_width * 1e3:g} ms{n_bins}"
    splits = f"{counted(experiment.n_splits, 'split')} by {experiment.split_by}"
    return f"{words}, {splits}, {enumeration(experiment.models)}"


def _row(study: StoredStudy, at: Condition, found: Comparison | None) -> dict[str, str]:
    best = found.best if found is not None and found.models else None
    return {
        "recording": study.label(at.recording),
        "experiment": at.experiment.name,
        "units": str(study.index.n_units(at.recording, at.experiment)),
        "bins per word": str(at.window),
        "splits tested": f"{found.n_splits if found else 0} of {at.experiment.n_splits}",
        "best model": "-" if best is None else best.name,
        "bits/s over independent units": "-" if best is None else f"{best.bits_per_second:.2f}",
    }


def _table(rows: list[dict[str, str]]) -> str:
    left = ("recording", "experiment", "best model")
    return html_table(list(rows[0]), [list(row.values()) for row in rows], left=left)

"""One task of a submission: its share of the jobs, each of which becomes a part file.

A task does not open the study's store. Jobs that have a part already are left as they are: a task
may be killed and started again at any instant.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from .. import __version__
from ..validation import whole_number
from ._compute import JobResult, execute
from ._environment import environment
from ._jobs import RecordingInfo
from ._parts import has_result, merge_part, part_path, read_part, write_part
from ._plan import Plan
from ._prepared import Prepared
from ._sources import fingerprint
from ._store import Store
from ._submission import Submission


def do_share(folder: str | Path, stage: int, task: int, *, threads: int = 1) -> int:
    """Do the jobs of one task, and print a line about each on standard error.

    Parameters
    ----------
    folder : path
        The submission's folder.
    stage, task : int
        Which share of it, the stage counted from 1 and the task from 0.
    threads : int
        That kernels may use; results do not depend on it.

    Returns
    -------
    int
        How many jobs failed; their parts say why.

    Raises
    ------
    ValueError
        Where the submission has no such share, or another version made it.
    """
    submission = Submission.load(Path(folder))
    if submission.microcolumn != __version__:
        raise ValueError(
            f"{folder} was submitted by microcolumn {submission.microcolumn} and this is "
            f"{__version__}, whose numbers may differ; use that version, or submit the study again"
        )
    stages = submission.stages
    if not (1 <= stage <= len(stages) and 0 <= task < len(stages[stage - 1])):
        sizes = ", ".join(f"{len(tasks)} in stage {n}" for n, tasks in enumerate(stages, 1))
        raise ValueError(f"there is no task {task} of stage {stage}; there are {sizes}")
    if whole_number("threads", threads) < 1:
        raise ValueError(f"threads is {threads}; give at least one")
    plan = Plan.from_dict(submission.plan)
    facts = {name: RecordingInfo(*each) for name, each in submission.recordings.items()}
    known = Prepared(plan, facts, {})
    share = sorted(stages[stage - 1][task], key=lambda digest: known.jobs[digest].recording)
    n_failed = 0
    # One recording in memory at a time.
    for name, digests in groupby(share, key=lambda digest: known.jobs[digest].recording):
        n_failed += _Share(submission.folder.parent, known, name, threads).do(digests)
    return n_failed


class _Share:
    """Jobs of one recording."""

    def __init__(self, parts: Path, known: Prepared, recording: str, threads: int) -> None:
        self.parts = parts
        self.prepared = known
        self.recording = recording
        self.threads = threads

    def do(self, digests: Iterable[str]) -> int:
        """Do what has no part yet; the number of jobs that failed."""
        left = [digest for digest in digests if not has_result(part_path(self.parts, digest))]
        if not left:
            return 0
        try:
            self.prepared = self._with_recording()
        except Exception as error:
            for digest in left:
                self._keep(_failure(digest, error))
            return len(left)
        n_failed = 0
        inputs = Store.in_memory()
        for digest in left:
            result = self._result(digest, inputs)
            if result is not None:
                self._keep(result)
                n_failed += bool(result.error)
        return n_failed

    def _with_recording(self) -> Prepared:
        """The plan with the recording, which must be what it was when the study was submitted."""
        known = self.prepared
        [source] = [each for each in known.plan.sources if each.name == self.recording]
        read = source.load()
        if fingerprint(read) != known.facts[self.recording].fingerprint:
            raise ValueError(
                f"recording {self.recording!r} is not what it was when the study was submitted; "
                "restore it, or submit the study again into a new store"
            )
        return Prepared(known.plan, known.facts, {self.recording: read})

    def _result(self, digest: str, store: Store) -> JobResult | None:
        """What becomes of a job; None where an earlier one, whose result it needs, is not done."""
        job = self.prepared.jobs[digest]
        try:
            for used in set(self.prepared.used(job).values()) - store.finished():
                part = part_path(self.parts, used)
                if not has_result(part):
                    _tell(f"{job}: left, because a job that it starts from is not done")
                    return None
                merge_part(store, read_part(part))
            task = self.prepared.task(digest, store, self.threads)
        except (ValueError, OSError) as error:
            return _failure(digest, error)
        return execute(task)

    def _keep(self, result: JobResult) -> None:
        job, part = str(self.prepared.jobs[result.digest]), Store.in_memory()
        if result.error:
            part.fail(result.digest, job, result.error, result.trace)
        else:
            part.finish(result.digest, self.prepared.row(result), result.rows)
        write_part(self.parts, result.digest, part)
        _tell(f"{job}: {result.error or f'done in {result.seconds:.1f} s'}")


def _failure(digest: str, error: Exception) -> JobResult:
    """A job that could not even start."""
    sentence = f"{type(error).__name__}: {error}"
    trace = "".join(traceback.format_exception(error))
    return JobResult(digest, {}, 0.0, environment(), (), sentence, trace)


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)

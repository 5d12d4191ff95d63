"""Give a plan to a cluster: scripts for the jobs that are missing, SLURM to run them, and tasks.

A task does not open the study's store: each of its jobs becomes a part file. Jobs that have a part
already are left as they are, so that a task may be killed and started again at any instant.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path

from .. import __version__
from ..atomic import atomic_write
from ..errors import BadInput
from ..validation import whole_number
from . import _slurm
from ._compute import execute, failed
from ._jobs import RecordingInfo
from ._parts import has_result, part_path, read_part, write_part
from ._prepared import Prepared
from ._workers import compile_ahead
from .plan import Plan
from .sources import fingerprint
from .store import Store
from .submission import Submission, last_submission, next_folder, parts_folder

#: Tasks of a stage, unless another number is asked for; SLURM allows 1,001 unless told otherwise.
_ARRAY = 200


def submit(
    plan: Plan,
    store: str | Path,
    *,
    slurm: bool = True,
    array: int = _ARRAY,
    flags: Sequence[str] = (),
    dry_run: bool = False,
    command: str = "",
) -> Submission:
    """Have SLURM compute what a plan asks for and the store does not have.

    Jobs are dealt to the tasks of an array for each stage. Every job becomes a part file beside
    the store; :func:`collect`, and every later command, merges those into it. Results are the
    same bits as those of :func:`run`. After tasks were lost, submit again.

    Parameters
    ----------
    plan : Plan
        Recordings and experiments; the recordings are files that all machines see, or presets.
    store : path
        SQLite file, made where it does not exist.
    slurm : bool
        Submit the scripts. Without it they are only written, for another scheduler to run them.
    array : int
        Most tasks of a stage.
    flags : sequence of str
        Options of ``sbatch``, such as ``"--time=1:00:00"``.
    dry_run : bool
        Neither write nor submit anything.
    command : str
        What to note down as the origin of the study.

    Raises
    ------
    ValueError
        Where a recording is not the one that the store was made from, or is in memory alone.
    StoreError
        Where the store cannot be written, is of another version or in use by a run.
    SlurmError
        Where SLURM's commands are not there or refuse; nothing stays submitted then.

    Examples
    --------
    >>> plan = mc.study.Plan.of({"column": "B4"}, models="Ising", n_splits=1)
    >>> submit(plan, "cluster.db", slurm=False).folder.name
    '1'
    """
    path = Path(store)
    _slurm.check_flags(flags)
    _slurm.check_printable([str(path.resolve())])
    whole_number("array", array, least=1)
    for source in plan.sources:
        if source.in_memory is not None:
            problem = f"recording {source.name} is in memory, where no other machine sees it"
            raise BadInput(problem, "save it and name its file")
    if slurm and not dry_run:
        _slurm.check_installed()
    prepared = Prepared.of(plan)
    if dry_run:
        return _planned(prepared, path, _done(path), array, flags)
    shortages_seen = _check_last(path) if slurm else []
    with Store.create(path) as opened, opened.lock():
        sentences = prepared.enter(opened, command=command)
        planned = _planned(prepared, path, opened.finished(), array, flags)
        planned.sentences.extend([*sentences, *shortages_seen])
        if not planned.stages:
            return planned
        planned.save()
        _write_inputs(prepared, opened, planned)
        for file, text in planned.scripts.items():
            with atomic_write(file) as opened_file:
                opened_file.write(text.encode())
        compile_ahead(planned.sentences.append)
        if slurm:
            _give_to_slurm(planned)
    return planned


def _done(path: Path) -> set[str]:
    """Jobs that a store has, with the parts beside it; none where there is no store."""
    if not path.exists():
        return set()
    with Store.open(path) as store:
        done = store.finished()
    return done | {part.stem for part in parts_folder(path).glob("*.part") if has_result(part)}


def _planned(
    prepared: Prepared, path: Path, done: set[str], array: int, flags: Sequence[str]
) -> Submission:
    """Missing jobs, dealt to tasks: those that need nothing else missing are the first stage."""
    stages: dict[int, list[str]] = {}
    stage_of: dict[str, int] = {}
    for digest, job in prepared.jobs.items():  # in an order in which none needs a later one
        if digest not in done:
            used = prepared.used(job).values()
            stage_of[digest] = 1 + max((stage_of.get(each, -1) for each in used), default=-1)
            stages.setdefault(stage_of[digest], []).append(digest)
    # The longest jobs of a stage come first, so that dealing one at a time is fair.
    dealt = [
        [stage[n :: min(array, len(stage))] for n in range(min(array, len(stage)))]
        for _, stage in sorted(stages.items())
    ]
    return Submission(
        folder=next_folder(path),
        microcolumn=__version__,
        plan=prepared.plan.as_dict(),
        recordings={name: list(each) for name, each in prepared.recording_info.items()},
        stages=dealt,
        flags=list(flags),
    )


def _write_inputs(prepared: Prepared, store: Store, planned: Submission) -> None:
    """Parts of the finished fits that missing jobs start from, for tasks do not open the store."""
    done = store.finished()
    missing = (digest for task in planned.tasks for digest in task)
    used = {each for name in missing for each in prepared.used(prepared.jobs[name]).values()}
    for digest in sorted(used & done):
        if not has_result(part_path(planned.folder.parent, digest)):
            part = Store.in_memory()
            part.finish(digest, *store.job(digest))
            write_part(planned.folder.parent, digest, part)


def _give_to_slurm(planned: Submission) -> None:
    """Submit all scripts, or none of them, and keep their numbers."""
    numbers = planned.numbers
    try:
        for file in planned.scripts:
            numbers.append(_slurm.submit_script(file, numbers[-1] if numbers else None))
            planned.save()
    except BaseException:
        with suppress(_slurm.SlurmError):
            _slurm.cancel(numbers)
        raise


def _check_last(path: Path) -> list[str]:
    """Refuse to do what tasks are doing; say what those that were killed had too little of."""
    last = last_submission(path)
    if last is None:
        return []
    tasks = _slurm.tasks_by_state(last.numbers)
    if _slurm.is_alive(tasks):
        counts = ", ".join(f"{count} {state}" for state, count in tasks.items())
        problem = f"tasks of the last submission have not ended ({counts})"
        raise BadInput(problem, f"wait for them, or end them with scancel {' '.join(last.numbers)}")
    return _slurm.shortages(tasks)


def run_array_task(folder: str | Path, stage: int, task: int, *, threads: int = 1) -> int:
    """Do the jobs of one task of a submission, and print a line about each on standard error.

    Parameters
    ----------
    folder : path
        The submission's folder.
    stage, task : int
        Which task of it, the stage counted from 1 and the task from 0.
    threads : int
        That kernels may use; results do not depend on it.

    Returns
    -------
    int
        How many jobs failed; their parts say why.

    Raises
    ------
    ValueError
        Where the submission has no such task, or another version made it.

    Examples
    --------
    >>> plan = mc.study.Plan.of("session.npz", models="Ising", n_splits=1)
    >>> run_array_task(submit(plan, "array.db", slurm=False).folder, stage=1, task=0)
    0
    """
    submission = Submission.load(Path(folder))
    if submission.microcolumn != __version__:
        made_by = f"{folder} was submitted by microcolumn {submission.microcolumn}"
        problem = f"{made_by} and this is {__version__}, whose numbers may differ"
        raise BadInput(problem, "use that version, or submit the study again")
    stages = submission.stages
    if not (1 <= stage <= len(stages) and 0 <= task < len(stages[stage - 1])):
        sizes = ", ".join(f"{len(tasks)} in stage {n}" for n, tasks in enumerate(stages, 1))
        raise BadInput(f"there is no task {task} of stage {stage}", f"there are {sizes}")
    whole_number("threads", threads, least=1)
    recording_info = {name: RecordingInfo(*each) for name, each in submission.recordings.items()}
    prepared = Prepared(Plan.from_dict(submission.plan), recording_info, {})
    return _run_jobs(stages[stage - 1][task], prepared, submission.folder.parent, threads)


def _run_jobs(digests: Sequence[str], prepared: Prepared, parts: Path, threads: int) -> int:
    """Do what has no part in the folder ``parts`` yet; the number of jobs that failed."""
    with_recording = lru_cache(1)(partial(_with_recording, prepared))  # one in memory at a time
    n_failed, tell = 0, partial(print, file=sys.stderr, flush=True)
    for digest in sorted(digests, key=lambda each: prepared.jobs[each].recording):
        job = prepared.jobs[digest]
        if has_result(part_path(parts, digest)):
            continue
        if not all(has_result(part_path(parts, each)) for each in prepared.used(job).values()):
            tell(f"{job}: left, because a job that it starts from is not done")
            continue
        try:
            task = with_recording(job.recording).task(
                digest, lambda used: read_part(part_path(parts, used)), threads
            )
            result = execute(task)
        except Exception as error:  # it could not even start
            result = failed(digest, error)
        part = Store.in_memory()
        prepared.keep(result, part)
        write_part(parts, digest, part)
        tell(f"{job}: {result.error or f'done in {result.seconds:.1f} s'}")
        n_failed += bool(result.error)
    return n_failed


def _with_recording(prepared: Prepared, recording: str) -> Prepared:
    """The plan with a recording, which must be what it was when the study was submitted."""
    [source] = [each for each in prepared.plan.sources if each.name == recording]
    read = source.load()
    if fingerprint(read) != prepared.recording_info[recording].fingerprint:
        problem = f"recording {recording!r} is not what it was when the study was submitted"
        raise BadInput(problem, "restore it, or submit the study again into a new store")
    return Prepared(prepared.plan, prepared.recording_info, {recording: read})

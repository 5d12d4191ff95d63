"""SLURM by its own commands: scripts for sbatch, and what squeue and sacct say of their tasks.

States and options are those of the manual pages sbatch(1), squeue(1) and sacct(1). The library
submitit is not used: it passes tasks and results as pickles, and knows their states by sacct alone.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ..errors import BadArgument, BadInput

#: Seconds that a command may take; a busy controller is slow to answer.
_PATIENCE = 60
#: Options of sbatch that a submission sets itself.
_OWN = ("--array", "-a", "--dependency", "-d", "--wrap", "--parsable")

#: SLURM's states of tasks that have not ended, in plain words.
_ALIVE = {
    "waiting": "PENDING CONFIGURING REQUEUED REQUEUE_FED REQUEUE_HOLD RESV_DEL_HOLD SPECIAL_EXIT "
    "SUSPENDED STOPPED",
    "running": "RUNNING COMPLETING RESIZING SIGNALING STAGE_OUT",
}
#: What tasks may run out of, by state: the same in a sentence, and the option that asks for more.
_LIMITS = {"out of memory": ("memory", "--mem"), "timeout": ("time", "--time")}
_NOT_THERE = "{} is not there; SLURM's commands are on the login nodes of a cluster"


class SlurmError(OSError):
    """A command of SLURM is not there, does not answer or refuses: one sentence."""


def check_installed() -> None:
    """Refuse to submit where there is no SLURM."""
    if shutil.which("sbatch") is None:
        raise SlurmError(_NOT_THERE.format("sbatch"))


def check_flags(flags: Sequence[str]) -> None:
    """Refuse options of sbatch that would undo what a submission relies on."""
    for flag in flags:
        name = flag.partition("=")[0] if flag.startswith("--") else flag[:2]
        # sbatch takes the beginning of a long option for the whole of it.
        if flag.startswith("-") and any(own.startswith(name) for own in _OWN):
            raise BadArgument(name, "is set by the submission itself", "leave it out")
    check_printable(flags)


def check_printable(texts: Iterable[str]) -> None:
    """Refuse what a script cannot hold: a line break ends a comment, and the rest is run."""
    for text in texts:
        if not text.isprintable():
            raise BadInput(f"{text!r} has characters that no script can hold", "rename it")


def script(
    command: Sequence[str], *, name: str, log: Path, flags: Sequence[str], n_tasks: int | None
) -> str:
    """A batch script for sbatch, or any shell: an array of ``n_tasks``, or a single job."""
    check_printable([*command, name, str(log)])
    pattern = f"{name}-%A_%a.log" if n_tasks else f"{name}-%j.log"
    directives = [
        ["--job-name", name],
        ["--output", str(log).replace("%", "%%") + f"/{pattern}"],
        # A task that SLURM starts again, after the loss of its node, does what is left.
        ["--open-mode=append", "--requeue"],
        *([list(flags)] if flags else []),
        *([[f"--array=0-{n_tasks - 1}"]] if n_tasks else []),
    ]
    lines = ["#!/bin/bash", *(f"#SBATCH {shlex.join(each)}" for each in directives)]
    lines.append('threads="${SLURM_CPUS_PER_TASK:-1}"')
    libraries = ("OMP", "OPENBLAS", "MKL", "NUMBA")
    lines.append(f"export {' '.join(f'{each}_NUM_THREADS=$threads' for each in libraries)}")
    # -P: modules in the folder that the script is run in are not Python's.
    call = shlex.join([sys.executable, "-P", "-m", "microcolumn", *command])
    if n_tasks:
        call += ' --task "${SLURM_ARRAY_TASK_ID:-$1}" --threads "$threads"'
    return "\n".join([*lines, f"exec {call}", ""])


def submit_script(path: Path, after: str | None) -> str:
    """Number that SLURM gives a script, which waits until job ``after`` has ended somehow."""
    order = [f"--dependency=afterany:{after}"] if after else []
    return _answer(["sbatch", "--parsable", *order, str(path)]).strip().partition(";")[0]


def cancel(jobs: Sequence[str]) -> None:
    """Take jobs back."""
    if jobs:
        _answer(["scancel", *jobs])


def tasks_by_state(jobs: Sequence[str]) -> dict[str, int]:
    """Tasks by state, in plain words: of sacct, where there are accounts, and of squeue."""
    options = ["--noheader", "--parsable2", "--allocations", "--format=JobID,State"]
    try:
        accounts = _answer(["sacct", *options, f"--jobs={','.join(jobs)}"])
    except SlurmError:
        accounts = ""
    lines = [line.partition("|") for line in accounts.splitlines()]
    states = {each: state for task, _, state in lines for each in _single(task)}
    asked = ["squeue", "--me", "--noheader", "--array", "--states=all", "--format=%F|%K|%T"]
    for job, index, state in (line.split("|") for line in _answer(asked).splitlines()):
        if job in jobs:
            states[job if index == "N/A" else f"{job}_{index}"] = state
    return dict(Counter(map(_in_words, states.values())))


def _single(task: str) -> list[str]:
    """Names of single tasks, which sacct writes as ``7_[0,2-4%2]`` until they start."""
    job, bracket, places = task.partition("[")
    if not bracket:
        return [task]
    names = []
    for part in re.sub(r"%.*|\]", "", places).split(","):
        first, _, last = part.partition("-")
        names += [f"{job}{n}" for n in range(int(first), int(last or first) + 1)]
    return names


def is_alive(tasks: Iterable[str]) -> bool:
    """Whether some of these states are of tasks that have not ended."""
    return not _ALIVE.keys().isdisjoint(tasks)


def shortages(tasks: Mapping[str, int]) -> list[str]:
    """What tasks in these states had too little of, and which option asks for more."""
    return [
        f"{tasks[state]:,} of the last tasks ran out of {what}: ask for more with {option}"
        for state, (what, option) in _LIMITS.items()
        if state in tasks
    ]


def _in_words(state: str) -> str:
    """A state of SLURM's, which may come with more, as in ``CANCELLED by 1000``."""
    name = re.split(r"[\s+]", state.strip())[0]
    alive = [words for words, states in _ALIVE.items() if name in states.split()]
    return alive[0] if alive else name.lower().replace("_", " ")


def _answer(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE)
    except FileNotFoundError:
        raise SlurmError(_NOT_THERE.format(command[0])) from None
    except subprocess.TimeoutExpired:
        problem = f"{command[0]} has not answered for {_PATIENCE} s"
        raise SlurmError(f"{problem}; try again when SLURM does") from None
    if done.returncode:
        message = " ".join(done.stderr.split()) or f"it ended with {done.returncode}"
        raise SlurmError(f"{command[0]} refused: {message}")
    return done.stdout

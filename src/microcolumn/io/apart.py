"""Readers in a process of their own, where a damaged file may do what it likes.

The HDF5 library is written in C: a flipped byte can make it crash or ask for gigabytes. The process
stays for later files, since starting it takes a second; where it dies, that is one sentence and
the next file gets a new one. It ends with ours, when its input does.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from .claims import size_on_disk
from .failures import BadFileError
from .session import Session

#: Bytes that reading may take beyond the library itself: some, and a multiple of the file's size.
_BYTES, _TIMES_SIZE = 1 << 30, 100

#: Where the process finds this package.
_PATHS = [str(Path(__file__).parents[2])]

_process: subprocess.Popen[bytes] | None = None


def load_apart(name: str, path: Path, options: dict[str, Any]) -> Session:
    """What a file holds, found by the reader ``name`` in a process of its own.

    Parameters
    ----------
    name : str
        One of ``microcolumn.io.READERS``.
    path : Path
        File or folder.
    options : dict
        Keyword arguments of the reader.
    """
    global _process
    if _process is None:
        _process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(_PATHS)},
        )
    try:
        outcome = _ask(_process, (name, path.absolute(), options))
    except BaseException:  # whoever interrupts must not find the old answer the next time
        stop()
        raise
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


@atexit.register
def stop() -> None:
    """End the process, if there is one; the next file starts another."""
    global _process
    if _process is None:
        return
    _process.kill()
    _process.wait()
    for pipe in (_process.stdin, _process.stdout):
        with contextlib.suppress(OSError):
            if pipe is not None:
                pipe.close()
    _process = None


def _ask(process: subprocess.Popen[bytes], question: Any) -> Session | Exception:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        pickle.dump(question, process.stdin)
        process.stdin.flush()
        answer: Session | Exception = pickle.load(process.stdout)
    except (EOFError, BrokenPipeError, pickle.UnpicklingError):
        raise BadFileError(
            "the library that reads it crashed over it; it is damaged: export or copy it again"
        ) from None
    return answer


def _limit_memory(path: Path) -> None:
    """Let reading take what a file of this size may need, where the system can tell and obey."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + _BYTES + _TIMES_SIZE * size_on_disk(path)
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _answer(name: str, path: Path, options: dict[str, Any]) -> Session | Exception:
    from . import READERS, load_here

    with contextlib.suppress(ImportError):  # the library itself is no part of what a file takes
        import_module(str(READERS[name].apart))
    _limit_memory(path)
    try:
        return load_here(name, path, options)
    except (BadFileError, ImportError) as error:
        return error


def _serve(questions: IO[bytes], answers: IO[bytes]) -> None:
    while True:
        try:
            name, path, options = pickle.load(questions)
        except EOFError:
            return
        pickle.dump(_answer(name, path, options), answers, protocol=pickle.HIGHEST_PROTOCOL)
        answers.flush()


if __name__ == "__main__":
    _answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not come between
    _serve(sys.stdin.buffer, _answers)

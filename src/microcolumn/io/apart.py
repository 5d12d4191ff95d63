"""Readers in a process of their own, where a damaged file may do what it likes.

The HDF5 library is written in C: a flipped byte can make it crash, ask for gigabytes or go round in
circles. The process stays for later files, since starting it takes a second. Where it dies, that is
one sentence, and the next file gets a new one. It ends with ours, when its input does.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import subprocess
import sys
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from .claims import size_on_disk
from .failures import BadFileError
from .session import Session

#: Bytes that reading may take beyond the library itself: some, and a multiple of the file's size.
_BYTES, _TIMES_SIZE = 1 << 30, 100
#: Seconds of computing that it may take, and bytes of the file that buy one more.
_SECONDS, _BYTES_PER_SECOND = 15, 10_000_000

#: Where the process finds this package, beside what Python finds by itself.
_PATHS = [str(Path(__file__).parents[2])]
#: Answered once the process is there, so that one which cannot start is no fault of a file.
_READY = "ready"

_process: subprocess.Popen[bytes] | None = None
_one_at_a_time = threading.Lock()


def load_apart(name: str, path: Path, options: dict[str, Any]) -> Session:
    """What a file holds, found by the reader ``name`` in a process of its own.

    Threads wait for each other.

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
    with _one_at_a_time:
        if _process is not None and _process.poll() is not None:
            stop()  # it died between two files, which is no fault of the next
        if _process is None:
            _process = _started()
        try:
            outcome = _ask(_process, (name, path.absolute(), options))
        except BaseException:  # whoever interrupts must not find the old answer the next time
            stop()
            raise
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def _started() -> subprocess.Popen[bytes]:
    searched = [*_PATHS, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    process = subprocess.Popen(
        # -P: a module in the current folder is not to be taken for one of ours.
        [sys.executable, "-P", "-c", f"from {__name__} import serve; serve()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, searched))},
        start_new_session=True,  # an interrupt of other work is none of it
    )
    assert process.stdout is not None
    try:
        pickle.load(process.stdout)
    except EOFError:
        process.communicate()
        raise OSError(
            f"{sys.executable} cannot be started as a second process with this package, which "
            "reading takes; check the installation"
        ) from None
    return process


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


def _after_fork() -> None:
    """A forked process must not listen to the answers that its parent gets."""
    global _process, _one_at_a_time
    _not_ours.append(_process)  # kept, since letting it go would wait for another's child
    _process, _one_at_a_time = None, threading.Lock()


_not_ours: list[subprocess.Popen[bytes] | None] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _ask(process: subprocess.Popen[bytes], question: Any) -> Session | Exception:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        pickle.dump(question, process.stdin)
        process.stdin.flush()
        answer: Session | Exception = pickle.load(process.stdout)
    except (EOFError, BrokenPipeError, pickle.UnpicklingError):
        raise BadFileError(
            "the library that reads it crashed over it or came to no end; it is damaged: export or "
            "copy it again"
        ) from None
    return answer


def _limit(path: Path) -> None:
    """Let reading take what a file of this size may need, where the system can tell and obey."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        size = size_on_disk(path)
        seconds = time.process_time() + _SECONDS + size / _BYTES_PER_SECOND
        _set_limit(resource.RLIMIT_CPU, int(seconds))
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        n_bytes = pages * resource.getpagesize() + _BYTES + _TIMES_SIZE * size
        _set_limit(resource.RLIMIT_AS, n_bytes)


def _set_limit(what: int, limit: int) -> None:
    import resource

    resource.setrlimit(what, (limit, resource.getrlimit(what)[1]))


def _answer(name: str, path: Path, options: dict[str, Any]) -> Session | Exception:
    from . import READERS, load_here

    with contextlib.suppress(ImportError):  # the library itself is no part of what a file takes
        import_module(str(READERS[name].apart))
    _limit(path)
    try:
        return load_here(name, path, options)
    except (BadFileError, ImportError) as error:
        return error


def serve() -> None:
    """Answer questions from the standard input until it ends."""
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not come between
    pickle.dump(_READY, answers)
    answers.flush()
    while True:
        try:
            name, path, options = pickle.load(questions)
        except EOFError:
            return
        pickle.dump(_answer(name, path, options), answers, protocol=pickle.HIGHEST_PROTOCOL)
        answers.flush()

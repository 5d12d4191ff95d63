"""Reading in a worker process with limits on memory and time.

A flipped byte can make a compiled library (HDF5, SciPy's MATLAB reader) crash, ask for gigabytes or
loop without end. In the worker, each of these is one sentence about the file. The worker is kept
for later files, since starting it takes a second, and ends after half a minute without work, with
our process, or when its reading is interrupted or takes too long. loky starts it without importing
``__main__``, so that scripts need no guard.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from multiprocessing import resource_tracker, util
from pathlib import Path
from typing import Any

from joblib.externals import loky

from ..errors import BadFile, BadInput, damaged
from ._containment import check_contained, containing
from ._readers import Reader
from ._session import Session
from .failures import as_bad_file, largest_content, size_on_disk

#: Bytes that reading may take beyond the library itself and two copies of the file's content.
_BYTES = 1 << 30
#: Seconds of processor time that reading may take, and bytes of the file that add one second.
_SECONDS, _BYTES_PER_SECOND = 15, 10_000_000
#: The same of the clock, which also runs while a slow disk or network is waited for.
_WAIT_SECONDS, _WAIT_BYTES_PER_SECOND = 120, 2_000_000
#: Seconds without work after which the worker ends.
_IDLE_SECONDS = 30

_ENVIRONMENT = {
    # A module in the current folder must not be imported in place of a library.
    "PYTHONSAFEPATH": "1",
    # HDF5 loads no filter, which is code, from a folder of plugins.
    "HDF5_PLUGIN_PRELOAD": "::",
    "NUMCODECS_ALLOW_UNSAFE_PICKLE_DECODE": "0",
    # Arrow's own pool reserves a gigabyte of the address space, and glibc 64 MiB for each thread.
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
}

Load = Callable[[Path], Session]


def read_checked(read: Callable[[Path], Any], path: Path, reader: Reader) -> Any:
    """What ``read`` returns of a file or folder; in the worker if its libraries need that.

    ``reader`` says what errors call the format, and which libraries may crash.
    """
    checked = partial(_read_contained, read, reader)
    return load_sandboxed(checked, path, reader.sandboxed) if reader.sandboxed else checked(path)


def _read_contained(read: Callable[[Path], Any], reader: Reader, path: Path) -> Any:
    with as_bad_file(reader.title, reader.extra):
        if not reader.by_file:
            check_contained(path)
        return read(path)


def load_sandboxed(load: Load, path: Path, libraries: Sequence[str]) -> Session:
    """Content of a file or folder, read in the worker process; threads wait for each other.

    ``load`` raises `BadInput` or `ImportError`; ``libraries`` are imported before limits are
    set, if they are installed.
    """
    if multiprocessing.current_process().daemon:  # such a process may not start another
        return load(path)
    return _sandboxes.setdefault(os.getpid(), Sandbox()).read(load, path.absolute(), libraries)


@contextlib.contextmanager
def ctrl_c_held_back() -> Iterator[None]:
    """Start processes that Ctrl-C does not reach; in this one it waits for the end of the block.

    A terminal sends it to all of them, and they would print where it struck them.
    """
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # which would let signals through again when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Sandbox:
    """The worker of this process, started when it is first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # a crash must fail the reading that caused it, no other
        self._executor: Any = None
        self._alive: Any = None  # a pipe that the system closes when our process ends

    def read(self, load: Load, path: Path, libraries: Sequence[str]) -> Session:
        """Content of a file."""
        with self._lock:
            executor = self._ready()
            patience = _WAIT_SECONDS + size_on_disk(path) / _WAIT_BYTES_PER_SECOND
            try:
                reading = executor.submit(_load_limited, load, path, libraries)
                outcome: Session | Exception = reading.result(patience)
            except TimeoutError:
                self.stop()
                problem = f"reading it was given up after {patience:.0f} s"
                remedy = "copy it to a disk of this machine, or export it again"
                raise BadFile(problem, remedy) from None
            except (loky.BrokenProcessPool, MemoryError):  # the latter of sending the content
                self.stop()
                raise damaged("the library that reads it crashed or did not finish") from None
            except BaseException:  # an interrupt: the worker is still reading
                self.stop()
                raise
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def stop(self) -> None:
        """End the worker; the next file starts another."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, kill_workers=True)
        self._executor = None

    def _ready(self) -> Any:
        """The executor, once its worker answers; a worker that died since is replaced."""
        for _ in range(2):
            if self._executor is None:
                watched, self._alive = multiprocessing.Pipe(duplex=False)
                self._executor = loky.ProcessPoolExecutor(
                    max_workers=1,
                    timeout=_IDLE_SECONDS,
                    initializer=_isolate,
                    initargs=(watched,),
                    env=_ENVIRONMENT,
                )
                # A process of multiprocessing waits for its children unless they end before.
                util.Finalize(None, self.stop, exitpriority=1)
            try:
                with ctrl_c_held_back():  # the worker starts here
                    started = self._executor.submit(os.getpid)
                started.result()
                return self._executor
            except loky.BrokenProcessPool:
                self.stop()
        problem = f"{sys.executable} cannot be started as a second process, which reading needs"
        raise OSError(f"{problem}; check the installation")


#: Sandboxes by process id: a forked process must not use that of its parent.
_sandboxes: dict[int, Sandbox] = {}


def _isolate(watched: Any) -> None:
    """Leave our process group, so that Ctrl-C does not reach the worker, and discard its output.

    The worker ends when the other end of ``watched`` is closed, even within a library's code.
    """
    global _watched
    _watched = watched  # a pipe that nobody holds would be closed here
    if hasattr(os, "setsid"):
        os.setsid()
    with contextlib.suppress(ImportError, AttributeError, OSError):  # not every system can
        import fcntl

        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(watched.fileno(), fcntl.F_SETOWN, os.getpid())
        flags = fcntl.fcntl(watched.fileno(), fcntl.F_GETFL)
        fcntl.fcntl(watched.fileno(), fcntl.F_SETFL, flags | os.O_ASYNC)
        if watched.poll():  # it was closed before
            os._exit(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)


_watched: Any = None


def _load_limited(load: Load, path: Path, libraries: Sequence[str]) -> Session | Exception:
    """Read a file in the worker; a returned exception carries no second traceback."""
    for library in libraries:
        with contextlib.suppress(ImportError):
            import_module(library)
    _limit(path)
    try:
        with containing(path):
            return load(path)
    except (BadInput, ImportError) as error:
        return error


def _limit(path: Path) -> None:
    """Limit memory and processor time to what reading a file or folder may need."""
    with contextlib.suppress(ImportError, OSError, ValueError):  # not every system can
        import resource

        def limit(what: int, value: float) -> None:
            resource.setrlimit(what, (int(value), resource.getrlimit(what)[1]))

        seconds = _SECONDS + size_on_disk(path) / _BYTES_PER_SECOND
        limit(resource.RLIMIT_CPU, time.process_time() + seconds)
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        n_bytes = pages * resource.getpagesize() + _BYTES + 2 * largest_content(path)
        limit(resource.RLIMIT_AS, n_bytes)

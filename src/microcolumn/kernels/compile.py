"""How kernels are compiled: the decorators, the checked mode and the cache on disk.

``@kernel`` marks what Python calls, ``@subroutine`` what only kernels call. Both are Numba's
``njit``. Numba's own cache notices changes of the file that a kernel stands in. This one also
notices changes of every module that the kernel's file imports relatively, and of two processes
that meet the same new kernel one compiles it while the other waits.
"""

import contextlib
import functools
import hashlib
import inspect
import os
import re
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

from numba import config, njit
from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache

if config.DISABLE_JIT:  # type: ignore[attr-defined]  # made when Numba is loaded
    raise ImportError(
        "NUMBA_DISABLE_JIT is set, but the kernels of microcolumn cannot run without being "
        "compiled; unset it (MICROCOLUMN_CHECK=1 checks every index of a kernel)"
    )

#: Seconds after which a kernel that another process compiles is compiled here, too.
_LONGEST_WAIT = 300.0
#: Whether every load and store compares its index with the array: ``MICROCOLUMN_CHECK=1``.
CHECKED = os.environ.get("MICROCOLUMN_CHECK", "0") not in ("", "0")


_announcements: list[Callable[[], None]] = []


@contextlib.contextmanager
def announced(tell):
    """Call ``tell`` before the first kernel that has to be compiled within, if any has to."""
    _announcements.append(tell)
    try:
        yield
    finally:
        _announcements.clear()


def kernel(function=None, **options):
    """Compile a function that Python calls, and keep the result on disk."""
    if function is None:
        return functools.partial(kernel, **options)
    dispatcher = njit(function, **_checked(options))
    dispatcher._cache = cache = _cache_of(function)
    if isinstance(cache, _Cache):
        dispatcher.compile = cache.unlock_after(dispatcher.compile)
    return dispatcher


def subroutine(function=None, **options):
    """Compile a function as a part of the kernels that call it; Python cannot call it.

    With ``forceinline=True`` LLVM puts it into its callers. Numba's ``inline="always"`` does that
    before types are known, and again for each caller, which takes twice as long to compile.
    """
    return njit(function, **_checked(options), no_cpython_wrapper=True, no_cfunc_wrapper=True)


def _checked(options):
    if CHECKED:  # in one thread, since threads cannot raise
        return {**options, "parallel": False, "boundscheck": True}
    return options


def _cache_of(function):
    try:
        return _Cache(function)
    except RuntimeError:  # neither the package's nor the user's folder can be written
        # Processes that we start find it, too, and compile nothing again.
        config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"] = _scratch()
    try:
        return _Cache(function)
    except RuntimeError:
        return NullCache()


@functools.cache
def _scratch():
    """A folder for compiled kernels that goes when the process ends, or nothing."""
    warnings.warn(
        "compiled kernels cannot be kept on disk, so that every start compiles them again, which "
        "takes a minute; set NUMBA_CACHE_DIR to a folder that can be written",
        stacklevel=2,
    )
    try:
        _scratch.folder = tempfile.TemporaryDirectory(prefix="microcolumn-kernels-")
    except OSError:
        return ""
    return _scratch.folder.name


class _Cache(FunctionCache):
    """Numba's cache, with all sources of a kernel in its key and a file name for each mode.

    Numba gives each installation a folder of its own below ``NUMBA_CACHE_DIR``. Here all share it,
    so that what one has compiled serves the others; hashes in names keep versions apart.
    """

    def __init__(self, function):
        super().__init__(function)
        digest = _digest(Path(inspect.getfile(function)))
        name = self._impl.filename_base + (".checked" if CHECKED else "")
        if config.CACHE_DIR and self._cache_path.startswith(config.CACHE_DIR):  # can be written
            self._impl.locator._cache_path = self._cache_path = config.CACHE_DIR
            name += f".{digest[:16]}"
        self._cache_file = IndexDataCacheFile(
            cache_path=self._cache_path, filename_base=name, source_stamp=digest
        )
        self._lock_path, self._lock = os.path.join(self._cache_path, f"{name}.lock"), None

    def load_overload(self, signature, target_context):
        """The compiled kernel, or None: then this process holds the lock, and must compile it."""
        overload = super().load_overload(signature, target_context)
        if overload is None:
            self._wait()
            overload = super().load_overload(signature, target_context)
        return overload

    def _wait(self):
        """Wait until no other process compiles this kernel."""
        from filelock import FileLock, Timeout  # only where something is compiled

        while _announcements:
            _announcements.pop()()
        # Without a lock two processes compile the same, which costs time alone: where files cannot
        # be written, where the file system has no locks (filelock raises NotImplementedError), or
        # where the process that holds the lock hangs.
        with contextlib.suppress(OSError, NotImplementedError, Timeout):
            self._impl.locator.ensure_cache_path()
            lock = FileLock(self._lock_path, timeout=_LONGEST_WAIT)
            lock.acquire()
            self._lock = lock

    def unlock_after(self, compile_kernel):
        """The same function, which lets other processes go on however it ends."""

        @functools.wraps(compile_kernel)
        def compile_and_unlock(signature):
            try:
                return compile_kernel(signature)
            finally:
                if self._lock is not None:
                    self._lock.release()
                    self._lock = None

        return compile_and_unlock


@functools.cache
def _digest(path):
    """Hash of a file and of the modules that it imports."""
    sources = set()
    _add_imports(path.resolve(), sources)
    digest = hashlib.sha256()
    for source in sorted(sources):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _add_imports(path, sources):
    if path in sources or not path.is_file():
        return
    sources.add(path)
    for dots, name in re.findall(r"^from (\.+)([\w.]*) import", path.read_text("utf-8"), re.M):
        _add_imports(path.parents[len(dots) - 1] / (name.replace(".", "/") + ".py"), sources)

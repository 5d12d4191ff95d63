"""Files that are written completely or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path
from secrets import token_hex
from typing import IO

#: What a system says where a disk, a quota or the largest allowed file is full.
_FULL = (ENOSPC, EDQUOT, EFBIG)


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file that appears under its name when it is complete; opened before any long work.

    What was there before is replaced then, and stays as it was if anything goes wrong.
    """
    target = Path(path)
    if target.exists() and not target.is_file():
        raise OSError(f"cannot write {target}: it is no plain file; choose another place")
    # Not the process number alone: machines that share a folder count their processes apart.
    scratch = target.with_name(f".{target.name}.{os.getpid()}-{token_hex(4)}.partial")
    try:
        file = scratch.open("wb")
    except OSError as error:
        raise OSError(f"cannot write {target}: {error.strerror}; choose another place") from None
    try:
        with file:
            yield file
            # A machine that dies next must not leave the name on an empty file.
            file.flush()
            os.fsync(file.fileno())
        scratch.replace(target)
    except OSError as error:
        if error.errno not in _FULL:
            raise
        reason = f"{error.strerror}; free some space, or choose another place"
        raise OSError(f"cannot write {target}: {reason}") from None
    finally:
        scratch.unlink(missing_ok=True)

"""Processes that tests start, interrupt and kill."""

import subprocess
import sys
from contextlib import contextmanager


@contextmanager
def python(*arguments, **options):
    """A process of Python; whatever the block does, none is left behind it and no pipe open."""
    with subprocess.Popen([sys.executable, *arguments], **options) as process:
        try:
            yield process
        finally:
            process.kill()

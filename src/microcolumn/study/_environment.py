"""Where numbers were computed: the versions and the machine that a study keeps beside them."""

import os
import platform
from contextlib import suppress
from functools import cache
from importlib.metadata import version

from .. import __version__

#: Libraries that numbers pass through.
_LIBRARIES = ("numpy", "scipy", "numba", "llvmlite", "scikit-learn", "joblib")


@cache
def environment() -> dict[str, str]:
    """Versions and machine of this process, by name."""
    return {
        "microcolumn": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in _LIBRARIES},
        "system": platform.platform(),
        "machine": _processor(),
        "cores": str(os.cpu_count()),
    }


def _processor() -> str:
    """Name of the processor, from a file on Linux and from Python on other systems."""
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()

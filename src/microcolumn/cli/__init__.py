"""The command line: thin commands over the API. Numerical libraries load when a command runs."""

import atexit
import gc
import sys
import warnings
from importlib import import_module

import typer

from .. import __version__
from .commands import app as app
from .output import say, warn

for _name in ("demo", "recordings", "models", "conditions", "studies", "clusters", "pages"):
    import_module(f".{_name}", __name__)

_TRACKED = "ignore:resource_tracker:UserWarning"


def _print_version(asked: bool) -> None:
    if asked:
        say(f"microcolumn {__version__}")
        raise typer.Exit


@app.callback(epilog="Example: microcolumn info session.nwb --depth-reference surface")
def main(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Models of spike words: fitted, normalised and compared in bits per second."""
    # What joblib and Python's tracker of semaphores warn of after Ctrl-C is of no use to anyone.
    warnings.filterwarnings("ignore", r"\d+ tasks have been successfully executed", UserWarning)
    warnings.showwarning = warn
    if _TRACKED not in sys.warnoptions:  # the tracker is a process that inherits these
        sys.warnoptions.append(_TRACKED)
    # Python would look for garbage among all that was imported before it gives everything back.
    atexit.register(gc.freeze)

"""Output of commands: text, tables, JSON, and files that are written completely or not at all."""

import csv
import os
import shlex
import sys
import warnings
import webbrowser
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from io import TextIOWrapper
from pathlib import Path
from shutil import get_terminal_size
from subprocess import run
from typing import IO, Any

import typer

from ..atomic import atomic_write
from ..safe_text import csv_cell, printable, shortened

JSON = typer.Option(
    False, "--json", help="Print the result as JSON, and nothing else, on standard output."
)
#: Columns of a terminal, at least.
_NARROWEST = 40
#: Kernels that every fit needs, for :func:`say_started`.
OF_FITS = "quasi_newton"
OPEN = typer.Option(False, "--open", help="Open the page in the browser.")


def say(text: Any, *, err: bool = False) -> None:
    """Print a text, as commands alone do; what a terminal would obey is shown, not sent."""
    typer.echo(printable(str(text)), err=err)


def say_started(kernels: str = "*") -> None:
    """Say in a terminal that a command has begun, and if ``kernels`` are to be compiled first."""
    if not sys.stderr.isatty():
        return
    own = Path(__file__).parents[1] / "kernels" / "cpu" / "__pycache__"
    kept = Path(os.environ.get("NUMBA_CACHE_DIR") or own)
    # A folder that cannot be written holds no kernels; Numba keeps them elsewhere.
    first = os.access(own.parent, os.W_OK) and not any(kept.glob(f"{kernels}.*nbi"))
    once = "starting: compiling the kernels, once; this takes a minute ..."
    say(once if first else "starting ...", err=True)


def own_command() -> str:
    """The command that runs, as it may be typed again."""
    return shlex.join(["microcolumn", *sys.argv[1:]])


def terminal_columns(*, err: bool = False) -> int | None:
    """Columns of the terminal that is printed to; None where there is none."""
    in_terminal = (sys.stderr if err else sys.stdout).isatty()
    return max(_NARROWEST, get_terminal_size().columns) if in_terminal else None


def say_lines(lines: Iterable[tuple[str, str]], *, paged: bool = False) -> None:
    """Print lines with their styles, which only a terminal shows that has them.

    Those that are ``paged`` go through the pager if they are more than a terminal has.
    """
    from rich.console import Console  # loaded by what prints results alone
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    with console.capture() as shown:
        for text, style in lines:
            console.print(Text(printable(text), style))
    text, is_long = shown.get(), shown.get().count("\n") >= console.height
    if not (paged and is_long and sys.stdout.isatty() and _through_pager(text)):
        typer.echo(text, nl=False, color=True)


def _through_pager(text: str) -> bool:
    """Show a text in the user's pager, as git does; False where there is none."""
    pager = shlex.split(os.environ.get("PAGER", "less"))
    with suppress(OSError):
        # less shows styles, leaves the text on the screen, and ends by itself if it is short.
        run(pager, input=text.encode(), env={"LESS": "FRX"} | os.environ, check=False)
        return True
    return False


def complain(sentence: str) -> None:
    """Print a sentence about a problem on standard error."""
    say(shortened(printable(f"microcolumn: {sentence}")), err=True)


def warn(message: Warning | str, *_where: object, **_more: object) -> None:
    """Print a warning as a sentence, without its code and what libraries add in further lines."""
    sentence, _, _ = str(message).partition("\n")
    complain(f"warning: {sentence}")


def print_json(result: Any) -> None:
    """Print a result for programs; numbers that JSON does not have become null."""
    from json import dumps

    from ..study.codec import plain

    say(dumps(plain(result), indent=2, allow_nan=False, default=str))


def show(json: bool, result: Any, text: Any) -> None:
    """Print a result for programs, or else as text."""
    if json:
        print_json(result)
    else:
        say(text)


def print_table(
    rows: Iterable[Sequence[str]], header: Sequence[str] = (), *, err: bool = False
) -> None:
    """Print rows in columns, the first one aligned to the left; numbers to the right, if named."""
    from ..formatting import text_table

    lines = list(map(list, rows))
    names = header or ("",) * len(lines[0])
    say(text_table(names, lines, left=names[:1], width=terminal_columns(err=err)), err=err)


def show_page(file: Path, open_page: bool, *, quiet: bool = False) -> None:
    """Say where a page is, unless the output is JSON, and open it if asked."""
    if not quiet:
        say(f"page: {file}")
    if open_page and not webbrowser.open(file.resolve().as_uri()):
        say(f"no browser was found; open {file} in one", err=True)


def destination(path: Path | None) -> AbstractContextManager[IO[bytes]]:
    """Standard output, or a file that is written completely or not at all."""
    return nullcontext(typer.get_binary_stream("stdout")) if path is None else atomic_write(path)


def make_folder(path: Path) -> None:
    """Make a folder and those it lies in, if they are not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OSError(f"cannot write to {path}: {error.strerror}; choose another place") from None


def write_csv(stream: IO[bytes], rows: Iterable[Sequence[Any]]) -> None:
    """Write rows as comma-separated values."""
    text = TextIOWrapper(stream, encoding="utf-8", newline="")
    csv.writer(text, lineterminator="\n").writerows(list(map(csv_cell, row)) for row in rows)
    text.detach()  # flushes, and leaves standard output open


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Print each warning of the API once, as a plain line on standard error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for sentence in dict.fromkeys(str(each.message) for each in caught):
        warn(sentence)

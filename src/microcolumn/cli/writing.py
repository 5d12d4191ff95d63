"""Output of commands: to standard output, or to a file that is written whole or not at all."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any

import typer

from ..atomic import atomic_write


@contextmanager
def output(path: Path | None) -> Iterator[IO[bytes]]:
    """Standard output, or a file that is written whole or not at all."""
    if path is None:
        yield typer.get_binary_stream("stdout")
    else:
        with atomic_write(path) as file:
            yield file


def made_folder(path: Path) -> None:
    """Make a folder and those it lies in, if they are not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OSError(f"cannot write to {path}: {error.strerror}; choose another place") from None


def write_csv(stream: IO[bytes], rows: Iterable[Sequence[Any]]) -> None:
    """Write rows as comma-separated values."""
    text = TextIOWrapper(stream, encoding="utf-8", newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    text.detach()  # flushed, and not closed with the wrapper: standard output is not ours

"""Make the pictures of the gallery: ``python docs/gallery.py`` runs the code of ``gallery.md``.

Each block of code continues from those above it; its last line draws, and the picture named below
the block is made of what that line returns.
"""

from __future__ import annotations

import ast
import re
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from PIL import Image
from PIL.PngImagePlugin import PngInfo

DOCS = Path(__file__).parent
PAGE = DOCS / "gallery.md"
#: Pixels per inch: two for each of a screen, on which an inch has 96.
DPI = 192


class Block(NamedTuple):
    """A block of code of the page."""

    code: str
    picture: str  # its path; empty where the block only prepares others


def blocks(page: str) -> list[Block]:
    """Code of the page, block by block."""
    block = r"^```python\n(.*?)^```$(?:\n\n<img src=\"([^\"]+)\")?"
    return [Block(*found) for found in re.findall(block, page, flags=re.DOTALL | re.MULTILINE)]


def sources(page: str) -> dict[str, str]:
    """What each picture is made by: the blocks without a picture before it, and its own."""
    found, prepared = {}, ""
    for code, picture in blocks(page):
        if picture:
            found[picture] = prepared + code
        else:
            prepared += code
    return found


def drawn(page: str) -> Iterator[tuple[str, Figure]]:
    """Run the code of the page; the path of each picture, and what it is a picture of."""
    names: dict[str, Any] = {}
    for code, picture in blocks(page):
        shown = _run(code, names)
        if picture:
            yield picture, shown if isinstance(shown, Figure) else shown.figure
        plt.close("all")


def _run(code: str, names: dict[str, Any]) -> Any:
    """Run a block of code as a notebook does; the value of its last line."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, PAGE.name, "exec"), names)
    return last and eval(compile(ast.Expression(last.value), PAGE.name, "eval"), names)


def save(figure: Figure, path: Path, source: str) -> None:
    """Save a figure with its code as PNG of 256 colours: as good, and a third of the size."""
    file = BytesIO()
    figure.savefig(file, dpi=DPI)
    picture = Image.open(file).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    about = PngInfo()
    about.add_itxt("Source", source, zip=True)
    picture.save(path, optimize=True, pnginfo=about)


def main() -> None:
    """Run the page in an empty folder and save its pictures."""
    mpl.use("agg")
    page = PAGE.read_text()
    (DOCS / "gallery").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for path, figure in drawn(page):
            save(figure, DOCS / path, sources(page)[path])
            print(f"{path}, width {figure.get_figwidth() * DPI / 2:.0f}")


if __name__ == "__main__":
    main()

"""Captions of all figures; ``python tests/figures/test_captions.py`` writes them to a file."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import planted_study

from microcolumn.figures import FIGURES, draw_all
from microcolumn.study import Results

FILE = Path(__file__).parent / "captions.txt"


def captions(results):
    """Of the first words that each figure shows, and of the longest of several bins."""
    for request, figure in draw_all(results, figures=list(FIGURES), progress=False):
        yield f"{request.name}: {getattr(figure, 'caption', figure)}"
        if request.name in ("annealing", "moments", "parameters", "penalties", "ranking"):
            of_windows = request.draw(results, experiment="spatiotemporal")
            yield f"{request.name} of windows: {of_windows.caption}"


def test_captions_say_what_they_said(planted_results):
    assert "\n".join(captions(planted_results)) == FILE.read_text(encoding="utf-8")


if __name__ == "__main__":
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        results = Results(planted_study.write(Path(folder) / "study.db"))
        FILE.write_text("\n".join(captions(results)), encoding="utf-8")

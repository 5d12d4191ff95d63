"""The gallery has every plot and figure, its code runs, and its pictures are those it names."""

import importlib.util
import re
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from PIL import Image

import microcolumn as mc

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "gallery.md").read_text()
#: What pictures may weigh together, bytes.
MOST = 1_500_000


@pytest.fixture(scope="module")
def gallery():
    """The module that runs the page."""
    spec = importlib.util.spec_from_file_location("gallery", DOCS / "gallery.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pictures():
    return re.findall(r'<img src="([^"]+)" width="(\d+)" alt="([^"]+)">', PAGE)


def test_it_has_every_plot_and_every_figure():
    for name in mc.plot.__all__:
        assert f"**{name}**" in PAGE, name
        assert f"mc.plot.{name}(" in PAGE, name
    for name in mc.figures.__all__:
        assert re.search(rf"(mc\.figures\.|`|\*\*){name}\b", PAGE), name
    for name in mc.figures.FIGURES:
        assert f"**figures.{name}**" in PAGE, name
        assert f"mc.figures.{name}(results)" in PAGE, name


def test_every_block_runs_and_draws_what_its_picture_shows(
    gallery, planted_results, tmp_path, monkeypatch
):
    """On a smaller recording and a study that is there already."""
    pytest.importorskip("elephant")  # for the current source density
    small = mc.simulate.microcolumn(n_units=13, minutes=2.0, seed=0)
    monkeypatch.setattr(mc.simulate, "microcolumn", lambda **settings: small)
    monkeypatch.setattr(mc.study, "run", lambda plan, store: planted_results)
    monkeypatch.chdir(tmp_path)
    page = PAGE.replace("start_s=393.44", "start_s=5.0")
    assert len(gallery.blocks(page)) == PAGE.count("```python")
    shown = dict(gallery.drawn(page))
    assert list(shown) == [path for path, _, _ in pictures()]
    assert all(isinstance(figure, Figure) for figure in shown.values())
    assert {path.name for path in tmp_path.iterdir()} == {"ranking.pdf", "annealing.pdf"}


def test_each_picture_was_made_by_the_code_above_it(gallery):
    sources = gallery.sources(PAGE)
    for path, _, _ in pictures():
        with Image.open(DOCS / path) as picture:
            assert picture.text["Source"] == sources[path], f"run docs/gallery.py: {path} is old"


def test_there_are_no_other_pictures_and_they_are_small():
    files = sorted((DOCS / "gallery").iterdir())
    assert files == sorted(DOCS / path for path, _, _ in pictures())
    assert sum(file.stat().st_size for file in files) < MOST

"""The gallery has every plot and figure, its code runs, and its pictures are those it names."""

import importlib.util
import re
from itertools import chain
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
    small = mc.simulate.microcolumn(n_units=13, minutes=0.7, seed=0)
    monkeypatch.setattr(mc.simulate, "microcolumn", lambda **settings: small)
    monkeypatch.setattr(mc.study, "run", lambda plan, store: planted_results)
    monkeypatch.chdir(tmp_path)
    page = PAGE.replace("start_s=393.44", "start_s=5.0")
    assert len(gallery.blocks(page)) == PAGE.count("```python")
    shown = dict(gallery.drawn(page))
    assert list(shown) == [path for path, _, _ in pictures()]
    assert all(isinstance(figure, Figure) for figure in shown.values())
    assert {path.name for path in tmp_path.iterdir()} == {"likelihood.pdf", "annealing.pdf"}


def test_each_picture_is_crisp_on_a_screen_with_two_pixels_for_one():
    for path, width, _ in pictures():
        with Image.open(DOCS / path) as picture:
            assert abs(picture.width - 2 * int(width)) <= 2, path


def test_each_picture_was_made_by_the_code_above_it(gallery):
    sources = gallery.sources(PAGE)
    for path, _, _ in pictures():
        with Image.open(DOCS / path) as picture:
            assert picture.text["Source"] == sources[path], f"run docs/gallery.py: {path} is old"


def test_there_are_no_other_pictures_and_they_are_small():
    files = sorted((DOCS / "gallery").iterdir())
    assert files == sorted(DOCS / path for path, _, _ in pictures())
    assert sum(file.stat().st_size for file in files) < MOST


def test_questions_are_those_of_the_list_at_the_top():
    listed = re.findall(r"^\d+\. \[(.+)\]\(#(.+)\)$", PAGE, flags=re.MULTILINE)
    asked = re.findall(r"^## (.+)$", PAGE, flags=re.MULTILINE)
    assert [question for question, _ in listed] == asked
    for question, anchor in listed:
        assert anchor == re.sub(r"[^a-z ]", "", question.lower()).replace(" ", "-")


def test_help_lists_the_plots_under_the_same_questions():
    """The docstring of `mc.plot` is what `help` begins with."""
    _, *sections = re.split(r"^## (.+)$", PAGE, flags=re.MULTILINE)
    shown = {
        question: re.findall(r"^\*\*(\w+)\*\*:", text, flags=re.MULTILINE)
        for question, text in zip(sections[::2], sections[1::2], strict=True)
    }
    listed = re.findall(r"^(\w.+\?)\n((?:    .+\n)+)", mc.plot.__doc__, flags=re.MULTILINE)
    told = {question: re.findall(r"``(\w+)``", names) for question, names in listed}
    assert told == {question: names for question, names in shown.items() if names}
    assert sorted(chain(*told.values())) == sorted(mc.plot.__all__)

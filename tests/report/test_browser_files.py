"""Ways out of the page: figures as SVG, PNG and CSV, tables as CSV, code and citation."""

import io
import re

import pandas as pd
import pytest
from browser import PHONE
from figured_page import HEIGHT, HOSTILE, WIDTH, saved
from matplotlib import pyplot as plt

pytestmark = pytest.mark.integration

#: The figure for all recordings is the first; the second is of one recording.
FIGURE = "Figure-1-ranking"


def table_of(content):
    """A CSV file as pandas reads it, text as it stands there."""
    return pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)


def test_a_saved_svg_stands_alone(browser, page, tmp_path):
    """Opened by itself, also by night, it is the figure on white paper."""
    file = tmp_path / "figure.svg"
    file.write_bytes(saved(page, "SVG of Figure 1")[1])
    with browser.new_context(color_scheme="dark") as context:
        alone = context.new_page()
        alone.goto(file.as_uri())
        pixels = plt.imread(io.BytesIO(alone.screenshot()))[..., :3]
    shown = pixels[: HEIGHT * 4 // 3, : WIDTH * 4 // 3]
    assert (shown[2, 2] == 1).all()
    assert shown.min() < 0.2
    assert (abs(shown - [0, 0x72 / 255, 0xB2 / 255]).max(axis=-1) < 0.02).any()  # a point


@pytest.mark.parametrize(("scheme", "window"), [("light", None), ("dark", None), ("light", PHONE)])
def test_a_figure_is_saved_as_png_for_print(page, scheme, window):
    page.emulate_media(color_scheme=scheme)
    if window:
        page.set_viewport_size(window)
    name, content = saved(page, "PNG of Figure 1")
    pixels = plt.imread(io.BytesIO(content))
    assert name == f"{FIGURE}.png"
    assert pixels.shape[:2] == (HEIGHT * 300 // 72, WIDTH * 300 // 72)
    assert (pixels[5, 5, :3] == 1).all()
    assert (pixels[..., :3].min(axis=-1) > 0.9).mean() > 0.6  # most of it is paper
    assert pixels[..., :3].min() < 0.2


def test_points_of_a_figure_are_saved_as_csv(page):
    name, content = saved(page, "CSV of Figure 1")
    found = table_of(content)
    assert name == f"{FIGURE}.csv"
    assert list(found) == ["unit", "rate (Hz)", "gain", "model", "bits/s"]
    assert list(found.iloc[1]) == [HOSTILE, "2", "-0.25", "", ""]
    assert list(found.iloc[-1]) == ["", "", "", "RBM 10", "12"]
    assert len(found) == 5


@pytest.mark.parametrize(
    ("title", "of", "column", "names"),
    [
        ("Assemblies, RBM 5", "cells-instantaneous", "bits/s lost", ["", " ±"]),
        ("Assemblies, RBM 12", "cells-spatiotemporal", "bits/s lost", ["", " ±"]),
    ],
)
def test_a_table_is_saved_with_errors_in_columns_of_their_own(page, title, of, column, names):
    name, content = saved(page, f"CSV of the table: {title}")
    found = table_of(content)
    assert name.startswith(re.sub(r"\W+", "-", title))
    assert of in name
    shown = page.locator(".table", has_text=title).first
    header = [each.strip() for each in shown.locator("thead th").all_inner_texts()]
    [place] = [k for k, each in enumerate(header) if each.split("\u00a0")[0] == column]
    texts = shown.locator("tbody tr").evaluate_all(
        "(rows, k) => rows.map((row) => row.cells[k].innerText)", place
    )
    saved_there = found[[column + each for each in names]].to_numpy().tolist()
    assert saved_there == [["" if n == "-" else n for n in text.split(" ± ")] for text in texts]
    assert "\u00b7" not in content.decode()  # powers of ten as a spreadsheet reads them

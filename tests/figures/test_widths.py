"""Every figure fits the widths of journals: nothing is cut off, and no two numbers overlap."""

from itertools import pairwise

import pytest

from microcolumn.figures import FIGURES, preset


def named(figure):
    """Labels of x axes by axes, from left to right, as far as they are seen."""
    for ax in figure.axes:
        low, high = sorted(ax.get_xlim())
        ticks = [
            tick.label1
            for tick in ax.xaxis.get_major_ticks()
            if low <= tick.get_loc() <= high and tick.label1.get_text()
        ]
        if ax.axison and not any(label.get_rotation() for label in ticks):
            yield sorted((label.get_window_extent() for label in ticks), key=lambda box: box.x0)


@pytest.mark.parametrize("width", ["single", 134.0, "double"])
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_fits_its_width(name, width, request):
    results = request.getfixturevalue("of_three" if name == "forest" else "planted_results")
    with preset(width):
        figure = FIGURES[name].draw(results)
    figure.draw_without_rendering()
    box, (inches, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert -0.02 <= box.x0 < box.x1 <= inches + 0.02
    assert -0.02 <= box.y0 < box.y1 <= height + 0.02
    assert height <= 9.5  # of a page
    assert min(text.get_size() for text in figure.findobj(match=is_text)) >= 5.5
    for boxes in named(figure):
        assert all(left.x1 <= right.x0 + 1.0 for left, right in pairwise(boxes))


def is_text(artist):
    return hasattr(artist, "get_fontsize") and bool(artist.get_text())

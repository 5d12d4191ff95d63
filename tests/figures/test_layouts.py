"""Figures are the same with and without the shortcuts through matplotlib."""

import re
from contextlib import nullcontext
from io import StringIO

import numpy as np
import pytest
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import ScalarFormatter

from microcolumn import figures
from microcolumn.figures import _captioned
from microcolumn.figures._captioned import captioned, svg_element
from microcolumn.figures._geometry import panels_of
from microcolumn.figures._layouts import layouts_kept

METHODS = [
    (Text, "_get_layout"),
    (Axis, "_get_tick"),
    (Axis, "_copy_tick_props"),
]


def methods():
    return [vars(of)[name] for of, name in METHODS]


def logarithmic(figure):
    left, right = figure.subplots(1, 2)
    left.loglog([1e-5, 1.0], [1e-3, 10.0], label="$x^2$")
    left.set(xlabel="x", ylabel="$\\log_2 Z$", title="decades")
    left.legend()
    right.semilogy([1, 2, 3], [1e-4, 1.0, 1e3])
    right.set_xticks([1, 2, 3], ["one", "two\nlines", "three"], rotation=45)
    right.set_xticks([1.5, 2.5], ["", "a minor one"], minor=True, fontsize=5)


def shared(figure):
    for ax in figure.subplots(1, 2, sharex=True, sharey=True, width_ratios=[5, 1]):
        ax.plot([1e6, 1e6 + 0.5], [0.0, 3e-5])
        ax.set_title("offsets")
    figure.supxlabel("time")


def inside_and_beside(figure):
    ax = figure.subplots()
    image = ax.imshow(np.arange(12.0).reshape(3, 4))
    figure.colorbar(image, ax=ax, label="nats", extend="both")
    ax.inset_axes([0.6, 0.6, 0.3, 0.3]).plot([0, 1])
    above = ax.secondary_xaxis("top", functions=(lambda x: 10 * x, lambda x: x / 10))
    above.set_xlabel("ten times")
    twin = ax.twinx()
    twin.set(ylim=(0, 1), ylabel="twin")
    ax.tick_params(axis="y", direction="inout", length=6, pad=8)


def aligned(figure):
    for row, ax in enumerate(figure.subplots(2, 1)):
        ax.plot([0, 10 ** (4 * row)])
        ax.set(ylabel="label", xlabel="x")
    figure.align_labels()


def parts(figure):
    left, right = figure.subfigures(1, 2)
    left.subplots(2, 1, sharex=True)[0].set_title("left")
    ax = right.subplots()
    ax.bar(["a", "b"], [1, 2], label="bars")
    ax.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center")


DRAWINGS = [logarithmic, shared, inside_and_beside, aligned, parts]


def assert_alike(element, other):
    """The same element, whose last digits may differ when a figure is laid out again."""
    number = r"-?\d+\.\d+"
    assert re.sub(number, "#", element) == re.sub(number, "#", other)
    first, second = (np.array(re.findall(number, each), dtype=float) for each in (element, other))
    np.testing.assert_allclose(first, second, rtol=0, atol=2e-6)


def without(monkeypatch):
    monkeypatch.setattr(_captioned, "layouts_kept", nullcontext)


@pytest.mark.parametrize("draw", DRAWINGS)
def test_a_figure_is_the_same_without_shortcuts(draw, monkeypatch):
    def drawn():
        with captioned("", "Title", (5.0, 2.5)) as figure:
            draw(figure)
        return figure.svg("p")

    quick = drawn()
    without(monkeypatch)
    assert_alike(quick, drawn())


@pytest.mark.parametrize("name", ["data", "parameters", "patterns", "assemblies"])
def test_figures_of_a_study_are_the_same_without_shortcuts(name, planted_results, monkeypatch):
    draw = getattr(figures, name)
    quick = draw(planted_results).svg("p")
    without(monkeypatch)
    assert_alike(quick, draw(planted_results).svg("p"))


@pytest.mark.parametrize("projection", ["polar", "3d"])
def test_axes_that_are_not_straight_are_drawn_as_ever(projection, monkeypatch):
    def drawn():
        figure = Figure((3.0, 2.0), layout="constrained")
        ax = figure.add_subplot(projection=projection)
        ax.plot([0.0, 1.0, 2.0], [1.0, 2.0, 4.0])
        ax.set_title("not straight")
        return svg_element(figure, "", "p")

    quick = drawn()
    without(monkeypatch)
    assert_alike(quick, drawn())


@pytest.mark.parametrize("draw", DRAWINGS)
def test_panels_are_the_same_in_the_block_of_the_drawing_and_after_it(draw):
    with captioned("", "Title", (5.0, 2.5)) as figure:
        draw(figure)
    with figure.style(), layouts_kept():
        figure.svg("p")
        inside = panels_of(figure)
    with figure.style():
        assert panels_of(figure) == inside


def test_axes_that_are_changed_between_two_blocks_are_measured_anew():
    with captioned("", "Title", (3.0, 2.0)) as figure:
        ax = figure.subplots()
    figure.svg("p")
    before = ax.get_position().x0
    ax.set_ylabel("a label\nof two lines")
    figure.svg("p")
    assert ax.get_position().x0 > before + 0.05


def test_labels_of_copied_ticks_are_set_one_by_one():
    with layouts_kept():
        ax = Figure().subplots()
        ax.set_xticks([0, 1, 2], ["a", "b", "c"])
    first, second, third = ax.get_xticklabels()
    second.set_size(20)
    assert [each.get_text() for each in (first, second, third)] == ["a", "b", "c"]
    assert first.get_size() == third.get_size() != second.get_size() == 20
    assert [tick.get_loc() for tick in ax.xaxis.get_major_ticks()] == [0, 1, 2]
    assert [tick.tick1line.get_xdata()[0] for tick in ax.xaxis.get_major_ticks()] == [0, 1, 2]


def test_axes_with_a_formatter_in_common_have_offsets_of_their_own():
    formatter = ScalarFormatter()
    first, second = Figure().subplots(1, 2)
    for ax, start in ((first, 1e6), (second, 2e8)):
        ax.set_xlim(start, start + 1.0)
        ax.xaxis.set_major_formatter(formatter)

    def offset(ax):
        ax.xaxis._update_ticks()
        return formatter.get_offset()

    with layouts_kept():
        offsets = [offset(ax) for ax in (first, second, first)]
    assert offsets == ["", "+2e8", ""]  # none, for the formatter has the limits of the last axes


def test_matplotlib_is_as_before_after_a_block_and_a_failure():
    before = methods()
    with layouts_kept():
        inside = methods()
        assert not any(now is then for now, then in zip(inside, before, strict=True))
        with layouts_kept():
            assert methods() == inside
        assert methods() == inside
    assert methods() == before
    with pytest.raises(ZeroDivisionError), layouts_kept():
        raise ZeroDivisionError
    assert methods() == before


def test_texts_are_measured_for_each_format_and_size_of_pixels():
    figure = Figure((3.0, 1.0))
    text = figure.text(0.1, 0.5, "a text of some width")

    def widths():
        for dpi in (72, 144):
            figure.dpi = dpi
            yield text.get_window_extent(FigureCanvasAgg(figure).get_renderer()).width
            yield text.get_window_extent(RendererSVG(216, 72, StringIO())).width

    with layouts_kept():
        kept = list(widths())
    assert kept == list(widths())
    assert len(set(kept)) == 4


def test_a_release_that_was_not_tried_is_left_as_it_is(monkeypatch):
    monkeypatch.setattr("matplotlib.__version__", "4.0.0")
    before = methods()
    with layouts_kept():
        assert methods() == before

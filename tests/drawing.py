"""Axes for plots under test."""

from matplotlib.figure import Figure


def axes():
    """Axes of a figure that no window shows."""
    return Figure().subplots()


def draw(plot, *given, **options):
    """Axes on which a plot was drawn, with the layout of its figure done."""
    figure = Figure(layout="constrained")
    ax = plot(*given, ax=figure.subplots(), **options)
    figure.draw_without_rendering()
    return ax

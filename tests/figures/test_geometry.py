"""Where points of a figure are."""

from microcolumn.figures import geometry
from microcolumn.figures.captioned import captioned
from microcolumn.plot.tips import tip


def drawn(draw, size=(7.0, 2.0), **panels):
    """A figure that was drawn once, so that its layout is known."""
    with captioned("", "Title", size) as figure:
        draw(figure, **panels)
    figure.svg("p")
    return figure


def placed(figure, ax, x, y):
    """Where a point of the data is, in 10,000ths from the upper left corner."""
    left, top = ax.transData.transform((x, y)) / (figure.bbox.width, figure.bbox.height)
    return round(1e4 * left), round(1e4 * (1 - top))


def test_points_are_where_they_are_drawn():
    def draw(figure):
        [line] = figure.add_subplot().plot([1.0, 2.0, 3.0], [10.0, 30.0, 20.0], "o")
        tip(line, {"unit": ["a", "b", "c"]})

    figure = drawn(draw)
    [found], total = geometry.points_of(figure)
    assert (found.columns, total) == (("unit",), 3)
    for row, x, y, unit in zip(found.rows, (1, 2, 3), (10, 30, 20), "abc", strict=True):
        assert row[:2] == placed(figure, figure.axes[0], x, y)
        assert row[2:] == (0, 0, unit)


def test_of_very_many_points_some_of_every_kind_are_kept(monkeypatch):
    monkeypatch.setattr(geometry, "MOST_POINTS", 10)

    def draw(figure):
        ax = figure.add_subplot()
        for n, name in ((90, "a"), (10, "b")):
            tip(ax.scatter(range(n), range(n)), {name: range(n)})

    found, total = geometry.points_of(drawn(draw))
    assert total == 100
    assert [(each.columns, len(each.rows)) for each in found] == [(("a",), 9), (("b",), 1)]

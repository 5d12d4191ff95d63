import re
from html import unescape
from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from microcolumn.figures.captioned import COLUMN, captioned

TITLE = 'Models of <script>alert("$")</script> & co'
CAPTION = "(a) λ = 0.1 for <b>cells</b> & 'others'; (b) ±1 s.e. id=\"x\" url(#y)"


def draw(title=TITLE, caption=CAPTION, number="2"):
    """A figure with clips, markers, hatches, images of the same pixels and hostile text."""
    with captioned(number, title, (COLUMN, 2.0)) as figure:
        left, middle, right = figure.subplots(1, 3)
        left.plot([1, 2, 3], [3, 1, 2], marker="o", label='id="1" href="#a" url(#b) <i>')
        left.legend()
        left.bar([1], [2], hatch="//")
        for ax in (middle, right):
            ax.imshow(np.arange(6.0).reshape(2, 3))
        right.set_title("</svg><script>1</script>")
        figure.caption = caption
    return figure


@pytest.mark.parametrize("kind", ["pdf", "svg", "png"])
def test_a_figure_of_simulated_data_says_so_in_the_figure_its_caption_and_its_file(kind):
    figure = small()
    figure.mark_simulated("The data are simulated.")
    assert figure.caption == f"{CAPTION} The data are simulated."
    assert "simulated" in [text.get_text() for text in figure.texts]
    if kind == "png":
        assert Image.open(BytesIO(saved(figure, kind))).text["Keywords"] == "simulated"
    else:
        mark = b"/Keywords (simulated)" if kind == "pdf" else b"<rdf:li>simulated</rdf:li>"
        assert mark in saved(figure, kind)


def small(title=TITLE, caption=CAPTION, number="2"):
    """A figure that is quick to draw."""
    with captioned(number, title, (1.0, 0.5)) as figure:
        figure.text(0.5, 0.5, "λ <b>")
        figure.caption = caption
    return figure


def saved(figure, kind, **options):
    file = BytesIO()
    figure.savefig(file, format=kind, **options)
    return file.getvalue()


def ids_and_uses(element):
    """Ids that are given, and those that are used, by tags of an SVG element."""
    given, used = [], []
    for node in ElementTree.fromstring(element).iter():
        for name, value in node.attrib.items():
            if name == "id":
                given.append(value)
            elif name.endswith("href") and value.startswith("#"):
                used.append(value[1:])
            used += re.findall(r"url\(#([^)]*)\)", value)
    return given, used


def test_ids_are_prefixed_where_given_and_where_used():
    element = draw().svg("fig-2")
    assert element.count("<image ") == 2
    given, used = ids_and_uses(element)
    assert len(given) > 20
    assert used
    assert all(name.startswith("fig-2-") for name in given + used)
    assert set(used) <= set(given)
    assert len(set(given)) == len(given)


def test_no_markup_from_a_recording_gets_into_a_page():
    figure = draw()
    for page in (figure.svg("p"), figure._repr_html_()):
        assert "<script" not in page
        assert "<b>cells" not in page
        assert "<metadata" not in page


def test_a_notebook_shows_the_caption_below_the_figure():
    page = small()._repr_html_()
    caption = re.search(r"</svg>\s*<figcaption><b>(.*)</b> (.*)</figcaption>", page)
    assert [unescape(part) for part in caption.groups()] == [f"Figure 2. {TITLE}.", CAPTION]


@pytest.mark.parametrize("kind", ["pdf", "svg", "png"])
def test_the_same_figure_is_the_same_file(kind, monkeypatch):
    first = saved(draw(), kind)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    assert saved(draw(), kind) == first


def test_a_pdf_holds_title_and_caption_and_no_time():
    file = saved(small(title="Plain", caption="(a) λ."), "pdf")
    assert b"/Title (Figure 2: Plain)" in file
    subject = re.search(rb"/Subject \((.*?)\) ?(?:/|>>)", file, re.DOTALL)[1]
    assert subject.startswith(b"\xfe\xff")
    assert "λ".encode("utf-16-be") in subject
    assert b"CreationDate" not in file

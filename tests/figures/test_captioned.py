import re
import zlib
from html import unescape
from io import BytesIO
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from fontTools.ttLib import TTFont
from PIL import Image

from microcolumn.figures._captioned import COLUMN, _n_columns, captioned

TITLE = 'Models of <script>alert("$")</script> & co'
CAPTION = "(a) λ = 0.1 for <b>cells</b> & 'others'; (b) ±1 s.e. id=\"x\" url(#y)"
SVG = "{http://www.w3.org/2000/svg}"


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
    file = BytesIO()
    figure.savefig(file, format=kind)
    if kind == "png":
        assert Image.open(file).text["Keywords"] == "simulated"
    else:
        mark = b"/Keywords (simulated)" if kind == "pdf" else b"<rdf:li>simulated</rdf:li>"
        assert mark in file.getvalue()


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


def test_text_is_left_alone_by_prefixing():
    texts = [node.text for node in ElementTree.fromstring(draw().svg("p")).iter(f"{SVG}text")]
    assert 'id="1" href="#a" url(#b) <i>' in texts
    assert "</svg><script>1</script>" in texts


@pytest.mark.parametrize("prefix", ["", "1", "a b", 'a"', "a\\1", "ä", "-a", "a\n"])
def test_a_prefix_that_is_no_name_is_refused(prefix):
    with pytest.raises(ValueError, match="prefix is "):
        draw().svg(prefix)


def test_no_markup_from_a_recording_gets_into_a_page():
    figure = draw()
    for page in (figure.svg("p"), figure._repr_html_()):
        assert "<script" not in page
        assert "<b>cells" not in page
        assert "<metadata" not in page


def test_an_element_styles_nothing_but_itself():
    element = draw().svg("p")
    assert "<style" not in element
    assert "stroke-linejoin: round" in element.partition(">")[0]


def test_an_element_is_named_for_those_who_cannot_see_it():
    root = ElementTree.fromstring(small().svg("p"))
    assert root.get("role") == "img"
    assert root.get("aria-label") == TITLE  # its number is that of the place that shows it


def test_a_notebook_shows_the_caption_below_the_figure():
    page = small()._repr_html_()
    caption = re.search(r"</svg>\s*<figcaption><b>(.*)</b> (.*)</figcaption>", page)
    assert [unescape(part) for part in caption.groups()] == [f"Figure 2. {TITLE}.", CAPTION]


def test_a_notebook_run_again_shows_the_same_bytes():
    assert small()._repr_html_() == small()._repr_html_()
    assert small()._repr_html_() != small(number="3")._repr_html_()


@pytest.mark.parametrize("kind", ["pdf", "svg", "png"])
def test_the_same_figure_is_the_same_file(kind, monkeypatch):
    first = saved(draw(), kind)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    assert saved(draw(), kind) == first


@pytest.mark.parametrize("kind", ["pdf", "svg"])
def test_what_a_user_sets_for_other_figures_does_not_matter(kind):
    first = saved(draw(), kind)
    with mpl.rc_context({"axes.grid": True, "font.size": 20, "svg.fonttype": "path"}):
        assert saved(draw(), kind) == first
        assert mpl.rcParams["font.size"] == 20
    with mpl.rc_context({"pdf.fonttype": 3, "axes.facecolor": "black"}):
        assert saved(draw(), kind) == first


def test_a_png_holds_title_and_caption():
    about = Image.open(BytesIO(saved(small(), "png"))).text
    assert about["Title"] == f"Figure 2: {TITLE}"
    assert about["Description"] == CAPTION


def test_an_svg_file_holds_title_and_caption():
    root = ElementTree.fromstring(saved(small(), "svg"))
    assert root.find(f"{SVG}title").text == f"Figure 2: {TITLE}"
    described = root.find(".//{http://purl.org/dc/elements/1.1/}description")
    assert described.text == CAPTION
    assert root.find(".//{http://purl.org/dc/elements/1.1/}date") is None


def test_a_pdf_holds_title_and_caption_and_no_time():
    file = saved(small(title="Plain", caption="(a) λ."), "pdf")
    assert b"/Title (Figure 2: Plain)" in file
    subject = re.search(rb"/Subject \((.*?)\) ?(?:/|>>)", file, re.DOTALL)[1]
    assert subject.startswith(b"\xfe\xff")
    assert "λ".encode("utf-16-be") in subject
    assert b"CreationDate" not in file


def test_fonts_in_a_pdf_are_truetype():
    file = saved(draw(), "pdf")
    assert b"/Subtype /Type3" not in file
    numbers = re.findall(rb"/FontFile2 (\d+) 0 R", file)
    assert numbers
    for number in numbers:
        start = re.search(rb"(?:^|\n)" + number + rb" 0 obj\n.*?stream\r?\n", file, re.DOTALL).end()
        font = TTFont(BytesIO(zlib.decompressobj().decompress(file[start:])))
        assert "glyf" in font  # outlines of TrueType


def test_what_the_caller_says_about_a_file_goes_before():
    file = saved(small(), "png", metadata={"Title": "mine", "Author": "me"})
    about = Image.open(BytesIO(file)).text
    assert (about["Title"], about["Author"]) == ("mine", "me")
    assert about["Description"] == CAPTION


@pytest.mark.parametrize("name", ["a.png", "A.PNG", "no_extension", "dir.with.dot/plain"])
def test_a_file_of_any_name_holds_its_caption(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    small().savefig(path)
    [written] = path.parent.glob(f"{path.stem}*.*")
    assert Image.open(written).text["Description"] == CAPTION
    small().savefig(str(path))


def test_an_open_file_holds_its_caption_without_a_format():
    file = BytesIO()
    small().savefig(file)
    assert Image.open(file).text["Description"] == CAPTION


@pytest.mark.parametrize("kind", ["pdf", "svg", "png", "jpg", "eps"])
def test_text_that_no_format_can_hold_does_not_stop_a_figure(kind):
    figure = small(title="a\x00b\ud800", caption="c\x08\ufffe\x1bd")
    assert saved(figure, kind)
    ElementTree.fromstring(figure.svg("p"))
    figure._repr_html_().encode()


def test_settings_are_restored_after_a_failure():
    before = dict(mpl.rcParams)
    with pytest.raises(ZeroDivisionError), captioned("1", "x", (1.0, 1.0)):
        raise ZeroDivisionError
    assert dict(mpl.rcParams) == before


def test_letters_that_the_font_lacks_are_left_to_the_page():
    with captioned("1", "Layers", (2.0, 1.0)) as figure:
        figure.subplots().set_title("皮質")
    assert "皮質" in figure.svg("a")
    with pytest.warns(UserWarning, match="missing from font"):
        figure.savefig(BytesIO(), format="png")


def test_a_legend_has_as_many_columns_as_fit():
    short, long = ["Ising", "RBM 10", "data"], ["CascadedLogistic", "PopulationTracking"] * 2
    assert _n_columns(short, 7.0) == 3
    assert _n_columns(long, 7.0) == 4
    assert _n_columns(long, 3.5) == 2
    assert _n_columns(["a model with a name of many letters"] * 2, 3.5) == 1

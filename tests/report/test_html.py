"""The page, read back with a parser: its numbers, its structure, its safety."""

import base64
import json
import os
import shutil
from html.parser import HTMLParser
from io import BytesIO
from unittest.mock import Mock

import planted_study as planted
import pytest
import small_study
from matplotlib import pyplot as plt

from microcolumn.figures import _all
from microcolumn.figures.captioned import captioned
from microcolumn.recording import Recording
from microcolumn.report import _pictures as pictures, _tables as tables, page, write
from microcolumn.report._answer import whole_answer
from microcolumn.report._cautions import cautions
from microcolumn.report._typography import typeset
from microcolumn.study import NotComputedError, Plan, Results, run
from microcolumn.units import Units

HOSTILE = "</script><script>alert(1)</script>"
#: Bytes for more figures than there are.
MAX_BYTES = 5_000_000
_EMPTY = {"meta", "link", "br", "img", "input", "hr"}


class Parsed(HTMLParser):
    """Elements with their attributes and text, and tables as rows of cells."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.tables, self._open = [], [], []
        self.feed(text)
        self.close()
        assert not self._open, "every element is closed"

    def handle_starttag(self, tag, attributes):
        element = {"tag": tag, "text": "", **dict(attributes)}
        self.elements.append(element)
        if tag == "table":
            self.tables.append({"caption": "", "rows": []})
        elif tag == "tr":
            self.tables[-1]["rows"].append([])
        elif tag in ("td", "th"):
            self.tables[-1]["rows"][-1].append("")
        if tag not in _EMPTY:
            self._open.append(element)

    def handle_startendtag(self, tag, attributes):
        self.elements.append({"tag": tag, "text": "", **dict(attributes)})

    def handle_endtag(self, tag):
        assert self._open.pop()["tag"] == tag

    def handle_data(self, data):
        for element in self._open:
            element["text"] += data
        inside = {element["tag"] for element in self._open}
        if inside & {"td", "th"}:
            self.tables[-1]["rows"][-1][-1] += data
        elif "caption" in inside:
            self.tables[-1]["caption"] += data

    def all(self, tag):
        return [element for element in self.elements if element["tag"] == tag]

    def text_of(self, tag, name):
        [element] = [e for e in self.all(tag) if e.get("id") == name]
        return element["text"]

    def table(self, title):
        return [table["rows"] for table in self.tables if table["caption"].startswith(title)]


def drawing(name, number):
    """A figure that takes no time, with an id and a link inside its SVG."""

    def draw(results, recording=None, *, experiment=None, window=None):
        with captioned(number, f"Title {name}", (7.0, 1.0)) as figure:
            ax = figure.add_subplot()
            ax.plot([0, 1], [0, 1])
            figure.caption = f"(a) Caption {name} of {recording}."
        return figure

    return draw


@pytest.fixture(autouse=True, scope="module")
def _quick_figures():
    quick = {n: each._replace(draw=drawing(n, each.paper)) for n, each in _all.FIGURES.items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_all, "FIGURES", quick)
        yield


@pytest.fixture
def results(planted_results):
    return planted_results


@pytest.fixture(scope="module")
def text(planted_results, _quick_figures):
    return page(planted_results)


@pytest.fixture(scope="module")
def parsed(text):
    return Parsed(text)


def test_the_page_opens_with_the_answer(parsed, results):
    answer = whole_answer(results)
    [title] = [h["text"].replace("\N{NO-BREAK SPACE}", " ") for h in parsed.all("h1")]
    assert title == answer.title
    assert "simulated" in [each["text"] for each in parsed.all("summary")]
    [section] = [e for e in parsed.all("section") if e.get("id") == "answer"]
    assert parsed.all("section")[0] is section
    shown = section["text"].replace("\N{NO-BREAK SPACE}", " ")
    told = [typeset(text) for paragraph in answer.paragraphs for text in paragraph]
    places = [shown.index(text) for text in told]
    assert places == sorted(places)
    assert len(parsed.table("In short")[0]) == 1 + len(answer.findings)


def test_all_tables_of_the_text_are_on_the_page(parsed, results):
    condition = results.tested()[-1]
    compared = results.comparison(**condition.names)
    for table in (
        tables.recordings(results),
        tables.models(compared),
        tables.predictions(results, condition),
    ):
        title = table.title[0].upper() + table.title[1:]
        assert [
            [list(table.header), *([typeset(cell) for cell in row] for row in table.rows)]
        ] == parsed.table(title)[-1:]


def test_cautions_methods_and_provenance_are_on_the_page(parsed, results):
    items = [item["text"].replace("\N{NO-BREAK SPACE}", " ") for item in parsed.all("li")]
    for caution in cautions(results):
        assert f"{caution.rstrip('.')}." in items
    methods, provenance = (parsed.text_of("section", n) for n in ("methods", "provenance"))
    assert "(Lazarus et al. 2018)" in methods
    for fact in (
        planted.recording_info()["cells"].fingerprint,
        "microcolumn study run plan.toml",
        "numpy 2.1.0",
        "3 min of work, 2026-01-02 03:04 UTC",
        "instantaneous, spatiotemporal: seeds 0 to 3",
    ):
        assert fact in provenance
    assert [term["text"] for term in parsed.all("dt")].count("Seeds") == 1


def test_nothing_is_loaded_from_elsewhere(parsed):
    for element in parsed.elements:
        for name, value in element.items():
            if name in ("src", "href", "xlink:href", "srcset", "data", "action"):
                local = value.startswith(("#", "data:"))
                assert local or (
                    element["tag"] == "a" and value.startswith("https://doi.org/10.")
                ), f"{element['tag']} {name}={value[:80]}"
        assert not {name for name in element if name.startswith("on")}
    [policy] = [e for e in parsed.all("meta") if e.get("http-equiv")]
    assert policy["content"].startswith("default-src 'none';")
    assert not parsed.all("link")


def test_ids_are_distinct_and_links_have_targets(parsed):
    ids = [element["id"] for element in parsed.elements if "id" in element]
    assert len(ids) == len(set(ids))
    links = [element["href"] for element in parsed.all("a") if element["href"].startswith("#")]
    assert len(links) > 5
    assert {link[1:] for link in links} <= set(ids)
    for name in ("aria-labelledby", "aria-describedby", "for"):
        assert {e[name] for e in parsed.elements if e.get(name)} <= set(ids)


def test_text_from_recordings_is_shown_and_never_run(parsed, tmp_path):
    given = small_study.recording()
    units = Units([f"{HOSTILE}{n}" for n in range(5)], layer=[HOSTILE, "5"] * 2 + ["5"])
    recording = Recording(
        given.trains, units, epochs=[[0.0, 60.0]], source=f"source {HOSTILE}", notes=[HOSTILE]
    )
    plan = Plan.of({f"a {HOSTILE}": recording}, models="RBM", n_hidden=2, l1=0, n_splits=1)
    text = page(run(plan, tmp_path / "study.db", n_jobs=1, command=f"command {HOSTILE}"))
    ordinary, parsed = parsed, Parsed(text)
    codes = [[e for e in each.all("script") if "type" not in e] for each in (parsed, ordinary)]
    assert len(codes[0]) == len(codes[1])  # the others are data
    assert "<script>alert" not in text
    for shown in (f"a {HOSTILE}", f"source {HOSTILE}", f"command {HOSTILE}"):
        assert shown in parsed.all("body")[0]["text"]
    assert f"{HOSTILE}." in [item["text"] for item in parsed.all("li")]
    best = parsed.table("Predicted spikes")[0][1][3]
    assert f"(unit {HOSTILE}" in best
    assert HOSTILE in json.dumps(json.loads(parsed.text_of("script", "explorers")))


def test_a_figure_that_is_not_computed_yet_leaves_a_sentence(results, monkeypatch):
    later = _all.Figures(Mock(side_effect=NotComputedError("a test is not computed yet")))
    monkeypatch.setattr(_all, "FIGURES", _all.FIGURES | {"parameters": later})
    absent = [p["text"] for p in Parsed(page(results)).all("p") if p.get("class") == "absent"]
    assert absent == ["The figure parameters of cells is left out: a test is not computed yet."]


def test_the_page_needs_the_store_alone(results, text, tmp_path):
    """A copy of the store elsewhere, of a recording that is nowhere, has the same page."""
    copy = tmp_path / results.file.name
    shutil.copy(results.file, copy)
    assert page(Results(copy)) == text


@pytest.mark.parametrize(("most", "width"), [(100_000, 1400), (15_000, 700)])
def test_a_figure_that_is_too_large_as_svg_becomes_pixels(results, monkeypatch, most, width):
    def dense(results, recording=None, **where):
        with captioned("1", "Many & more", (7.0, 1.0)) as figure:
            figure.add_subplot().plot(range(2000), "x")
        return figure

    monkeypatch.setattr(_all, "FIGURES", {"data": _all.Figures(dense)})
    monkeypatch.setattr(pictures, "MOST_BYTES", most)
    [picture] = pictures.pictures(results, MAX_BYTES).values()
    [image] = Parsed(picture.markup).all("img")
    assert image["alt"] == "Many & more"
    content = image["src"].removeprefix("data:image/png;base64,")
    assert plt.imread(BytesIO(base64.b64decode(content))).shape[:2] == (width // 7, width)


def test_figures_that_the_page_has_no_room_for_are_told(results):
    whole = pictures.pictures(results, MAX_BYTES)
    max_bytes = sum(len(picture.markup.encode()) for picture in list(whole.values())[:3])
    found = pictures.pictures(results, max_bytes)
    assert list(found) == list(whole)
    kept = [picture for picture in found.values() if picture.kind == "picture"]
    assert 0 < sum(len(picture.markup.encode()) for picture in kept) <= max_bytes
    left_out = [each.text for each in found.values() if each.kind == "absent"]
    assert len(left_out) >= 4
    assert left_out[-1].endswith("the page would be too large; microcolumn study figures draws it")


def test_a_page_is_written_whole_or_not_at_all(results, text, tmp_path, capsys):
    file = tmp_path / "study.html"
    write(results, file)
    assert file.read_text(encoding="utf-8") == text  # the same results, the same bytes
    assert os.listdir(tmp_path) == ["study.html"]
    assert capsys.readouterr().err == ""
    with pytest.raises(OSError, match=r"cannot write .*; choose another place"):
        write(results, tmp_path / "nowhere" / "study.html")
    with pytest.raises(OSError, match="it is no plain file"):
        write(results, tmp_path)


def test_a_page_never_replaces_the_store(results):
    before = results.file.read_bytes()
    with pytest.raises(ValueError, match="is the study's store; choose another file"):
        write(results, results.file)
    assert results.file.read_bytes() == before

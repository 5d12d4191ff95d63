"""Which figures of a study are drawn: by name or number, and of which recordings."""

from types import SimpleNamespace

import pytest

from microcolumn.evaluate import WindowResult
from microcolumn.figures import FIGURES, _all, available_figures, draw_all
from microcolumn.figures.conditions import SEVERAL_BINS, TESTED
from microcolumn.study import NotComputedError


@pytest.fixture
def results(monkeypatch):
    """Three recordings, the last not read yet and the second without words of several bins."""

    def condition(results, recording, *, need=TESTED):
        if recording == "C" or (need is SEVERAL_BINS and recording == "B"):
            raise NotComputedError(f"nothing of {recording}")

    def replaced(figures):
        def draw(results, recording):
            condition(results, recording)
            return f"drawn of {recording}"

        draw.need = figures.draw.need
        return figures._replace(draw=draw)

    monkeypatch.setattr(_all, "condition_of", condition)
    monkeypatch.setattr(_all, "results_of", lambda given: given)
    known = {n: replaced(each) for n, each in FIGURES.items()}
    several = ("forest", "windows", "spatiotemporal", "bin_widths")
    shown = {name: known[name]._replace(by_default=lambda *_: True) for name in several}
    monkeypatch.setattr(_all, "FIGURES", known | shown)
    sources = [SimpleNamespace(name=name) for name in "ABC"]
    return SimpleNamespace(plan=SimpleNamespace(sources=sources), recordings="AB", label=str)


def found(results, **asked):
    return [(each.name, each.recording) for each in available_figures(results, **asked)]


def test_by_default_all_are_drawn_that_have_results(results):
    everything = found(results)
    assert {name for name, _ in everything} == set(FIGURES) - {"patterns"}
    assert ("ranking", None) in everything
    assert [each for each in everything if each[0] == "windows"] == [("windows", "A")]
    assert [each.recording for each, _ in draw_all(results)] == sorted(
        (recording for _, recording in everything), key=lambda name: name or ""
    )


@pytest.mark.parametrize("asked", ["ranking", "Ranking", "3"])
def test_a_figure_has_a_name_and_the_number_of_the_paper(results, asked):
    assert found(results, figures=[asked]) == [("ranking", None)]
    assert found(results, figures=["s1"], recordings="B") == [("annealing", "B")]


def test_words_of_several_bins_are_drawn_where_their_length_matters(planted_results, monkeypatch):
    assert "windows" in [each.name for each in available_figures(planted_results)]
    monkeypatch.setattr(WindowResult, "growth", lambda self: {})
    names = {each.name for each in available_figures(planted_results)}
    assert not names & {"windows", "spatiotemporal"}
    assert [e.name for e in available_figures(planted_results, figures=["5"])] == ["windows"]


def test_of_chosen_recordings_a_figure_of_all_is_drawn_of_each(results):
    chosen = found(results, figures=["ranking"], recordings=["B", "A"])
    assert chosen == [("ranking", "B"), ("ranking", "A")]


def test_what_is_asked_for_without_results_is_a_sentence(results):
    [(which, sentence)] = draw_all(results, figures=["data"], recordings=["C"])
    assert (which.name, which.recording) == ("data", "C")
    assert sentence == "The figure data of C is left out: nothing of C"

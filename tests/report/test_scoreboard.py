"""The scoreboard has the numbers of the comparison, whatever the terminal."""

from dataclasses import replace

import planted_study as planted
import pytest
from planted_comparison import compared, finding

from microcolumn.evaluate import pool_contrasts
from microcolumn.report import scoreboard as module
from microcolumn.report._answer import WholeAnswer
from microcolumn.report.scoreboard import MOST_LINES, scoreboard
from microcolumn.study import Results

LEVELS = {f"RBM {n}": 10.0 + n for n in range(3, 11)} | {"Ising": 10.0, "CommonDrive": 2.0}


def shown(monkeypatch, results, found, columns=None):
    """The scoreboard of findings that are not in the study."""
    answer = WholeAnswer("So it is", "", None, "", findings=tuple(found))
    monkeypatch.setattr(module, "whole_answer", lambda _: answer)
    return [line.text for line in scoreboard(results, columns, seconds=200.0)]


def findings(n):
    """Of recordings with different gains; headlines are about the stored one."""
    levels = [{"Ising": 10.0, "RBM 25": 11.0 + k} for k in range(n)]
    return [
        finding("cells" if k == 0 else f"cells {k}", levels=each) for k, each in enumerate(levels)
    ]


@pytest.mark.parametrize("columns", [60, 80, 100])
@pytest.mark.parametrize("n", [1, 2, 10])
def test_it_fits_the_terminal_in_few_lines(monkeypatch, planted_results, n, columns):
    found = findings(n) if n > 1 else [replace(finding("cells"), compared=compared(LEVELS))]
    lines = shown(monkeypatch, planted_results, found, columns)
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= columns


def test_rows_are_the_models_with_their_differences_to_pairs(monkeypatch, planted_results):
    one = replace(finding("cells"), compared=compared(LEVELS))
    lines = shown(monkeypatch, planted_results, [one])
    rows = {line.split("  ")[1]: " ".join(line.split()) for line in lines[2:7]}
    assert list(rows) == ["RBM 10", "RBM 9", "RBM 8", "RBM 7", "Ising"]
    low, high = one.pair.interval  # of the planned contrast
    assert f" 20.00 +10.00 (+100 %) {low:.2f} to {high:.2f} " in rows["RBM 10"]
    low, high = one.compared.pair("RBM 9", "Ising").interval
    assert f" 19.00 +9.00 (+90 %) {low:.2f} to {high:.2f} " in rows["RBM 9"]
    assert rows["Ising"].startswith("Ising 10.00 0 0 ━")
    assert rows["RBM 10"].count("━") == 2 * rows["Ising"].count("━") == 20
    assert (
        lines[7].strip()
        == "5 more, 2.00 to 16.00 bits/s: RBM 6, RBM 5, RBM 4, RBM 3 and CommonDrive."
    )


def test_several_recordings_have_a_row_each_and_their_mean(monkeypatch, planted_results):
    found = findings(3)
    lines = shown(monkeypatch, planted_results, found)
    mean = pool_contrasts(each.compared for each in found)["groups"]
    for line, each in zip(lines[2:5], found, strict=True):
        assert f"{100 * each.relative.value - 100:+.0f} %" in line
    assert (
        f"{100 * mean.mean.value:+.0f} %  {100 * mean.low:.1f} to {100 * mean.high:.1f} %"
        in lines[5]
    )


def test_a_study_without_tests_says_so(tmp_path):
    path = planted.write(tmp_path / "a.db", keep=lambda job: False)
    [line, *_] = scoreboard(Results(path))
    assert line.text == "Nothing is tested yet; run the study further."

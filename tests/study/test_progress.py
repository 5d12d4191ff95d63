"""Time left by hand-made means; a bar where somebody sees it."""

import math
import os
import pty
import subprocess
import sys
import termios
import types

import pytest

from microcolumn.study import _progress as progress
from microcolumn.study._jobs import Job, ModelSpec
from microcolumn.study._progress import Bar, DurationModel, duration

ISING, RBM = ModelSpec("Ising", 0, "mpf"), ModelSpec("RBM", 3, "mpf")


def job(kind="fit", recording="A", window=1, split=0, variant=ISING, l1=None):
    return Job(kind, recording, "instantaneous", window, split, variant, penalty)


@pytest.fixture
def pace():
    learnt = DurationModel()
    for seconds, known in [
        (1.0, job("normalise", l1=1e-3)),
        (3.0, job("normalise", l1=1e-3, split=1)),
        (11.0, job("normalise", l1=2e-3)),
        (25.0, job("normalise", recording="B", l1=1e-3)),
        (105.0, job("fit")),
    ]:
        learnt.learn(known, seconds)
    return learnt


# DurationModel


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        (job("normalise", l1=1e-3, split=7), 2.0),  # the same but for the split
        (job("normalise", l1=9e-3), 5.0),  # other penalties of the same variant: 1, 3, 11
        (job("normalise", recording="C", l1=1e-3), 10.0),  # other recordings: 1, 3, 11, 25
        (job("fit", split=4), 105.0),
        # Unlike any other: 145 s for five jobs of size 1; hidden units and window take longer.
        (job("normalise", variant=RBM), 29.0),
        (job("fit", variant=RBM, window=2), 2 * 4 * 29.0),
        (job("test", variant=None), 0.3 * 29.0),
    ],
)
def test_a_job_takes_as_long_as_the_most_similar_ones_took(pace, asked, seconds):
    assert pace.expected(asked) == pytest.approx(seconds, rel=1e-14)


def test_jobs_left_are_shared_among_the_workers(pace):
    left = [job("normalise", l1=1e-3, split=2), job("fit", split=1)]
    assert pace.remaining_s(left, 2) == (2.0 + 105.0) / 2
    assert pace.remaining_s([], 2) == 0.0


def test_without_a_finished_job_nothing_is_known():
    assert math.isnan(DurationModel().expected(job()))
    assert math.isnan(DurationModel().remaining_s([job()], 2))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0:00:00"), (59.6, "0:01:00"), (3723.0, "1:02:03"), (90000, "1 day, 1:00:00")],
)
def test_durations_are_read_as_clocks_are(seconds, text):
    assert duration(seconds) == text


def test_an_unknown_duration_is_a_question_mark():
    assert duration(math.nan) == "?"


# Bar


def test_a_log_gets_no_bar_but_the_sentences(capsys):
    with Bar(4, 1) as bar:
        bar.tell("the plan changed")
        bar.finished(job(), lambda: 1 / 0)  # nobody asks how long the rest will take
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "the plan changed\n")


def test_a_bar_that_is_asked_for_is_shown_in_a_log_too(capsys):
    with Bar(4, 1, shown=True) as bar:
        bar.finished(job(), lambda: 3723.0)
    shown = capsys.readouterr().err
    assert "2/4 jobs" in shown
    assert "1:02:03 left" in shown
    assert "fit" in shown


PROGRAM = """
from microcolumn.study._jobs import Job
from microcolumn.study._progress import Bar
with Bar(4, 2) as bar:
    bar.tell("the plan changed")
    for split in (0, 1):
        bar.finished(Job("fit", "A", "instantaneous", 1, split), lambda: 65.0)
"""


def test_a_terminal_shows_the_bar():
    ours, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 100))
    try:
        subprocess.run([sys.executable, "-c", PROGRAM], stderr=terminal, check=True)
        shown = os.read(ours, 10_000).decode()
    finally:
        os.close(ours)
        os.close(terminal)
    assert "50%" in shown
    assert "100%" in shown
    assert "4/4 jobs" in shown
    assert "0:01:05 left" in shown
    assert "the plan changed" in shown


@pytest.mark.parametrize(
    ("shell", "watched"),
    [(types.SimpleNamespace(kernel=object()), True), (types.SimpleNamespace(), False)],
)
def test_a_notebook_shows_the_bar_and_a_shell_into_a_log_does_not(
    monkeypatch, shell, is_interactive
):
    ipython = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    assert progress.is_interactive() == is_interactive


def test_without_ipython_or_terminal_nobody_watches(monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert not progress.is_interactive()

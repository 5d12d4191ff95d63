"""Ctrl-C ends a command with exit code 130 wherever it strikes, and never with a traceback."""

import os
import signal
import subprocess
import sys
import time

import pytest
from small_study import recording, when_finished

pytestmark = pytest.mark.integration

SENTENCE = "microcolumn: interrupted; run the same command again to go on"

#: Runs the command line after other code, which may plant something that takes long.
COMMAND = "{planted}\nfrom microcolumn.__main__ import main\nmain()"
#: Takes the place of a step of a command: takes ten minutes, and says after a while that it does.
LONG = """
import ctypes, sys, threading, time
def long(*_, **__):
    threading.Timer(0.5, lambda: print("begun", file=sys.stderr, flush=True)).start()
    {takes_long}
import microcolumn.study.progress as status
status._SLOW_S = 600.0
import microcolumn.{module} as module
module.{name} = long
"""
SLEEP = "time.sleep(600)"
#: No handler of Python's runs meanwhile.
IN_A_LIBRARY = """
    library, mutex = ctypes.CDLL(None), ctypes.create_string_buffer(64)
    library.pthread_mutex_lock(mutex)
    library.pthread_mutex_lock(mutex)"""
#: What is raised here is not heard of by the caller.
IN_A_FINALIZER = """
    class Gone:
        def __del__(self):
            time.sleep(600)
    Gone()
    time.sleep(600)"""
IN_TIDYING_UP = """
    try:
        time.sleep(600)
    finally:
        time.sleep(600)"""


def started(planted, *arguments, heard=signal.SIG_DFL):
    """A command in a process group of its own, as in a terminal, which hears Ctrl-C."""
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND.format(planted=planted), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, heard),
        text=True,
    )


def interrupted(process, number=signal.SIGINT, times=1):
    """What a command says after a signal to its group, and how it ends."""
    for _ in range(times):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        time.sleep(0.05)
    _, said = process.communicate(timeout=60)
    return said.splitlines(), process.returncode


def in_long_step(process):
    while process.stderr.readline() != "begun\n":
        assert process.poll() is None
    return process


def long_step(session, module, name, takes_long=SLEEP, **options):
    planted = LONG.format(module=module, name=name, takes_long=takes_long)
    return in_long_step(started(planted, "info", session, **options))


@pytest.mark.parametrize(
    ("number", "times", "code"),
    [(signal.SIGINT, 1, 130), (signal.SIGINT, 5, 130), (signal.SIGTERM, 1, 143)],
)
@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("io", "read"),
        ("survey._summary", "suggest_bin_width"),
        ("survey._summary", "suspect_units"),
    ],
)
def test_a_signal_is_one_sentence_and_an_exit_code(session, module, name, number, code, times):
    process = long_step(session, module, name)
    assert interrupted(process, number, times) == ([SENTENCE], code)


def test_a_librarys_code_is_cut_short(session):
    process = long_step(session, "survey._summary", "suspect_units", IN_A_LIBRARY)
    assert interrupted(process) == (["microcolumn: interrupted"], 130)


def test_an_interrupt_that_python_swallows_ends_the_command_all_the_same(session):
    process = long_step(session, "survey._summary", "suspect_units", IN_A_FINALIZER)
    assert interrupted(process) == (["microcolumn: interrupted"], 130)


def test_tidying_up_that_takes_long_is_cut_short(session):
    process = long_step(session, "survey._summary", "suspect_units", IN_TIDYING_UP)
    assert interrupted(process, times=5) == ([], 130)


def test_a_command_without_ctrl_c_as_in_the_background_goes_on(session):
    process = long_step(session, "survey._summary", "suspect_units", heard=signal.SIG_IGN)
    os.killpg(process.pid, signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.communicate(timeout=1.0)
    assert interrupted(process, signal.SIGTERM) == ([SENTENCE], 143)


def test_an_interrupt_before_the_first_command_prints_nothing(tmp_path):
    planted = (
        "import importlib.abc, sys, time\n"
        "class Slow(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'microcolumn.cli':\n"
        "            print('begun', file=sys.stderr, flush=True)\n"
        "            time.sleep(600)\n"
        "sys.meta_path.insert(0, Slow())"
    )
    assert interrupted(in_long_step(started(planted, "--version"))) == ([], 130)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("n_finished", [0, 5])
def test_ctrl_c_hit_five_times_ends_a_study_and_keeps_what_was_finished(
    tmp_path, n_jobs, n_finished
):
    recording().save(tmp_path / "cells.npz")
    asked = ("--model", "Ising", "--l1", 1e-3, "--splits", 200, "--jobs", n_jobs)
    store = tmp_path / "study.db"
    process = started("", "compare", tmp_path / "cells.npz", *asked, "--store", store)
    while not store.exists() or len(when_finished(store)) < n_finished:
        assert process.poll() is None
        time.sleep(0.01)
    said, code = interrupted(process, times=5)
    assert code == 130
    assert "Traceback" not in "\n".join(said)
    assert len(when_finished(store)) >= n_finished

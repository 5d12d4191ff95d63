"""What goes wrong is one sentence with an exit code, and a bug is not called bad input."""

import json

import numpy as np
import pytest
from commands import run

#: Places of the package that commands come by, where a bug may be.
PLACES = {
    "info": ("microcolumn.survey._summary.suspect_units", ()),
    "fit": ("microcolumn.solvers._paths.Problem.best", ("--model", "Ising", "--l1", "0.01")),
}


def in_numpy(*_, **__):
    np.zeros(3).reshape(2, 2)


def in_the_standard_library(*_, **__):
    json.loads("{")


def by_the_interpreter(*_, **__):
    return {}["missing"]


def of_types(*_, **__):
    return len(3)


BUGS = {
    in_numpy: "ValueError: cannot reshape array of size 3 into shape (2,2)",
    in_the_standard_library: "JSONDecodeError: Expecting property name",
    by_the_interpreter: "KeyError: 'missing'",
    of_types: "TypeError: object of type 'int' has no len()",
}


@pytest.mark.parametrize("command", PLACES)
@pytest.mark.parametrize("bug", BUGS)
def test_a_bug_is_told_as_one_and_not_as_bad_input(session, tmp_path, monkeypatch, command, bug):
    place, more = PLACES[command]
    monkeypatch.setattr(place, bug)
    out = ("--out", tmp_path / "model.safetensors") if command == "fit" else ()
    result = run(command, session, *more, *out)
    assert (result.exit_code, result.stdout) == (1, "")
    [line] = result.stderr.splitlines()
    assert line.startswith(f"microcolumn: internal error: {BUGS[bug]}")
    assert line.endswith("; set MICROCOLUMN_DEBUG=1 to see the traceback, and please report it")


@pytest.mark.parametrize(
    "asked",
    [
        ("--ids", "99"),
        ("--depth-reference", "moon"),
        ("--epochs", "1.2.3-4"),
        ("--min-rate", "nan"),
    ],
)
def test_what_a_check_refuses_is_bad_input(session, asked):
    result = run("info", session, *asked)
    assert result.exit_code == 2
    assert "internal error" not in result.stderr


@pytest.mark.parametrize(("value", "shown"), [("1", True), ("0", False), ("", False)])
def test_the_traceback_of_any_failure_is_shown_when_asked_for(session, value, shown):
    result = run("info", session, "--ids", "99", MICROCOLUMN_DEBUG=value)
    assert result.exit_code == 2
    *trace, line = result.stderr.splitlines()
    assert line.startswith("microcolumn: no unit has ids '99'")
    assert (trace[:1] == ["Traceback (most recent call last):"]) is shown
    assert bool(trace) is shown

"""Commands of the page about clusters are as the programs want them."""

import re
import shlex
from pathlib import Path

import pytest
import typer

from microcolumn.cli import app

PAGE = (Path(__file__).parents[2] / "docs" / "cluster.md").read_text()


def commands_of(program):
    lines = "".join(re.findall(r"```bash\n(.*?)```", PAGE, flags=re.DOTALL)).splitlines()
    words = (shlex.split(line, comments=True) for line in lines)
    return [rest for first, *rest in words if first == program]


def test_every_command_exists_with_its_options():
    groups = typer.main.get_command(app)
    commands = commands_of("microcolumn")
    assert len(commands) > 5
    for study, name, *words in commands:
        assert study == "study"
        groups.commands["study"].commands[name].make_context(name, words)


def test_the_cluster_is_started_as_dask_wants_it():
    distributed = pytest.importorskip("distributed.cli")
    scheduler, worker = commands_of("dask")
    for (name, *options), module in ((scheduler, "dask_scheduler"), (worker, "dask_worker")):
        assert module == f"dask_{name}"
        __import__(f"{distributed.__name__}.{module}")
        getattr(distributed, module).main.make_context(name, options)

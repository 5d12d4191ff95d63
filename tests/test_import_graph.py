"""Imports go one way, public names hide no module, files stay small."""

import ast
import statistics
import subprocess
import sys

import import_graph
import pytest


@pytest.fixture(scope="module")
def graph():
    return import_graph.imports()


def test_no_subpackage_imports_from_one_below_it(graph):
    order = {name: n for n, name in enumerate(import_graph.SUBPACKAGES)}
    back = [
        f"{module} -> {target}"
        for module, targets in graph.items()
        for target in targets
        if import_graph.subpackage_of(module) and import_graph.subpackage_of(target)
        if order[import_graph.subpackage_of(module)] < order[import_graph.subpackage_of(target)]
    ]
    assert back == []


def test_no_subpackage_but_the_kernels_knows_their_implementation():
    assert import_graph.past_the_interface() == set()


def test_a_private_module_is_imported_by_its_own_subpackage_alone():
    assert import_graph.past_the_underscore() == set()


def test_benchmarks_import_what_the_package_has():
    missing = []
    for path in (import_graph.PACKAGE.parents[1] / "benchmarks").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("microcolumn."):
                try:
                    exec(ast.unparse(node), {})
                except ImportError as error:
                    missing.append(f"{path.name}: {error}")
    assert missing == []


def test_no_modules_import_each_other_in_a_circle(graph):
    assert import_graph.cycle(graph) == []


def test_every_folder_of_the_package_has_its_place_in_the_order():
    folders = {path.parent.name for path in import_graph.PACKAGE.glob("*/__init__.py")}
    assert folders <= set(import_graph.SUBPACKAGES)


def test_no_public_name_hides_the_module_it_stands_in():
    known = import_graph.modules()
    hiding = [
        f"{package}.{name}"
        for package, names in import_graph.public_names().items()
        for name, source in names.items()
        if f"{package}.{name}" in known and source != f"{package}.{name}"
    ]
    assert hiding == []


def test_contributing_shows_the_subpackages_as_they_are(graph):
    assert import_graph.drawn() == import_graph.picture(import_graph.between_subpackages(graph))


def test_modules_are_short_enough_to_read():
    lengths = {
        name: len(path.read_text().splitlines()) for name, path in import_graph.modules().items()
    }
    assert {name: n for name, n in lengths.items() if n > 400} == {}
    assert statistics.median(lengths.values()) < 150


def test_every_public_name_is_there_in_a_fresh_interpreter():
    offered = import_graph.public_names()
    names = [f"{package}.{name}" for package, each in offered.items() for name in each]
    assert {"microcolumn.evaluate", "microcolumn.partition.gibbs_samples"} <= set(names)
    code = (
        "import sys, operator, microcolumn\n"
        "for name in sys.argv[1:]:\n"
        "    operator.attrgetter(name.partition('.')[2])(microcolumn)\n"
    )
    # Short names first: subpackages must be there before anything in them was imported.
    names.sort(key=lambda name: name.count("."))
    subprocess.run([sys.executable, "-c", code, *names], check=True)

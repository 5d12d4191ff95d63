"""The house keeps its order: imports go one way, doors hide nothing, files stay small."""

import statistics
import subprocess
import sys

import pytest
import rooms


@pytest.fixture(scope="module")
def graph():
    return rooms.imports()


def test_no_room_imports_from_a_room_below_it(graph):
    order = {room: n for n, room in enumerate(rooms.ROOMS)}
    back = [
        f"{module} -> {target}"
        for module, targets in graph.items()
        for target in targets
        if rooms.room_of(module) and rooms.room_of(target)
        if order[rooms.room_of(module)] < order[rooms.room_of(target)]
    ]
    assert back == []


def test_no_room_but_the_kernels_knows_their_implementation():
    assert rooms.past_the_interface() == set()


def test_no_modules_import_each_other_in_a_circle(graph):
    assert rooms.cycle(graph) == []


def test_every_folder_of_the_package_is_a_room():
    folders = {path.parent.name for path in rooms.PACKAGE.glob("*/__init__.py")}
    assert folders <= set(rooms.ROOMS)


def test_no_public_name_hides_the_module_it_stands_in():
    known = rooms.modules()
    hiding = [
        f"{package}.{name}"
        for package, names in rooms.public_names().items()
        for name, source in names.items()
        if f"{package}.{name}" in known and source != f"{package}.{name}"
    ]
    assert hiding == []


def test_contributing_shows_the_rooms_as_they_are(graph):
    assert rooms.drawn() == rooms.picture(rooms.between_rooms(graph))


def test_modules_are_short_enough_to_read():
    lengths = {name: len(path.read_text().splitlines()) for name, path in rooms.modules().items()}
    assert {name: n for name, n in lengths.items() if n > 400} == {}
    assert statistics.median(lengths.values()) < 150


def test_a_graph_with_a_circle_is_caught():
    assert set(rooms.cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": set()})) == {"a", "b", "c"}
    assert rooms.cycle({"a": {"b"}, "b": {"c"}, "c": set()}) == []


def test_every_public_name_is_there_in_a_fresh_interpreter():
    offered = rooms.public_names()
    names = [f"{package}.{name}" for package, each in offered.items() for name in each]
    assert {"microcolumn.evaluate", "microcolumn.partition.gibbs_samples"} <= set(names)
    code = (
        "import sys, operator, microcolumn\n"
        "for name in sys.argv[1:]:\n"
        "    operator.attrgetter(name.partition('.')[2])(microcolumn)\n"
    )
    # Short names first: rooms must be there before anything in them was imported.
    names.sort(key=lambda name: name.count("."))
    subprocess.run([sys.executable, "-c", code, *names], check=True)

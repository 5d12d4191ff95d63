"""The imports of the package as a graph, read from the source.

python tests/import_graph.py    # writes the picture of the subpackages into CONTRIBUTING.md
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
PACKAGE = REPOSITORY / "src" / "microcolumn"
CONTRIBUTING = REPOSITORY / "CONTRIBUTING.md"
FIRST, LAST = "```mermaid\n", "```\n"

#: A module imports from its own subpackage and from those above it. "data" is single modules of
#: the package; every other one is a folder, some with a module or two beside it.
SUBPACKAGES = (
    "data",
    "io",
    "kernels",
    "simulate",
    "survey",
    "energy",
    "partition",
    "objectives",
    "penalties",
    "solvers",
    "models",
    "evaluate",
    "study",
    "plot",
    "figures",
    "report",
    "cli",
)
_SINGLE = {"parameters": "energy", "layout": "energy", "__main__": "cli"}

#: What implements the interface of the kernels.
IMPLEMENTATION = ("microcolumn.kernels.cpu.", "microcolumn.kernels.simd.")

Graph = dict[str, set[str]]


def modules() -> dict[str, Path]:
    """Files of the package by dotted name; a folder goes by its own name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def subpackage_of(module: str) -> str | None:
    """Subpackage of a module, None for the package itself, which only names things."""
    _, *inside = module.split(".")
    if not inside:
        return None
    top = inside[0]
    return top if (PACKAGE / top).is_dir() else _SINGLE.get(top, "data")


def public_names() -> dict[str, dict[str, str]]:
    """What each folder's stub offers: public name to the module it comes from."""
    found: dict[str, dict[str, str]] = {}
    for stub in PACKAGE.rglob("__init__.pyi"):
        package = ".".join(stub.parent.relative_to(PACKAGE.parent).parts)
        names = found.setdefault(package, {})
        for node in ast.walk(ast.parse(stub.read_text())):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    names[alias.name] = f"{package}.{node.module or alias.name}"
    return found


def imports() -> Graph:
    """Modules that each module imports, at its top or inside functions, through stubs too."""
    known, offered = modules(), public_names()
    graph: Graph = {module: set() for module in known}
    for module, path in known.items():
        for target in _named(module, path):
            graph[module].update(_resolved(target, known, offered) - {module})
    return graph


def _targets(node: ast.AST, package: str) -> Iterator[str]:
    """Dotted names that a statement imports, the imported names included."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
        source = ".".join([*base, *([node.module] if node.module else [])])
        yield from (f"{source}.{alias.name}" for alias in node.names)


def _resolved(target: str, known: dict[str, Path], offered: dict[str, dict[str, str]]) -> set[str]:
    """Modules behind an imported name: the longest known one, or where a stub sends to."""
    parts = target.split(".")
    for n in range(len(parts), 0, -1):
        module = ".".join(parts[:n])
        if n < len(parts) and parts[n] in offered.get(module, {}):
            behind = f"{offered[module][parts[n]]}.{parts[n]}"
            return _resolved(behind, known, offered) if behind != target else {module}
        if module in known:
            return {module}
    return set()


def between_subpackages(graph: Graph) -> Graph:
    """Subpackages that each subpackage imports from."""
    found: Graph = {each: set() for each in SUBPACKAGES}
    for module, targets in graph.items():
        for target in targets:
            own, other = subpackage_of(module), subpackage_of(target)
            if own is not None and other is not None and own != other:
                found[own].add(other)
    return found


def past_the_interface() -> set[str]:
    """Modules of other subpackages that import an implementation of the kernels by its name."""
    return {
        module
        for module, path in modules().items()
        if subpackage_of(module) != "kernels"
        for target in _named(module, path)
        if f"{target}.".startswith(IMPLEMENTATION)
    }


def past_the_underscore() -> set[str]:
    """Imports of a private module or name by a module of another subpackage."""
    return {
        f"{module} -> {target}"
        for module, path in modules().items()
        for target in _named(module, path)
        if any(part.startswith("_") and not part.startswith("__") for part in target.split("."))
        if target.startswith("microcolumn.") and subpackage_of(module) != subpackage_of(target)
    }


def _named(module: str, path: Path) -> set[str]:
    """Dotted names that a module imports, as it writes them."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    return {t for node in ast.walk(ast.parse(path.read_text())) for t in _targets(node, package)}


def cycle(graph: Graph) -> list[str]:
    """Modules that import each other in a circle; empty where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        return circle
    return []


def picture(graph: Graph) -> str:
    """Subpackages as a Mermaid graph: arrows from each to those it imports, the direct ones."""
    reached: Graph = {}
    sources: dict[tuple[str, ...], list[str]] = {}  # those with the same targets share a line
    for place, subpackage in enumerate(SUBPACKAGES):
        direct = graph[subpackage] & set(SUBPACKAGES[:place])
        reached[subpackage] = direct.union(*(reached[other] for other in direct))
        implied = set().union(*(reached[other] for other in direct))
        targets = tuple(other for other in SUBPACKAGES if other in direct - implied)
        sources.setdefault(targets, []).append(subpackage)
    arrows = [f"  {' & '.join(own)} --> {' & '.join(to)}\n" for to, own in sources.items() if to]
    return "".join(["flowchart BT\n", *arrows])


def drawn() -> str:
    """The picture that CONTRIBUTING.md shows."""
    return CONTRIBUTING.read_text().partition(FIRST)[2].partition(LAST)[0]


if __name__ == "__main__":
    CONTRIBUTING.write_text(
        CONTRIBUTING.read_text().replace(drawn(), picture(between_subpackages(imports())))
    )

"""One meaning for each public argument, and an example for each public name."""

import inspect
import re
from types import ModuleType

import pytest

import microcolumn as mc

#: Subpackages for those who write models and solvers: their tests are their examples.
FOR_DEVELOPERS = {"objectives", "solvers"}
#: What an argument of this name may be by default, wherever it may be left out.
DEFAULTS = {
    "random_state": [0],
    "by": ["blocks"],
    "split_by": ["blocks"],
    "validation": [0.2],
    "bin_width": [None, 0.02, 1 / 150],
    "progress": [None],
    "ax": [None],
    "title": [None],
}
#: What an argument of this name may be: a pattern of its annotation.
ANNOTATIONS = {
    "window": r"^(ForwardRef\(')?int",  # in bins; times are max_lag_s or around_s
    "units": r"Units",  # a table; positions are positions, names are ids
    "positions": r"int",
    "ids": r"str|Any",
    "unit": r"^int",
    "words": r"Words",
    "X": r"Words|Array|Bits|Any|object",
    "layers": r"Any",  # the table of layers of a recording
    "n_samples": r"^int",
}
#: Words for a thing that has another name here.
FORBIDDEN = {
    **dict.fromkeys(("rng", "seed", "generator"), "random_state"),
    **dict.fromkeys(("workers", "n_workers", "n_cores"), "n_jobs"),
    **dict.fromkeys(("binsize", "bin_size", "dt"), "bin_width"),
    **dict.fromkeys(("axes", "axis"), "ax"),
    **dict.fromkeys(("lambda_", "alpha", "penalty_strength"), "l1"),
    **dict.fromkeys(("idx", "indices", "unit_positions"), "positions"),
    "verbose": "progress",
    "unit_ids": "ids",
}
#: Fields of results: a unit of measurement, and what was found for one score.
FIELDS = {"Estimate(unit)"}
#: Simulations and plans state a seed: it is part of what they are, in names, files and digests.
SEEDED = {"microcolumn", "preset", "Experiment", "Source"}


def _public():
    """Each public name once: where it is, and what it is."""
    subpackages = [("", mc), *((n, getattr(mc, n)) for n in mc.__all__)]
    seen = set()
    for place, module in subpackages:
        for name in module.__all__ if isinstance(module, ModuleType) else ():
            thing = getattr(module, name)
            is_named = inspect.isclass(thing) or inspect.isfunction(thing)
            if is_named and id(thing) not in seen:
                seen.add(id(thing))
                yield f"{place}.{name}".lstrip("."), thing


PUBLIC = dict(_public())


def _is_result(thing):
    """Whether functions make it: its fields are what was found, not arguments."""
    return inspect.isclass(thing) and hasattr(thing, "__dataclass_fields__") and not _example(thing)


def _is_error(thing):
    return inspect.isclass(thing) and issubclass(thing, Exception)


def _example(thing):
    return ">>>" in (inspect.getdoc(thing) if not inspect.isclass(thing) else thing.__doc__ or "")


def _written(parameter):
    """The annotation as it is written, whether it is kept as text or not."""
    written = parameter.annotation
    return written if isinstance(written, str) else inspect.formatannotation(written)


def _arguments():
    for name, thing in PUBLIC.items():
        if name.partition(".")[0] in FOR_DEVELOPERS or _is_result(thing) or _is_error(thing):
            continue
        calls = {name: thing}
        if inspect.isclass(thing):
            public = inspect.getmembers(thing, inspect.isroutine)
            calls |= {f"{name}.{n}": each for n, each in public if not n.startswith("_")}
        for call, each in calls.items():
            if getattr(each, "__module__", "").startswith("microcolumn"):
                with_signature = inspect.signature(each).parameters.values()
                found = ((call, parameter) for parameter in with_signature)
                yield from (each for each in found if f"{call}({each[1].name})" not in FIELDS)


ARGUMENTS = list(_arguments())


def test_an_argument_has_one_default():
    wrong = []
    for call, parameter in ARGUMENTS:
        allowed = DEFAULTS.get(parameter.name, (parameter.default,))
        if parameter.default is not inspect.Parameter.empty and parameter.default not in allowed:
            wrong.append(f"{call}({parameter})")
    assert "\n".join(wrong) == ""


def test_an_argument_has_one_meaning():
    wrong = [
        f"{call}({parameter})"
        for call, parameter in ARGUMENTS
        if parameter.annotation is not inspect.Parameter.empty
        and not re.search(ANNOTATIONS.get(parameter.name, ""), _written(parameter))
    ]
    assert "\n".join(wrong) == ""


def test_a_thing_has_one_name():
    wrong = [
        f"{call}({parameter}): call it {FORBIDDEN[parameter.name]}"
        for call, parameter in ARGUMENTS
        if parameter.name in FORBIDDEN
        and not (parameter.name == "seed" and call.rpartition(".")[2] in SEEDED)
    ]
    assert "\n".join(wrong) == ""


def _makers():
    """Of each name in an annotation of what is returned or held: what has it."""
    for thing in PUBLIC.values():
        own = [thing]
        if inspect.isclass(thing):
            own = [inspect.getattr_static(thing, name) for name in dir(thing)]
        plain = [each.fget if isinstance(each, property) else each for each in own]
        plain = [getattr(each, "__func__", each) for each in plain]
        found = [str(getattr(each, "__annotations__", {}).get("return", "")) for each in plain]
        if inspect.isclass(thing):
            found += map(str, getattr(thing, "__annotations__", {}).values())
        yield from ((name, thing) for each in found for name in re.findall(r"\w+", each))


MAKERS = {}
for each, maker in _makers():
    MAKERS.setdefault(each, []).append(maker)


def _is_shown(thing, seen=()):
    """Whether it has an example, or is part of what a function with an example returns."""
    makers = MAKERS.get(thing.__name__, []) if inspect.isclass(thing) else []
    return _example(thing) or any(
        _is_shown(each, (*seen, thing)) for each in makers if each not in (*seen, thing)
    )


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_an_example(name):
    thing = PUBLIC[name]
    is_base = inspect.isabstract(thing) or getattr(thing, "_is_protocol", False)
    exempt = is_base or _is_error(thing) or name.partition(".")[0] in FOR_DEVELOPERS
    assert exempt or _is_shown(thing)

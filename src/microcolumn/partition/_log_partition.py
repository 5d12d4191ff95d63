"""log Z by the method that suits the model (docs/method.md, section 5)."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from typing import Any, Literal, get_args

from ..errors import Unsupported
from ..parameters import Parameters
from ..validation import expect, one_of, random_generator
from ._shares import modes_of_exact_sum
from .ais import annealed_importance_sampling
from .cost import USUAL, PartitionSettings, Side, operations
from .exact import exact_log_partition
from .gibbs import words_of_units
from .result import LogPartition

Method = Literal["auto", "exact", "exact-visible", "exact-hidden", "ais"]


def log_partition(
    theta: Parameters,
    method: Method = "auto",
    progress: bool | None = None,
    settings: PartitionSettings = USUAL,
    **options: Any,
) -> LogPartition:
    """Find log Z of a model, with its error, the method and what it cost.

    Parameters
    ----------
    theta : Parameters
        The model.
    method : {"auto", "exact", "exact-visible", "exact-hidden", "ais"}
        "exact" sums over all words or over all states of the live hidden units, whichever takes
        fewer operations; "exact-visible" and "exact-hidden" choose one. "ais" is annealed
        importance sampling. "auto" is "exact" if that takes at most ``settings.exact_log_z``
        multiply-adds, else "ais".
    progress : bool, optional
        Show a progress bar; by default when more than a few seconds are expected.
    settings : PartitionSettings
        What is small enough to sum, and how many modes are looked for.
    **options
        Passed on to ``annealed_importance_sampling`` if that is the method. Exact sums take
        ``words`` and ``random_state`` alone: with data words the result says how much of the
        model's mass lies where none of them is (``spurious_mass``).

    Examples
    --------
    >>> found = log_partition(Parameters(b=[0.0] * 20))
    >>> found.method, found.side
    ('exact', 'hidden')
    """
    one_of("method", method, get_args(Method))
    expect("theta", theta, Parameters, "its parameters_, or call its method log_partition")
    # Misspelt options are refused for every model, not only where they would be used.
    known_options = [*signature(annealed_importance_sampling).parameters][1:]
    for name in options:
        if name not in known_options:
            raise Unsupported(f"{name!r} is no option", f"choose from {', '.join(known_options)}")
    if method == "ais" or (method == "auto" and operations(theta) > settings.exact_log_z):
        return annealed_importance_sampling(theta, progress=progress, settings=settings, **options)
    for name in options:
        if method != "auto" and name not in ("words", "random_state"):
            raise Unsupported(
                f"method {method!r} takes no option {name!r}", "leave it out or use method='ais'"
            )
    sides: dict[str, Side] = {"exact-visible": "visible", "exact-hidden": "hidden"}
    log_z = exact_log_partition(theta, sides.get(method, "auto"), progress)
    if options.get("words") is None:
        return log_z
    words = words_of_units(options["words"], theta.n_visible, "words")
    rng = random_generator(options.get("random_state"))
    return replace(log_z, modes=modes_of_exact_sum(theta, log_z.value, words, rng, settings))

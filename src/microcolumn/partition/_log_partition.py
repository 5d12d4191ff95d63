"""One door to every way of normalising a model (METHOD section 5)."""

from __future__ import annotations

from inspect import signature
from typing import Any, Literal, get_args

from ..parameters import Parameters
from ._exact import exact_log_partition
from ._result import LogPartition
from ._sides import operations

Method = Literal["auto", "exact", "exact-visible", "exact-hidden", "ais"]

#: "auto" sums exactly up to this many multiply-adds: about 20 s on two cores, or 40 Ising units.
AUTO_OPERATIONS = 2.0**40


def log_partition(
    theta: Parameters, method: Method = "auto", progress: bool | None = None, **options: Any
) -> LogPartition:
    """Find log Z of a model, with its error, the method and what it cost.

    Parameters
    ----------
    theta : Parameters
        The model.
    method : {"auto", "exact", "exact-visible", "exact-hidden", "ais"}
        "exact" sums over all words or over all states of the live hidden units, whichever takes
        fewer operations; "exact-visible" and "exact-hidden" say which. "ais" is annealed
        importance sampling. "auto" is "exact" where that takes at most ``AUTO_OPERATIONS``
        multiply-adds, else "ais".
    progress : bool, optional
        Show a progress bar; by default when more than a few seconds are expected.
    **options
        Passed on to ``annealed_importance_sampling`` if that is the method; an error with an
        explicit exact method.

    Returns
    -------
    LogPartition

    Examples
    --------
    >>> found = log_partition(Parameters(b=[0.0] * 20))
    >>> found.method, found.side
    ('exact', 'hidden')
    """
    if method not in get_args(Method):
        known = ", ".join(repr(name) for name in get_args(Method))
        raise ValueError(f"method {method!r} is unknown; use one of {known}")
    if not isinstance(theta, Parameters):
        raise TypeError(f"theta is a {type(theta).__name__}; pass a model's parameters_")
    _check_options(options)
    chosen = method
    if method == "auto":
        method = "exact" if operations(theta) <= AUTO_OPERATIONS else "ais"
    if method == "ais":
        from ._ais import annealed_importance_sampling  # compiled only when needed

        return annealed_importance_sampling(theta, progress=progress, **options)
    if options and chosen != "auto":
        raise TypeError(
            f"method {chosen!r} takes no option {next(iter(options))!r}; "
            "leave it out or use method='ais'"
        )
    if method == "exact":
        return exact_log_partition(theta, "auto", progress)
    side: Literal["visible", "hidden"] = "visible" if method == "exact-visible" else "hidden"
    return exact_log_partition(theta, side, progress)


def _check_options(options: dict[str, Any]) -> None:
    """Refuse misspelt options at any size, not only where they would be used."""
    from ._ais import annealed_importance_sampling

    known = [*signature(annealed_importance_sampling).parameters][1:]
    for name in options:
        if name not in known:
            raise TypeError(f"{name!r} is no option; choose from {', '.join(known)}")

"""Trials of equal length: arrays of units, bins and trials as bins in time order."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import BadArgument, BadType
from .timeline import Places
from .validation import check_unmasked, described

#: What axes of an array may be, in the order in which they become bins by units.
_AXES = ("trials", "bins", "units")


def trials_in_time(X: Any, dims: str, name: str = "X") -> tuple[NDArray[Any], Places]:
    """Bins of all trials one after the other, shape (n_trials * n_bins, n_units).

    Also the first bin of each trial. ``dims`` names the axes of ``X`` in their order, such as
    ``"units bins trials"``; without ``trials`` all bins are of one. Errors call ``X`` by ``name``.

    Examples
    --------
    >>> X = np.arange(6).reshape(1, 3, 2)
    >>> bins, starts = trials_in_time(X, "units bins trials")
    >>> bins.ravel().tolist(), starts.tolist()
    ([0, 2, 4, 1, 3, 5], [0, 3])
    """
    names = dims.replace(",", " ").split() if isinstance(dims, str) else []
    if sorted(names) not in (sorted(_AXES), sorted(_AXES[1:])):
        remedy = "name the axes in their order, such as 'units bins trials'"
        raise BadArgument("dims", f"is {described(dims)}", remedy)
    check_unmasked(name, X)
    array = np.asarray(X)
    if array.ndim != len(names):
        problem = f"has {array.ndim} axes, but dims names {len(names)}"
        raise BadType(name, problem, "name each axis once")
    ordered = array.transpose([names.index(name) for name in _AXES if name in names])
    n_bins, n_units = ordered.shape[-2:]
    if 0 in ordered.shape:
        raise BadArgument(name, f"has shape {array.shape}", "pass at least one bin of each trial")
    return ordered.reshape(-1, n_units), np.arange(0, ordered.size // n_units, n_bins)

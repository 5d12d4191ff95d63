"""Which side of a model to sum over, words or hidden states, and what that costs."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..errors import BadInput
from ..parameters import Parameters
from .term_sums import MOST_UNITS

Side = Literal["auto", "visible", "hidden"]

# What is small enough to sum, in multiply-adds by ``operations``, for each purpose.
#: Log Z of a start of a sampled fit, which annealing finds as fast.
EXACT_START = 2.0**26
#: One of the hundreds of evaluations of a fit: about a tenth of a second, 27 Ising units, 25 under
#: a potential of their number or 21 with 25 hidden ones.
EXACT_FIT = 2.0**27
#: Samples that are drawn in passing: a fraction of a second.
QUICK_SAMPLES = 2.0**30
#: Samples that were asked for: seconds and tens of megabytes.
EXACT_SAMPLES = 2.0**33
#: Log Z of each of many fits: 34 Ising units. Annealing takes a second for an error far below
#: others.
EXACT_CHOICE = 2.0**34
#: Log Z for all drives of a driven model together: half a minute or so.
EXACT_DRIVES = 2.0**38
#: Log Z of a model, unless a method is given: 40 Ising units, about a minute of one core.
EXACT_LOG_Z = 2.0**40
#: More is refused: it would take days.
MAX_OPERATIONS = 2.0**50
#: Multiply-adds of a sum of log Z and of one of expectations per second, on a small machine, and
#: seconds of a sum that is not begun without a word.
SUM_RATE, MOMENTS_RATE, _LONG = 4e10, 5e9, 600.0
#: A state under a potential of the number of active units costs as much as so many without.
COUNTED = 4.0


@dataclass(frozen=True, slots=True)
class PartitionSettings:
    """What is small enough to sum, in multiply-adds by :func:`operations`, and modes to look for.

    Parameters
    ----------
    exact_log_z : float
        Log Z where no method is given.
    exact_samples : float
        Samples that annealing begins with: they show modes, and its reverse run starts from them.
    quick_samples : float
        Samples that show in passing which modes there are.
    most_modes : int
        Modes that a search returns at most.

    Examples
    --------
    >>> from microcolumn.partition import log_partition
    >>> theta = Parameters(b=np.zeros(6), J=0.2 - 0.2 * np.eye(6))
    >>> log_partition(theta, settings=PartitionSettings(exact_log_z=0.0)).method
    'ais'
    """

    exact_log_z: float = EXACT_LOG_Z
    exact_samples: float = EXACT_SAMPLES
    quick_samples: float = QUICK_SAMPLES
    most_modes: int = 12


#: The settings unless others are passed.
USUAL = PartitionSettings()


def operations(theta: Parameters) -> float:
    """Multiply-adds of the cheaper exact sum for ``theta``."""
    return min(_side_operations(theta.drop_dead_units()[0]))


def side_operations(n_visible: int, n_hidden: int, coupled: bool) -> tuple[float, float]:
    """Multiply-adds of the sums over words and over hidden states; the latter needs J = 0."""

    def count(n_summed: int, n_multiplied: int) -> float:
        return 2.0 ** min(n_summed, 1000) * (1 + 2 * n_multiplied)

    hidden = math.inf if coupled else count(n_hidden, n_visible)
    return count(n_visible, n_hidden), hidden


def _side_operations(live: Parameters) -> tuple[float, float]:
    if live.term is not None:
        n = live.n_visible
        per_word = live.term.over(live.b).operations_per_word
        return (2.0**n * (n + per_word) if n <= MOST_UNITS else math.inf), math.inf
    coupled = live.J is not None and bool(np.any(live.J != 0.0))
    if live.v is not None:
        return COUNTED * side_operations(live.n_visible, 0, coupled=True)[0], math.inf
    return side_operations(live.n_visible, live.n_hidden, coupled)


def pick_side(
    live: Parameters, side: Side, remedy: str = "use method='ais'"
) -> tuple[Literal["visible", "hidden"], float]:
    """The side to sum over and its multiply-adds, for a model whose hidden units are all live."""
    visible, hidden = _side_operations(live)
    if side == "hidden" and math.isinf(hidden):
        raise BadInput(
            "the hidden side cannot be summed for a model with couplings J",
            "use method='exact-visible'",
        )
    take_visible = side == "visible" or (side == "auto" and visible <= hidden)
    n_operations = visible if take_visible else hidden
    if n_operations > MAX_OPERATIONS:
        raise BadInput(
            f"an exact sum over {live.n_visible} units and {live.n_hidden} live hidden units "
            f"takes {n_operations:.1e} multiply-adds, more than the limit of {MAX_OPERATIONS:.1e}",
            remedy,
        )
    return ("visible" if take_visible else "hidden"), n_operations


def warn_if_long(n_operations: float, rate: float, remedy: str) -> None:
    """Say so before a sum that will take long; ``rate`` is in multiply-adds per second."""
    seconds = n_operations / rate
    if seconds > _LONG:
        length = (
            f"{seconds / 60:.0f} minutes" if seconds < 7200.0 else f"{seconds / 3600:.0f} hours"
        )
        warnings.warn(
            f"this exact sum of {n_operations:.1e} multiply-adds takes roughly {length}; "
            f"interrupt it and {remedy}, if that is too long",
            UserWarning,
            stacklevel=3,
        )


def transposed(live: Parameters) -> Parameters:
    """The model with units and hidden units exchanged; needs at least one hidden unit, no J."""
    W, c = live.arrays.hidden
    return Parameters.trusted(c, None, np.ascontiguousarray(W.T), live.b)

"""What a partition function estimate consists of."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from ..notebook import AsText
from ..renamed import Renamed

#: A model has a spurious mode where at least this share of its mass lies in modes never seen.
SPURIOUS_MODE = 0.01


@dataclass(frozen=True, slots=True)
class Mode:
    """A place where chains of a model stay, and what it holds of the model's mass.

    Where words were given, those with far more active units than any of them are a place of their
    own, which is not seen, even if chains go to and fro.
    """

    share: float  # of Z
    stderr: float  # of the share
    n_active: float  # mean number of active units of its words
    seen: bool | None = None  # whether any of the given words lies there; None without words


@dataclass(frozen=True, slots=True, repr=False)
class LogPartition(AsText, Renamed):
    """The logarithm of a normalisation constant, how it was found and how far to trust it.

    Parameters
    ----------
    value, stderr : float
        log Z and its standard error in nats; the error of an exact sum is zero.
    method : {"exact", "ais", "chains", "importance"}
        Summed over all states, by annealed importance sampling, by the words that the fit drew,
        each model's against the last one's, or by words drawn without a drive.
    n_operations, seconds : float
        What it cost: multiply-adds, and elapsed time.
    converged : bool
        Whether ``value`` may be relied upon to within a few ``stderr``; always for exact
        sums that are finite.
    effective_sample_size : float, optional
        Of the annealed chains' or of the drawn words' weights.
    reverse, reverse_stderr : float, optional
        The estimate from the reverse run and its standard error, nats; too high on average.
    n_steps : int, optional
        Annealing steps of the last run.
    trace : tuple of (steps, value, stderr), optional
        Every run on the way, nats.
    frequent_words : float, optional
        Plausibility check from the most frequent words, nats; never the answer.
    side : {"visible", "hidden"}, optional
        Which states an exact sum ran over.
    lower_bound : float, optional
        Log of the sum of p~ over the distinct words that the search for modes and the chains met,
        nats: log Z cannot be below it.
    modes : tuple of Mode, optional
        Where the mass lies, the heaviest first; of an exact sum only if words were given.

    Examples
    --------
    >>> log_z = LogPartition(1.5, 0.0, "exact", 1024.0, 0.01, True, side="visible")
    >>> print(log_z)
    log Z = 1.5 nats (exact, visible side)
    >>> float(log_z)
    1.5
    """

    value: float
    stderr: float
    method: Literal["exact", "ais", "chains", "importance"]
    n_operations: float
    seconds: float
    converged: bool
    effective_sample_size: float | None = None
    reverse: float | None = None
    reverse_stderr: float | None = None
    n_steps: int | None = None
    trace: tuple[tuple[int, float, float], ...] | None = None
    frequent_words: float | None = None
    side: Literal["visible", "hidden"] | None = None
    lower_bound: float | None = None
    modes: tuple[Mode, ...] | None = None

    def __post_init__(self) -> None:
        if not math.isfinite(self.value):  # whatever a file or an overflow made of it
            object.__setattr__(self, "converged", False)

    @property
    def spurious_mass(self) -> float | None:
        """Share of the mass in modes where none of the given words lies; None without words."""
        if self.modes is None or any(mode.seen is None for mode in self.modes):
            return None
        return float(sum(mode.share for mode in self.modes if not mode.seen))

    @property
    def has_spurious_mode(self) -> bool:
        """Whether 1 % of the mass or more lies in modes where none of the given words lies."""
        return is_spurious(self.spurious_mass)

    def shifted(self, nats: float) -> LogPartition:
        """Log Z of the same distribution with ``nats`` added to every log p~(x)."""

        def moved(value: float | None) -> float | None:
            return None if value is None else value + nats

        trace = self.trace
        return replace(
            self,
            value=self.value + nats,
            reverse=moved(self.reverse),
            trace=trace and tuple((steps, value + nats, error) for steps, value, error in trace),
            frequent_words=moved(self.frequent_words),
            lower_bound=moved(self.lower_bound),
        )

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        error = f" ± {self.stderr:.2g}" if self.stderr > 0.0 else ""
        how = method_text(self.method, self.side)
        doubt = "" if self.converged else ", not converged"
        mode = f"; {spurious_mode_text(self.spurious_mass)}" if self.has_spurious_mode else ""
        return f"log Z = {self.value:.10g}{error} nats ({how}{doubt}){mode}"


def is_spurious(spurious_mass: float | None) -> bool:
    """Whether so much mass on words never seen is a spurious mode; None where it is not known."""
    return spurious_mass is not None and spurious_mass >= SPURIOUS_MODE


def spurious_mode_text(spurious_mass: float | None) -> str:
    """What stands in the place of a score of a model with a spurious mode."""
    percent = 100.0 * (spurious_mass or 0.0)
    share = f"{percent:.0f}" if percent >= 10.0 else f"{percent:.1f}"
    return f"spurious mode: {share} % of the model's mass on words never seen"


def method_text(method: str, side: str | None) -> str:
    """How log Z was found, in print."""
    return method if side is None else f"{method}, {side} side"

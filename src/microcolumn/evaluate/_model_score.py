"""Scores of one model: on the test part of one split, and over all splits."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import fmean

from ..models import ModelSpec
from ..partition.result import is_spurious
from ..renamed import Renamed
from ._score import ScoredWords


@dataclass(frozen=True, slots=True)
class SplitScore(ScoredWords):
    """One model on the test part of one split, with the fields of ``ScoredWords``.

    Parameters
    ----------
    split : int
        Number of the split.
    bits_per_second : float
        Log-likelihood gain over independent units; not finite where it could not be found.
    stderr : float
        Its standard error, bits/s, of the finite test part and of log Z.
    gain_by_cell, share_by_cell : tuple of float
        Bits/s that each stretch of time adds to the score, and its share of the test words
        (:mod:`.time_errors`).
    gain_by_active : tuple of float
        Bits/s that words with 0, 1, 2, ... active bits add to the score.
    l1 : float
        The strength of the L1 penalty; NaN for a model without.
    n_nonzero, n_couplings, n_live_hidden, n_hidden : int
        Parameters other than zero, pairs coupled, hidden units with a weight other than zero, and
        all hidden units.
    fit_converged, normaliser_converged : bool
        Whether the fit's certificate is within its tolerance, and log Z may be relied upon.
    optimality : float
        Certificate of the fit, the largest violation of its optimality conditions; NaN without.
    n_parameters : int
        Free numbers of the fit that are not zero.
    size : str
        What the validation part chose for an alternative model, such as ``"60 components"``.
    dirichlet_gain : float
        Bits/s that a Dirichlet process around the model adds: by how much the model is wrong
        (:class:`microcolumn.models.DirichletProcess`). NaN where it was not asked for.
    """

    split: int
    bits_per_second: float
    stderr: float
    gain_by_cell: tuple[float, ...] = field(default=(), repr=False)
    share_by_cell: tuple[float, ...] = field(default=(), repr=False)
    gain_by_active: tuple[float, ...] = field(default=(), repr=False)
    l1: float = math.nan
    n_nonzero: int = 0
    n_couplings: int = 0
    n_live_hidden: int = 0
    n_hidden: int = 0
    fit_converged: bool = True
    normaliser_converged: bool = True
    optimality: float = math.nan
    n_parameters: int = 0
    size: str = ""
    dirichlet_gain: float = math.nan

    @property
    def bits_per_spike(self) -> float:
        """Bits/s over spikes/s; NaN for words without a spike."""
        return self.bits_per_second / self.spikes_per_second if self.spikes_per_second else math.nan

    @property
    def converged(self) -> bool:
        """Whether the score may be relied upon."""
        return self.fit_converged and self.normaliser_converged


@dataclass(frozen=True, slots=True)
class ModelScore(Renamed):
    """One model over all splits, by :func:`compare`.

    Parameters
    ----------
    name : str
        Name in tables, like ``"RBM 25"``.
    spec : ModelSpec
        Which model it is.
    n_units : int
        Recorded units.
    bits_per_second, per_neuron : float
        Mean test score over splits, for the population and per recorded unit.
    stderr : float
        Standard error of the mean (docs/method.md, section 6), bits/s.
    n_nonzero, n_couplings, n_live_hidden, n_hidden : float
        Means over splits.
    converged : bool
        Whether all splits may be relied upon.
    splits : tuple of SplitScore
        By number.
    """

    name: str
    spec: ModelSpec
    n_units: int
    bits_per_second: float
    per_neuron: float
    stderr: float
    n_nonzero: float
    n_couplings: float
    n_live_hidden: float
    converged: bool
    splits: tuple[SplitScore, ...]
    n_hidden: float = 0.0

    @property
    def n_splits(self) -> int:
        """Splits that the means are over."""
        return len(self.splits)

    @property
    def spurious_mass(self) -> float:
        """Largest share, over splits, of the mass in modes where no training word lies."""
        return max((score.spurious_mass or 0.0 for score in self.splits), default=0.0)

    @property
    def has_spurious_mode(self) -> bool:
        """Whether that is 1 % or more in any split: then no score speaks for the model."""
        return is_spurious(self.spurious_mass)

    @property
    def bits_per_spike(self) -> float:
        """Mean over splits of bits/s over spikes/s of the words scored."""
        return fmean(score.bits_per_spike for score in self.splits)

    @property
    def n_parameters(self) -> float:
        """Mean over splits of the free numbers of the fit that are not zero."""
        return fmean(score.n_parameters for score in self.splits)

    @property
    def dirichlet_gain(self) -> float:
        """Mean over splits of what a Dirichlet process around the model adds, bits/s."""
        return fmean(score.dirichlet_gain for score in self.splits)

    @property
    def chosen(self) -> str:
        """What validation parts chose: the strength of a penalty, or the size of an alternative.

        The number of hidden units, too, where it is not part of the model's name.
        """
        known = [score for score in self.splits if score.size or not math.isnan(score.l1)]
        each = (score.size or f"{self.hidden_text(score)}l1 {score.l1:.2g}" for score in known)
        return " or ".join(dict.fromkeys(each))

    def hidden_text(self, score: SplitScore) -> str:
        """``"20 hidden units, "`` of a split; empty where the name of the model says it."""
        is_named = bool(self.spec.n_hidden) and self.name == self.spec.name
        return "" if is_named or not score.n_hidden else f"{score.n_hidden} hidden units, "

    @property
    def by_split(self) -> dict[int, float]:
        """Bits/s by number of the split."""
        return {score.split: score.bits_per_second for score in self.splits}

    @property
    def l1(self) -> tuple[float, ...]:
        """Chosen L1 strength of each split."""
        return tuple(score.l1 for score in self.splits)

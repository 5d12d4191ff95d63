"""The Ising model: biases and pairwise couplings."""

from dataclasses import dataclass
from typing import ClassVar

from ..parameters import Kind
from ._settings import STRENGTH, documented, setting
from .penalised import PenalisedModel


@documented
@dataclass(eq=False, repr=False)
class Ising(PenalisedModel):
    """Pairwise maximum-entropy model, log p~(x) = x'Jx + b'x.

    Parameters
    ----------
    l1 : float
        L1 penalty per entry of J (each pair counts twice).
    {search}

    Examples
    --------
    >>> words = [[0, 0]] * 90 + [[1, 1]] * 6 + [[0, 1]] * 2 + [[1, 0]] * 2
    >>> model = Ising(l1=0.0).fit(words)
    >>> bool(model.J_[0, 1] > 0), model.optimality_ < 1e-6
    (True, True)

    Windows of three bins: by lag, and to predict the newest bin.

    >>> windows = mc.simulate.microcolumn(n_units=4, minutes=2).bin(0.0067).embed(3)
    >>> train, test = windows.split(0.5)
    >>> tied = Ising(tie_bins=True).fit(train)
    >>> bool((tied.J_[:4, 4:8] == tied.J_[4:8, 8:]).all())
    True
    >>> mc.score(Ising(objective="conditional").fit(train), test).bits_per_second > 0.0
    True
    """

    _kind: ClassVar[Kind] = "ising"

    l1: float = setting(1e-4, STRENGTH)

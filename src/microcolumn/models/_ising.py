"""The Ising model: biases and pairwise couplings."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ..errors import BadArgument
from ..parameters import Kind
from ..units import Units
from ..validation import whole_number
from ._fit_data import FitData
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

    def fit_moments(
        self,
        rates: ArrayLike,
        pair_rates: ArrayLike,
        n_words: int,
        *,
        bin_width: float = 0.020,
        units: Units | None = None,
    ) -> Self:
        """Fit to rates and pair rates, which are all that this model's likelihood knows of words.

        The fit is that to any words with these moments: by exact sums, or for many units sampled,
        where chains start at words of a dichotomized Gaussian with about these moments.

        Parameters
        ----------
        rates : array_like, shape (n_units,)
            Share of the words in which each unit is active.
        pair_rates : array_like, shape (n_units, n_units)
            Share of the words in which two units are; the diagonal does not matter.
        n_words : int
            Number of words that these are shares of.
        bin_width : float
            Seconds.
        units : Units, optional
            Table of the units; by default they are numbered.

        Examples
        --------
        >>> words = mc.simulate.microcolumn(n_units=4, minutes=2).bin(0.020)
        >>> together = mc.objectives.pair_rates(words)
        >>> model = Ising().fit_moments(together.diagonal(), together, words.n_bins)
        >>> bool(np.allclose(model.J_, Ising().fit(words).J_, atol=0.01))
        True
        """
        n = whole_number("n_words", n_words, least=1)
        if self.objective != "likelihood":
            problem = f"is {self.objective!r}, which is fitted to words"
            raise BadArgument("objective", problem, "use objective='likelihood' for moments")
        data = FitData.of_moments(rates, pair_rates, n, bin_width, units)
        words = self._training_words(data.words, None)
        [(_, result)] = self._results(words, [self.l1], None, data=data)
        self._set_result(result, words, stacklevel=3)
        # The words were drawn: all that was counted are the moments.
        self.rates_, self.n_words_, self._frequent = data.floored, n, (words.X[:0], np.zeros(0))
        if self.words_info_ is not None:
            self.words_info_ = replace(self.words_info_, n_bins=n, stop_s=n * words.bin_width)
        return self

"""The semi-restricted Boltzmann machine: couplings and hidden units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ..parameters import Floats, Kind, Parameters
from ..solvers._paths import Inside
from ..words import Words, as_words
from ._base import floored_rates
from ._ising import Ising
from ._penalised import HiddenModel, PenalisedModel
from ._rbm import RBM


class SemiRBM(HiddenModel):
    """Semi-restricted Boltzmann machine: an Ising model with hidden units.

    Parameters
    ----------
    n_hidden : int
        Number of hidden units; the penalty decides how many stay alive.
    l1 : float
        Penalty per entry of J (each pair counts twice) and of W.
    objective : {"mpf", "likelihood"}
        Minimum probability flow, or exact maximum likelihood (up to about 25 units).
    complement : bool
        With "mpf", count the word with all bits flipped as one more neighbour. Off by default: at
        the best penalty it changes nothing on held-out words. Without a penalty it keeps sparse
        data from growing a mode of all cells active (``benchmarks/complement.py``).
    device : {"auto", "cpu"}
        Where kernels run.
    n_init : int
        Number of random starts besides those from the RBM and the Ising
        model inside it; the lowest objective wins.
    tol : float
        Largest violation of the optimality conditions that counts as converged.
    max_iter : int
        Most iterations of the solver from one start.
    random_state : int, Generator, RandomState or None
        Seed of the random starts.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> together = rng.random((500, 1)) < 0.1
    >>> words = (rng.random((500, 4)) < np.where(together, 0.7, 0.05)).astype(int)
    >>> model = SemiRBM(n_hidden=3, l1=0.01).fit(words)
    >>> model.J_.shape, model.W_.shape
    ((4, 4), (4, 3))
    """

    _kind: ClassVar[Kind] = "srbm"

    def fit_path(
        self,
        X: Words | ArrayLike,
        penalties: Sequence[float],
        *,
        inside: tuple[Sequence[Ising], Sequence[RBM]] | None = None,
    ) -> list[Self]:
        """Fit at each penalty, each solution the start of the next.

        Parameters
        ----------
        X : Words or array_like, shape (n_words, n_units)
            Binary words.
        penalties : sequence of float
            Values of ``l1``; small to large keeps most hidden units alive.
        inside : (list of Ising, list of RBM), optional
            Paths that ``Ising.fit_path`` and ``RBM.fit_path`` gave for the same words and
            penalties, with the same objective and number of hidden units. They are where this
            model starts, and they are fitted again where left out. The result never lies above
            theirs; with equal ``tol``, ``max_iter``, ``random_state`` and ``n_init`` (1 for Ising)
            it is the same to the last bit as without them.

        Returns
        -------
        list
            One fitted copy of this model per penalty, in the order given.

        Examples
        --------
        >>> words, penalties = [[0, 0]] * 90 + [[1, 1]] * 6 + [[0, 1]] * 4, [1e-3, 1e-2]
        >>> ising = Ising().fit_path(words, penalties)
        >>> rbm = RBM(n_hidden=2).fit_path(words, penalties)
        >>> both = SemiRBM(n_hidden=2).fit_path(words, penalties, inside=(ising, rbm))
        >>> both[0].objective_ <= min(ising[0].objective_, rbm[0].objective_)
        True
        """
        solutions: Inside | None = None
        if inside is not None:
            self._check_settings(penalties)
            solutions = _solutions(self, inside, penalties, floored_rates(as_words(X)))
        return self._fitted_copies(X, penalties, solutions)


def _solutions(whole: SemiRBM, inside: Any, penalties: Sequence[float], rates: Floats) -> Inside:
    """Parameters of the two paths, which must be special cases of the whole model's."""
    if not (isinstance(inside, Sequence) and len(inside) == 2):
        raise TypeError("inside is not a pair; pass (Ising path, RBM path)")
    found: list[list[Parameters]] = []
    for path, cls in zip(inside, (Ising, RBM), strict=True):
        name = cls.__name__
        if not isinstance(path, Sequence):
            raise TypeError(f"inside has a {type(path).__name__}; pass what {name}.fit_path gave")
        if len(path) != len(penalties):
            raise ValueError(
                f"inside has {len(path)} {name} models for {len(penalties)} penalties; "
                f"pass what {name}.fit_path gave for these penalties"
            )
        for model, l1 in zip(path, penalties, strict=True):
            _check_inside(whole, model, cls, l1, rates)
        found.append([model.parameters_ for model in path])
    return found[0], found[1]


def _check_inside(
    whole: SemiRBM, model: Any, cls: type[PenalisedModel], l1: float, rates: Floats
) -> None:
    name = cls.__name__
    if not isinstance(model, cls):
        raise TypeError(
            f"inside has a {type(model).__name__} where an {name} is due; "
            "pass (Ising path, RBM path)"
        )
    if not hasattr(model, "rates_"):
        raise ValueError(f"inside has an {name} that was not fitted; pass fitted models")
    wanted = {"l1": l1, "objective": whole.objective, "complement": whole.complement}
    if cls is RBM:
        wanted["n_hidden"] = whole.n_hidden
    for setting, value in wanted.items():
        if getattr(model, setting) != value:
            raise ValueError(
                f"inside has an {name} with {setting}={getattr(model, setting)!r} where "
                f"{setting}={value!r} is due; fit it with the same settings and penalties"
            )
    if model.n_features_in_ != rates.size:
        raise ValueError(
            f"inside has an {name} of {model.n_features_in_} units for words of {rates.size}; "
            "fit it on the same words"
        )
    if not np.array_equal(model.rates_, rates):
        raise ValueError(
            f"inside has an {name} with l1={l1:g} that was fitted on other words; "
            "fit it on the same words"
        )

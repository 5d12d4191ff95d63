"""The semi-restricted Boltzmann machine: couplings and hidden units."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ..errors import BadArgument, BadType
from ..parameters import Kind
from ..solvers import NestedStarts
from ..validation import Floats, kind_of
from ..words import Words, as_words
from ._ising import Ising
from ._rbm import RBM, HiddenModel
from ._settings import documented
from ._words_estimator import floored_rates
from .penalised import in_order


@documented
class SemiRBM(HiddenModel):
    """Semi-restricted Boltzmann machine: an Ising model with hidden units.

    Parameters
    ----------
    {hidden units}
    {search}

    Examples
    --------
    >>> words = mc.simulate.microcolumn(n_units=4, minutes=1, seed=0).bin()
    >>> model = SemiRBM(n_hidden=3, l1=0.001).fit(words)
    >>> model.J_.shape, model.W_.shape
    ((4, 4), (4, 3))
    """

    _kind: ClassVar[Kind] = "srbm"

    def fit_path(
        self,
        X: Words | ArrayLike,
        l1_values: Sequence[float],
        *,
        nested: tuple[Sequence[Ising], Sequence[HiddenModel]] | None = None,
    ) -> list[Self]:
        """Fit at each L1 strength, as other models do, from the models that it contains.

        Parameters
        ----------
        X, l1_values
            As of :meth:`PenalisedModel.fit_path`, which says what is returned, too.
        nested : (list of Ising, list of RBM), optional
            Paths that ``Ising.fit_path`` and ``RBM.fit_path`` gave for the same words and
            strengths, with the same objective and number of hidden units. This model starts
            from them; by default they are fitted first. The result never lies above
            theirs; with equal ``tol``, ``max_iter``, ``random_state`` and ``n_init`` (1 for Ising)
            it is the same to the last bit as without them.

        Examples
        --------
        >>> words, l1_values = [[0, 0]] * 90 + [[1, 1]] * 6 + [[0, 1]] * 4, [1e-3, 1e-2]
        >>> ising = Ising().fit_path(words, l1_values)
        >>> rbm = RBM(n_hidden=2).fit_path(words, l1_values)
        >>> both = SemiRBM(n_hidden=2).fit_path(words, l1_values, nested=(ising, rbm))
        >>> both[0].objective_ <= min(ising[0].objective_, rbm[0].objective_)
        True
        """
        solutions = None if nested is None else self._nested_starts(X, l1_values, nested)
        return in_order(self._walk(X, l1_values, solutions))

    def _nested_starts(
        self,
        X: Words | ArrayLike,
        l1_values: Sequence[float],
        nested: tuple[Sequence[Ising], Sequence[HiddenModel]],
    ) -> NestedStarts:
        """Parameters to start from at each strength, of paths that are refused if they differ."""
        self._check_settings(l1_values)
        if not (isinstance(nested, Sequence) and len(nested) == 2):
            raise BadType("nested", "is not a pair", "pass (Ising path, RBM path)")
        rates = floored_rates(as_words(X))
        same: dict[str, Any] = {"objective": self.objective, "tie_bins": self.tie_bins}
        own = same | {"n_hidden": self.n_hidden, "group_l1": self.group_l1}
        for path, cls, wanted in zip(nested, (Ising, RBM), (same, own), strict=True):
            _check_path(path, cls, l1_values, wanted, rates)
        ising, rbm = nested
        return [member.parameters_ for member in ising], [member.parameters_ for member in rbm]


def _check_path(
    path: Any, cls: type[Any], l1_values: Sequence[float], wanted: dict[str, Any], rates: Floats
) -> None:
    """Refuse what is no path of a class at these strengths, with these settings and words."""
    name = cls.__name__
    remedy = f"pass (Ising path, RBM path): what {name}.fit_path gave for these words and l1"
    if not (isinstance(path, Sequence) and len(path) == len(l1_values)):
        raise BadArgument("nested", f"has no {name} for each of {len(l1_values)} l1", remedy)
    for member, l1 in zip(path, l1_values, strict=True):
        if not isinstance(member, cls):
            raise BadType("nested", f"has {kind_of(member)} in place of {name}", remedy)
        expected = {"l1": l1} | wanted
        settings = {key: getattr(member, key) for key in expected}
        if settings != expected:
            raise BadArgument("nested", f"has {name} with {settings}, not {expected}", remedy)
        if not np.array_equal(getattr(member, "rates_", np.zeros(0)), rates):
            raise BadArgument("nested", f"has {name} of other words at l1={l1:g}", remedy)

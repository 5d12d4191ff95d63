"""A pairwise energy behind a nonlinearity: p(x) is proportional to exp(V(E(x)))."""

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..energy import FreeTerm, PairwiseResponse, tail_knots
from ..objectives import l1_grid, largest_l1
from ..parameters import Parameters
from ..validation import Floats, real_array
from ..words import Words
from ._ising import Ising
from ._saving import check_sound
from ._settings import POSITIVE, setting
from ._term_model import Start, TermModel
from ._words_estimator import Size, scaled_counts

#: Each knot leaves this factor fewer words beyond it, and the last ones at least so many.
_FACTOR, _FEWEST = 4.0, 10.0


@dataclass(eq=False, repr=False)
class SemiparametricPairwise(TermModel):
    """The pairwise model with a nonlinearity V (Humplik & Tkacik 2017).

        p(x) = exp(V(s)) / Z, s = b'x + x'Jx

    V rises with s: the logarithm of its slope is linear between knots and constant beyond them. It
    is as if the energy had a temperature of its own at each value, or fluctuated from word to word.
    The Ising model is V(s) = s, at which the fit begins; the problem is not convex (docs/method.md,
    section 11). Units that never or always fire keep the biases of the Ising model.

    Parameters
    ----------
    l1 : float
        Penalty l1 * (sum_nm |J_nm| + sum_k |u_k|), nats per word, with u the logarithms of the
        slope of V at its knots.
    tol, max_iter, random_state
        As of :class:`RandomProjections`.

    Attributes
    ----------
    J_ : ndarray, shape (n_units, n_units)
        Couplings, nats.
    knots_ : ndarray, shape (n_knots,)
        Values of s, nats.
    log_slopes_ : ndarray, shape (n_knots,)
        u, the logarithm of the slope of V at each of them: 0 of the Ising model.
    b_, objective_, certificate_
        As of :class:`RandomProjections`.

    Examples
    --------
    >>> words = mc.simulate.microcolumn(n_units=4, minutes=1, seed=0).bin()
    >>> model = SemiparametricPairwise(1e-3).fit(words)
    >>> bool((np.diff(model.response([-4.0, -2.0, 0.0, 2.0])) > 0.0).all())
    True
    """

    _kept_arrays: ClassVar[dict[str, str]] = {
        "b_": "float64 n",
        "J_": "float64 n n",
        "knots_": "float64 k",
        "weights_": "float64 k",
        "log_slopes_": "float64 k",
    }

    l1: float = setting(1e-4, POSITIVE)

    def response(self, scores: Any) -> Floats:
        """V at some values of s, nats, shape (n_scores,); its zero is arbitrary."""
        return self._term().over(self.b_).response(real_array("scores", scores, "pass numbers"))

    def _size(self) -> Size:
        n_couplings = np.count_nonzero(self.J_) // 2
        n_nonzero = n_couplings + np.count_nonzero(self.log_slopes_)
        text = f"{n_couplings:,} couplings"
        return Size(self.b_.size + n_nonzero, n_nonzero, n_couplings, text=text)

    def grid(self, words: Words) -> tuple[dict[str, Any], ...]:
        """Strengths of the penalty a factor of ten apart."""
        strengths = l1_grid(largest_l1(words, "likelihood"), per_decade=1)
        return tuple({"l1": l1} for l1 in strengths if l1 > 0.0) or ({},)

    def _start(self, words: Words, rng: np.random.Generator) -> Start:
        with warnings.catch_warnings():  # only a start
            warnings.simplefilter("ignore", ConvergenceWarning)
            ising = Ising(self.l1, random_state=rng).fit(words)
            log_z = ising.log_partition().value
        scores = -ising.energy(words.X)
        knots = tail_knots(scores, scaled_counts(words), _FEWEST, _FACTOR)
        fixed = np.asarray(~words.X.any(axis=0) | words.X.all(axis=0))
        live = np.flatnonzero(~fixed)
        rows, columns = np.triu_indices(live.size, 1)
        pairs = np.stack([live[rows], live[columns]])
        strengths = np.concatenate([2.0 * ising.J_[tuple(pairs)], np.zeros(knots.size)])
        term = PairwiseResponse(pairs, knots, _weights(words, scores, knots), strengths)
        return Start(Parameters(b=ising.b_, term=term), log_z, fixed)

    def _take_term(self, term: FreeTerm) -> None:
        assert isinstance(term, PairwiseResponse)
        self.knots_, self.log_slopes_ = term.knots, term.parts[1]
        self.J_, self.weights_ = term.over(self.b_).couplings, term.weights

    def _term(self) -> PairwiseResponse:
        pairs = np.stack(np.triu_indices(self.b_.size, 1))
        strengths = np.concatenate([2.0 * self.J_[tuple(pairs)], self.log_slopes_])
        return PairwiseResponse(pairs, self.knots_, self.weights_, strengths)

    def _check_arrays(self) -> None:
        is_symmetric = np.array_equal(self.J_, self.J_.T) and not self.J_.diagonal().any()
        check_sound(is_symmetric, "J is not symmetric with a zero diagonal")
        is_ascending = self.knots_.size > 0 and (np.diff(self.knots_) > 0.0).all()
        check_sound(is_ascending, "knots do not ascend")


def _weights(words: Words, scores: Floats, knots: Floats) -> Floats:
    """Share of the words near each knot, (n_knots,), without the most frequent word."""
    counts = words.counts.astype(np.float64)
    if counts.size > 1:
        counts[counts.argmax()] = 0.0
    hats = np.stack([np.interp(scores, knots, hat) for hat in np.eye(knots.size)])
    shares: Floats = hats @ counts / counts.sum()
    return shares

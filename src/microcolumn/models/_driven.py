"""A model of the paper's family with a drive from outside: what units do beyond the stimulus."""

from collections.abc import Sequence
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..energy import log_weight
from ..errors import BadFile, BadInput, BadType, Unsupported
from ..incomplete import AnyWords
from ..objectives.driven import DrivenFlips
from ..parameters import Parameters
from ..partition import LogPartition
from ..partition.driven import DrivenMethod, driven_log_partition
from ..penalties import L1
from ..repeats import Repeats
from ..solvers import Certificate, minimise
from ..stimulus import StimulusDrive
from ..validation import Floats, chunks, expect, random_generator, whole_number
from ..words import Words, check_unweighted
from ..words_info import ordered
from ._base import PopulationModel
from ._saving import Arrays, check_sound, checked_arrays, to_bytes
from ._word_model import WordModel
from ._words_estimator import Size, floored_rates
from .penalised import PenalisedModel

#: Largest violation of its optimality conditions at which independent units count as fitted.
_TOL, _MAX_ITER = 1e-10, 5000
#: Arrays of files: of the repeats, and of the drive with its scale.
_REPEATS = {"starts_s": "float64 r", "stops_s": "float64 r", "duration_s": "float64 1"}
_DRIVE = {
    "spikes": "uint8 r m n",
    "observed": "uint8 r m",
    **dict.fromkeys(("width_s", "prior_bins"), "float64 n"),
    "locked": "uint8 n",
    "scale": "float64 n",
}


class Driven(WordModel):
    """A model of words whose biases follow a stimulus.

    p(x | t) = p~(x) exp(sum_n s_n d_n(t) x_n) / Z(t), with p~ of any model of the paper's family, d
    the stimulus drive and s its scale for each unit, which is fitted with the biases, without a
    penalty (docs/method.md, "Stimulus drive"). Every bin, also of the training words, is given the
    drive of the other repeats, so that what couplings and hidden units explain is beyond the
    stimulus.

    Parameters
    ----------
    model : Independent, Ising, RBM or SemiRBM
        With its settings; the objective is ``"mpf"`` or ``"pseudolikelihood"``.
    drive : StimulusDrive
        From the training part.

    Attributes
    ----------
    model_ : PopulationModel
        The fitted model as it is at a drive of zero.
    scale_ : ndarray, shape (n_units,)
        Factor on each unit's drive; 0 for a unit that the drive does not help to predict.
    certificate_ : Certificate
        How far the fit is from its optimum.

    Examples
    --------
    >>> from microcolumn.models import Ising
    >>> rng = np.random.default_rng(0)
    >>> rate = np.where(np.arange(4000) % 50 < 10, 0.5, 0.05)  # one movie drives both units
    >>> words = Words.from_array(rng.random((4000, 2)) < rate[:, None])
    >>> repeats = Repeats(np.arange(80.0), duration_s=1.0)
    >>> drive = StimulusDrive.from_words(words, repeats)
    >>> ising = Ising(l1=0.01, objective="pseudolikelihood")
    >>> ising.fit(words).n_couplings_, Driven(ising, drive).fit(words).n_couplings_
    (1, 0)
    """

    _inner_models: ClassVar[tuple[str, ...]] = ("model",)

    model_: PopulationModel
    scale_: Floats

    def __init__(self, model: PopulationModel, drive: StimulusDrive) -> None:
        self.model = model
        self.drive = drive

    def fit(self, X: Words, y: None = None) -> Self:
        """Fit to words that are single bins inside repeats of the stimulus."""
        self._check_settings()
        words = self._of_drive(X)
        check_unweighted(words)

        def objective(part: Words) -> DrivenFlips:
            name = getattr(self.model, "objective", "pseudolikelihood")
            return DrivenFlips(part, *self.drive.offsets(part), name)

        model = clone(self.model)
        if isinstance(model, PenalisedModel):
            [(_, result)] = model._results(words, [model.l1], None, objective=objective)
            model._set_result(result, words, stacklevel=3)
        else:
            _fit_independent(model, words, objective(words))
        self.model_ = model
        self.scale_ = objective(words).scale(model.parameters_)
        self._set_words_info(words.n_dims, words)
        return self

    @property
    def certificate_(self) -> Certificate:
        """How far the fit is from its optimum."""
        check_is_fitted(self)
        optimality = self.model_.optimality_
        return getattr(self.model_, "certificate_", Certificate(optimality <= _TOL, optimality))

    @property
    def parameters_(self) -> Parameters:
        """The fitted J, b, W, c as one object, those of ``model_``."""
        check_is_fitted(self)
        return self.model_.parameters_

    def _size(self) -> Size:
        size = self.model_._size()
        n_parameters = size.parameters + np.count_nonzero(self.scale_)
        return size._replace(parameters=n_parameters, text="")

    def log_probability(
        self, words: Words, method: DrivenMethod = "auto", random_state: int = 0
    ) -> Floats:
        """Log probability of each bin's word at its moment of the stimulus, nats, (n_bins,).

        In time order; parameters are those of :meth:`scored`, which says how far to trust them.
        """
        return self.scored(words, method, random_state)[0]

    def scored(
        self, words: Words, method: DrivenMethod = "auto", random_state: int = 0
    ) -> tuple[Floats, LogPartition]:
        """Log probability of each bin's word, nats, and the mean of log Z over the bins.

        Parameters
        ----------
        words : Words
            Single bins inside repeats.
        method : {"auto", "exact", "importance"}
            How log Z of each distinct moment is found: by sums over all states, or by words drawn
            from the model without its drive; by default exact where that takes no more than half a
            minute or so.
        random_state : int
            Seed of the drawn words.
        """
        held, table, row = self._drives(words)
        values, log_z = driven_log_partition(
            self.parameters_,
            table,
            weights=np.bincount(row, minlength=len(table)).astype(np.float64),
            method=method,
            random_state=random_state,
            # How frequent words were says nothing of the model at a drive of zero.
            rates=self.rates_,
            words=self.model_._kept_words,
        )
        log_p = log_weight(self.parameters_, held.X)[held.index] - values[row]
        for part in chunks(held.n_bins, held.n_dims):
            log_p[part] += (table[row[part]] * held.X[held.index[part]]).sum(axis=1)
        return log_p, log_z

    def score(self, X: AnyWords | ArrayLike, y: None = None) -> float:
        """Mean log probability per bin, in nats."""
        return float(self.log_probability(self._of_drive(X)).mean())

    def log_odds(self, X: Words | ArrayLike, positions: Sequence[int] | None = None) -> Floats:
        """As in :class:`WordModel`, of single bins inside repeats at their moments, in time."""
        words, table, row = self._drives(X)
        chosen = list(range(words.n_dims) if positions is None else positions)
        return self._log_odds(words.X, chosen)[words.index] + table[:, chosen][row]

    def _log_odds(self, bits: NDArray[np.uint8], units: Sequence[int]) -> Floats:
        """Without the drive."""
        return self.model_._log_odds(bits, units)

    def sample_at(
        self, words: Words, random_state: Any = 0, n_sweeps: int = 100
    ) -> NDArray[np.uint8]:
        """Draw one word for each bin, at its moment of the stimulus, by collapsed Gibbs sampling.

        Parameters
        ----------
        words : Words
            Single bins inside repeats; only their times matter.
        random_state : int, Generator or None
            Source of the draws.
        n_sweeps : int
            Sweeps over all units; each bin is a chain of its own that starts from independent
            units. The default suits models that mix within some tens of sweeps.

        Returns
        -------
        ndarray of uint8, shape (n_bins, n_units)
            In time order, units in the model's own order.
        """
        whole_number("n_sweeps", n_sweeps, least=1)
        _, table, row = self._drives(words)
        rng, theta = random_generator(random_state), self.parameters_
        drawn = np.empty((row.size, theta.n_visible), dtype=np.uint8)
        for part in chunks(row.size, theta.n_visible + theta.n_hidden):
            drive = table[row[part]]
            bits = (rng.random(drive.shape) < expit(drive + theta.b)).astype(np.uint8)
            for _ in range(n_sweeps):
                for unit in range(theta.n_visible):
                    odds = self._log_odds(bits, [unit])[:, 0] + drive[:, unit]
                    bits[:, unit] = rng.random(odds.size) < expit(odds)
            drawn[part] = bits
        return drawn

    def _log_probability(self, bits: NDArray[np.uint8]) -> NoReturn:
        """Refused: a word has a probability at a moment only; see :meth:`log_probability`."""
        raise Unsupported(
            "a driven model gives a word a probability at a moment of the stimulus only",
            "use log_probability(words), or evaluate.beyond_stimulus for scores",
        )

    def log_partition(self) -> NoReturn:
        """Refused: there is one for each moment; see :meth:`scored`."""
        raise Unsupported("a driven model has a log Z for each moment", "use scored(words)")

    def sample(self, n_samples: int = 1, random_state: Any = 0, **options: Any) -> NoReturn:
        """Refused: words are drawn at moments of the stimulus; see :meth:`sample_at`."""
        raise Unsupported(
            "a driven model draws words at moments of the stimulus only", "use sample_at(words)"
        )

    def _of_drive(self, words: AnyWords | ArrayLike) -> Words:
        """The words in the drive's order of units, which is the model's."""
        if not isinstance(words, Words):
            raise BadType(
                "words",
                f"is a {type(words).__name__}, which has no times",
                "pass Words, such as recording.bin(0.020)",
            )
        return ordered(words, self.drive.words_info)

    def _drives(self, X: Words | ArrayLike) -> tuple[Words, Floats, NDArray[np.int64]]:
        """Words in the model's order, scaled drives (n_rows, n_units) and the row of each bin."""
        check_is_fitted(self)
        words = self._of_drive(X)
        table, row = self.drive.offsets(words)
        return words, table * self.scale_, row

    def _check_settings(self) -> None:
        if not isinstance(self.model, PopulationModel):
            raise BadType(
                "model", f"is {self.model!r}", "pass an Independent, Ising, RBM or SemiRBM"
            )
        expect("drive", self.drive, StimulusDrive, "StimulusDrive.from_words(train, repeats)")
        if getattr(self.model, "objective", "mpf") not in ("mpf", "pseudolikelihood"):
            raise BadInput(
                "the likelihood of a driven model needs log Z of every moment at every step",
                "fit with objective='pseudolikelihood' or 'mpf'",
            )

    def _arrays(self) -> Arrays:
        drive = self.drive
        return {
            "model": np.frombuffer(to_bytes(self.model_), dtype=np.uint8).copy(),
            "scale": self.scale_,
            "spikes": drive.spikes,
            "observed": drive.observed,
            # Files hold finite numbers: no kernel at all is a width below zero.
            "width_s": np.where(np.isfinite(drive.width_s), drive.width_s, -1.0),
            "prior_bins": drive.prior_bins,
            "locked": drive.locked.astype(np.uint8),
            "starts_s": drive.repeats.starts_s,
            "stops_s": drive.repeats.stops_s,
            "duration_s": np.array([drive.repeats.duration_s]),
        }

    @classmethod
    def _from_arrays(cls, arrays: Arrays, settings: dict[str, Any]) -> Self:
        model = settings["model"]
        if not isinstance(model, PopulationModel) or model.words_info_ is None:
            raise BadFile("the model that is driven is not of the paper's family")
        about, sizes = model.words_info_, {"n": model.n_features_in_}
        starts, stops, duration = checked_arrays(arrays, _REPEATS, sizes).values()
        repeats = Repeats(starts, float(duration[0]), stops)
        sizes["m"] = repeats.n_moments(about.bin_width)
        spikes, observed, width, prior, locked, scale = checked_arrays(
            arrays, _DRIVE, sizes
        ).values()
        belong = (spikes <= observed[:, :, None]).all() and observed.any(axis=1).sum() >= 2
        check_sound(belong, "spikes and observed do not belong to repeats")
        check_sound((prior > 0.0).all(), "prior_bins are not positive")
        width = np.where(width < 0.0, np.inf, width)
        drive = StimulusDrive(repeats, about, spikes, observed, width, prior, locked.astype(bool))
        driven = cls(clone(model), drive)
        driven.model_, driven.scale_ = model, scale
        driven._set_words_info(sizes["n"], None)
        return driven


def _fit_independent(model: PopulationModel, words: Words, objective: DrivenFlips) -> None:
    """Fit biases and scales of independent units: one logistic regression each."""
    floored = floored_rates(words)
    start = Parameters(b=np.log(floored) - np.log1p(-floored))
    constant = np.asarray(~words.X.any(axis=0) | words.X.all(axis=0))
    minimum = minimise(objective, start, L1(0.0), fixed=constant, tol=_TOL, max_iter=_MAX_ITER)
    model._set_parameters(minimum.parameters, words)
    model.objective_, model.optimality_ = minimum.objective, minimum.optimality
    model.n_iter_ = max(minimum.n_iter, 1)

"""What everything fitted to words has: files, and the units, bins and rates it was fitted on."""

import os
from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from ..errors import BadArgument, BadInput, Unsupported
from ..formatting import counted, scientific
from ..incomplete import AnyWords, IncompleteWords
from ..notebook import card, facts
from ..units import Units
from ..validation import Floats, check_binary, check_orientation
from ..words import UnnamedWords, Words
from ..words_info import WordsInfo, ordered
from ._saving import Arrays, save


class Size(NamedTuple):
    """How large a fit is."""

    parameters: int | np.integer[Any]
    nonzero: int | np.integer[Any] = 0
    couplings: int | np.integer[Any] = 0
    live_hidden: int | np.integer[Any] = 0
    text: str = ""


class WordsEstimator(BaseEstimator, ABC):  # type: ignore[misc]
    """A scikit-learn estimator that is fitted to words and remembers whose they were.

    Attributes
    ----------
    rates_ : ndarray, shape (n_units,)
        Training rates with a floor: the independent baseline of the scores. Only after ``fit``.
    window_ : int
        Bins per word of the training words, 1 for a plain array. Only after ``fit``: parameters
        alone do not say, nor do files from before it was kept.
    n_words_ : int
        Number of training words. Only after ``fit``, like ``window_``.
    words_info_ : WordsInfo or None
        Units, bin width, window and span of time of the training words. Words that are scored or
        predicted must have the same units, in any order, bin width and window. None after a plain
        array, for a model made from parameters, and for files from before it was kept.
    n_features_in_ : int
        Number of bits of a word: units times bins.
    """

    #: Numbers and texts of a fit that files keep, where a model has them.
    _fitted_numbers: ClassVar[tuple[str, ...]] = ("window_", "n_words_")
    #: Attributes that are arrays of the fit, with their types and axes (:func:`.checked_arrays`);
    #: files name them without underscores.
    _kept_arrays: ClassVar[dict[str, str]] = {}
    #: Arrays of a file that are models themselves, on which this one is built.
    _inner_models: ClassVar[tuple[str, ...]] = ()
    #: Records of a file, such as log Z, without which nothing can be scored.
    _required_records: ClassVar[tuple[str, ...]] = ()

    rates_: Floats
    window_: int
    n_words_: int
    words_info_: WordsInfo | None = None
    n_features_in_: int

    def _size(self) -> Size:
        """How large the fit is, for the properties below; by default the numbers of its arrays."""
        return Size(sum(np.count_nonzero(getattr(self, name)) for name in self._kept_arrays))

    def _arrays(self) -> Arrays:
        """Arrays that make up the fit, for files."""
        return {name.strip("_"): getattr(self, name) for name in self._kept_arrays}

    @classmethod
    @abstractmethod
    def _from_arrays(cls, arrays: Arrays, settings: dict[str, Any]) -> Self:
        """Make the model of such arrays anew, or raise a ValueError that says what is wrong.

        ``settings`` are those of the constructor as far as files hold them, and the models that
        ``_inner_models`` names.
        """

    @property
    def n_parameters_(self) -> int:
        """Free numbers of the fit that are not zero."""
        return int(self._fitted_size.parameters)

    @property
    def n_nonzero_(self) -> int:
        """Couplings (a pair counts once) and weights other than zero: what a penalty left over."""
        return int(self._fitted_size.nonzero)

    @property
    def n_couplings_(self) -> int:
        """Pairs of units with a coupling other than zero; 0 for models without couplings."""
        return int(self._fitted_size.couplings)

    @property
    def n_live_hidden_(self) -> int:
        """Hidden units with at least one non-zero weight; 0 for models without hidden units."""
        return int(self._fitted_size.live_hidden)

    @property
    def size_(self) -> str:
        """What was chosen for it on held-out words, in a few words, such as ``"60 components"``."""
        return self._fitted_size.text

    @property
    def _fitted_size(self) -> Size:
        check_is_fitted(self)
        return self._size()

    @property
    def units_(self) -> Units | None:
        """Table of the units that the model was fitted on; None after a plain array."""
        check_is_fitted(self)
        return None if self.words_info_ is None else self.words_info_.units

    @property
    def unit_ids_(self) -> tuple[str, ...] | None:
        """Their names, in the order of the model's bits; None after a plain array."""
        units = self.units_
        return None if units is None else units.ids

    @property
    def bin_width_(self) -> float | None:
        """Seconds per bin of the words that it was fitted on; None after a plain array."""
        check_is_fitted(self)
        return None if self.words_info_ is None else self.words_info_.bin_width

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a safetensors file; see :func:`microcolumn.load`."""
        save(self, path)

    def _facts(self) -> dict[str, str]:
        """What a notebook shows of a fitted model."""
        certificate = getattr(self, "certificate_", None)
        about = {
            "fitted to": "" if self.words_info_ is None else self.words_info_.span,
            "duration": "" if self.words_info_ is None else self.words_info_.duration,
            "penalty": scientific(self.l1) if hasattr(self, "l1") else "",
            "chosen": self.size_,
            "objective": getattr(self, "objective", ""),
            "parameters": f"{self.n_parameters_:,}",
        }
        if certificate is not None:
            said = "yes" if certificate.converged else "no"
            about["converged"] = f"{said} (optimality {certificate.optimality:.1e})"
        return about

    def _repr_html_inner(self) -> str:
        """What scikit-learn calls for a notebook; settings before a fit, then what was found."""
        if not self.__sklearn_is_fitted__():
            return str(super()._repr_html_inner())
        window = getattr(self, "window_", 1)
        units = counted(self.n_features_in_ // window, "unit") + f" x {window} bins" * (window > 1)
        return card(f"{type(self).__name__} of {units}", facts(self._facts()))

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle

    def __sklearn_is_fitted__(self) -> bool:
        return "words_info_" in vars(self)

    def _set_words_info(self, n_bits: int, words: AnyWords | None) -> None:
        """Keep the size of the words and, after a fit, what scores need of the data."""
        self.n_features_in_ = n_bits
        self.words_info_ = None if words is None else WordsInfo.of(words)
        if words is not None:
            self.rates_, self.window_ = floored_rates(words), words.window
            self.n_words_ = words.n_bins

    def _check_incomplete(self) -> None:
        """Refuse words with missing cells; models that can be fitted to them say to which."""
        raise Unsupported(
            f"{type(self).__name__} cannot be fitted to words with missing cells",
            "fit Independent, BernoulliMixture, Ising, RBM or SemiRBM, or leave out those bins",
        )

    def _training_words(self, X: AnyWords | ArrayLike, sample_weight: ArrayLike | None) -> Words:
        if isinstance(X, AnyWords):
            if sample_weight is not None:
                raise BadInput("Words carry their own weights", "leave out sample_weight")
            if isinstance(X, IncompleteWords):
                self._check_incomplete()
                X = cast(Words, X)  # what fits to them need, both have
            # Names of an earlier fit on a data frame would not describe these columns.
            if hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
            return X
        words = UnnamedWords.from_array(X, sample_weight=sample_weight)
        check_orientation(words.n_bins, words.n_units)
        validate_data(self, X, skip_check_array=True)
        return words

    def _checked(self, X: Words | ArrayLike) -> NDArray[np.uint8]:
        """Words to evaluate as bits in the model's order, which the rows of ``X`` keep."""
        check_is_fitted(self)
        bits = ordered(X, self.words_info_).X if isinstance(X, Words) else check_binary(X)
        self._check_features(X, bits.shape[1])
        return bits

    def _check_features(self, X: AnyWords | ArrayLike, n_bits: int) -> None:
        """Refuse words of other units than those of the fit."""
        if n_bits != self.n_features_in_:
            raise BadArgument(
                "X",
                f"has {n_bits} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input",
                "pass the units it was fitted on",
            )
        if not isinstance(X, AnyWords):  # a data frame's columns must have the names they had
            validate_data(self, X, skip_check_array=True, reset=False)


def in_time(X: AnyWords | ArrayLike, values: Floats) -> Floats:
    """Values of the rows of an array as they are; those of distinct words, of each bin in time."""
    return values[X.index] if isinstance(X, AnyWords) else values


def floored_rates(words: AnyWords) -> Floats:
    """Rates kept half a count away from never and always, so that no word has probability 0.

    Whole weights count as that many bins, so that they do what repeated rows would do; weights
    that add up to less than the number of bins are relative and do not raise the floor.
    """
    n_words: Any = max(float(words.counts.sum()), words.n_bins)
    if isinstance(words, IncompleteWords):
        n_words = words.observed / words.counts.sum() * n_words
    floor = 0.5 / (n_words + 1)
    return np.clip(words.rates, floor, 1.0 - floor)


def scaled_counts(words: AnyWords) -> Floats:
    """Counts of distinct words that add up to the number of bins or more, shape (n_distinct,).

    Whole weights count as that many bins. Weights that add up to less than the number of bins are
    relative; they are scaled to it, so that pseudo-counts mean the same beside them.
    """
    return words.counts * max(1.0, words.n_bins / float(words.counts.sum()))

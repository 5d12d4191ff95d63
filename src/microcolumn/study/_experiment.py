"""Experiment: which words are made of recordings, and which models are compared on them."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import pairwise
from typing import Any, Literal

from ..errors import BadArgument, BadInput, within
from ..evaluate.choice import AUTOMATIC
from ..formatting import milliseconds
from ..models.spec import CLASSES, OBJECTIVES, PAPER_MODELS, REMOVED, USUAL_ALTERNATIVES
from ..renamed import Renamed
from ..validation import expect, listed, proper_share, real_number, whole_number
from ..words import checked_bin_width

#: What may be compared with independent units, which are the first class.
MODELS = tuple(dict.fromkeys((*PAPER_MODELS, *CLASSES[1:])))
#: Names of settings in plans of older versions.
_STORED = {"light_above": "fast_above_bits"}
#: Penalties of the paper.
PAPER_L1 = (0.0, 1e-3, 2e-3, 4e-3, 6e-3, 8e-3, 1e-2)
SPLITS = ("words", "blocks")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """End of a sentence about a word that is not known: the nearest known one, or all."""
    by_lower = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.lower(), by_lower, n=1)
    if close:
        return f"did you mean {by_lower[close[0]]!r}?"
    return f"choose one of {', '.join(map(repr, by_lower.values()))}"


def checked_name(argument: str, name: Any) -> str:
    """The name of an experiment or a recording, or a sentence about why it cannot be one."""
    text = expect(argument, name, str, "a name in text")
    if not (text.strip() and text.isprintable()):
        raise BadArgument(argument, f"is {text!r}", "give a name that can be printed")
    return text


def _at_least(least: int) -> Callable[[str, Any], int]:
    return partial(whole_number, least=least)


def _or_none(check: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    return lambda name, value: None if value is None else check(name, value)


def _one_of(known: tuple[str, ...]) -> Callable[[str, Any], str]:
    def check(name: str, value: Any) -> str:
        if expect(name, value, str, "a name") not in known:
            raise BadArgument(name, f"is {value!r}", did_you_mean(value, known))
        return str(value)

    return check


def _model(name: str, value: Any) -> str:
    if isinstance(value, str) and value in REMOVED:
        remedy = "leave it out, or use a version from before"
        raise BadArgument(name, f"has {value!r}, which {REMOVED[value]}", remedy)
    return _one_of(MODELS)(name, value)


def _several(check: Callable[[str, Any], Any], least: int = 1) -> Callable[[str, Any], Any]:
    """Check of a tuple without repetition, each of whose entries passes ``check``."""

    def check_all(name: str, values: Any) -> tuple[Any, ...]:
        single = isinstance(values, str) or not hasattr(values, "__iter__")
        entries = [values] if single else listed(name, values, "pass a list")
        checked = tuple(check(name, entry) for entry in entries)
        if len(checked) < least:
            raise BadArgument(name, "is empty", f"list at least {least}")
        for entry in checked:
            if checked.count(entry) > 1:
                raise BadArgument(name, f"lists {entry!r} twice", "list it once")
        return checked

    return check_all


def _n_hidden(name: str, value: Any) -> int | str:
    if isinstance(value, str):
        if value in ("auto", "dims"):
            return value
        raise BadArgument(name, f"is {value!r}", "give whole numbers, 'auto' or 'dims'")
    return _at_least(1)(name, value)


def _hidden_numbers(name: str, values: Any) -> tuple[int | str, ...]:
    numbers: tuple[int | str, ...] = _several(_n_hidden)(name, values)
    if {"auto", "dims"} <= {*numbers}:  # a model without a number in its name is one of them
        raise BadArgument(name, "has both 'auto' and 'dims'", "give one of them")
    return numbers


def _strength(name: str, value: Any) -> float:
    strength = real_number(name, value, "give numbers such as 2e-3")
    if not (math.isfinite(strength) and strength >= 0):
        raise BadArgument(name, f"has {strength}", "it must be finite and not negative")
    return strength + 0.0  # one zero, of which floating point has two: jobs go by their text


def _strengths(name: str, values: Any) -> str | tuple[float, ...]:
    if isinstance(values, str):
        if values not in AUTOMATIC:
            raise BadArgument(name, f"is {values!r}", "give 'auto', 'coarse' or numbers")
        return values
    strengths: tuple[float, ...] = _several(_strength)(name, values)
    for lower, upper in pairwise(strengths):
        if upper < lower:
            raise BadArgument(name, f"has {upper} behind {lower}", "list them in increasing order")
    return strengths


def _windows(name: str, values: Any) -> tuple[int, ...]:
    """In increasing order, in which results are read: what each further bin adds."""
    return tuple(sorted(_several(_at_least(1))(name, values)))


def _yes_or_no(name: str, value: Any) -> bool:
    return expect(name, value, bool, "true or false")


def _setting(default: Any, check: Callable[[str, Any], Any]) -> Any:
    """A field of an experiment with the function that checks, or refuses, what it is given."""
    return field(default=default, metadata={"check": check})


@dataclass(frozen=True, slots=True)
class Experiment(Renamed):
    """A column of the protocol (docs/method.md, section 7).

    The defaults are the paper's except for ``n_hidden``, ``objectives``, ``l1`` and ``split_by``,
    whose paper's values :meth:`Plan.paper` has.

    Where a tuple is asked for, any iterable and a single entry will do.

    Attributes
    ----------
    name : str
        What the experiment is called in results.
    recordings : tuple of str
        Names of the recordings it is about; empty for all of the plan.
    bin_width : float
        Seconds.
    most_active : int, optional
        Keep that many units with the most spikes; all where there are fewer or this is None.
    max_words : int, optional
        Keep that many bins, in 20 blocks spread evenly over the recording or in fewer of at least
        500 bins; all where there are fewer or this is None.
    windows : tuple of int
        Bins per word, one comparison for each entry; kept in increasing order.
    models : tuple of str
        Models to compare: ``"Ising"``, ``"RBM"``, ``"SemiRBM"``, and alternatives outside the
        paper's family, such as ``"BernoulliMixture"``, whose settings the validation part chooses.
        Where ``"SemiRBM"`` meets one of a common drive, one with a single hidden unit is compared,
        too: pairs and a drive, which groups must be better than.
    n_hidden : tuple of int, "auto" or "dims"
        Numbers of hidden units, a model for each; ``"auto"`` for the number that the validation
        part of each split prefers (:func:`microcolumn.evaluate.choose_n_hidden`; a SemiRBM takes
        that of the RBM), ``"dims"`` for as many as the word has bits.
    objectives : tuple of {"likelihood", "pseudolikelihood", "mpf"}
        What fits minimise.
    l1 : tuple of float, "auto" or "coarse"
        Strengths of the L1 penalty to choose from, increasing; ``"auto"`` makes them for the words
        of each split, ``"coarse"`` fewer of them: see :func:`microcolumn.evaluate.choose_l1`.
    n_splits : int
        How often the words are split into a training and a test part.
    split_by : {"words", "blocks"}
        How they are split: by blocks of time, so that scores hold for other stretches of the
        recording, or by single words, as in the paper (docs/method.md, section 6).
    train : float
        Share of the words for fitting and choosing l1; the rest is the test part.
    validation : float
        Share of the training part on which l1 is chosen.
    seed : int
        Split k and its fits have ``random_state = seed + k``.
    n_init : int
        Starts of each fit.
    max_steps : int
        Most steps of annealing, where log Z is out of reach of exact sums.
    group_l1 : float
        Strength of the penalty on groups, all weights of a hidden unit; 0 for none.
    choose_once : bool
        Whether the penalties and numbers of hidden units, or the settings of alternatives, that the
        first split chooses hold for all splits: one fit of each model instead of a path of them.
        The other splits' test words then have had a say in one or two numbers of a model.
    tie_bins : bool
        Whether couplings and weights of windows depend on the lag between bins alone.
    fast_above_bits : int, optional
        Words of more bits than this get a faster comparison: without ``"SemiRBM"`` unless
        ``models`` are chosen, with 10 hidden units where ``n_hidden`` is ``"auto"``, fits that end
        where their optimality conditions are violated by 1e-4, penalties of alternatives over two
        decades, and mixtures of at most 40 components. None for no such limit.

    Examples
    --------
    >>> experiment = Experiment("short", windows=[1, 2], n_hidden=10)
    >>> experiment.windows, experiment.n_hidden, experiment.split_by
    ((1, 2), (10,), 'blocks')
    """

    name: str
    recordings: tuple[str, ...] = _setting((), _several(checked_name, least=0))
    bin_width: float = _setting(0.020, lambda _, value: checked_bin_width(value))
    most_active: int | None = _setting(None, _or_none(_at_least(1)))
    max_words: int | None = _setting(None, _or_none(_at_least(2)))
    windows: tuple[int, ...] = _setting((1,), _windows)
    models: tuple[str, ...] = _setting((*PAPER_MODELS, *USUAL_ALTERNATIVES), _several(_model))
    n_hidden: tuple[int | Literal["auto", "dims"], ...] = _setting(("auto",), _hidden_numbers)
    objectives: tuple[str, ...] = _setting(OBJECTIVES[:1], _several(_one_of(OBJECTIVES)))
    l1: tuple[float, ...] | str = _setting("auto", _strengths)
    n_splits: int = _setting(10, _at_least(1))
    split_by: str = _setting("blocks", _one_of(SPLITS))
    train: float = _setting(0.5, proper_share)
    validation: float = _setting(0.2, proper_share)
    seed: int = _setting(0, _at_least(0))
    n_init: int = _setting(1, _at_least(1))
    max_steps: int = _setting(100_000, _at_least(1))
    group_l1: float = _setting(0.0, _strength)
    choose_once: bool = _setting(False, _yes_or_no)
    tie_bins: bool = _setting(False, _yes_or_no)
    fast_above_bits: int | None = _setting(None, _or_none(_at_least(1)))

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", checked_name("name", self.name))
        for each in fields(self)[1:]:
            with within(f"experiment {self.name}"):
                value = each.metadata["check"](each.name, getattr(self, each.name))
            object.__setattr__(self, each.name, value)
        with within(f"experiment {self.name}"):
            self._check_ties()

    def _check_ties(self) -> None:
        """Refuse what hidden units of tied bins cannot be."""
        if self.tie_bins and self.group_l1 > 0.0:
            raise BadArgument("group_l1", "has no groups where bins are tied", "set one of them")
        for n_hidden in self.n_hidden if self.tie_bins else ():
            if isinstance(n_hidden, int) and any(n_hidden % window for window in self.windows):
                problem = f"has {n_hidden}, which not all windows can share among tied bins"
                raise BadArgument("n_hidden", problem, "give 'dims' or 'auto'")

    @classmethod
    def from_dict(cls, name: str, settings: Any) -> Experiment:
        """An experiment by its settings; others are the defaults of its name, or the paper's."""
        expect(f"experiment {name}", settings, Mapping, "a table of settings")
        settings = {_STORED.get(name, name): value for name, value in settings.items()}
        for setting in settings:
            if setting not in cls.settings():
                remedy = did_you_mean(setting, cls.settings())
                with within(f"experiment {name}"):
                    raise BadInput(f"{setting!r} is no setting", remedy)
        if name == SPATIOTEMPORAL.name:
            return replace(SPATIOTEMPORAL, **settings)
        return cls(name, **settings)

    @classmethod
    def settings(cls) -> tuple[str, ...]:
        """Names of all fields except the experiment's own name."""
        return tuple(field.name for field in fields(cls) if field.name != "name")

    @property
    def test_to_train(self) -> float:
        """Test words over training words; the choice of l1 is part of the training."""
        return (1.0 - self.train) / self.train

    def is_fast(self, n_dims: int) -> bool:
        """Whether words of so many bits get the faster comparison."""
        return self.fast_above_bits is not None and n_dims > self.fast_above_bits

    def models_for(self, n_dims: int) -> tuple[str, ...]:
        """Models that are compared on words of so many bits."""
        if self.is_fast(n_dims) and self.models == INSTANTANEOUS.models:
            return tuple(name for name in self.models if name != "SemiRBM")
        return self.models

    def as_dict(self) -> dict[str, Any]:
        """All settings in the types of JSON, by name."""
        values = {setting: getattr(self, setting) for setting in self.settings()}
        return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}


def instantaneous(settings: Mapping[str, Any]) -> list[Experiment]:
    """The instantaneous experiment; of several bin widths one for each, called ``"20 ms"``."""
    if "bin_width" not in settings:
        return [Experiment.from_dict(INSTANTANEOUS.name, settings)]
    check = _several(lambda name, width: checked_bin_width(width))
    widths = check("bin_width", settings["bin_width"])
    named = {milliseconds(width) if widths[1:] else INSTANTANEOUS.name: width for width in widths}
    return [
        Experiment.from_dict(name, {**settings, "bin_width": width})
        for name, width in named.items()
    ]


INSTANTANEOUS = Experiment("instantaneous")
SPATIOTEMPORAL = Experiment(
    "spatiotemporal",
    bin_width=0.0067,
    most_active=10,
    max_words=200_000,
    windows=(*range(1, 11), 15),
    models=PAPER_MODELS,
    n_hidden=("dims",),
    l1="coarse",  # eleven windows take hours by every strength
    choose_once=True,
)

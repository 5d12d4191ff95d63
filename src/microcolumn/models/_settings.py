"""Settings of penalised models: what they may be, what they are called, and seeds."""

import sys
from collections.abc import Mapping
from dataclasses import field, fields, is_dataclass
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import (
    Interval,
    StrOptions,
    make_constraint,
)

from ..errors import BadArgument, BadType
from ..validation import described
from .spec import CONDITIONAL, OBJECTIVES


class Number(Interval):  # type: ignore[misc]
    """An interval of floats; truth values, which Python counts as such, are mistakes."""

    def is_satisfied_by(self, val: Any) -> bool:
        is_float = not isinstance(val, int) or abs(val) <= sys.float_info.max
        return is_float and not isinstance(val, bool) and bool(super().is_satisfied_by(val))


class Choice(StrOptions):  # type: ignore[misc]
    """Strings to choose from, in the same order in every message."""

    def __str__(self) -> str:
        return " or ".join(map(repr, sorted(self.options)))


STRENGTH = [Number(Real, 0, None, closed="left")]
POSITIVE = [Number(Real, 0, None, closed="neither")]
TOLERANCE = [*POSITIVE, None]
COUNT = [Number(Integral, 1, None, closed="left")]
#: Hidden units of a model; more than any words could tell apart.
HIDDEN = [Number(Integral, 1, 10_000, closed="both")]
OBJECTIVE = [Choice({*OBJECTIVES, CONDITIONAL})]
SWITCH = ["boolean"]
RANDOM_STATE = ["random_state", np.random.Generator]

#: What several models say in their docstrings, by the name that stands for it there.
_SHARED = {
    "hidden units": """n_hidden : int or "auto"
        Number of hidden units; the penalties decide how many stay alive. With ``"auto"`` ``tune``
        and ``compare`` choose it (:func:`microcolumn.evaluate.choose_n_hidden`).
    l1 : float
        L1 penalty per entry of W and, where the model has couplings, of J (each pair counts twice).
    group_l1 : float
        Group penalty per hidden unit and entry of W: group_l1 * sqrt(n_visible) times the
        Euclidean norm of the unit's weights, so that whole hidden units die.""",
    "search": """objective : {"likelihood", "conditional", "pseudolikelihood", "mpf"}
        Maximum likelihood: exact where the sums take a tenth of a second, else from words that the
        model draws, certified by fresh chains (docs/method.md, section 5). Of windows of at most 16
        units ``"conditional"`` is that of the newest bin given the bins before it, which predicts
        and is scored so; such a model says nothing of whole windows. Or pseudolikelihood, each unit
        given all others; or minimum probability flow, which needs no partition function and an
        ``l1`` about twenty times as large. ``tune`` chooses ``l1``.
    n_init : int
        Number of random starts of a model with hidden units; the lowest objective wins. The Ising
        problem is convex: one start is enough.
    tol : float, optional
        Largest violation of the optimality conditions that counts as converged. By default a
        likelihood ends where less is to be gained than 1 % of the standard error that the words
        allow for a score (``certificate_.gain``, nats per word), and other objectives at 1e-8
        (Ising: 1e-10).
    max_iter : int
        Most iterations of the solver from one start.
    random_state : int, Generator, RandomState or None
        Seed of the random starts and of the words that a sampled likelihood draws.
    tie_bins : bool
        Whether couplings and weights of windows (``words.embed``) depend on the lag between bins
        alone. An equal number of the hidden units then belongs to each bin, and those of one bin
        are those of another, shifted in time. Biases of units are free in each bin.""",
    "passes": """smoothing : float
        Words of the prior of each mode, and of each distribution of modes. Of 1, 3, 10 and 30, 10
        was best or nearly so on three recordings.
    n_init : int
        Random starts of the mixture. After ten passes over the words the best of them goes on.
    tol : float
        Fits end when a pass adds no more than this to the objective, nats per word. A tenth of it
        takes two to three times as long and changed no held-out score of the recordings tried by
        more than its error.
    max_iter : int
        Most passes over the words.
    random_state : int, Generator, RandomState or None
        Seed of the starts.""",
    "end of the passes": """objective_ : float
        Minus the log-likelihood and log prior per word, nats.
    last_gain_ : float
        What the last pass took off it.
    certificate_ : Certificate
        Converged if that is no more than ``tol``. Its optimality is the largest slope of the
        objective by a log odds of a spike or a log probability of a mode, which is 0 at a fixed
        point.
    n_iter_ : int
        Passes over the words.""",
}

Model = TypeVar("Model", bound=type)


def setting(default: Any, constraints: list[Any]) -> Any:
    """A field of a model with what it may be, as scikit-learn declares it."""
    return field(default=default, metadata={"constraints": constraints})


def check_settings(model: Any, settings: Mapping[str, Any]) -> None:
    """Refuse settings of a model that break their constraints, each in one sentence."""
    for each in fields(model) if is_dataclass(model) else ():
        if "constraints" in each.metadata:
            allowed = [make_constraint(one) for one in each.metadata["constraints"]]
            value = settings[each.name]
            if not any(constraint.is_satisfied_by(value) for constraint in allowed):
                wanted = " or ".join(map(str, allowed))
                raise BadType(each.name, f"is {described(value)}", f"it must be {wanted}")


def documented(cls: Model) -> Model:
    """Put what models share into the docstring of one of them, in place of names in braces."""
    for name, text in _SHARED.items():
        cls.__doc__ = (cls.__doc__ or "").replace(f"{{{name}}}", text)
    return cls


def seed_of(random_state: Any) -> np.random.SeedSequence:
    """Seeds of a fit from what scikit-learn calls a random state."""
    if isinstance(random_state, Integral) and int(random_state) >= 0:
        return np.random.SeedSequence(int(random_state))
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(random_state.integers(2**32, size=4).tolist())
    if random_state is None or isinstance(random_state, np.random.RandomState):
        state = check_random_state(random_state)
        return np.random.SeedSequence(state.randint(2**31, size=4).tolist())
    raise BadArgument(
        "random_state",
        f"is {random_state!r}",
        "pass a whole number, 0 or more, a Generator, a RandomState or None",
    )

"""Settings of penalised models: what they may be, what they are called, and seeds."""

from __future__ import annotations

import sys
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
from ..validation import shown


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

_SHARED_PARAMETERS = """objective : {"likelihood", "pseudolikelihood", "mpf"}
        Maximum likelihood: exact where the sums take a tenth of a second, else from words that the
        model draws, certified by fresh chains (docs/method.md, section 5). Or pseudolikelihood,
        each unit given all others; or minimum probability flow, which needs no partition function
        and an ``l1`` about twenty times as large. ``tune`` chooses ``l1``.
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
        Seed of the random starts and of the words that a sampled likelihood draws."""

Model = TypeVar("Model", bound=type)


def check_setting(name: str, value: Any, constraints: list[Any]) -> None:
    """Refuse a setting that breaks its declared constraints, in one sentence."""
    allowed = [make_constraint(constraint) for constraint in constraints]
    if not any(constraint.is_satisfied_by(value) for constraint in allowed):
        wanted = " or ".join(map(str, allowed))
        raise BadType(name, f"is {shown(value)}", f"it must be {wanted}")


def document_shared_parameters(cls: Model) -> Model:
    """Put the parameters that all penalised models share into the docstring of a model."""
    cls.__doc__ = (cls.__doc__ or "").replace("{shared parameters}", _SHARED_PARAMETERS)
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

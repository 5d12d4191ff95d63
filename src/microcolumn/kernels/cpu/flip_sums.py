"""Objectives over single flips: words and models laid out for the kernel in ``mpf.py``."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from scipy.special import expit

from ...packing import active_bits
from ...validation import Bits, Floats
from ..arrays import ModelArrays
from ..loops.threads import threads_for
from .mpf import sum_over_flips
from .mpf_tables import LARGEST_WEIGHT, ActiveBits, FlowSizes, Workspace, trusted

Kind = Literal["flow", "pseudolikelihood"]

#: Multiply-adds worth one more thread: a fit evaluates thousands of times, so less is worth it
#: than for a single sum; below it, waiting for a busy core would cost more than the work.
_OPERATIONS_PER_THREAD = 2.0**21
_NAMES = {"flow": "the flow K", "pseudolikelihood": "the pseudolikelihood"}


class FlipSums:
    """Mean over words of a sum over bits of f(Delta), for many evaluations, one at a time.

    Delta is log p~(x with the bit flipped) - log p~(x). Of minimum probability flow f is
    exp(Delta / 2), of minus the log pseudolikelihood softplus(Delta) (docs/method.md, section 3).
    Words (n_words, n_units) have ``weights`` (n_words,) that add up to 1.
    """

    def __init__(self, words: Bits, weights: Floats, kind: Kind) -> None:
        self._kind, self._shape = kind, words.shape
        # Words with equally many active bits together: loops of equal length are predicted well.
        order = np.argsort(words.sum(axis=1), kind="stable")
        n_active, active = active_bits(words[order])
        offsets = np.concatenate([[0], n_active]).cumsum()
        shares = weights[order]
        # What the kernel multiplies each word's exp(Delta / 2) with.
        factors = 0.5 * shares if kind == "flow" else np.ones_like(shares)
        with np.errstate(divide="ignore"):
            logs = np.log(factors)
        self._bits = ActiveBits(offsets, active, factors, logs, shares, borders=offsets[:0])
        self._most_active = int(n_active.max())
        self._workspace: Workspace | None = None
        self._sizes = (0, 0, False)

    @np.errstate(over="ignore", invalid="ignore")  # what is not finite is refused
    def value_and_gradient(self, model: ModelArrays) -> tuple[float, ModelArrays]:
        """Value at a model without a potential, and its derivatives by each of the arrays.

        A pair moves two entries of J, each of which has half of the derivative. OverflowError where
        anything is beyond the range of numbers, or a weight beyond the kernel's.
        """
        W, c = model.hidden
        live = np.asarray(W.any(axis=0))
        largest = float(np.abs(W).max(initial=0.0))
        if largest > LARGEST_WEIGHT:
            raise OverflowError(
                f"a hidden weight is {largest:.3g}, beyond the {LARGEST_WEIGHT:g} up to "
                "which products of exponentials stay in range; rescale the weights or raise the "
                "penalty"
            )
        space = self._space_for((model.n_units, int(live.sum()), model.J is not None))
        space.lay_out(model.b, model.J, W[:, live], c[live])
        value, scale = self._sum(space)
        b, J, of_live, of_biases = space.gradient(scale)
        slopes = ModelArrays(b, J)
        if model.W is not None:
            # Through a hidden unit without weights nothing flows, whose z is c for every word; its
            # weights change the flips of bit n by sigmoid(c) times what the bias of n does.
            of_W, of_c = np.outer(b, expit(c)), np.zeros(c.size)
            of_W[:, live], of_c[live] = of_live, of_biases
            slopes = ModelArrays(b, J, of_W, of_c)
        parts = (part for part in slopes if part is not None)
        if not (math.isfinite(value) and all(np.isfinite(part).all() for part in parts)):
            raise OverflowError(
                f"{_NAMES[self._kind]} or its gradient is larger than a floating-point number can "
                "be; the parameters are too large for these words, start from smaller ones"
            )
        return value, slopes

    def _space_for(self, sizes: tuple[int, int, bool]) -> Workspace:
        """The workspace of the last evaluation, if it had as many units and hidden units."""
        if self._workspace is None or self._sizes != sizes:
            shape = FlowSizes.of(*sizes, self._most_active)
            self._workspace = Workspace(shape, self._bits.offsets.size - 1)
            borders = self._workspace.borders(self._bits.offsets)
            self._bits, self._sizes = self._bits._replace(borders=borders), sizes
        return self._workspace

    def _sum(self, space: Workspace) -> tuple[float, float]:
        """Run the kernel: the value, and what its gradient has to be multiplied with."""
        if self._kind == "pseudolikelihood":
            self._run(self._bits, space)
            return space.value(), 1.0
        K, shift = self._flow(space), 0.0
        if trusted(K):
            return K, 1.0
        for _ in range(3):  # so far from 1 that weights need a factor too
            shift -= math.log(K) if 0.0 < K < math.inf else -600.0 if K == 0.0 else 600.0
            K = self._flow(space, shift)
            if trusted(K):
                break
        scale = float(np.exp(-shift))
        return float(np.float64(K) * scale), scale

    def _flow(self, space: Workspace, shift: float = 0.0) -> float:
        """Run the kernel; with a ``shift``, weights are computed from their logarithms."""
        bits = self._bits
        if shift != 0.0:
            bits = bits._replace(log_half_weights=bits.log_half_weights + shift)
            space.tables.bounds[0] = -math.inf
        self._run(bits, space)
        return 2.0 * space.value()  # the kernel's terms are halved

    def _run(self, bits: ActiveBits, space: Workspace) -> None:
        """Run the kernel on the model in ``space``, with as many threads as the work is worth."""
        logistic, buffers = self._kind != "flow", (space.sums, space.scratch, space.lists)
        n_words, n_units = self._shape
        multiply_adds = float(n_words * n_units * (16 + 8 * space.shape.n_hidden))  # roughly
        with threads_for(multiply_adds, _OPERATIONS_PER_THREAD):
            sum_over_flips(logistic, bits, space.model, space.shape, *buffers)

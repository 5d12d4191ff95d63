"""What the stimulus explains, and what is left beyond it (docs/method.md, "Stimulus drive")."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..errors import BadArgument, BadInput
from ..formatting import text_table
from ..models import Driven, Independent, PopulationModel
from ..notebook import AsText
from ..partition import LogPartition
from ..repeats import Repeats
from ..stimulus import StimulusDrive
from ..timeline import Places
from ..validation import Floats, random_generator
from ..words import Words
from ._score import bits_per_second_per_nat
from .paired import EQUAL_MARGIN
from .significance import Estimate
from .time_errors import mean_stderr

#: A gain is called one where it is this many errors above zero.
_CLEARLY = 2.0


@dataclass(frozen=True, slots=True)
class GainBeyond:
    """What one model gains over independent units that follow the stimulus.

    Parameters
    ----------
    name : str
        Of the model.
    gain : Estimate
        Of the driven model over driven independent units, on the same words.
    control : Estimate
        The same with the repeats of each unit in an order of its own, where nothing is left beyond
        the stimulus: what the model gains because finitely many repeats tell the drive inexactly.
    net : Estimate
        Gain minus control, bin by bin: what is beyond the stimulus.
    margin : float
        Bits/s below which a gain is nothing that one would choose a model for: 2 % of what the
        model explains with its drive, over constant rates.
    n_couplings, n_live_hidden : int
        Of the fit to the words as they came.
    fit_converged, normaliser_converged : bool
        Whether both fits are solutions, and whether all log Z may be relied upon.
    normaliser : {"exact", "importance"}
        How log Z of the moments was found.
    """

    name: str
    gain: Estimate
    control: Estimate
    net: Estimate
    margin: float
    n_couplings: int
    n_live_hidden: int
    fit_converged: bool
    normaliser_converged: bool
    normaliser: str

    @property
    def doubts(self) -> list[str]:
        """What has not converged."""
        parts = {"fit": self.fit_converged, "log Z": self.normaliser_converged}
        return [f"{name} not converged" for name, is_sure in parts.items() if not is_sure]

    @property
    def is_clear(self) -> bool:
        """Whether gain and net gain are two errors and the margin above zero each, and relied upon.

        Both: a fit that is worse on shuffled repeats than no fit must not turn into a gain.
        """
        return not self.doubts and all(
            found.value > max(_CLEARLY * found.stderr, self.margin)
            for found in (self.gain, self.net)
        )


@dataclass(frozen=True, slots=True, repr=False)
class BeyondStimulus(AsText):
    """What a repeated stimulus explains and what is left; printed, it is a sentence and a table.

    Parameters
    ----------
    stimulus : Estimate
        Of independent units that follow the stimulus over those at constant rates.
    models : tuple of GainBeyond
        The models, in the order given.
    n_train, n_test : int
        Repeats that drives and models come from, and repeats that they are scored on.
    duration_s : float
        Length of the stimulus, seconds.
    n_units, n_locked : int
        Units, and those whose rate follows the stimulus.
    """

    stimulus: Estimate
    models: tuple[GainBeyond, ...]
    n_train: int
    n_test: int
    duration_s: float
    n_units: int
    n_locked: int

    def __str__(self) -> str:
        sentence = (
            f"The stimulus explains {self.stimulus} over constant rates; it is seen in "
            f"{self.n_locked} of {self.n_units} units, from {self.n_train} repeats of "
            f"{self.duration_s:g} s, and this holds for {self.n_test} other repeats of the same "
            "stimulus. "
        )
        clear = [model.name for model in self.models if model.is_clear]
        sentence += (
            f"More is left for {', '.join(clear)}."
            if clear
            else f"No model clearly gains more than another {100 * EQUAL_MARGIN:g} %."
        )
        rows = [
            [m.name, *(each.text() for each in (m.gain, m.control, m.net)), "; ".join(m.doubts)]
            for m in self.models
        ]
        heads = ("beyond the stimulus, bits/s", "gain", "shuffled repeats", "net", "")
        return sentence + "\n" + text_table(heads, rows, left=("", heads[0]))


def beyond_stimulus(
    models: Mapping[str, PopulationModel],
    train: Words,
    test: Words,
    repeats: Repeats,
    *,
    random_state: int = 0,
) -> BeyondStimulus:
    """Fit models with the stimulus drive of the training repeats, and score them on others.

    Everything is done a second time with the repeats of each unit in an order of its own, in the
    training and in the test part. What a model gains there it owes to the error of the drive.

    Parameters
    ----------
    models : mapping of str to Ising, RBM or SemiRBM
        By name, with their settings; they need not be fitted.
    train, test : Words
        Parts with whole repeats each, as ``repeats.split(words)`` gives them.
    repeats : Repeats
        When the stimulus was shown.
    random_state : int
        Seed of the control, and of words drawn where log Z cannot be summed.

    Examples
    --------
    >>> from microcolumn.models import Ising
    >>> rng = np.random.default_rng(0)
    >>> rate = np.where(np.arange(4000) % 50 < 10, 0.5, 0.05)  # one movie drives both units
    >>> words = Words.from_array(rng.random((4000, 2)) < rate[:, None])
    >>> repeats = Repeats(np.arange(80.0), duration_s=1.0)
    >>> ising = Ising(l1=1e-3, objective="pseudolikelihood")
    >>> found = beyond_stimulus({"Ising": ising}, *repeats.split(words, random_state=0), repeats)
    >>> found.stimulus.value > 5 * found.stimulus.stderr, found.models[0].is_clear
    (True, False)
    """
    if not models:
        raise BadArgument("models", "is empty", "pass at least one, such as {'Ising': Ising()}")
    shared = np.intersect1d(repeats.located(train)[0], repeats.located(test)[0])
    if shared.size:
        raise BadInput(f"repeat {shared[0]} lies in both parts", "split with repeats.split(words)")
    rng = random_generator(random_state)
    mixed = repeats.shuffled(train, rng), repeats.shuffled(test, rng)
    drive, stimulus, came = _fits(models, train, test, repeats, random_state)
    *_, control = _fits(models, *mixed, repeats, random_state)
    by_moment = np.argsort(repeats.locate(test)[1], kind="stable")
    gains = []
    for name in models:
        here, there = came[name], control[name]
        net_error = math.hypot(here.log_z.stderr, there.log_z.stderr)
        gains.append(
            GainBeyond(
                name=name,
                gain=_gain(here.nats, here.log_z.stderr, test, by_moment),
                control=_gain(there.nats, there.log_z.stderr, test, by_moment),
                net=_gain(here.nats - there.nats, net_error, test, by_moment),
                margin=EQUAL_MARGIN * max(_in_bits(stimulus + here.nats, 0.0, test).value, 0.0),
                n_couplings=here.model.n_couplings_,
                n_live_hidden=here.model.n_live_hidden_,
                fit_converged=all(fit.model.certificate_.converged for fit in (here, there)),
                normaliser_converged=here.log_z.converged and there.log_z.converged,
                normaliser=here.log_z.method,
            )
        )
    return BeyondStimulus(
        stimulus=_in_bits(stimulus, mean_stderr(stimulus), test),
        models=tuple(gains),
        n_train=drive.n_repeats,
        n_test=int(np.unique(repeats.locate(test)[0]).size),
        duration_s=repeats.duration_s,
        n_units=train.n_units,
        n_locked=int(drive.locked.sum()),
    )


class _Fit(NamedTuple):
    """A driven model, and what it gains over driven independent units in each test bin."""

    model: Driven
    nats: Floats
    log_z: LogPartition


def _fits(
    models: Mapping[str, PopulationModel], train: Words, test: Words, repeats: Repeats, seed: int
) -> tuple[StimulusDrive, Floats, dict[str, _Fit]]:
    """The drive, what it adds to constant rates in each test bin (nats), and driven models."""
    drive, fits = StimulusDrive.from_words(train, repeats), {}
    base = Driven(Independent(), drive).fit(train).log_probability(test)
    for name, model in models.items():
        fit = Driven(model, drive).fit(train)
        log_p, log_z = fit.scored(test, random_state=seed)
        fits[name] = _Fit(fit, log_p - base, log_z)
    return drive, base - Independent().fit(train).score_samples(test), fits


def _gain(nats: Floats, normaliser_stderr: float, test: Words, by_moment: Places) -> Estimate:
    """Mean over test bins with the larger error of two, as docs/method.md, section 12, has it."""
    in_time, of_stimulus = mean_stderr(nats), mean_stderr(nats[by_moment])
    stderr = math.hypot(float(np.fmax(in_time, of_stimulus)), normaliser_stderr)
    return _in_bits(nats, stderr, test)


def _in_bits(nats: Floats, stderr: float, test: Words) -> Estimate:
    scale = bits_per_second_per_nat(test)
    return Estimate(float(nats.mean()) * scale, stderr * scale, n=nats.size, method="time")

"""What pairs or groups inside hidden Markov modes would add to the modes and to history.

    python benchmarks/modes_with_groups.py [RECORDING ...]

The simulated B4, 30 minutes, and recordings named; 12 most active units, bins of 20 ms, two splits
into training, validation and test parts by blocks. Bits/s on the test part, given the past: hidden
Markov modes over independent units; over these modes HistoryGLM, the mixture of both predictions
with the weight that validation chooses, and modes whose words come from an Ising model or an RBM
of 5 hidden units. These begin at fitted modes; a pass fits a model to the training words of every
mode, weighted by their posterior, and the transitions. Validation chooses the number of modes, of
passes, and the penalty.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
from machine import most_active
from scipy.sparse import csr_array

import microcolumn as mc
from microcolumn.evaluate.time_errors import mean_stderr
from microcolumn.models._chain import Chain, Trains
from microcolumn.study import Experiment
from microcolumn.study._compute import split_words

BIN_WIDTH, N_UNITS, N_PASSES = 0.020, 12, 3
#: Penalties, nats; over the words of a mode that is l1.
STRENGTHS = 3.0, 10.0, 30.0
INSIDE = {"Ising": mc.Ising(objective="likelihood"), "RBM": mc.RBM(5, objective="likelihood")}


class Emissions:
    """Log probability of each distinct word (rows) in each mode, as a `Chain` asks for it."""

    def __init__(self, table):
        self.log_joint = lambda words: table.copy()


def modes_with(inside, strength, modes, parts):
    """Log p(bin | past) of validation and test words after each pass over the training words."""
    trains = [Trains.of(part, csr_array(np.eye(len(part)))) for part in parts]
    X, cuts = np.vstack([part.X for part in parts]), np.cumsum([len(part) for part in parts])
    start, transitions, p = modes.start_, modes.transitions_, modes.modes_
    tables = np.split(X @ np.log(p).T + (1.0 - X) @ np.log1p(-p).T, cuts[:-1])
    for _ in range(N_PASSES):
        chain, of_mode = Chain(Emissions(tables[0]), start, transitions), []
        _, counts, _, (_, pairs) = chain.sums(trains[0])  # how often each mode has each word
        for n in np.maximum(counts, 1e-9):
            seen, inside.l1 = n > 1e-3 * min(1.0, n.max()), min(strength / n.sum(), 1.0)
            inside.fit(parts[0].X[seen], sample_weight=n[seen])
            of_mode.append(inside.score_samples(X))
        transitions = (pairs + 0.01) / (pairs + 0.01).sum(axis=1, keepdims=True)
        tables = np.split(np.array(of_mode).T, cuts[:-1])
        chains = [Chain(Emissions(table), start, transitions) for table in tables]
        yield [c.filtered(t)[1] for c, t in zip(chains[1:], trains[1:], strict=True)]


def gains(train, validation, test):
    """Log p(bin | past) of each test bin over that of the modes, nats, by model."""
    chosen = mc.evaluate.choose(mc.models.HiddenMarkovModes(), train, validation)
    hmm, parts = chosen.best, (train, validation, test)
    glm = mc.evaluate.choose(mc.models.HistoryGLM(), train, validation).best
    print(f"{hmm.n_modes} modes over independent units: {mc.evaluate.sequence_gain(hmm, test)}")
    base, other = hmm.score_sequence(test), glm.score_sequence(test)
    yield "HistoryGLM", other - base
    ahead = hmm.score_sequence(validation), glm.score_sequence(validation)
    w = max(np.linspace(0.02, 0.98, 49), key=lambda w: mixed(w, *ahead).mean())
    yield f"mixture, {w:.2f} of the modes", mixed(w, base, other) - base
    for kind, inside in INSIDE.items():
        found = []
        for modes in (fit for fit in chosen.fits if fit.n_modes in {10, hmm.n_modes}):
            for strength in STRENGTHS:
                name = f"{modes.n_modes} modes, {kind}, penalty {strength:g}"
                try:
                    for ahead, log_p in modes_with(inside, strength, modes, parts):
                        found.append((ahead.mean(), name, log_p - base))
                except OverflowError:  # weights of a rare mode ran away
                    print(f"{name}: given up")
        if found:
            yield max(found, key=lambda each: each[0])[1:]


def mixed(w, a, b):
    return np.logaddexp(np.log(w) + a, np.log1p(-w) + b)


warnings.simplefilter("ignore")  # fits without a live hidden unit are as good as independent
recordings = {"B4": mc.simulate.preset("B4", minutes=30.0)}
recordings |= {Path(file).stem: mc.read(file) for file in sys.argv[1:]}
for name, recording in recordings.items():
    words = most_active(recording.bin(BIN_WIDTH), N_UNITS)
    for split in range(2):
        for model, gain in gains(*split_words(words, Experiment("modes"), 1, split)):
            bits = gain / np.log(2.0) / BIN_WIDTH
            print(f"{name}, split {split}, {model}: {bits.mean():+.2f} ± {mean_stderr(bits):.2f}")

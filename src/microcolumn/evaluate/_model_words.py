"""All words of a model, or samples of it, with their probabilities and features."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import logsumexp

from ..energy import log_weight
from ..kernels.states import states
from ..models import PopulationModel, WordModel
from ..packing import unique_rows
from ..parameters import Parameters
from ..partition import can_sample_exactly
from ..partition.term_sums import MOST_UNITS
from ..validation import Bits, Floats, chunks
from ..words import Words
from ._goodness import WordFeatures, WordSample
from .time_errors import cell_table

Method = Literal["exact", "samples", "gibbs"]

#: All words are listed up to this many bits; beyond, words are drawn, a bounded number of bits.
_MOST_LISTED, _MOST_DRAWN, _MOST_BITS = 12, 200_000, 10_000_000
#: Gibbs chains of the paper's family, and groups of chains that errors are found from.
_N_CHAINS = 500
#: Words drawn for each one tested, so that they add a tenth to the error, and the fewest.
_DRAWN_PER_WORD, _FEWEST_DRAWN = 5, 20_000
#: Words that the information of a fit is summed over at most, drawn among those of the model.
_MOST_INFORMING = 20_000
#: With more free parameters a fit counts as free to follow all features of its training words.
MOST_PARAMETERS = 2_000


def words_of_model(
    model: WordModel, features: WordFeatures, start: Words, n_tested: int, rng: np.random.Generator
) -> tuple[Bits, WordSample, Method]:
    """Distinct words (n_distinct, n_dims) of a model, their features, and how they were had.

    Their number is bounded. Gibbs chains of the paper's family leave ``start``, and their words are
    in cells, each of one chain or of several.
    """
    n_dims = model.n_features_in_
    if n_dims <= _MOST_LISTED and is_normalised(model):
        X = states(n_dims).astype(np.uint8)
        log_p = log_probability(model, X)
        share = np.exp(log_p - log_p.max())
        table = features.table(X, log_p)
        return X, WordSample(table, share / share.sum(), math.inf), "exact"
    wanted = max(_DRAWN_PER_WORD * n_tested, _FEWEST_DRAWN)
    n_drawn = min(_MOST_DRAWN, wanted, max(_MOST_BITS // n_dims, 10 * _N_CHAINS))
    pool, n_chains = drawn_words(model, n_drawn, start, rng)
    X, index = unique_rows(pool)
    share = np.bincount(index) / index.size
    table = features.table(X, log_probability(model, X))
    if not n_chains:
        return X, WordSample(table, share, index.size), "samples"
    chain = np.arange(index.size) % n_chains % _N_CHAINS
    order = np.argsort(chain, kind="stable")
    by_chain = cell_table(index[order], chain[order], len(X))
    return X, WordSample(table, share, index.size, by_chain), "gibbs"


def drawn_words(
    model: WordModel, n_drawn: int, start: Words | None, random_state: Any
) -> tuple[Bits, int]:
    """Drawn words, and the chains that took turns to draw them; 0 if they are independent.

    Gibbs chains of the paper's family leave ``start``, where there is any: close to equilibrium,
    the burn-in is ten times shorter.
    """
    if not isinstance(model, PopulationModel):
        return model.sample(n_drawn, random_state), model._chains_of(n_drawn)
    if can_sample_exactly(model.parameters_):
        return model.sample(n_drawn, random_state, method="exact"), 0
    n_chains = min(n_drawn, _N_CHAINS)
    options: dict[str, Any] = {"n_chains": n_chains}
    if start is not None:
        options |= {"initial": spread_words(start, n_chains), "n_sweeps": 100}
    return model.sample(n_drawn, random_state, method="gibbs", **options), n_chains


def all_words(theta: Parameters) -> tuple[Floats, Floats]:
    """Every word of a few bits, shape (2^n, n), and its log probability in nats."""
    X = states(theta.n_visible)
    log_p = log_weight(theta, X)
    return X, log_p - logsumexp(log_p)


def listed_log_probability(model: WordModel) -> Floats | None:
    """Log probability of every word by its number, nats, (2^n,); None beyond 20 bits."""
    n = model.n_features_in_
    if n > MOST_UNITS or not is_normalised(model):
        return None
    parts = (np.arange(part.start, part.stop) for part in chunks(1 << n, n, 1 << 22))
    log_p = np.concatenate([model.score_samples(states(n, part)) for part in parts])
    return np.asarray(log_p - logsumexp(log_p))


def chain_stderr(values: Floats, n_chains: int) -> float:
    """Standard error of a mean over drawn words; chains take turns, 0 if words are independent."""
    groups = np.arange(values.size) % (n_chains or values.size)
    sums = np.bincount(groups, values - values.mean())
    return float(np.sqrt(np.sum(sums**2))) / values.size


def spread_words(words: Words, n: int) -> Bits:
    """Words at ``n`` evenly spaced times, shape (n, n_dims)."""
    spread = np.linspace(0, words.n_bins - 1, n).round().astype(np.intp)
    return words.X[words.index[spread]]


def is_normalised(model: WordModel) -> bool:
    """Whether words have a probability: those of a large dichotomized Gaussian have none."""
    return not math.isnan(model.log_partition().value)


def log_probability(model: WordModel, X: Bits) -> Floats:
    """Log probability of words in nats, shape (n_words,); 0 where it is not known of any."""
    return model.score_samples(X) if is_normalised(model) else np.zeros(len(X))


def training_error(
    model: WordModel,
    X: Bits,
    sample: WordSample,
    rng: np.random.Generator,
    most_parameters: int = MOST_PARAMETERS,
) -> Floats:
    """Directions that fits scatter in, shape (n_directions, n_columns).

    Standard normal numbers (n_directions,) times them, over the root of the number of independent
    training words, are to first order the errors of the model's means of the columns
    (docs/method.md, section 6). ``X`` (n_distinct, n_dims) are the words of ``sample``.
    """
    table, share = sample.table, sample.share / sample.share.sum()
    known = 0 < model._slopes(X[:1]).shape[1] <= most_parameters
    most = _MOST_INFORMING if known else MOST_PARAMETERS
    if share.size > most:
        counts = rng.multinomial(most, share)
        kept = np.flatnonzero(counts)
        X, table, share = X[kept], table[kept], counts[kept] / most
    root = share[:, None] ** 0.5
    if not known:
        return np.asarray(root * (table.toarray() - share @ table))
    score = model._slopes(X)
    score = (score - share @ score) * root
    size, direction = np.linalg.eigh(score.T @ score)
    kept = np.flatnonzero(size > 1e-10 * size[-1])
    slopes = score @ (direction[:, kept] / size[kept] ** 0.5)
    # Small eigenvalues are inexact, so that these columns are orthogonal only nearly.
    triangle = np.linalg.cholesky(slopes.T @ slopes)
    covariance = np.asarray((slopes * root).T @ table)
    return np.asarray(solve_triangular(triangle, covariance, lower=True))

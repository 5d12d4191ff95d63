"""Random models, words drawn from them by enumeration, and recordings beside the repository."""

from __future__ import annotations

import itertools
import signal
from pathlib import Path

import numba
import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from microcolumn.energy import log_weight
from microcolumn.parameters import Parameters
from microcolumn.words import Words

RECORDINGS = Path(__file__).parents[1].parent / "shared" / "data"


def _random_parameters(kind, n_units=4, n_hidden=3, scale=1.0, seed=0):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.normal(scale=scale, size=(n_units, n_units)), 1)
    return Parameters(
        b=rng.normal(scale=scale, size=n_units),
        J=upper + upper.T if kind in ("ising", "kpairwise", "srbm") else None,
        W=rng.normal(scale=scale, size=(n_units, n_hidden)) if kind in ("rbm", "srbm") else None,
        c=rng.normal(scale=scale, size=n_hidden) if kind in ("rbm", "srbm") else None,
        v=_potential(rng, n_units, scale) if kind == "kpairwise" else None,
    )


def _potential(rng, n_units, scale):
    """A random potential of the number of active units."""
    return np.concatenate([[0.0, 0.0], rng.normal(scale=scale, size=n_units - 1)])


def _every_word(n_units):
    return np.array(list(itertools.product((0, 1), repeat=n_units)), dtype=np.uint8)


def _draw(theta, n_words, seed=0):
    """Words drawn from a small model by listing all of its states."""
    X = _every_word(theta.n_visible)
    log_p = log_weight(theta, X)
    p = np.exp(log_p - log_p.max())
    rng = np.random.default_rng(seed)
    return X[rng.choice(p.size, size=n_words, p=p / p.sum())]


def _recorded(name, n_units, n_bins=None, bin_width=0.020):
    """The most active units of a recording in its first bins; skips where it is absent."""
    path = RECORDINGS / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"the recording {name} is not beside the repository")
    with np.load(path, allow_pickle=False) as file:
        bins = (file["spike_times"] / bin_width).astype(np.int64)
        X = np.zeros((bins.max() + 1, file["unit_ids"].size), dtype=np.uint8)
        X[bins, file["spike_units"]] = 1
    most_active = np.sort(np.argsort(-X.sum(axis=0, dtype=np.int64), kind="stable")[:n_units])
    return Words.from_array(X[:n_bins, most_active], bin_width)


@pytest.fixture(scope="session", autouse=True)
def ctrl_c():
    """Ctrl-C reaches tests and their processes also where it is ignored, as under nohup."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """Problems are small here: waiting for other threads would take most of the time."""
    numba.set_num_threads(1)
    with threadpool_limits(limits=1, user_api="blas"):
        yield


@pytest.fixture(scope="session")
def random_parameters():
    return _random_parameters


@pytest.fixture(scope="session")
def every_word():
    return _every_word


@pytest.fixture(scope="session")
def draw():
    return _draw


@pytest.fixture(scope="session")
def recorded():
    return _recorded


@pytest.fixture(scope="session")
def planted_results(tmp_path_factory):
    """All results of the planted study; see `planted_study.py`."""
    import planted_study

    from microcolumn.study import Results

    return Results(planted_study.write(tmp_path_factory.mktemp("planted") / "study.db"))

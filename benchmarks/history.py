"""Spikes predicted from the past: a GLM with history against windows of the paper's models.

Each bin of the most active units is predicted from the bins before it. Models are fitted to half of
the blocks of time less a validation part that chooses their settings, always by this prediction,
and scored on the same bins of the other half: those that every model has its whole past of. Bits/s
are the sum over units of log2 p(x_n | past) over that at the training rates, with a block error.

    python benchmarks/history.py [--quick] [--only NAME] [--data FOLDER] [--units N] [--window T]

Rows: HistoryGLM with its basis and span chosen; the same with each lag of a window by itself, which
knows no more than the window; Ising models and RBMs of windows of T bins by the conditional
likelihood of the newest bin, whose other units are summed out; hidden Markov modes; NeMoS, where it
is installed, with the functions, span and penalty that were chosen, its own bumps and Lasso. The
last column is the difference from HistoryGLM with its own block error.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from machine import RECORDINGS, print_machine
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc
from microcolumn.evaluate.time_errors import mean_stderr

try:
    import jax
    import nemos

    jax.config.update("jax_enable_x64", True)
except ImportError:
    nemos = None

WIDTHS_S = 0.0067, 0.020
#: Hidden units of windowed RBMs: each has weights onto all bins of the window.
N_HIDDEN, QUICK_HIDDEN = 20, 10
#: Modes of quick hidden Markov models.
QUICK_MODES = 5, 15


@dataclass
class Row:
    """A model at its chosen setting, and the log odds of the test bins it predicts."""

    name: str
    setting: str
    n_parameters: int
    seconds: float
    bins: np.ndarray
    log_odds: np.ndarray


def recordings(
    folder: Path, n_units: int, minutes: float | None, only: str
) -> Iterator[tuple[str, mc.Recording]]:
    """Most active units of the presets, and of the files of a folder."""
    sources: list[tuple[str, Callable[[], mc.Recording]]] = [
        (f"{name} (simulated)", lambda name=name: mc.simulate.preset(name))
        for name in ("B4", "T6", "B4MU")
    ]
    sources += [
        (path.stem, lambda path=path: mc.read(path)) for path in sorted(folder.glob("*.npz"))
    ]
    for name, read in sources:
        if only not in name:
            continue
        recording = read()
        if minutes is not None:
            start = float(recording.epochs.starts[0])
            recording = recording.restrict([[start, start + 60.0 * minutes]])
        most = np.sort(np.argsort(-recording.spike_counts, kind="stable")[:n_units])
        yield name, recording.take(most)


def gains(row: Row, test: mc.Words, rates: np.ndarray) -> np.ndarray:
    """Log2 p(x_n | past) over that at the rates in the bins of a row, shape (n_bins, n_units)."""
    spikes = test.expand()[np.searchsorted(test.bins, row.bins)]
    sign = 1.0 - 2.0 * spikes
    base = np.log(rates) - np.log1p(-rates)
    return (np.logaddexp(0.0, sign * base) - np.logaddexp(0.0, sign * row.log_odds)) / np.log(2.0)


def predicted(name: str, setting: str, model: Any, test: mc.Words, seconds: float) -> Row:
    """A fitted model at work on the test part."""
    prediction = mc.evaluate.predict(model, test, given="past")
    odds = prediction.log_odds[prediction.index]
    return Row(name, setting, model.n_parameters_, seconds, prediction.bins, odds)


def history_rows(
    train: mc.Words, validation: mc.Words, test: mc.Words, window: int
) -> tuple[list[Row], mc.models.HistoryGLM]:
    """The GLM with its basis chosen, and with each lag of a window by itself; the first model."""
    rows, models, model = [], [], mc.models.HistoryGLM()
    largest = model.grid(train)[0]["l1"]
    lags = [{"basis": "lags", "n_lags": window - 1, "l1": largest / 4.0**k} for k in range(6)]
    for name, grid in (("HistoryGLM", None), (f"HistoryGLM, {window - 1} lags", lags)):
        started = time.process_time()
        chosen = mc.evaluate.choose(model, train, validation, grid).best
        seconds = time.process_time() - started
        setting = f"{chosen.size_}, l1 {chosen.l1:.1e}"
        row = predicted(name, setting, chosen, test, seconds)
        whole = ages(test) >= chosen.n_lags
        row.bins, row.log_odds = row.bins[whole], row.log_odds[whole]
        rows.append(row)
        models.append(chosen)
    return rows, models[0]


def ages(words: mc.Words) -> np.ndarray:
    """Adjacent bins before each bin."""
    lengths = np.diff(np.append(words.epoch_starts, words.n_bins))
    return np.arange(words.n_bins) - np.repeat(words.epoch_starts, lengths)


def windowed_rows(
    train: mc.Words, validation: mc.Words, test: mc.Words, window: int, quick: bool
) -> list[Row]:
    """Models of windows, the penalty chosen by the likelihood of the newest bin."""
    parts = [words.embed(window) for words in (train, validation, test)]
    n_hidden, rows = QUICK_HIDDEN if quick else N_HIDDEN, []
    models = {
        "Ising": mc.Ising(objective="conditional"),
        f"RBM {n_hidden}": mc.RBM(n_hidden, objective="conditional"),
    }
    for name, model in models.items():
        started = time.process_time()
        chosen = mc.evaluate.choose_l1(model, *parts[:2], "coarse").best
        seconds = time.process_time() - started
        setting = f"l1 {chosen.l1:g}"
        if not chosen.certificate_.converged:
            setting += f" ({chosen.certificate_})"
        rows.append(predicted(f"{name}, T = {window}", setting, chosen, parts[2], seconds))
    return rows


def hidden_markov_rows(
    train: mc.Words, validation: mc.Words, test: mc.Words, quick: bool
) -> list[Row]:
    """Hidden Markov modes, where the package has them."""
    if not hasattr(mc, "HiddenMarkovModes"):
        return []
    started = time.process_time()
    grid = [{"n_modes": n} for n in QUICK_MODES] if quick else None
    chosen = mc.evaluate.choose(
        mc.models.HiddenMarkovModes(random_state=0), train, validation, grid
    ).best
    seconds = time.process_time() - started
    return [predicted("HiddenMarkovModes", chosen.size_, chosen, test, seconds)]


def nemos_rows(train: mc.Words, test: mc.Words, chosen: mc.models.HistoryGLM) -> list[Row]:
    """NeMoS with as many functions and lags, and the penalty, as were chosen for ours."""
    if nemos is None:
        return []
    n_functions, n_lags = chosen.basis_.shape
    basis = nemos.basis.RaisedCosineLogConv(n_functions, window_size=n_lags)
    (_, *fitted), (kept, features, _) = (nemos_design(w, basis, n_lags) for w in (train, test))
    started = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = nemos.glm.PopulationGLM(
            observation_model="Bernoulli", regularizer="Lasso", regularizer_strength=chosen.l1
        ).fit(*fitted)
    seconds = time.process_time() - started
    p = np.clip(np.asarray(model.predict(features), dtype=float), 1e-12, 1.0 - 1e-12)
    n_parameters = int(np.count_nonzero(model.coef_)) + model.intercept_.size
    setting = f"{chosen.size_}, l1 {chosen.l1:.1e}"
    if any("did not converge" in str(warning.message) for warning in caught):
        setting += " (not converged)"
    return [Row("NeMoS", setting, n_parameters, seconds, test.bins[kept], np.log(p / (1.0 - p)))]


def nemos_design(words: mc.Words, basis: Any, n_lags: int) -> tuple[np.ndarray, ...]:
    """Bins with their whole past, their features by NeMoS, and their spikes; epoch by epoch."""
    X = words.expand().astype(float)
    kept = np.flatnonzero(ages(words) >= n_lags)
    ends = [*words.epoch_starts[1:], words.n_bins]
    features = [
        np.asarray(basis.compute_features(X[start:end]))[n_lags:]
        for start, end in zip(words.epoch_starts, ends, strict=True)
        if end - start > n_lags
    ]
    return kept, np.concatenate(features), X[kept]


def print_rows(rows: list[Row], test: mc.Words, rates: np.ndarray) -> None:
    """Score all rows on the bins that they share, the best first."""
    shared = rows[0].bins
    for row in rows[1:]:
        shared = np.intersect1d(shared, row.bins)
    by_bin = {}
    for row in rows:
        kept = np.searchsorted(row.bins, shared)
        row.bins, row.log_odds = shared, row.log_odds[kept]
        by_bin[row.name] = gains(row, test, rates)
    reference = by_bin["HistoryGLM"].sum(axis=1)

    def rate(nats: np.ndarray) -> tuple[float, float]:
        return nats.mean() / test.bin_width, mean_stderr(nats) / test.bin_width

    print(f"  {shared.size:,} test bins, {rates.sum() / test.bin_width:.1f} spikes/s when trained")
    for row in sorted(rows, key=lambda row: -by_bin[row.name].mean()):
        total = by_bin[row.name].sum(axis=1)
        mean, error = rate(total)
        apart, apart_error = rate(total - reference)
        units = by_bin[row.name].mean(axis=0) / test.bin_width
        difference = "" if row.name == "HistoryGLM" else f"{apart:+8.3f} ± {apart_error:.3f}"
        print(
            f"  {row.name:20} {mean:8.3f} ± {error:.3f} bits/s, units {units.min():6.3f} to "
            f"{units.max():6.3f} {row.n_parameters:7,d} parameters {row.seconds:8.1f} s  "
            f"{difference:18}  {row.setting}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="ten minutes, smaller RBMs")
    parser.add_argument("--only", default="", help="recordings whose name has this in it")
    parser.add_argument("--data", type=Path, default=RECORDINGS, help="folder of .npz recordings")
    parser.add_argument("--units", type=int, default=10, help="most active units")
    parser.add_argument("--window", type=int, default=10, help="bins of windowed models")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    print_machine()
    quick = arguments.quick
    found = recordings(arguments.data, arguments.units, 10.0 if quick else None, arguments.only)
    for name, recording in found:
        for width in WIDTHS_S:
            words = recording.bin(width)
            fitted, test = words.split(0.5, by="blocks", random_state=0)
            train, validation = fitted.split(0.8, by="blocks", random_state=0)
            print(f"\n{name}: {words}", flush=True)
            rows, chosen = history_rows(train, validation, test, arguments.window)
            parts = train, validation, test
            rows += windowed_rows(*parts, arguments.window, quick)
            rows += hidden_markov_rows(*parts, quick)
            rows += nemos_rows(train, test, chosen)
            print_rows(rows, test, mc.Independent().fit(train).rates_)


if __name__ == "__main__":
    main()

"""Every model at its validated settings, on presets and recordings, in one table.

Training, validation and test parts are blocks of time. Each model is fitted to the training part
at several settings, the validation part chooses, and the test part is scored: bits/s over
independent units with their error, bits per spike, free parameters, and processor seconds of all
fits together. ``with DP`` is the same model as the centre of a Dirichlet process
(`mc.models.DirichletProcess`): how far it rises says by how much the model is wrong. A model that
has not converged, has a spurious mode or cannot be normalised is listed with that instead.

    python benchmarks/alternatives.py [--store FILE] [--only NAME ...] [--models NAME ...]
                                [--splits N] [--data FOLDER] [--quick] [--table]

What is computed is kept in the store, an SQLite file, so that the work can be interrupted and goes
on where it was; ``--table`` prints what is there. ``--quick`` takes ten minutes of the presets and
the 12 most active units.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from machine import RECORDINGS, most_active, print_machine
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc
from microcolumn.evaluate import Comparison, SplitScore
from microcolumn.evaluate.splits import compare_splits, score_split
from microcolumn.models import ModelSpec
from microcolumn.models.spec import ALTERNATIVES
from microcolumn.study import Experiment
from microcolumn.study._compute import split_words
from microcolumn.study.sources import Source

BIN_WIDTH = 0.020
FAMILY = ("Ising", "RBM 25", "SemiRBM 25")
#: Models that are left out where a recording has more units than this: their time grows too fast.
MOST_UNITS = {
    "HiddenMarkovModes": 100,
    "KPairwise": 100,
    "RandomProjections": 100,
    "SemiRBM 25": 100,
}
#: One strength for each model of a larger population: a grid by sampled likelihood takes hours.
LARGE, LARGE_L1 = 100, {"Ising": (4e-4,), "RBM": (1e-4,)}

_TABLE = """CREATE TABLE IF NOT EXISTS results (
  -- A row is one model on the test part of one split of a recording.
  recording TEXT, split INTEGER, model TEXT,
  size TEXT,  -- what the validation part chose
  n_parameters INTEGER, seconds REAL, score TEXT, lift REAL, concentration REAL,
  error TEXT,  -- one line where the model could not be fitted or scored
  PRIMARY KEY (recording, split, model)
)"""


@dataclass(frozen=True)
class Row:
    """One model on one test part."""

    model: str
    split: int
    size: str
    n_parameters: int
    seconds: float
    score: SplitScore | None
    lift: float | None
    concentration: float | None
    error: str


def recordings(folder: Path, quick: bool) -> Iterator[tuple[str, Callable[[], mc.Words]]]:
    """Words of the presets and of the files of a folder, by name."""

    def of(make: Callable[[], mc.Recording]) -> Callable[[], mc.Words]:
        def words() -> mc.Words:
            binned = make().bin(BIN_WIDTH)
            return most_active(binned, 12) if quick else binned

        return words

    minutes = 10.0 if quick else None
    for name in ("B4", "T6", "B4MU"):
        yield f"{name} (simulated)", of(Source(name, preset=name, minutes=minutes).load)
    for path in sorted(folder.glob("*.npz")):
        yield path.stem, of(lambda path=path: mc.read(path))


def fitted(name: str, train: mc.Words, validation: mc.Words, seed: int) -> Any:
    """A model at the settings that the validation part prefers."""
    spec = ModelSpec.of(name)
    l1 = LARGE_L1[spec.model] if train.n_dims > LARGE and not spec.is_alternative else "auto"
    if name == "KPairwise":
        return mc.evaluate.choose_l1(mc.models.KPairwise(random_state=seed), train, validation).best
    cls = mc.models.model_class(spec.model)
    if spec.is_alternative:
        settings = {"random_state": seed} if "random_state" in cls().get_params() else {}
        return mc.evaluate.choose(cls(**settings), train, validation).best
    settings = {"objective": spec.objective, "random_state": seed}
    if spec.n_hidden:
        settings["n_hidden"] = spec.n_hidden
    return mc.evaluate.choose_l1(cls(**settings), train, validation, l1).best


def result(name: str, parts: tuple[mc.Words, mc.Words, mc.Words], split: int, n_places: int) -> Row:
    """Fit and score one model; a failure is a result too."""
    train, validation, test = parts
    started = time.process_time()
    try:
        model = fitted(name, train, validation, split)
        seconds = time.process_time() - started
        scores = score_split({name: model}, test, split=split, n_places=n_places)
        lifted = mc.models.DirichletProcess(model).fit(train)
        lift = mc.score(lifted, test, lifted.base_).bits_per_second
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return Row(name, split, "", 0, time.process_time() - started, None, None, None, text)
    size = model.size_ or (f"l1 {model.l1:.1e}" if hasattr(model, "l1") else "")
    found = float(lifted.concentration_)
    return Row(name, split, size, model.n_parameters_, seconds, scores[name], lift, found, "")


def keep(store: sqlite3.Connection, recording: str, row: Row) -> None:
    score = None if row.score is None else json.dumps(asdict(row.score))
    values = (recording, row.split, row.model, row.size, row.n_parameters, row.seconds, score)
    with store:
        store.execute(
            f"INSERT OR REPLACE INTO results VALUES ({','.join('?' * 10)})",
            (*values, row.lift, row.concentration, row.error),
        )


def kept(store: sqlite3.Connection, recording: str) -> list[Row]:
    found = store.execute(
        "SELECT model, split, size, n_parameters, seconds, score, lift, concentration, "
        "error FROM results WHERE recording = ? ORDER BY split, model",
        (recording,),
    )
    rows = []
    for model, split, size, n, seconds, score, lift, concentration, error in found:
        parsed = None if score is None else SplitScore(**json.loads(score))
        rows.append(Row(model, split, size, n, seconds, parsed, lift, concentration, error))
    return rows


def comparison(words: mc.Words, rows: list[Row], experiment: Experiment) -> Comparison:
    """What a study would say of the models that were scored on all splits."""
    scores: dict[ModelSpec, list[SplitScore]] = {}
    for row in rows:
        if row.score is not None:
            scores.setdefault(ModelSpec.of(row.model), []).append(row.score)
    n = len({row.split for row in rows})
    return compare_splits(scores, words.n_units, experiment.train, n_planned=n, split_by="blocks")


def print_table(name: str, words: mc.Words, rows: list[Row], experiment: Experiment) -> None:
    """Models of one recording, best first."""
    compared = comparison(words, rows, experiment)
    n_splits = len({row.split for row in rows})
    print(
        f"\n{name}: {words.n_units} units, {words.n_bins:,} words, {n_splits} "
        f"split{'s' * (n_splits != 1)} by blocks"
    )
    print(
        f"{'model':24} {'bits/s':>16} {'per spike':>9} {'behind best':>15} {'with DP':>8} "
        f"{'parameters':>10} {'CPU s':>7}  chosen"
    )
    by_model: dict[str, list[Row]] = {}
    for row in rows:
        by_model.setdefault(row.model, []).append(row)
    for model in compared.models:
        mine = by_model[model.name]
        over = compared.pair(model.name, "Independent")
        behind = "best"
        if model is not compared.best:
            pair = compared.pair(compared.best.name, model.name)
            behind = f"{pair.bits_per_second:.2f} ± {pair.stderr:.2f}"
        doubt = "" if model.converged else "  NOT CONVERGED"
        print(
            f"{model.name:24} {model.bits_per_second:9.2f} ± {over.stderr:4.2f} "
            f"{model.bits_per_spike:9.3f} {behind:>15} "
            f"{np.mean([row.lift for row in mine]):+8.2f} "
            f"{np.mean([row.n_parameters for row in mine]):10.0f} "
            f"{np.mean([row.seconds for row in mine]):7.1f}  "
            f"{'; '.join(dict.fromkeys(row.size for row in mine))}{doubt}"
        )
    for model in compared.unranked:
        print(f"{model.name:24} a spurious mode with {100 * model.spurious_mass:.0f} % of its mass")
    for row in rows:
        if row.error:
            print(f"{row.model:24} split {row.split}: {row.error}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", type=Path, default=Path("alternatives.db"))
    parser.add_argument("--data", type=Path, default=RECORDINGS, help="folder of .npz recordings")
    parser.add_argument("--only", nargs="*", help="beginnings of recordings' names")
    parser.add_argument("--models", nargs="*", default=[*ALTERNATIVES, *FAMILY])
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--table", action="store_true", help="print what is in the store")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    print_machine()
    experiment = Experiment("alternatives")
    with closing(sqlite3.connect(arguments.store)) as store:
        store.execute(_TABLE)
        for name, make in recordings(arguments.data, arguments.quick):
            if arguments.only and not name.startswith(tuple(arguments.only)):
                continue
            words = make()
            known = {(row.split, row.model) for row in kept(store, name)}
            for split in () if arguments.table else range(arguments.splits):
                parts = split_words(words, experiment, 1, split)
                for model in arguments.models:
                    too_large = words.n_units > MOST_UNITS.get(model, words.n_units)
                    if (split, model) not in known and not too_large:
                        n_places = int(words.bins[-1]) + 1
                        keep(store, name, result(model, parts, split, n_places))
            if rows := kept(store, name):
                print_table(name, words, rows, experiment)


if __name__ == "__main__":
    main()

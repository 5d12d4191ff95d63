"""Every model at its validated settings, on presets and recordings, single bins and trains.

Training, validation and test parts are blocks of time. Each model is fitted to the training part
at several settings, the validation part chooses, and the test part is scored: bits/s over
independent units with their error, paired differences, bits per spike, free parameters, and
processor seconds of all fits together. ``with DP`` is the same model as the centre of a Dirichlet
process (`mc.models.DirichletProcess`): how far it rises says by how much the model is wrong. A
model that has not converged, has a spurious mode or cannot be normalised is listed with that
instead. On trains, models that know the past are scored given it, all others as on single bins.

    python benchmarks/alternatives.py [--store FILE] [--only NAME ...] [--models NAME ...]
                 [--splits N] [--units N] [--minutes M] [--data FOLDER] [--table] [--markdown]

What is computed is kept in the store, an SQLite file, so that the work can be interrupted and goes
on where it was, all recordings of one split before the next; ``--table`` prints what is there and
``--markdown`` the tables of docs/alternatives.md. A study is not used because it adds jobs for
each model (adequacy, structure, predictions) that take longer than the fits.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from machine import RECORDINGS, most_active, print_machine
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc
from microcolumn.evaluate import Comparison, SplitScore
from microcolumn.evaluate.splits import compare_splits, score_split
from microcolumn.evaluate.time_errors import cells_of
from microcolumn.models import ModelSpec
from microcolumn.models.spec import ALTERNATIVES
from microcolumn.study import Experiment
from microcolumn.study._compute import split_words
from microcolumn.study.sources import Source

BIN_WIDTH = 0.020
FAMILY = ("Ising", "RBM 25", "SemiRBM 25")
#: Models that know the past of spike trains; the second knows nothing else.
SEQUENCES = ("HiddenMarkovModes", "HistoryGLM")
#: The best models of a recording, of which one must be near for a model to count as among them.
N_BEST = 5
#: Models that are left out where a recording has more units than this: their time grows too fast.
MOST_UNITS = {
    "HiddenMarkovModes": 100,
    "KPairwise": 100,
    "RandomProjections": 100,
    "ReshapedProjections": 100,
    "ProjectionPotentials": 100,
    "SemiparametricPairwise": 100,
    "HistoryGLM": 100,
    "SemiRBM 25": 100,
}
#: One strength for each model of a larger population: a grid by sampled likelihood takes hours.
LARGE, LARGE_L1 = 100, {"Ising": (4e-4,), "RBM": (1e-4,)}

_TABLE = """CREATE TABLE IF NOT EXISTS results (
  -- A row is one model on the test part of one split of a recording.
  recording TEXT, split INTEGER, model TEXT,
  size TEXT,  -- what the validation part chose
  n_parameters INTEGER, seconds REAL,
  score TEXT, train_score TEXT,  -- single bins, and trains of models that know the past
  lift REAL,
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
    score: SplitScore | None = None
    train_score: SplitScore | None = None
    lift: float | None = None
    error: str = ""


def recordings(
    folder: Path, n_units: int | None, minutes: float
) -> Iterator[tuple[str, Callable[[], mc.Words]]]:
    """Words of the presets and of the files of a folder, by name."""

    def of(make: Callable[[], mc.Recording]) -> Callable[[], mc.Words]:
        def words() -> mc.Words:
            binned = make().bin(BIN_WIDTH)
            return most_active(binned, min(n_units or binned.n_units, binned.n_units))

        return words

    for name in ("B4", "T6", "B4MU"):
        yield f"{name} (simulated)", of(Source(name, preset=name, minutes=minutes).load)
    for path in sorted(folder.glob("*.npz")):
        yield path.stem, of(lambda path=path: mc.read(path))


def fitted(name: str, train: mc.Words, validation: mc.Words, seed: int) -> Any:
    """A model at the settings that the validation part prefers."""
    if name == "HistoryGLM":
        return mc.evaluate.choose(mc.models.HistoryGLM(), train, validation).best
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
        size = model.size_ or (f"l1 {model.l1:.1e}" if hasattr(model, "l1") else "")
        row = Row(name, split, size, model.n_parameters_, seconds)
        if name in SEQUENCES:
            row = replace(row, train_score=train_score(model, test, split, n_places))
        if name == "HistoryGLM":
            return row
        score = score_split({name: model}, test, split=split, n_places=n_places)[name]
        lifted = mc.models.DirichletProcess(model).fit(train)
        lift = mc.score(lifted, test, lifted.base_).bits_per_second
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return Row(name, split, "", 0, time.process_time() - started, error=text)
    return replace(row, score=score, lift=lift)


def train_score(model: Any, test: mc.Words, split: int, n_places: int) -> SplitScore:
    """The score of spike trains, as `score_split` has that of single bins."""
    rates = mc.Independent.from_parameters(
        mc.Parameters(b=np.log(model.rates_) - np.log1p(-model.rates_))
    )
    base = score_split({"rates": rates}, test, rates, split=split, n_places=n_places)["rates"]
    score, cell = mc.evaluate.sequence_gain(model, test, rates), cells_of(test.bins, n_places)
    gain = (model.score_sequence(test) - rates.score_samples(test)) / test.n_bins
    by_cell = np.bincount(cell, gain, len(base.share_by_cell)) / np.log(2.0) / test.bin_width
    return replace(
        base,
        bits_per_second=score.bits_per_second,
        stderr=score.stderr,
        gain_by_cell=tuple(by_cell.tolist()),
        n_parameters=model.n_parameters_,
        nats_per_word=score.nats_per_word,
        fit_converged=model.certificate_.converged,
    )


def keep(store: sqlite3.Connection, recording: str, row: Row) -> None:
    texts = [None if s is None else json.dumps(asdict(s)) for s in (row.score, row.train_score)]
    values = (recording, row.split, row.model, row.size, row.n_parameters, row.seconds, *texts)
    with store:
        store.execute(
            f"INSERT OR REPLACE INTO results VALUES ({','.join('?' * 10)})",
            (*values, row.lift, row.error),
        )


def kept(store: sqlite3.Connection, recording: str) -> list[Row]:
    found = store.execute(
        "SELECT model, split, size, n_parameters, seconds, score, train_score, lift, error "
        "FROM results WHERE recording = ? ORDER BY split, model",
        (recording,),
    )
    rows = []
    for *about, score, train_score, lift, error in found:
        parsed = [None if s is None else SplitScore(**json.loads(s)) for s in (score, train_score)]
        rows.append(Row(*about, *parsed, lift, error))
    return rows


def whole_splits(rows: list[Row]) -> list[Row]:
    """Rows of the splits that all models were fitted to."""
    n_models = Counter(row.split for row in rows)
    return [row for row in rows if n_models[row.split] == max(n_models.values())]


def comparison(
    words: mc.Words, rows: list[Row], experiment: Experiment, *, trains: bool = False
) -> Comparison:
    """What a study would say of the models that were scored on all splits."""
    scores: dict[ModelSpec, list[SplitScore]] = {}
    for row in rows:
        score = row.train_score if trains and row.train_score is not None else row.score
        if score is not None:
            name, *rest = row.model.split()
            spec = ModelSpec(name, int(rest[0]) if rest else 0)
            scores.setdefault(spec, []).append(score)
    n = len({row.split for row in rows})
    whole = {spec: each for spec, each in scores.items() if len(each) == n}
    return compare_splits(whole, words.n_units, experiment.train, n_planned=n, split_by="blocks")


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
            f"{np.mean([row.lift or 0.0 for row in mine]):+8.2f} "
            f"{np.mean([row.n_parameters for row in mine]):10.0f} "
            f"{np.mean([row.seconds for row in mine]):7.1f}  "
            f"{'; '.join(dict.fromkeys(row.size for row in mine))}{doubt}"
        )
    for model in compared.unranked:
        print(f"{model.name:24} a spurious mode with {100 * model.spurious_mass:.0f} % of its mass")
    for row in rows:
        if row.error:
            print(f"{row.model:24} split {row.split}: {row.error}")


def near_the_best(compared: Comparison) -> set[str]:
    """The best models, and those within two errors of the last of them."""
    names = [model.name for model in compared.models if model.name != "Independent"]
    last, near = names[:N_BEST][-1], {*names[:N_BEST]}
    for name in names[N_BEST:]:
        pair = compared.pair(last, name)
        if pair.bits_per_second <= 2.0 * pair.stderr:
            near.add(name)
    return near


def print_markdown(found: dict[str, tuple[mc.Words, list[Row]]], experiment: Experiment) -> None:
    """Two tables, and the models that are nowhere near the best."""
    near: dict[str, list[str]] = {}
    for trains in (False, True):
        print(f"\n{'Trains' if trains else 'Single bins'}\n")
        columns = {}
        for name, (words, rows) in found.items():
            compared = columns[name] = comparison(words, rows, experiment, trains=trains)
            for model in near_the_best(compared):
                near.setdefault(model, []).append(name)
        names = dict.fromkeys(m.name for c in columns.values() for m in c.models)
        sizes = (
            f"{name}, {words.n_units} units, splits: {len({row.split for row in rows})}"
            for name, (words, rows) in found.items()
        )
        print("| | " + " | ".join(sizes) + " | processor s |")
        print("|---|" + "---|" * (len(columns) + 1))
        for model in names:
            if trains and model not in (*SEQUENCES, "RBM 25", "Ising"):
                continue
            cells = [cell_of(compared, model) for compared in columns.values()]
            seconds = [r.seconds for _, rows in found.values() for r in rows if r.model == model]
            print(f"| {model} | " + " | ".join(cells) + f" | {np.mean(seconds or [0.0]):.1f} |")
    far = {row.model for _, rows in found.values() for row in rows} - near.keys()
    print(f"\nNowhere within two errors of the best {N_BEST}: {', '.join(sorted(far)) or 'none'}")
    for model, where in near.items():
        print(f"{model:24} near the best in {len(set(where))} of {len(found)}")


def cell_of(compared: Comparison, name: str) -> str:
    """Bits/s, and by how much it is behind the best, with the error of that."""
    scores = {model.name: model for model in compared.models}
    if name not in scores:
        return "-"
    text = f"{scores[name].bits_per_second:.2f}"
    if compared.best is None or name == compared.best.name:
        return f"**{text}**"
    pair = compared.pair(compared.best.name, name)
    doubt = "" if scores[name].converged else " !"
    return f"{text} ({-pair.bits_per_second:.2f} ± {pair.stderr:.2f}){doubt}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", type=Path, default=Path("alternatives.db"))
    parser.add_argument("--data", type=Path, default=RECORDINGS, help="folder of .npz recordings")
    parser.add_argument("--only", nargs="*", help="beginnings of recordings' names")
    parser.add_argument("--models", nargs="*", default=[*ALTERNATIVES, *FAMILY, "HistoryGLM"])
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--units", type=int, help="so many of the most active ones")
    parser.add_argument("--minutes", type=float, default=30.0, help="of the presets")
    parser.add_argument("--table", action="store_true", help="print what is in the store")
    parser.add_argument("--markdown", action="store_true", help="the same as Markdown")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    print_machine()
    experiment = Experiment("alternatives")
    made = {
        name: make()
        for name, make in recordings(arguments.data, arguments.units, arguments.minutes)
        if not arguments.only or name.startswith(tuple(arguments.only))
    }
    is_done = arguments.table or arguments.markdown
    with closing(sqlite3.connect(arguments.store)) as store:
        store.execute(_TABLE)
        for split in () if is_done else range(arguments.splits):
            for name, words in made.items():
                known = {(row.split, row.model) for row in kept(store, name)}
                parts = split_words(words, experiment, 1, split)
                for model in arguments.models:
                    too_large = words.n_units > MOST_UNITS.get(model, words.n_units)
                    if (split, model) not in known and not too_large:
                        n_places = int(words.bins[-1]) + 1
                        keep(store, name, result(model, parts, split, n_places))
        found = {name: (words, whole_splits(kept(store, name))) for name, words in made.items()}
    found = {name: each for name, each in found.items() if each[1]}
    for name, (words, rows) in found.items() if not arguments.markdown else ():
        print_table(name, words, rows, experiment)
    if arguments.markdown:
        print_markdown(found, experiment)


if __name__ == "__main__":
    main()

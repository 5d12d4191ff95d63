"""Do conclusions depend on how words are split? Each recording by single words and by blocks.

Ising models and RBMs are fitted by minimum probability flow to the most active units, with a coarse
grid of penalties chosen on a validation part, on the same number of splits of both kinds. The
verdicts are those of a study. Splits by words say what holds for other moments of the same minutes,
splits by blocks of time what holds for other stretches of the recording.

    python benchmarks/generalise.py [--quick] [--data FOLDER] [--units N] [--hidden N] [--splits N]

Columns: bits/s over independent cells of both models with their error; RBM minus Ising with its
error, its p corrected for three pairs, per cent over Ising, and the verdict; the block error of one
test part, which sees drift whatever the split. A line is marked where the verdicts differ.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from machine import RECORDINGS, most_active, print_machine
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc
from microcolumn.evaluate import Comparison, SplitScore, choose_l1
from microcolumn.evaluate.significance import p_text, with_error
from microcolumn.evaluate.splits import compare_splits, score_split
from microcolumn.models import ModelSpec
from microcolumn.study import Experiment
from microcolumn.study._compute import split_words
from microcolumn.study.sources import Source
from microcolumn.timeline import default_blocks

BIN_WIDTH = 0.020


def recordings(folder: Path, n_units: int, minutes: float | None) -> Iterator[tuple[str, mc.Words]]:
    """Words of the most active units of the presets, and of the files of a folder."""
    for name in ("B4", "T6", "B4MU"):
        simulated = Source(name, preset=name, minutes=minutes).load()
        yield f"{name} (simulated)", most_active(simulated.bin(BIN_WIDTH), n_units)
    for path in sorted(folder.glob("*.npz")):
        yield path.stem, most_active(mc.read(path).bin(BIN_WIDTH), n_units)


def comparison(words: mc.Words, experiment: Experiment) -> Comparison:
    """What a study would say of the words."""
    scores: dict[ModelSpec, list[SplitScore]] = {}
    differences: dict[tuple[str, str], dict[int, tuple[float, float]]] = {}
    [n_hidden] = experiment.n_hidden
    for split in range(experiment.n_splits):
        train, validation, test = split_words(words, experiment, 1, split)
        settings = {"objective": "mpf", "random_state": split}
        models = {"Ising": mc.Ising(**settings), f"RBM {n_hidden}": mc.RBM(n_hidden, **settings)}
        best = {
            name: choose_l1(model, train, validation, experiment.l1).best
            for name, model in models.items()
        }
        scored, differ = score_split(best, test, split=split)
        for name, score in scored.items():
            scores.setdefault(ModelSpec.of(name), []).append(score)
        for pair, value in differ.items():
            differences.setdefault(pair, {})[split] = value
    ratio = experiment.test_to_train
    dealt = default_blocks(words.n_bins, 1) if experiment.split_by == "blocks" else None
    how = {"n_planned": experiment.n_splits, "split_by": experiment.split_by}
    return compare_splits(scores, differences, words.n_units, ratio, n_blocks=dealt, **how)


def row(name: str, compared: Comparison, n_hidden: int) -> str:
    if {"Ising", f"RBM {n_hidden}"} - set(compared.scores):
        return f"{name:30} {compared.split_by:7} a model has a spurious mode and is not ranked"
    pair = compared.pair(f"RBM {n_hidden}", "Ising")
    over = [compared.pair(each, "Independent") for each in ("Ising", f"RBM {n_hidden}")]
    gains = "".join(f"{with_error(p.bits_per_second, p.stderr):>15}" for p in over)
    relative = compared.relative(pair.first, pair.second)
    return (
        f"{name:30} {compared.split_by:7} {gains} "
        f"{with_error(pair.bits_per_second, pair.stderr):>15} {p_text(pair.p_holm):>10} "
        f"{relative.gain if relative else '-':>15} {pair.block_stderr:11.2f}  {pair.verdict}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="ten minutes of presets, fewer units")
    parser.add_argument("--data", type=Path, default=RECORDINGS, help="folder of .npz recordings")
    parser.add_argument("--units", type=int, help="most active units, 12 by default")
    parser.add_argument("--hidden", type=int, default=8)
    parser.add_argument("--splits", type=int, default=5)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    n_units = arguments.units or (8 if arguments.quick else 12)
    print_machine()
    print(
        f"\n{n_units} most active units, {arguments.hidden} hidden units, {arguments.splits} splits"
    )
    print(
        f"{'recording':30} {'split':7} {'Ising':>14} {'RBM':>14} {'RBM - Ising':>16} {'p':>10} "
        f"{'over Ising':>15} {'block error':>11}  verdict"
    )
    experiment = Experiment(
        "generalise", n_hidden=arguments.hidden, n_splits=arguments.splits, l1="coarse"
    )
    for name, words in recordings(arguments.data, n_units, 10.0 if arguments.quick else None):
        found = [
            comparison(words, replace(experiment, split_by=how)) for how in ("words", "blocks")
        ]
        for each in found:
            print(row(name, each, arguments.hidden), flush=True)
        verdicts = {tuple(pair.verdict for pair in each.pairs) for each in found}
        if len(verdicts) > 1:
            print(f"{'':30} *** conclusions differ", flush=True)


if __name__ == "__main__":
    main()

"""Commands that fit a model to a recording, predict spikes with it and draw words from it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, cast

import typer

from ..atomic import atomic_write
from ..errors import BadArgument, BadInput
from ..formatting import number
from ..models.spec import ALTERNATIVES, CLASSES, FAMILY
from ..study.progress import log_if_slow
from . import output, reading
from .certificates import as_dict, certificate, window_of
from .commands import app, command

if TYPE_CHECKING:
    from ..evaluate import CouplingFactors, Prediction
    from ..recording import Recording

_setting = partial(typer.Option, rich_help_panel="What is fitted")
_of_model = partial(typer.Option, rich_help_panel="Models that do not know their units")


@command(app, "fit session.nwb --model RBM --hidden 25 --out rbm.safetensors")
def fit(
    data: reading.Data,
    file: str = reading.RECORDING_FILE,
    model: str = _setting(
        help=f"{', '.join(FAMILY)}, or an alternative model: {', '.join(ALTERNATIVES)}."
    ),
    out: Path = typer.Option(help="Where the model is saved (safetensors)."),
    bin_width: float = _setting(0.020, help="Width of a bin, seconds."),
    most_active: int | None = _setting(None, help="Keep this many most active units."),
    window: int = _setting(1, help="Bins per word."),
    n_hidden: int | None = _setting(
        None, "--hidden", help="Hidden units; by default chosen with l1, 25 where --l1 is given."
    ),
    l1: float | None = _setting(
        None, help="L1 strength; by default chosen on a fifth of the words, in blocks of time."
    ),
    group_l1: float | None = _setting(
        None, help="Strength of the penalty on whole hidden units, 0 by default."
    ),
    objective: str | None = _setting(
        None, help="likelihood, pseudolikelihood or mpf; likelihood by default."
    ),
    n_init: int | None = _setting(None, "--starts", help="Random starts, 1 by default."),
    seed: int = _setting(0, min=0, help="Same seed, same numbers."),
    fraction: float | None = _setting(
        None,
        "--train",
        help="Fit to this share of the words, in blocks of time, and score the rest; by "
        "default fit to all.",
    ),
    network: Path | None = typer.Option(
        None,
        help="Of an Ising model: where its couplings are saved with their errors, as a .graphml or "
        "a .csv; those that differ from 0 at a false discovery rate of 5 %.",
    ),
    json: bool = output.JSON,
) -> None:
    """Fit a model to the words of a recording, save it, and print how well the fit converged.

    The file holds the model's units, bin width and window, which predict and sample take from
    it. With --train, the score on the words that were left out is printed too; with --group-by,
    whether couplings go with these labels and with distance.
    """
    output.say_started(output.OF_FITS)
    _check_network(network, model)
    settings = reading.given(
        n_hidden=n_hidden, l1=l1, group_l1=group_l1, objective=objective, n_init=n_init
    )
    with atomic_write(out) as saved, output.warnings_as_lines():
        from ..evaluate import intervals, score, tune
        from ..models import Independent, to_bytes
        from ..study import Experiment
        from ..study.sources import words_of

        estimator = estimator_of(model, seed, settings)
        chosen = Experiment("fit", bin_width=bin_width, most_active=most_active)
        words = words_of(data.read(file), chosen).embed(window)
        fitted, held = words, None
        if fraction is not None:
            fitted, held = words.split(fraction, by="blocks", random_state=seed)
        choice = None
        with log_if_slow(f"fitting {type(estimator).__name__}"):
            if l1 is None and not isinstance(estimator, Independent):
                tuned = tune(estimator, fitted, random_state=seed)
                estimator, [choice] = tuned.best, tuned.choices.values()
            else:
                estimator.fit(fitted)
        held_out = None if held is None else score(estimator, held)
        saved.write(to_bytes(estimator))
        sure = intervals(estimator, fitted) if type(estimator).__name__ == "Ising" else None
        if network is not None and sure is not None:
            sure.save_network(network, words.units)
        factors = _coupling_factors(estimator) if data.group_by else None
    if json:
        names = ("bits_per_second", "stderr", "n_words", "spurious_mass")
        scored = held_out and {name: getattr(held_out, name) for name in names}
        tried = choice and [
            settings | {"bits_per_second": each.bits_per_second}
            for settings, each in zip(choice.settings, choice.scores, strict=True)
        ]
        more = {"tried": tried, "held_out": scored, "coupling_factors": factors and factors.factors}
        output.print_json({"file": out} | as_dict(estimator) | more)
        return
    rows: list[Sequence[str]] = [("words", str(fitted)), *certificate(estimator)]
    if choice is not None:
        rows.insert(2, ("settings", f"{choice}, chosen on a fifth of the words"))
    if held_out is not None:
        n_words = f"{held_out.n_words:,} words"
        above = "" if held_out.has_spurious_mode else f" above independent units on {n_words}"
        rows.append(("held out", f"{held_out}{above}"))
    if sure is not None:
        rows.append(("intervals", sure.statement()))
    output.print_table([*rows, ("saved", str(out))])
    if factors is not None:
        output.say(f"\n{factors}")


@command(app, "predict session.nwb --model rbm.safetensors --out predicted.csv")
def predict(
    source: reading.Source,
    file: str = reading.RECORDING_FILE,
    model: Path = typer.Option(help="The model, as fit saves it."),
    predict: list[str] | None = typer.Option(
        None, help="Predict these units: ids separated by commas. All by default."
    ),
    given: str = typer.Option(
        "rest",
        help="Predict from the rest of the window, or from its past alone: 16 units at most; words "
        "of single bins have none.",
    ),
    first: float | None = typer.Option(
        None, "--from", help="Predict from here, seconds on the recording's clock."
    ),
    last: float | None = typer.Option(None, "--to", help="Predict up to here, seconds."),
    ids: list[str] | None = _of_model(
        None, help="The units of the model in its order: ids separated by commas."
    ),
    bin_width: float | None = _of_model(None, help="Its bin width, seconds."),
    out: Path | None = typer.Option(None, help="Where the CSV is written; printed by default."),
    json: bool = output.JSON,
) -> None:
    """Predict spikes bin by bin: a CSV of time_s, unit, probability and spike.

    The gain goes to standard error: bits/s gained over the training rates, area under the ROC.
    With --json it is printed instead, and the CSV is only written to --out. The gain is too high on
    bins that the model was fitted to: leave some for this with fit --epochs.
    """
    output.say_started()
    from .. import evaluate
    from ..models import load

    fitted = load(model)
    recording, unit_ids = source.read(file), _known(fitted, model, ids=reading.ids_of(ids))
    if unit_ids is not None:
        recording = recording.take(_positions(recording, unit_ids))
    n_units = fitted.n_features_in_ // window_of(fitted)
    if recording.n_units != n_units:
        problem = f"{file} has {recording.n_units} units and {model} is of {n_units}, not named"
        raise BadInput(problem, "name them with --ids")
    width, chosen = _known(fitted, model, bin_width=bin_width), reading.ids_of(predict)
    if width is None:
        raise BadInput(f"{model} does not say its bin width", "give --bin-width in seconds")
    with log_if_slow("predicting"):
        prediction = evaluate.predict(
            fitted,
            recording.bin(width).embed(window_of(fitted)),
            given=cast(Literal["rest", "past"], given),  # which refuses others
            positions=None if chosen is None else _positions(recording, chosen),
        )
    if (first, last) != (None, None):
        prediction = prediction.stretch(
            -math.inf if first is None else first, math.inf if last is None else last
        )
    gain = _gain(prediction)
    if out is not None or not json:
        with output.destination(out) as stream:
            output.write_csv(stream, _predicted_rows(prediction))
    if json:
        output.print_json(gain)
        return
    rows = [*gain["units"], {"unit": "mean"} | gain["mean"]]
    cells = [[r["unit"], number(r["bits_per_second"], 3), number(r["roc_area"], 3)] for r in rows]
    output.print_table(cells, ("unit", "bits/s", "ROC area"), err=True)
    if out is not None:
        output.say(f"predictions: {out}", err=True)


@command(app, "sample rbm.safetensors --n 1000 --seed 0 --out words.csv")
def sample(
    model: Path = typer.Argument(help="The model, as fit saves it."),
    n_samples: int = typer.Option(1000, "--n", help="Number of words."),
    seed: int = typer.Option(0, min=0, help="Same seed, same words."),
    out: Path | None = typer.Option(
        None, help="A .csv, or an .npz of words and columns; CSV is printed by default."
    ),
    json: bool = output.JSON,
) -> None:
    """Draw words from a model: zeros and ones, one word per row, one column per unit.

    The header names the units. Of words of several bins, it names unit and bin, oldest first: 7@-2
    is unit 7 two bins before the newest one, 7@0.
    """
    output.say_started()
    import numpy as np

    from ..models import load

    suffix = ".csv" if out is None else out.suffix.lower()
    if suffix not in (".csv", ".npz"):
        raise BadArgument("out", f"{out} needs the ending .csv or .npz")
    fitted = load(model)
    with output.warnings_as_lines():
        words = fitted.sample(n_samples, random_state=seed)
    columns = _columns(fitted)
    if out is not None or not json:
        with output.destination(out) as stream:
            if suffix == ".npz":
                np.savez_compressed(stream, words=words, columns=np.array(columns))
            else:
                output.write_csv(stream, [columns, *words.tolist()])
    if json:
        written = {"words": words.tolist()} if out is None else {"file": out}
        output.print_json({"n_words": len(words), "columns": columns} | written)
    elif out is not None:
        output.say(f"words: {out}", err=True)


@command(app, "information session.nwb --model ising.safetensors --model rbm.safetensors")
def information(
    source: reading.Source,
    file: str = reading.RECORDING_FILE,
    model: list[Path] = typer.Option(help="A model, as fit saves it. Repeatable."),
    json: bool = output.JSON,
) -> None:
    """Print entropy and multi-information of a recording's words and of models of them.

    Best on the epochs that the models were fitted to. What pairs explain (Schneidman et al. 2003)
    is the share of a model by fit --model Ising --l1 0.
    """
    output.say_started()
    from ..evaluate import information
    from ..models import load

    fitted = {each.stem: load(each) for each in model}
    about, recording = fitted[model[0].stem].words_info_, source.read(file)
    if about is None:
        raise BadInput(f"{model[0]} does not say its units", "fit it to a recording")
    recording = recording.take(_positions(recording, about.units.ids))
    words = recording.bin(about.bin_width).embed(about.window)
    with output.warnings_as_lines(), log_if_slow("summing over words or drawing them"):
        result = information(fitted, words)
    output.show(json, result.to_rows(), result)


def canonical_name(name: str) -> str:
    """A model's name in its own capitals, ``RBM`` for ``rbm``; others are left as they are."""
    known = {each.casefold(): each for each in CLASSES}
    return known.get(name.casefold(), name)


def estimator_of(name: str, seed: int, settings: dict[str, Any]) -> Any:
    """A model by its class, with settings that it has."""
    from ..models import model_class
    from ..validation import one_of

    name = canonical_name(name)
    cls: Any = model_class(one_of("model", name, CLASSES))
    takes = cls().get_params()
    for setting in settings:
        if setting not in takes:
            raise BadArgument(setting, f"is no setting of {name}", "leave it out")
    if "random_state" in takes:
        settings = settings | {"random_state": seed}
    if "n_hidden" in takes and not {"n_hidden", "l1"} & {*settings}:
        settings = settings | {"n_hidden": "auto"}
    return cls(**settings)


def _check_network(network: Path | None, model: str) -> None:
    """Refuse a file of couplings that cannot be written, before anything is fitted."""
    if network is not None and canonical_name(model) != "Ising":
        raise BadArgument("network", "is for Ising models", "leave it out")
    if network is not None and network.suffix.lower() not in (".graphml", ".csv"):
        raise BadArgument("network", f"{network} needs the ending .graphml or .csv")


def _coupling_factors(model: Any) -> CouplingFactors | None:
    """What couplings go with; None, with a warning, where there are none or that is not known."""
    from ..evaluate import coupling_factors

    try:
        return coupling_factors(model)
    except BadInput as error:
        output.warn(f"couplings are not tested: {error}")
        return None


def _columns(model: Any) -> list[str]:
    """Names of a model's bits; units that it does not know are numbered."""
    from ..units import Units
    from ..words_info import bit_names

    units = model.units_ or Units.numbered(model.n_features_in_ // window_of(model))
    return list(bit_names(units, window_of(model)))


def _known(fitted: Any, model: Path, **given: Any) -> Any:
    """Bin width or ids of units that a model knows, or what is given for one that does not."""
    [(name, value)] = given.items()
    known = getattr(fitted, {"ids": "unit_ids_"}.get(name, f"{name}_"))
    if known is not None and value is not None:
        raise BadArgument(name, f"is given, but {model} says it itself", "leave it out")
    return value if known is None else known


def _positions(recording: Recording, ids: Sequence[str]) -> list[int]:
    """Positions of the units with these ids, in their order."""
    recording.select(ids=ids)  # names the first that is not there
    return [recording.units.ids.index(unit) for unit in ids]


def _predicted_rows(prediction: Prediction) -> Iterator[Sequence[Any]]:
    """A header, then one row per bin and unit."""
    yield "time_s", "unit", "probability", "spike"
    names = prediction.units.ids
    for time, probabilities, spikes in zip(
        prediction.times_s.round(9).tolist(), prediction.probability, prediction.spikes, strict=True
    ):
        for row in zip(names, probabilities.tolist(), spikes.tolist(), strict=True):
            yield time, *row


def _gain(prediction: Prediction) -> dict[str, Any]:
    """Gain over the training rates and area under the ROC, NaN where undefined."""
    from .. import evaluate

    gains = [math.nan] * len(prediction.positions)
    if prediction.rate_log_odds is not None:  # a model that was never fitted knows no rates
        gains = evaluate.prediction_gain(prediction).bits_per_second.tolist()
    areas = [float(evaluate.roc(prediction, n).area) for n in prediction.positions]
    columns = {"bits_per_second": gains, "roc_area": areas}
    known = {name: [v for v in each if not math.isnan(v)] for name, each in columns.items()}
    return {
        "given": prediction.given,
        "n_bins": prediction.n_bins,
        "units": [
            {"unit": unit, **dict(zip(columns, row, strict=True))}
            for unit, *row in zip(prediction.units.ids, gains, areas, strict=True)
        ],
        "mean": {name: fmean(each) if each else math.nan for name, each in known.items()},
    }

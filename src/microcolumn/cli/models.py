"""Commands that fit a model to a recording, predict spikes with it and draw words from it."""

from __future__ import annotations

import math
import shlex
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from ..atomic import atomic_write
from . import reading, writing
from .failures import one_sentence
from .stores import store_of

if TYPE_CHECKING:
    from ..evaluate import Prediction

_setting = partial(typer.Option, rich_help_panel="What is fitted")

#: Options of ``fit`` by the setting of a model that each stands for.
_SETTINGS = {"n_hidden": "--hidden", "l1": "--l1", "objective": "--objective", "n_init": "--starts"}

Recorded = Annotated[Path, typer.Argument(help="Recording: a file or folder of any known format.")]
BinWidth = Annotated[
    float,
    typer.Option(help="Seconds. A model's file does not hold it: predict as you fitted."),
]


def add_to(app: typer.Typer) -> None:
    """Make these commands known to ``microcolumn``."""
    example = "microcolumn fit session.nwb --model RBM --hidden 25 --l1 2e-3 --out rbm.safetensors"
    app.command(epilog=f"Example: {example}")(fit)
    example = "microcolumn predict session.nwb --model rbm.safetensors --unit 7 --out predicted.csv"
    app.command(epilog=f"Example: {example}")(predict)
    example = "microcolumn sample rbm.safetensors --n 1000 --seed 0 --out words.csv"
    app.command(epilog=f"Example: {example}")(sample)


def fit(
    file: Recorded,
    model: Annotated[str, _setting(help="Independent, Ising, RBM or SemiRBM.")],
    out: Annotated[Path, typer.Option(help="Where the model is saved (safetensors).")],
    reader: reading.Reader = None,
    depth_reference: reading.DepthReference = "unstated",
    layers: reading.Layers = None,
    option: reading.Option = None,
    epochs: reading.Epochs = None,
    unit: reading.Unit = None,
    layer: reading.Layer = None,
    quality: reading.Quality = None,
    multiunit: reading.Multiunit = None,
    min_rate: reading.MinRate = None,
    max_rate: reading.MaxRate = None,
    bin_width: BinWidth = 0.020,
    most_active: Annotated[int | None, _setting(help="Keep the most active units.")] = None,
    window: Annotated[int, _setting(help="Bins per word.")] = 1,
    hidden: Annotated[int | None, _setting(help="Hidden units, 25 by default.")] = None,
    l1: Annotated[float | None, _setting(help="L1 penalty, 0.002 by default.")] = None,
    objective: Annotated[
        str | None, _setting(help="mpf (the default) or likelihood (exact, few units).")
    ] = None,
    starts: Annotated[int | None, _setting(help="Random starts, 1 by default.")] = None,
    seed: Annotated[int, _setting(min=0, help="Same seed, same numbers.")] = 0,
    train: Annotated[
        float | None,
        _setting(help="Fit on this share of the words and score the rest; by default fit on all."),
    ] = None,
) -> None:
    """Fit a model to the words of a recording and print what it is worth."""
    from .. import io  # the numerical libraries load only when a command runs
    from ..evaluate import excess_log_likelihood
    from ..models import to_bytes
    from ..study import Experiment
    from ..study._sources import words_of

    select = reading.given(
        ids=unit, layer=layer, multiunit=multiunit, min_rate_hz=min_rate, max_rate_hz=max_rate
    )
    with one_sentence(), atomic_write(out) as saved, _warnings_as_lines():
        estimator = _estimator(
            model, seed, reading.given(n_hidden=hidden, l1=l1, objective=objective, n_init=starts)
        )
        recording = io.read(
            file,
            reader=reader,
            depth_reference=depth_reference,
            layers=layers,
            quality=quality or None,
            epochs=reading.stretch(epochs),
            **reading.format_options(option),
        ).select(**select)
        chosen = Experiment("fit", bin_width=bin_width, most_active=most_active)
        words = words_of(recording, chosen).embed(window)
        fitted, held = (words, None) if train is None else words.split(train, random_state=seed)
        estimator.fit(fitted)
        typer.echo(f"words       {fitted}\n{_certificate(estimator)}")
        if held is not None:
            score = excess_log_likelihood(estimator, held)
            typer.echo(f"held out    {score} above firing rates on {held.n_bins:,} words")
        saved.write(to_bytes(estimator))
    all_units = not (select or quality or most_active)
    typer.echo(f"saved       {out}; {_to_predict(bin_width, () if all_units else words.units.ids)}")


def predict(
    file: Recorded,
    model: Annotated[Path, typer.Option(help="The model, as fit saves it.")],
    reader: reading.Reader = None,
    option: reading.Option = None,
    epochs: reading.Epochs = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel="Which data",
            help="Keep this unit, one that the model was fitted on; all by default; repeatable.",
        ),
    ] = None,
    bin_width: BinWidth = 0.020,
    given: Annotated[
        str,
        typer.Option(
            help="Predict from the rest of the window, or from its past alone (16 units at most)."
        ),
    ] = "rest",
    unit: Annotated[
        list[str] | None, typer.Option(help="Predict this unit; all by default; repeatable.")
    ] = None,
    start: Annotated[
        float | None,
        typer.Option(help="Seconds, on the recording's clock."),
    ] = None,
    stop: Annotated[float | None, typer.Option(help="Seconds, on the recording's clock.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where the CSV is written; printed by default.")
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the skill as JSON for programs; needs --out.")
    ] = False,
) -> None:
    """Predict spikes bin by bin: a CSV of time_s, unit, probability and spike.

    The skill goes to standard error: bits/s gained over the training rates, area under the ROC. It
    is flattered where the model was fitted on the same bins: keep some apart with --epochs.
    """
    from json import dumps

    from .. import evaluate, io
    from ..models import load

    with one_sentence():
        if json and out is None:
            raise ValueError("--json prints where the predictions would go; give them an --out")
        fitted = load(model)
        recording = io.read(
            file,
            reader=reader,
            depth_reference="unstated",  # depths play no part here
            epochs=reading.stretch(epochs),
            **reading.format_options(option),
        ).select(ids=keep or None)
        window = getattr(fitted, "window_", 1)
        if recording.n_units * window != fitted.n_features_in_:
            raise ValueError(
                f"{file} has {recording.n_units} units here but {model} was fitted on "
                f"{fitted.n_features_in_ // window}; pick those that it was fitted on with --keep"
            )
        prediction = evaluate.predict(
            fitted,
            recording.bin(bin_width).embed(window),
            given=cast(Literal["rest", "past"], given),  # which refuses others
            units=_positions(recording.units.ids, unit, file),
        )
        if (start, stop) != (None, None):
            prediction = prediction.stretch(
                -math.inf if start is None else start, math.inf if stop is None else stop
            )
        skill = _skill(prediction)
        with writing.output(out) as stream:
            writing.write_csv(stream, _predicted_rows(prediction))
    if json:
        typer.echo(dumps(skill, indent=2, allow_nan=False))
    else:
        typer.echo(_skill_table(skill), err=True)


def sample(
    model: Annotated[Path, typer.Argument(help="The model, as fit saves it.")],
    n: Annotated[int, typer.Option("--n", help="Number of words.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same words.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="A .csv, or an .npz with the array words; CSV is printed by default."),
    ] = None,
) -> None:
    """Draw words from a model: zeros and ones, one word per row, one column per unit.

    Words of several bins have the units of the oldest bin first.
    """
    import numpy as np

    from ..models import load

    with one_sentence():
        suffix = ".csv" if out is None else out.suffix.lower()
        if suffix not in (".csv", ".npz"):
            raise ValueError(f"--out {out} needs the ending .csv or .npz")
        with _warnings_as_lines():
            words = load(model).sample(n, random_state=seed)
        with writing.output(out) as stream:
            if suffix == ".npz":
                np.savez_compressed(stream, words=words)
            else:
                writing.write_csv(stream, words.tolist())


def export(
    study: Annotated[Path, typer.Argument(help="The plan (TOML) or its store (SQLite).")],
    recording: Annotated[str, typer.Option(help="Name of the recording in the plan.")],
    variant: Annotated[str, typer.Option(help="The model: RBM, or in full 'RBM 25'.")],
    out: Annotated[Path, typer.Option(help="Where the model is saved (safetensors).")],
    split: Annotated[int, typer.Option(help="Whose training part it was fitted on.")] = 0,
    penalty: Annotated[
        float | None, typer.Option(help="One of the plan's; the chosen one by default.")
    ] = None,
    experiment: Annotated[
        str | None, typer.Option(help="The recording's first by default.")
    ] = None,
    window: Annotated[int | None, typer.Option(help="Bins per word, if there are several.")] = None,
) -> None:
    """Save a fitted model of a study as a file for predict and sample."""
    from ..models import to_bytes
    from ..study import Results

    with one_sentence(), atomic_write(out) as saved, _warnings_as_lines():
        results = Results(store_of(study))
        where: dict[str, Any] = {"experiment": experiment, "window": window}
        model = results.model(recording, variant, split=split, l1=penalty, **where)
        settings = results.index.at(recording, experiment, window).experiment
        [source] = [each for each in results.plan.sources if each.name == recording]
        chosen = settings.most_active or source.select or source.read.get("quality")
        units = results.units(recording, experiment=settings.name).ids if chosen else ()
        typer.echo(_certificate(model))
        saved.write(to_bytes(model))
    typer.echo(f"saved       {out}; {_to_predict(settings.bin_width, units)}")


def _estimator(name: str, seed: int, settings: dict[str, Any]) -> Any:
    """A model by its class, with settings that it has."""
    from .. import models

    classes = (models.Independent, models.Ising, models.RBM, models.SemiRBM)
    known: dict[str, Any] = {each.__name__: each for each in classes}
    if name not in known:
        raise ValueError(f"--model {name} is unknown; choose one of {', '.join(known)}")
    takes = known[name]().get_params()
    for setting in settings:
        if setting not in takes:
            raise ValueError(f"{name} has no {_SETTINGS[setting]}; leave it out")
    if "random_state" in takes:
        settings = settings | {"random_state": seed}
    return known[name](**settings)


def _certificate(model: Any) -> str:
    """How well the solver did, what is left of the model, and log Z."""
    n_bits = model.n_features_in_
    penalty = f", l1 {model.l1:g}, {model.objective}" if hasattr(model, "l1") else ""
    within = f" (tolerance {model.tol:g})" if hasattr(model, "tol") else ""
    return "\n".join(
        [
            f"model       {type(model).__name__}{penalty}",
            f"optimality  {model.optimality_:.2g}{within}",
            f"iterations  {model.n_iter_:,}",
            f"hidden      {model.n_live_hidden_} live of {model.W_.shape[1]}",
            f"couplings   {model.n_couplings_} of {n_bits * (n_bits - 1) // 2} pairs",
            f"normaliser  {model.log_partition()}",
        ]
    )


def _to_predict(bin_width: float, units: Iterable[str]) -> str:
    """What ``predict`` must be told about a model, whose file holds neither."""
    kept = "".join(f" --keep {shlex.quote(unit)}" for unit in units)
    return f"predict with --bin-width {bin_width!r}{kept}"


def _positions(known: Sequence[str], wanted: list[str] | None, file: Path) -> list[int] | None:
    for name in wanted or []:
        if name not in known:
            raise ValueError(f"{file} has no unit {name!r} here; --unit is one of {_few(known)}")
    return [known.index(name) for name in wanted] if wanted else None


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")


def _predicted_rows(prediction: Prediction) -> Iterator[Sequence[Any]]:
    """A header, then one row per bin and unit."""
    yield "time_s", "unit", "probability", "spike"
    names = prediction.units.ids
    for time, probabilities, spikes in zip(
        prediction.times_s.round(9).tolist(), prediction.probability, prediction.spikes, strict=True
    ):
        for row in zip(names, probabilities.tolist(), spikes.tolist(), strict=True):
            yield time, *row


def _skill(prediction: Prediction) -> dict[str, Any]:
    """Gain over the training rates and area under the ROC, None where undefined."""
    import numpy as np

    from .. import evaluate

    n_units = len(prediction.positions)
    gain = np.full(n_units, np.nan)
    if prediction.rate_log_odds is not None:  # a model that was never fitted knows no rates
        gain = evaluate.skill(prediction).bits_per_second
    areas = np.array([evaluate.roc(prediction, n).area for n in prediction.positions])

    def plain(value: float) -> float | None:
        return None if np.isnan(value) else float(value)

    def mean(values: Any) -> float | None:
        defined = values[~np.isnan(values)]
        return plain(defined.mean()) if defined.size else None

    return {
        "given": prediction.given,
        "n_bins": prediction.n_bins,
        "units": [
            {"unit": name, "bits_per_second": plain(bits), "roc_area": plain(area)}
            for name, bits, area in zip(prediction.units.ids, gain, areas, strict=True)
        ],
        "mean": {"bits_per_second": mean(gain), "roc_area": mean(areas)},
    }


def _skill_table(skill: dict[str, Any]) -> str:
    def number(value: float | None) -> str:
        return f"{'-' if value is None else f'{value:z.3f}':>10}"

    rows = [*skill["units"], {"unit": "mean"} | skill["mean"]]
    width = max(len(row["unit"]) for row in rows)
    return "\n".join(
        [f"{'unit':<{width}}{'bits/s':>10}{'ROC area':>10}"]
        + [
            f"{row['unit']:<{width}}{number(row['bits_per_second'])}{number(row['roc_area'])}"
            for row in rows
        ]
    )


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Say what the API warns of as plain lines, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for sentence in dict.fromkeys(str(each.message) for each in caught):
        typer.echo(f"microcolumn: warning: {sentence}", err=True)

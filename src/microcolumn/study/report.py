"""The report of a study as plain text, and as a dictionary for JSON."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import fmean, median
from typing import Any, TypeVar

from .catalogue import NotComputedError, Place
from .cautions import cautions
from .comparisons import ModelResult, StudyComparison
from .results import Results
from .significance import p_text
from .summaries import LagsResult

Found = TypeVar("Found")


def report_text(results: Results) -> str:
    """Everything a study found so far, as text of aligned tables.

    Parameters
    ----------
    results : Results
        Of a finished or unfinished study.
    """
    blocks = []
    begun = results.begun()
    for name in results.recordings:
        blocks.append(_recording_line(results, name))
        for experiment in dict.fromkeys(p.experiment.name for p in begun if p.recording == name):
            places = [p for p in begun if (p.recording, p.experiment.name) == (name, experiment)]
            blocks += _experiment_blocks(results, places)
    if not begun:
        blocks.append("Nothing is tested yet; run the study further.")
    warned = cautions(results)
    if warned:
        blocks.append(_listed("Cautions", warned))
    blocks.append(_provenance(results))
    return "\n\n".join(blocks) + "\n"


def report_dict(results: Results) -> dict[str, Any]:
    """The same for JSON: all numbers of :meth:`Results.as_dict`, and the cautions."""
    return results.as_dict() | {"cautions": cautions(results)}


def _recording_line(results: Results, name: str) -> str:
    row = results.recordings[name]
    facts = f"{row['n_units']} units, {row['n_spikes']:,} spikes, {_time(row['duration_s'])}"
    return _underlined(f"{name}: {facts}", "=")


def _experiment_blocks(results: Results, places: Sequence[Place]) -> Iterator[str]:
    """Blocks of one experiment: growth with lags, then the longest words in detail."""
    last = places[-1]
    experiment = last.experiment
    compared = _compared(results, last)
    units = f"{compared.n_units} units in {1e3 * experiment.bin_width:g} ms bins"
    splits = f"{compared.n_splits} of {compared.n_planned} splits by {experiment.split_by}"
    yield _underlined(f"{experiment.name}: {units}, {splits}", "-")
    bins = ""
    if len(experiment.lags) > 1:
        yield _lags_block(results.by_lags(last.recording, experiment=experiment.name))
        bins = f"T = {last.lags}: "
    yield bins + compared.answer.replace("; ", ";\n")
    yield _models_block(results, last, compared)
    yield _pairs_block(compared)
    for block in (_predictions_block, _layers_block, _interactions_block):
        text = block(results, last)
        if text:
            yield text


def _models_block(results: Results, place: Place, compared: StudyComparison) -> str:
    header = ("model", "bits/s", "per cell", "l1", "non-zero", "couplings", "live hidden")
    rows = [
        (
            model.variant,
            f"{model.bits_per_second:.2f} {_errors(model.split_stderr, model.block_stderr)}",
            f"{model.per_neuron:.3f}",
            _chosen(model.penalties),
            f"{model.n_nonzero:.0f}",
            f"{model.n_couplings:.0f}",
            _live(model, results.catalogue.variant(place, model.variant).n_hidden),
            ", ".join(dict.fromkeys(_short(score.normaliser) for score in model.splits)),
            "yes" if model.converged else "no",
        )
        for model in compared.models
    ]
    table = _table((*header, "log Z", "converged"), rows, left=("model", "l1", "log Z"))
    return f"{table}\n  (± over splits ± of one test part, from blocks of it)"


def _pairs_block(compared: StudyComparison) -> str:
    rows = [
        (
            f"{pair.first} - {pair.second}",
            f"{pair.bits_per_second:.2f} ± {_number(pair.stderr)}",
            f"{pair.n_better} of {pair.n_splits}",
            p_text(pair.p_value).removeprefix("p ").removeprefix("= "),
        )
        for pair in compared.pairs
    ]
    table = _table(("difference", "bits/s", "better in", "p"), rows, left=("difference",))
    return f"{table}\n  (± and p allow for what splits have in common; each pair by itself)"


def _lags_block(found: LagsResult) -> str:
    lines = [
        (str(lags), *(_per_cell(results[k]) for results in found.models.values()))
        for k, lags in enumerate(found.lags)
    ]
    table = _table(("T", *found.models), lines, left=())
    steps = "\n".join(f"  {_growth(found, name)}" for name in found.models)
    return f"bits/s per cell against bins per word T\n{table}\n{steps}"


def _per_cell(model: ModelResult | None) -> str:
    if model is None:
        return "-"
    errors = model.split_stderr / model.n_units, model.block_stderr / model.n_units
    return f"{model.per_neuron:.3f} {_errors(*errors, digits=3)}"


def _growth(found: LagsResult, name: str) -> str:
    """Where a model stops gaining from longer words."""
    known = [n for n, result in zip(found.lags, found.models[name], strict=True) if result]
    if len(known) < 2:
        return f"{name}: too few T are computed to see it grow"
    last = found.last_step(name)
    if last is None:
        return f"{name}: no step up by more than 2 standard errors"
    tried = "the longest computed" if last == known[-1] else f"of up to {known[-1]}"
    return f"{name}: the last step up by more than 2 standard errors is to T = {last}, {tried}"


def _predictions_block(results: Results, place: Place) -> str:
    rows = []
    for variant, found in _of_all(results.predictions, results, place):
        for given, result in found.items():
            best = max(result.cells, key=lambda cell: cell.gain_bits_per_second)
            rows.append(
                (
                    variant,
                    given,
                    f"{result.gain_per_cell:.3f}",
                    f"{best.gain_bits_per_second:.3f} (unit {best.unit}, {best.rate_hz:.1f} Hz)",
                    _number(result.roc_area, 3),
                    f"{result.calibration_error:.4f}",
                )
            )
    header = ("model", "given", "bits/s per cell", "best cell", "ROC area", "calibration error")
    table = _table(header, rows, left=("model", "given", "best cell"))
    return f"spikes of single cells predicted\n{table}" if rows else ""


def _layers_block(results: Results, place: Place) -> str:
    rows = []
    for variant, found in _of_all(results.layers, results, place):
        if found is None:
            continue
        known = [p for p in found.overall_p_values if not math.isnan(p)]
        contrast = found.contrast()
        inside = sum(found.n_significant)
        couplings = ("-", "-")
        if contrast is not None:
            couplings = f"{contrast[0]:.3g} / {contrast[1]:.3g}", f"{median(contrast[2]):.2g}"
        rows.append(
            (
                variant,
                f"{found.overall_share:.0%} ({found.overall_expected:.0%})" if known else "-",
                f"{median(known):.2g}" if known else "-",
                f"{inside} of {sum(found.n_live_hidden)}" if known else "-",
                *couplings,
            )
        )
    header = ("model", "weight in one layer (chance)", "p", "hidden units in a layer")
    table = _table((*header, "couplings within / between", "p"), rows, left=("model",))
    note = "  (p: median over splits; hidden units: of the live ones of all splits)"
    return f"layers\n{table}\n{note}" if rows else ""


def _interactions_block(results: Results, place: Place) -> str:
    rows = []
    for variant, found in _of_all(results.interactions, results, place):
        explained = [each["explained"] for each in found.values()]
        means = [fmean(values) for values in zip(*explained, strict=True) if None not in values]
        if means:
            cells = [f"{mean:.1%}" for mean in means]
            rows.append((variant, *cells, *["-"] * (3 - len(cells))))
    header = ("model", "single cells", "and pairs", "and triplets")
    title = "variance of log p explained by interactions around silence, up to"
    note = "  (as in a power series, a further order may explain less)"
    return f"{title}\n{_table(header, rows, left=('model',))}\n{note}" if rows else ""


def _provenance(results: Results) -> str:
    made = results.provenance()
    work = f"{made['n_done']:,} of {made['n_planned']:,} jobs, {_time(made['seconds'])} of work"
    lines = [f"{work}, {made['first']} to {made['last']}" if made["n_done"] else work]
    lines += [
        ", ".join(f"{name} {version}" for name, version in versions.items())
        for versions in made["environments"]
    ]
    lines += [
        f"{each.name}: seeds {each.seed} to {each.seed + each.n_splits - 1}"
        for each in results.plan.experiments
    ]
    lines += [
        f"{name}: sha256 {row['fingerprint'][:16]}, {row['source']}"
        for name, row in results.recordings.items()
    ]
    return _listed("Provenance", lines)


def _of_all(
    method: Callable[..., Found], results: Results, place: Place
) -> Iterator[tuple[str, Found]]:
    """What a method of the results says of each model that it is computed for."""
    for variant in results.catalogue.variants(place):
        where = {"experiment": place.experiment.name, "lags": place.lags}
        try:
            yield variant.name, method(place.recording, variant.name, **where)
        except NotComputedError:
            continue


def _compared(results: Results, place: Place) -> StudyComparison:
    return results.comparison(place.recording, experiment=place.experiment.name, lags=place.lags)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[str]) -> str:
    """Columns of equal width, indented; those of ``left`` begin, the others end, together."""
    lines = [header, *rows]
    widths = [max(len(line[k]) for line in lines) for k in range(len(header))]
    return "\n".join(
        "  "
        + "  ".join(
            cell.ljust(width) if name in left else cell.rjust(width)
            for name, cell, width in zip(header, line, widths, strict=True)
        ).rstrip()
        for line in lines
    )


def _errors(*errors: float, digits: int = 2) -> str:
    return " ".join(f"± {_number(error, digits)}" for error in errors)


def _number(value: float, digits: int = 2) -> str:
    """A dash where there is none: one split has no error over splits."""
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


def _listed(title: str, lines: Sequence[str]) -> str:
    return "\n".join([_underlined(title, "="), *(f"  {line}" for line in lines)])


def _underlined(title: str, line: str) -> str:
    return f"{title}\n{line * len(title)}"


def _chosen(penalties: Sequence[float]) -> str:
    """Penalties chosen and how often: ``1e-3 ×8, 2e-3 ×2``."""
    counts = sorted(Counter(p for p in penalties if not math.isnan(p)).items())
    return (
        ", ".join(
            _scientific(p) + (f" \N{MULTIPLICATION SIGN}{n}" if n > 1 else "") for p, n in counts
        )
        or "-"
    )


def _scientific(value: float) -> str:
    if not 0.0 < value < 0.1:
        return f"{value:g}"
    digits, exponent = f"{value:.3e}".split("e")
    return f"{float(digits):g}e{int(exponent)}"


def _live(model: ModelResult, n_hidden: int) -> str:
    return f"{model.n_live_hidden:.1f} of {n_hidden}" if n_hidden else "-"


def _short(normaliser: str) -> str:
    return {"ais": "AIS"}.get(normaliser, normaliser.partition(",")[0])


def _time(seconds: float) -> str:
    if seconds < 120.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 7200.0 else f"{seconds / 3600.0:.1f} h"

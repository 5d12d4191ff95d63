"""What the explorers of the page show, as data for JSON: models by penalty, spikes in time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..evaluate import Assembly, Comparison
from ..evaluate.activation import activation_in_time
from ..evaluate.assembly import MEMBER
from ..evaluate.recurrence import by_unit
from ..evaluate.significance import p_text
from ..figures.conditions import by_likelihood, first_split
from ..formatting import number, rounded
from ..models import ModelSpec
from ..plot.hidden import strongest_first
from ..plot.laminar import BitLayout, laminar
from ..study import Condition, Results
from ..timeline import Places, busiest_bins
from ..units import Units
from ..validation import Floats
from ..words import Words
from ._structure import model_with_groups
from ._tables import groups_of, longest
from ._typography import typeset, unbroken

#: Of all explorers together: couplings and weights of models by penalty (about nine bytes each),
#: characters of spikes, and weights of hidden units in the raster; they leave 3 MB for figures in a
#: page of 8 MB.
PARAMETERS, SPIKES, WEIGHTS = 300_000, 1_500_000, 100_000
#: Letters of :func:`compact`: five bits each, then five bits that more follow.
_LETTERS = np.frombuffer(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", dtype="S1"
)
#: How log Z was found, by method and side.
_METHODS = {
    ("ais", None): "annealed importance sampling",
    ("chains", None): "samples that the fit drew",
    ("exact", "visible"): "summed exactly over all patterns",
    ("exact", "hidden"): "summed exactly over hidden states",
}


def explorers(results: Results) -> list[dict[str, Any]]:
    """Data of the explorers, one for each experiment on each recording, in the types of JSON.

    Without experiments that fit the same words by another objective than the answer's.

    The longest words tested so far are shown, with the models of the first tested split. Units are
    in laminar order, live hidden units from the strongest to the weakest, as in the figure of
    parameters. ``J`` and ``W`` hold their strongest entries if all would be too many for a page.
    """
    conditions = [each for each in longest(results) if by_likelihood(results, each) == each]
    found = [_explorer(results, condition, len(conditions)) for condition in conditions]
    steps = [step for each in found for path in each["models"] for step in path["steps"]]
    matrices = [(step, name) for step in steps for name in "JW" if step[name] is not None]
    for step, name in matrices:
        step[name] = strongest(step[name], PARAMETERS // len(matrices))
    return found


def _explorer(results: Results, condition: Condition, n_explorers: int) -> dict[str, Any]:
    compared = results.comparison(**condition.names)
    units = results.units(condition.recording, experiment=condition.experiment.name)
    drawn = laminar(units)
    rows = BitLayout(drawn, condition.window).order
    return {
        "recording": condition.recording,
        "experiment": condition.experiment.name,
        "window": condition.window,
        "split": first_split(compared),
        "bin_s": condition.experiment.bin_width,
        "units": [_unit(units, int(n)) for n in drawn.order],
        "layers": [list(layer) for layer in drawn.layers],
        "assemblies": raster_of(results, condition, compared, drawn.order, n_explorers),
        "models": [
            _path(results, condition, compared, spec, rows)
            for spec in results.index.specs(condition)
            if not spec.is_alternative and spec.name in compared.scores
        ],
    }


def _path(
    results: Results,
    condition: Condition,
    compared: Comparison,
    spec: ModelSpec,
    rows: NDArray[np.int64],
) -> dict[str, Any]:
    """A model of the first tested split at every penalty, for JSON except for its matrices.

    ``chosen`` is the step that the validation part chose. Of each step, ``J`` (above the diagonal)
    and ``W`` (of live hidden units) are arrays, None if the model has none.
    """
    split = first_split(compared)
    where = {"model": spec, "split": split, **condition.names}
    [used] = [s.l1 for s in compared.scores[spec.name].splits if s.split == split]
    scores = results.normalisers(**where)
    steps = []
    for l1, model in zip(scores, results.path(**where), strict=True):
        theta, score = model.parameters_, scores[l1]
        hidden = strongest_first(model) if theta.n_hidden else np.zeros(0, dtype=np.int64)
        steps.append(
            {
                "l1": l1,
                "score": rounded(score["validation_bits_per_second"]),
                "error": rounded(score["validation_stderr"]),
                "method": _METHODS[score["method"], score["side"]],
                "converged": bool(score["converged"]),
                "hidden": hidden.tolist(),
                "J": None if theta.J is None else np.triu(theta.J[np.ix_(rows, rows)], 1),
                "W": None if theta.W is None else theta.W[np.ix_(rows, hidden)],
            }
        )
    return {
        "name": spec.name,
        "model": spec.model,
        "n_hidden": theta.n_hidden,
        "chosen": list(scores).index(used),
        "steps": steps,
    }


def strongest(matrix: NDArray[np.float64], most: int) -> dict[str, Any]:
    """The ``most`` strongest entries of a sparse matrix for JSON.

    ``total`` counts the entries other than zero; ``gaps`` lead from one place ``row * n_columns +
    column`` to the next; ``values`` have four significant digits.
    """
    flat = matrix.ravel()
    positions = np.flatnonzero(flat)
    kept = np.sort(positions[np.argsort(-np.abs(flat[positions]), kind="stable")[:most]])
    return {
        "total": int(positions.size),
        "gaps": np.diff(kept, prepend=0).tolist(),
        "values": [rounded(value) for value in flat[kept].tolist()],
    }


def _unit(units: Units, n: int) -> list[Any]:
    """Name, layer or other label, and depth in µm of a unit; "" and None if unknown."""
    label = (units.label() or [""] * len(units))[n]
    depth = None if units.depth_um is None else rounded(float(units.depth_um[n]))
    return [units.ids[n], label, depth]


def raster_of(
    results: Results,
    condition: Condition,
    compared: Comparison,
    order: NDArray[np.int64],
    n_explorers: int,
) -> dict[str, Any] | None:
    """Spikes, and hidden units of the best model that has any; None without a live hidden unit.

    ``order`` is the unit of each row of the raster. The whole recording is there or, where it would
    take more than this explorer's share of ``SPIKES``, as long a part as fits, around the time at
    which the first hidden unit is on most often. The page computes when hidden units are on, from
    their biases and weights; of these, the clearest first, it has its share of ``WEIGHTS``.
    """
    found = model_with_groups(results, condition, compared)
    if found is None:
        return None
    (spec, model), split = found, first_split(compared)
    activation = results.activation(model=spec, split=split, **condition.names)
    known = _described(results, condition, spec, split)
    rank = {column: place for place, column in enumerate(known)}  # the unknown come last
    columns = sorted(strongest_first(model).tolist(), key=lambda k: rank.get(k, len(rank)))
    words = results.all_words(condition.recording, experiment=condition.experiment.name)
    windows = words.embed(condition.window)
    on = np.zeros(words.n_bins)
    newest = np.searchsorted(words.bins, windows.bins + condition.window - 1)
    on[newest] = activation_in_time(model, windows, columns[:1])[:, 0]
    ids = [words.units.ids[n] for n in order]
    biases = model.c_
    most = max(1, WEIGHTS // (n_explorers * (condition.window + 1) * order.size))
    return {
        "model": spec.name,
        "groups": groups_of(condition, spec.name),
        **_spikes(words, order, on, SPIKES // n_explorers),
        "total": words.n_bins,
        "n_live": len(columns),
        "ranked": bool(known),
        "tested": any(row.layer for row in known.values()),
        "hidden": [
            {
                "column": k,
                **_labels(known.get(k), words.units.label_name),
                "mean": float(f"{activation.mean[k]:.4g}"),
                "bias": float(f"{biases[k]:.7g}"),
                "weights": [
                    float(f"{weight:.7g}")
                    for weight in model.W_[:, k].reshape(-1, order.size)[:, order].ravel()
                ],
                **_weights(by_unit(model.W_[:, k], order.size)[order], known.get(k), ids),
            }
            for k in columns[:most]
        ],
    }


def _spikes(words: Words, order: Places, on: Floats, most: int) -> dict[str, Any]:
    """Spikes of rows in as many consecutive bins as ``most`` characters hold, most ``on`` there."""
    n_bins = words.n_bins
    while True:
        start, stop = busiest_bins(on, np.zeros(1, dtype=np.int64), n_bins)
        X = words.X[words.index[start:stop]]
        spikes = [compact(np.flatnonzero(X[:, n])) for n in order]
        size = sum(map(len, spikes))
        if size <= most:
            break
        n_bins = n_bins * most // size
    first = np.union1d(words.epoch_starts[words.epoch_starts > start], start)
    first = first[first < stop]
    times = words.clock.times_s(words.bins[first], words.bin_width)
    epochs = [
        list(each) for each in zip((first - start).tolist(), times.round(6).tolist(), strict=True)
    ]
    return {"n_bins": stop - start, "epochs": epochs, "spikes": spikes}


def compact(bins: Places) -> str:
    """Increasing numbers as text: their steps, five bits a letter, the lowest first.

    A letter of the second half of the alphabet says that higher bits of the same number follow.
    """
    steps = np.diff(bins, prepend=0)[:, None] >> (5 * np.arange(7))
    follows = steps[:, 1:] > 0
    is_used = np.insert(follows[:, :-1], 0, True, axis=1)
    return _LETTERS[(steps[:, :-1] & 31) + 32 * follows][is_used].tobytes().decode()


def _described(
    results: Results, condition: Condition, spec: ModelSpec, split: int
) -> dict[int, Assembly]:
    """What is known of the hidden units of split 0 by column of W, the clearest first."""
    if split != 0:
        return {}
    found = results.if_computed(results.assemblies, None, model=spec, **condition.names)
    return {row.position: row for row in found.clearest} if found else {}


def _weights(strengths: Floats, row: Assembly | None, names: list[str]) -> dict[str, Any]:
    """Weights by row for JSON: in per cent of the largest, and who belongs to the hidden unit.

    Members and negative units are those of the table of assemblies. Where there is none, members
    have a positive weight of a quarter of the largest positive one or more, negative units a
    negative one of a quarter of the largest of either sign. No weight but zero is 0 per cent.
    """
    largest = float(np.abs(strengths).max())
    percent = np.rint(100.0 * strengths / largest)
    percent = np.where(percent == 0.0, np.sign(strengths), percent).astype(np.int64)
    member = (strengths > 0.0) & (strengths >= MEMBER * strengths.max())
    negative = (strengths < 0.0) & (strengths <= -MEMBER * largest)
    if row is not None:
        member, negative = (np.isin(names, ids) for ids in (row.units, row.negative_units))
    return {
        "largest": float(f"{largest:.4g}"),
        "percent": percent.tolist(),
        "members": np.flatnonzero(member).tolist(),
        "negative": np.flatnonzero(negative).tolist(),
    }


def _labels(row: Assembly | None, label: str) -> dict[str, Any]:
    """What the list says of a hidden unit beside its name and its units."""
    if row is None:
        return {"verdict": "", "about": []}
    lost = f"{number(row.bits_per_second)} ± {number(row.stderr)} bits/s lost"
    about = [unbroken(lost).replace("-", "\N{MINUS SIGN}")]
    if row.layer:
        p = unbroken(typeset(p_text(row.layer_p_value)))
        about.insert(0, f"{label} {row.layer}, {100 * row.layer_share:.0f} %, {p}")
    if row.n_others:
        about.append(f"found in {row.found_in} splits")
    return {"verdict": row.called, "about": about}

"""Tables of scores against the length of words, and what longer words add to hidden units."""

from __future__ import annotations

from ..evaluate import ModelScore, PairedDifference, WindowResult
from ..evaluate._significance import FEWEST_SPLITS, p_text, with_error
from ..formatting import number
from ._tables import Table
from ._wording import text


def growth(found: WindowResult) -> Table:
    """Scores against the number of bins per word."""
    rows = [
        (str(window), *(_per_unit(results[k]) for results in found.models.values()))
        for k, window in enumerate(found.windows)
    ]
    return Table(
        "bits/s per unit against bins per word T",
        ("T", *found.models),
        rows,
        left=(),
        note=text("notes/growth"),
    )


def gains(found: WindowResult) -> Table | None:
    """Each model minus the Ising model at each T; None without an Ising model and another."""
    over = found.gains()
    if not over:
        return None
    rows = [
        (str(window), *(_gain(pairs[k]) for pairs in over.values()))
        for k, window in enumerate(found.windows)
    ]
    return Table(
        f"gain over {found.reference}, bits/s per unit",
        ("T", *over),
        rows,
        left=(),
        note=text("notes/gains"),
    )


def growth_sentences(found: WindowResult) -> list[str]:
    """Whether the gain over the Ising model grows from the shortest to the longest words."""
    about = {"reference": found.reference, "short": found.windows[0], "long": found.windows[-1]}
    return [
        text("growth", model=model, pair=pair, **about) for model, pair in found.growth().items()
    ]


def _gain(pair: PairedDifference | None) -> str:
    if pair is None:
        return "-"
    gain = with_error(pair.bits_per_second, pair.stderr)
    return gain if pair.n_splits < FEWEST_SPLITS else f"{gain}, {p_text(pair.p_holm)}"


def _per_unit(model: ModelScore | None) -> str:
    if model is None:
        return "-"
    if model.has_false_mode:
        return "false mode"
    errors = model.split_stderr / model.n_units, model.block_stderr / model.n_units
    return " ± ".join(number(value, 3) for value in (model.per_neuron, *errors))

"""Tables of scores against the length of words, and what longer words add to hidden units."""

from __future__ import annotations

from ..evaluate import ModelScore, PairedDifference, WindowResult
from ..evaluate._significance import FEWEST_SPLITS, p_text, with_error
from ..formatting import number
from ._tables import Table


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
        note="± standard error over splits, not corrected for the words that they share, then that "
        "of one test part, from blocks of it",
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
        note="paired by split; errors allow for what splits share, and p-values are corrected for "
        "the number of models and T (Holm)",
    )


def growth_sentences(found: WindowResult) -> list[str]:
    """Whether the gain over the Ising model grows from the shortest to the longest words."""
    short, long = found.windows[0], found.windows[-1]
    return [
        f"{name}: {_growth_text(pair, f'from T = {short} to T = {long}', found.reference)}"
        for name, pair in found.growth().items()
    ]


def _growth_text(pair: PairedDifference | None, span: str, reference: str | None) -> str:
    if pair is None:
        return f"its gain over {reference} {span} is not computed yet"
    by = f"{with_error(pair.bits_per_second, pair.stderr)} bits/s per unit"
    what = f"its gain over {reference} changes {span} by {by}"
    if pair.n_splits < FEWEST_SPLITS:
        few = f"({pair.n_splits}; at least {FEWEST_SPLITS} are needed)"
        return f"{what}; too few splits to decide whether it grows {few}"
    if not pair.differs:
        return f"{what} ({p_text(pair.p_holm)}); too uncertain to say whether it grows"
    verb = "grows" if pair.bits_per_second > 0.0 else "shrinks"
    by = by.removeprefix("-")
    return f"its gain over {reference} {verb} {span} by {by} ({p_text(pair.p_holm)})"


def _gain(pair: PairedDifference | None) -> str:
    if pair is None:
        return "-"
    text = with_error(pair.bits_per_second, pair.stderr)
    return text if pair.n_splits < FEWEST_SPLITS else f"{text}, {p_text(pair.p_holm)}"


def _per_unit(model: ModelScore | None) -> str:
    if model is None:
        return "-"
    if model.has_false_mode:
        return "false mode"
    errors = model.split_stderr / model.n_units, model.block_stderr / model.n_units
    return " ± ".join(number(value, 3) for value in (model.per_neuron, *errors))

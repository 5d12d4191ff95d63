"""Paragraphs of the answer: whether groups matter beyond pairs, by how much, and in which layers.

Every function takes the findings of one experiment, one for each recording. Of one recording, the
models and their numbers are stated; several are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..evaluate._paired import EQUAL_MARGIN
from ..formatting import enumeration
from ._assembly_table import ASSEMBLY, are_assemblies
from ._findings import OPEN, PAIRS_SUFFICE, Finding, Layering, of_kind
from ._methods import fitting
from ._wording import span, text

#: What the classes of the family are, where they are first named.
_MEANING = {
    "RBM": "hidden units that each stand for a group of units",
    "SemiRBM": "pairs of units, and hidden units that each stand for a group",
    "Ising": "pairs of units alone",
}
#: More recordings are counted, not named.
_MOST_NAMED = 4
#: How many times as likely a second may become for the number to mean something.
_LEAST_TIMES, _MOST_TIMES = 1.1, 1000.0


def answer(question: str, found: Sequence[Finding], **values: Any) -> str:
    """The paragraph about a question: its template, filled in with findings."""
    one = found[0] if len(found) == 1 else None
    return text(f"answer/{question}", found=found, one=one, named=named, **values)


def title(found: Sequence[Finding], recordings: str) -> str:
    """The result in one sentence.

    Parameters
    ----------
    found : sequence of Finding
        One for each recording.
    recordings : str
        What they are called: ``"B4 (simulated)"``, ``"3 recordings"``.
    """
    won = [each for each in found if each.rival_wins]
    over = [pair for each in found if (pair := each.over_independent) is not None]
    return answer(
        "title",
        found,
        recordings=recordings,
        of_kind=of_kind,
        groups=of_kind(found, "groups"),
        pairs=of_kind(found, "pairs"),
        suffice=of_kind(found, *PAIRS_SUFFICE),
        unsure=of_kind(found, *OPEN),
        untested=of_kind(found, "untested"),
        names=_best(found),
        n_sure=sum(pair.differs and pair.bits_per_second > 0.0 for pair in over),
        won=won,
        winners=_best(won),
    )


def _best(found: Sequence[Finding]) -> list[str]:
    """Names of the best models, each once."""
    return list(dict.fromkeys(each.best.name for each in found if each.best))


def beyond_pairs(found: Sequence[Finding]) -> str:
    """Whether groups matter beyond pairs."""
    tested = [(each.compared.scores, each.pair) for each in found if each.pair]
    both = [scores[name].spec for scores, pair in tested for name in (pair.first, pair.second)]
    objectives = {spec.objective for spec in both}
    compared = [model.spec for scores, _ in tested for model in scores.values()]
    return answer(
        "beyond_pairs",
        found,
        tested=tested,
        groups=of_kind(found, "groups"),
        suffice=of_kind(found, "pairs", *PAIRS_SUFFICE),
        pairs_suffice=PAIRS_SUFFICE,
        of_kind=of_kind,
        gains=_gains,
        hidden=sorted({spec.model for spec in compared if spec.has_groups}),
        fitted=fitting(*objectives) if len(objectives) == 1 else "",
        meaning=_MEANING,
        margin=100 * EQUAL_MARGIN,
    )


def _gains(found: Sequence[Finding]) -> str:
    """Differences and per cent of several recordings, from the smallest to the largest.

    Where it is sure who is better, they are sizes without a sign.
    """
    pairs = [each.pair.bits_per_second for each in found if each.pair]
    per_cent = [100.0 * (each.relative.value - 1.0) for each in found if each.relative]
    if not of_kind(found, *OPEN):
        pairs, per_cent = [abs(value) for value in pairs], [abs(value) for value in per_cent]
    if not pairs:
        return ""
    return f"{span(pairs)} bits/s" + (f" ({span(per_cent, 'z.0f')} %)" if per_cent else "")


def size_of_gain(found: Sequence[Finding]) -> str:
    """How large the gain is; empty where groups were not held against pairs."""
    tested = [each for each in found if each.pair]
    if not tested:
        return ""
    groups = of_kind(tested, "groups")
    first = tested[0].pair
    scores = tested[0].compared.scores
    return answer(
        "size_of_gain",
        found,
        groups=groups,
        unsure=of_kind(tested, *OPEN),
        shares=[100.0 * each.share.value for each in tested if each.share],
        gains=_gains,
        per_spike=first
        and scores[first.first].bits_per_spike - scores[first.second].bits_per_spike,
        times=_times([each.pair.bits_per_second for each in groups if each.pair]),
    )


def _times(bits_per_second: Sequence[float]) -> str:
    """How many times as likely a second becomes, where that is a number one can imagine.

    Bits/s are a mean of logarithms, so that this is a geometric mean.
    """
    times = [2.0**bits for bits in bits_per_second if bits < 50.0]
    if len(times) < len(bits_per_second) or not times:
        return ""
    if min(times) < _LEAST_TIMES or max(times) > _MOST_TIMES:
        return ""
    return span(times, ".2g")


def in_layers(found: Sequence[Finding]) -> str:
    """Whether the groups stay in layers."""
    known = [each for each in found if isinstance(each.layering, Layering)]
    beyond = [(n.layering.share - n.layering.expected, k) for k, n in enumerate(known)]  # type: ignore[union-attr]
    counts = [float(each.n_assemblies) for each in found if each.n_assemblies is not None]
    return answer(
        "in_layers",
        found,
        known=known,
        median=known[sorted(beyond)[len(beyond) // 2][1]] if known else None,
        most_named=_MOST_NAMED,
        n_assemblies=counts,
        live={name: each for name, each in found[0].assemblies.items() if len(each)},
        are_assemblies=are_assemblies,
        assembly=ASSEMBLY,
    )


def named(found: Sequence[Finding]) -> str:
    """Recordings by name, or counted where they are many."""
    labels = [each.label if len(each.label) <= 40 else f"{each.label[:39]}…" for each in found]
    return enumeration(labels) if len(labels) <= _MOST_NAMED else f"{len(labels)} recordings"

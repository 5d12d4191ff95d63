"""The result of a study in one sentence, which claims no more than its tests do."""

from __future__ import annotations

from collections.abc import Sequence

from ._answer_sentences import answer
from ._findings import OPEN, PAIRS_SUFFICE, Finding, of_kind


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

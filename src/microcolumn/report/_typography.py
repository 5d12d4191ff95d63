"""Numbers and sentences as they are set in print."""

from __future__ import annotations

import re
from textwrap import fill

#: Letters of a line, where a terminal is not narrower.
WIDTH = 100
_POWER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)e-(\d+)\b")
#: Spaces inside amounts: around signs, before units of measurement, and before a number that
#: belongs to what stands before it.
_AMOUNTS = re.compile(
    r" [=<>≤≥|±] |\b(?:RBM|unit|split|λ) (?=\d)|± "
    r"|(?<=\d) (?=(?:bits|nats|bits/s|splits?|%|ms|s|min|h|Hz|µm)(?![\w/]))"
    r"|(?<=\S) (?=\(-?\d[\d.]*(?: ±[^()]*)?\))"
)
_NEGATIVE = re.compile(r"(?<![^\s(])-(?=\d)")
#: Names in Hebrew, Arabic and other scripts from right to left.
_LEFTWARD = re.compile(
    r"{0}[^\s,;()]*(?: {0}[^\s,;()]*)*".format(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
)
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def typeset(text: str) -> str:
    """The text with powers of ten raised: ``2·10⁻³`` for ``2e-3``; an en dash for ``-`` alone."""
    return "\N{EN DASH}" if text == "-" else _POWER.sub(_raised, text)


def _raised(found: re.Match[str]) -> str:
    factor = "" if found[1] == "1" else f"{found[1]}\N{MIDDLE DOT}"
    return f"{factor}10{f'-{int(found[2])}'.translate(_RAISED)}"


def signed(text: str) -> str:
    """The text with true minus signs before its negative numbers."""
    return _NEGATIVE.sub("\N{MINUS SIGN}", text)


def isolated(text: str) -> str:
    """The text with names that run from right to left apart from what stands beside them.

    Or else they would turn lists and signs around: ``(-1.5)`` after such a name is seen as
    ``(1.5-)``.
    """
    return _LEFTWARD.sub("\N{FIRST STRONG ISOLATE}\\g<0>\N{POP DIRECTIONAL ISOLATE}", text)


def unbroken(text: str) -> str:
    """The text with no line break inside an amount or the name of a model, for running text.

    Such as ``1 ± 0.1 bits/s``, ``20 %``, ``p = 0.2``, ``P(h = 1 | x)``, ``RBM 10`` or, of a unit
    and its coupling, ``7 (0.90 ± 0.13)``.
    """
    return _AMOUNTS.sub(lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), text)


def filled(text: str, columns: int | None, first: str = "", others: str | None = None) -> str:
    """Lines as wide as a page, or as a terminal of so many columns, which break no amount."""
    lines = fill(
        unbroken(text),
        min(columns or WIDTH, WIDTH),
        initial_indent=first,
        subsequent_indent=first if others is None else others,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return lines.replace("\N{NO-BREAK SPACE}", " ")


def sentence(text: str) -> str:
    """The text with a full stop, and with a capital unless it begins with a symbol such as p."""
    begins_with_word = text[1:2].isalpha()
    return stopped(text[:1].upper() + text[1:] if begins_with_word else text)


def stopped(text: str) -> str:
    """The text with a full stop at its end; its beginning may be a name."""
    return text if text.endswith((".", "!", "?", ":")) else f"{text}."

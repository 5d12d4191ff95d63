"""Numbers as they are set in print."""

from __future__ import annotations

import re

_POWER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)e-(\d+)\b")
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def typeset(text: str) -> str:
    """Powers of ten raised, and an en dash for what is missing; all else as it is.

    Examples
    --------
    >>> typeset("2e-3 ×2, p < 1e-8"), typeset("-")
    ('2·10⁻³ ×2, p < 10⁻⁸', '–')
    """
    if text == "-":
        return "\N{EN DASH}"
    return _POWER.sub(_raised, text)


def _raised(found: re.Match[str]) -> str:
    factor = "" if found[1] == "1" else f"{found[1]}\N{MIDDLE DOT}"
    return f"{factor}10{f'-{int(found[2])}'.translate(_RAISED)}"


def unbroken(text: str) -> str:
    """The text with no line break inside an amount or a p-value.

    Examples
    --------
    >>> len(unbroken("1.03 ± 0.13 bits/s (p = 0.2)").split(" "))
    2
    """
    return re.sub(r" (±|=|<) |(?<=\d) (?=bits/s|splits)", _joined, text)


def _joined(found: re.Match[str]) -> str:
    return found[0].replace(" ", "\N{NO-BREAK SPACE}")


def sentence(text: str) -> str:
    """The text with a capital where it begins with a word, and a full stop at its end.

    Examples
    --------
    >>> sentence("each pair by itself"), sentence("p: over splits")
    ('Each pair by itself.', 'p: over splits.')
    """
    begins_with_word = text[1:2].isalpha()  # and not with a symbol such as p
    return stopped(text[:1].upper() + text[1:] if begins_with_word else text)


def stopped(text: str) -> str:
    """The text with a full stop at its end; its beginning may be a name."""
    return text if text.endswith((".", "!", "?", ":")) else f"{text}."

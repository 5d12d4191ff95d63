"""Text from files of others, made safe for terminals and spreadsheets."""

import re
import unicodedata
from typing import Any

#: Kinds of characters (Unicode) that move the cursor, turn the direction of text, or are not shown.
_UNSHOWN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
#: Characters that make a spreadsheet take a cell for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
#: Characters that a sentence may have, of which the beginning and the remedy at the end are kept.
_LONGEST, _END = 600, 200
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


def as_text(name: Any) -> str:
    """A name or label as text, also where it is given as bytes."""
    return name.decode(errors="replace") if isinstance(name, bytes) else str(name)


def printable(text: str) -> str:
    r"""Text for a terminal: whatever a file has put into a name, a terminal does not obey it.

    >>> print(printable("layer\x1b[2J IV"))
    layer\x1b[2J IV
    """
    if text.isprintable():
        return text
    return "".join(
        ascii(c)[1:-1] if unicodedata.category(c) in _UNSHOWN and c not in "\n\t" else c
        for c in text
    )


def shortened(sentence: str) -> str:
    """A sentence of at most 600 characters; what is left out of a longer one is its middle."""
    if len(sentence) <= _LONGEST:
        return sentence
    return f"{sentence[: _LONGEST - _END - 5]} ... {sentence[-_END:]}"


def csv_cell(value: Any) -> Any:
    """A cell of a CSV file: a text that a spreadsheet would take for a formula is quoted.

    >>> [csv_cell(value) for value in ("=HYPERLINK(1)", "-1.5", -1.5, "u1")]
    ["'=HYPERLINK(1)", '-1.5', -1.5, 'u1']
    """
    if not isinstance(value, str):
        return value
    formula = value.startswith(_FORMULA) and value != "-" and not _NUMBER.fullmatch(value)
    return printable(f"'{value}" if formula else value)

"""Checksums of rows: a byte that changed on the disk must not become another result.

SQLite checks the structure of its file but not the values in it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence

#: What SQLite takes and gives back unchanged; no NaN, no negative zero.
Value = int | float | str | bytes | None


def checksum(table: str, values: Sequence[Value], results: Iterable[int] = ()) -> int:
    """CRC-32 of a row: all its columns in their order, but for ``checksum`` itself.

    ``results`` are the checksums of the rows that belong to it, in any order.
    """
    content = json.dumps([table, *values, sorted(results)], default=_of_bytes)
    return zlib.crc32(content.encode())


def _of_bytes(value: bytes) -> list[int]:
    return [len(value), zlib.crc32(value)]

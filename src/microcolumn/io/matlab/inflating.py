"""Compressed variables of MATLAB files, inflated in pieces."""

from __future__ import annotations

import zlib

from .._failures import BadFileError

#: Compressed bytes that are looked at at a time.
_FEED = 1 << 16


class Inflating:
    """Bytes of a compressed variable, taken from the front; never more in memory than is taken.

    Parameters
    ----------
    data : memoryview
        The compressed bytes.
    name : str
        Of the variable, for sentences.
    """

    def __init__(self, data: memoryview, name: str) -> None:
        self._data = data
        self._name = name
        self._stream = zlib.decompressobj()
        self._fed = 0

    def take(self, n_bytes: int) -> memoryview:
        """The next ``n_bytes``, which must be there."""
        taken = bytearray()
        while len(taken) < n_bytes:
            taken += self._next(n_bytes - len(taken))
        return memoryview(taken)

    def finish(self) -> None:
        """Refuse the variable where more is left than its checksum, which must agree."""
        while not self._stream.eof:
            if self._next(1):
                raise self._not_whole()

    def _next(self, most: int) -> bytes:
        """Some of the next bytes; none only where the checksum is all that is left."""
        while not self._stream.eof:
            feed = self._stream.unconsumed_tail
            if not feed:
                feed = bytes(self._data[self._fed : self._fed + _FEED])
                self._fed += len(feed)
            try:
                piece = self._stream.decompress(feed, most)
            except zlib.error:
                raise self._not_whole() from None
            if piece or self._stream.eof:
                return piece
            if not feed:
                raise self._not_whole()
        raise self._not_whole()

    def _not_whole(self) -> BadFileError:
        return BadFileError(
            f"the compressed variable {self._name} is not whole; the file is damaged: "
            "export or copy it again"
        )

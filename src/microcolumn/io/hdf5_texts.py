"""Lengths of texts in HDF5 files, checked before the library allocates them.

A text of variable length is stored as its length (4 bytes), the address of a heap (8) and a number
within that (4). The library allocates what the length claims, 4 GB after one flipped byte, before
it compares it with the heap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from .claims import check_claim

#: A length has 32 bits; `check_claim` lets larger files claim as much.
_LARGEST_FILE = (1 << 32) // 100
_DESCRIPTOR = np.dtype([("length", "<u4"), ("heap", "<u8"), ("number", "<u4")])
#: In the header of an object: datatype of variable-length text, then rank and flags of the array
#: of texts, with the padding of early versions of the format and without (HDF5 File Format
#: Specification 3.0, sections IV.A.2.b, d and m).
_TEXT_ATTRIBUTE = re.compile(
    rb"\x19\x01[\0\1]\0\x10\0\0\0.{12}(?:\0{4})?"
    rb"(?:\x01(?P<rank1>[\0\1])(?P<flags1>[\0\1])\0{5}|\x02(?P<rank2>[\0\1])(?P<flags2>[\0\1])[\0\1])",
    re.DOTALL,
)


def check_texts(path: Path) -> None:
    """Refuse a file with a text that claims more bytes than a file of this size can hold.

    Parameters
    ----------
    path : Path
        An HDF5 file.
    """
    if path.stat().st_size > _LARGEST_FILE:
        return
    content = path.read_bytes()
    for start, stop in chain(_attributes(content), _datasets(path)):
        stop = min(stop, len(content))
        n_texts = max(0, stop - start) // _DESCRIPTOR.itemsize
        if n_texts:
            lengths = np.frombuffer(content, _DESCRIPTOR, n_texts, start)["length"]
            check_claim(path, int(lengths.max()), "a text")


def _attributes(content: bytes) -> Iterator[tuple[int, int]]:
    """Where the descriptors of each attribute's texts begin and end."""
    for found in _TEXT_ATTRIBUTE.finditer(content):
        rank = (found["rank1"] or found["rank2"])[0]
        with_limits = (found["flags1"] or found["flags2"])[0]
        start, n_texts = found.end(), 1
        if rank:
            n_texts = int.from_bytes(content[start : start + 8], "little")
            start += 16 if with_limits else 8
        yield start, start + n_texts * _DESCRIPTOR.itemsize


def _datasets(path: Path) -> Iterator[tuple[int, int]]:
    """Where the descriptors of each dataset's texts begin and end; compressed ones are left out."""
    import h5py

    stretches: list[tuple[int, int]] = []

    def visit(_: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and h5py.check_string_dtype(item.dtype) is not None:
            stretches.extend(_stored(item))

    with h5py.File(path, "r") as file:
        file.visititems(visit)
    yield from stretches


def _stored(dataset: Any) -> Iterator[tuple[int, int]]:
    offset = dataset.id.get_offset()
    if offset is not None:
        yield offset, offset + dataset.size * _DESCRIPTOR.itemsize
    elif dataset.chunks is not None and not dataset.id.get_create_plist().get_nfilters():
        for n in range(dataset.id.get_num_chunks()):
            chunk = dataset.id.get_chunk_info(n)
            yield chunk.byte_offset, chunk.byte_offset + chunk.size

"""Numbers of texts in Zarr folders, checked before the library makes room for them."""

from __future__ import annotations

import json
import math
from pathlib import Path

from .session import BadFileError


def check_texts(folder: Path) -> None:
    """Refuse a chunk of texts that claims more of them than a chunk has.

    A chunk of texts begins with their number (4 bytes), by which the library allocates: 34 GB
    after one flipped byte.

    Parameters
    ----------
    folder : Path
        A Zarr folder, version 2 of the format.
    """
    from numcodecs import get_codec

    for header in sorted(folder.rglob(".zarray")):
        array = json.loads(header.read_bytes())
        if not any(codec["id"].startswith("vlen-") for codec in array["filters"] or ()):
            continue
        compressor = get_codec(array["compressor"]) if array["compressor"] else None
        for chunk in sorted(header.parent.rglob("[!.]*")):
            content = chunk.read_bytes()
            if compressor is not None:
                content = bytes(compressor.decode(content))
            n_texts = int.from_bytes(content[:4], "little")
            if n_texts > math.prod(array["chunks"]):
                raise BadFileError(
                    f"chunk {chunk.relative_to(folder)} claims {n_texts:,} texts where "
                    f"{math.prod(array['chunks']):,} fit; it is damaged: export or copy it again"
                )

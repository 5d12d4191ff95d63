"""Model files whose fingerprint is right and whose content is not what a model wrote."""

import json

from safetensors.numpy import load as arrays_of, save as tensors

from microcolumn.models._saving import digest_of

MARK = "microcolumn-model-1"


def forged(content, arrays=None, without=(), **records):
    """The file with other arrays, without some entries, and with changes to others."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(json.loads(content[8 : 8 + length])["__metadata__"][MARK])
    header = {name: entry for name, entry in header.items() if name not in ("sha256", *without)}
    header |= {name: header[name] | changes for name, changes in records.items()}
    arrays = arrays_of(content) if arrays is None else arrays
    text = json.dumps(header | {"sha256": digest_of(header, arrays)})
    return tensors(arrays, metadata={MARK: text})

"""Flip bytes in copies of a study's store: no report may differ without saying so.

Run with `python tests/flipped_stores.py --stores 200`; `--store FILE` takes another than the
planted study.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import planted_study
from tqdm import tqdm

from microcolumn.report import report_text
from microcolumn.study import Results, StoreError


def flipped(content: bytes, rng: np.random.Generator) -> bytes:
    """Content with one to four other bytes somewhere."""
    changed = bytearray(content)
    for place in rng.integers(len(content), size=rng.integers(1, 5)):
        changed[place] ^= int(rng.integers(1, 256))
    return bytes(changed)


def told(path: Path) -> tuple[str, str]:
    """The report of a store, and what it says of damage."""
    try:
        results = Results(path)
        return report_text(results).replace(str(path), "STORE"), results.damage
    except StoreError as error:
        return "", str(error)


def outcome(path: Path, intact: str) -> str:
    """What became of a store with flipped bytes whose report was ``intact``."""
    report, damage = told(path)
    if damage:
        assert str(path) in damage
        assert "\n" not in damage
        assert len(damage) < 600
        return "partly shown" if report else "refused"
    return "the same" if report == intact else "DIFFERENT"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stores", type=int, default=200)
    parser.add_argument("--store", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.db"
        content = (arguments.store or planted_study.write(path)).read_bytes()
        path.write_bytes(content)
        intact, _ = told(path)
        outcomes: Counter[str] = Counter()
        for seed in tqdm(range(arguments.stores)):
            path.write_bytes(flipped(content, np.random.default_rng(seed)))
            found = outcome(path, intact)
            outcomes[found] += 1
            if found == "DIFFERENT":
                tqdm.write(f"{found}: seed {seed}")
    print(dict(outcomes))


if __name__ == "__main__":
    main()

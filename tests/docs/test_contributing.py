"""CONTRIBUTING.md names files as they are called."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()


def test_every_file_that_it_names_exists():
    named = set(re.findall(r"[\w./-]*\w\.(?:py|pyi|js|md|txt|toml)\b", TEXT))
    folders = ("src", "tests", "docs", "benchmarks", "requirements")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    known = [f"/{path.relative_to(ROOT)}" for path in [*ROOT.iterdir(), *files]]
    assert "explorer.js" in named
    missing = {name for name in named if not any(path.endswith(f"/{name}") for path in known)}
    assert missing == set()

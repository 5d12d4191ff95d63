"""The code of docs/words.md runs and prints what the page says of it."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "words.md").read_text()


def test_the_page_runs_from_top_to_bottom(capsys):
    names = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(block, names)
    assert "3,840 windows" in capsys.readouterr().out
    assert names["train"].n_bins + names["test"].n_bins == 30_000

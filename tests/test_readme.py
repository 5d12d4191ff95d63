"""What the README says is what happens."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_the_first_analysis_runs_as_printed(tmp_path, monkeypatch, capsys):
    [code] = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {})
    assert "bits/s" in capsys.readouterr().out
    assert (tmp_path / "rbm.safetensors").exists()


def test_continuous_integration_finds_both_commands():
    script = (ROOT / ".ci" / "run").read_text()
    wanted = re.findall(r"readme_command '([^']+)'", script)
    assert len(wanted) == 2
    for words in wanted:
        assert sum(words in line for line in README.splitlines()) == 1


def test_every_picture_and_page_it_links_exists():
    targets = re.findall(r"\]\(([^)]+)\)", README)
    assert targets
    for target in targets:
        assert target.startswith("https://") or (ROOT / target).exists()

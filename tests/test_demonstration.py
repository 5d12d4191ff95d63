"""The demonstration: which study it runs, and where its page goes."""

from microcolumn import demonstration
from microcolumn.study import Plan


def test_the_quick_and_the_whole_demonstration_keep_apart(tmp_path, monkeypatch):
    asked = {}

    def note(plan, store, **options):
        asked[store.name] = plan, options
        return f"results in {store.name}"

    written = {}
    monkeypatch.setattr(demonstration, "run_study", note)
    monkeypatch.setattr(
        demonstration.report, "write", lambda results, page: written.update({page: results})
    )
    for full, name in ((False, "quick"), (True, "paper")):
        found = demonstration.run(tmp_path, full=full, n_jobs=3, command="demo")
        assert found == (f"results in {name}.db", tmp_path / f"{name}.html")
    options = {"n_jobs": 3, "command": "demo"}
    assert asked == {
        "quick.db": (Plan.paper().quick(), options),
        "paper.db": (Plan.paper(), options),
    }
    assert written == {
        tmp_path / "quick.html": "results in quick.db",
        tmp_path / "paper.html": "results in paper.db",
    }

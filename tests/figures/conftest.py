from dataclasses import replace

import planted_study as planted
import pytest


@pytest.fixture
def of_three(planted_results, monkeypatch):
    """The planted study as if it had three recordings of two animals."""
    compare, tested = planted_results.comparison, planted_results.tested
    animals = {"cells": "m1", "B": "m1", "C": "m2"}

    def comparison(recording, **where):
        return replace(compare("cells", **where), recording=recording, animal=animals[recording])

    monkeypatch.setattr(planted_results, "comparison", comparison)
    every = [c._replace(recording=name) for name in animals for c in tested()]
    monkeypatch.setattr(planted_results, "tested", lambda: every)
    sources = tuple(replace(planted.SOURCE, name=name, seed=k) for k, name in enumerate(animals))
    monkeypatch.setattr(planted_results, "plan", replace(planted.PLAN, sources=sources))
    index = planted_results.index
    families = index.families
    monkeypatch.setattr(index, "families", lambda c: families(c._replace(recording="cells")))
    return planted_results

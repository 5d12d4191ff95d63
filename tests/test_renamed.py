"""Old names answer with the new one, and stores with old names can be read."""

from dataclasses import fields

import pytest

import microcolumn as mc
from microcolumn.evaluate import Assembly, ModelScore
from microcolumn.renamed import ATTRIBUTES, Renamed
from microcolumn.study.codec import row_of, typed


@pytest.mark.parametrize(
    ("module", "name", "new"),
    [
        (mc, "excess_log_likelihood", "microcolumn.score"),
        (mc, "lift", r"microcolumn.score\(model, words, baseline=model.base_\)"),
        (mc, "KPairwise", "microcolumn.models.KPairwise"),
        (mc.models, "Tree", "microcolumn.Ising"),
        (mc.models, "Universal", "microcolumn.models.DirichletProcess"),
        (mc.evaluate, "lift", r"microcolumn.score\(model, words, baseline=model.base_\)"),
    ],
)
def test_an_old_name_answers_with_the_new_one(module, name, new):
    with pytest.raises(AttributeError, match=f"^{module.__name__}.{name} is {new} now$"):
        getattr(module, name)
    with pytest.raises(AttributeError, match=r"^microcolumn has no attribute 'Isnig'; .*Ising"):
        mc.Isnig  # noqa: B018


def _kinds(base):
    for kind in base.__subclasses__():
        yield kind
        yield from _kinds(kind)


def test_an_old_attribute_answers_with_the_new_one():
    plan, theta = mc.study.Plan.of("B4"), mc.Parameters(b=[0.0])
    has = {old: [k for k in _kinds(Renamed) if hasattr(k, new)] for old, new in ATTRIBUTES.items()}
    assert issubclass(ModelScore, Renamed)
    assert all(has.values())
    with pytest.raises(AttributeError, match=r"^Plan has no attribute 'whole'; it is full now$"):
        _ = plan.whole
    with pytest.raises(AttributeError, match=r"'only_live'; it is drop_dead_units now$"):
        theta.only_live()
    with pytest.raises(AttributeError, match=r"^Plan has no attribute 'only_live'$"):
        _ = plan.only_live


def test_stores_with_old_names_can_be_read():
    stored = {field.name: 0 for field in fields(Assembly)} | {"units": ("a",), "layer": ""}
    stored["silenced"] = [stored.pop("negative_units") or "b"]
    row = typed(Assembly, stored)
    assert row.negative_units == ("b",)
    assert row_of(row)["silenced"] == ("b",)
    experiment = mc.study.Experiment.from_dict("old", {"light_above": 50})
    assert experiment.fast_above_bits == 50

"""What a Dirichlet process adds, against the scores of both models."""

import pytest

import microcolumn as mc


@pytest.fixture(scope="module")
def parts():
    truth = mc.simulate.microcolumn(n_units=6, minutes=2, seed=0).bin(0.020)
    return truth.split(0.5, by="blocks", random_state=0)


def test_it_is_the_difference_of_two_scores_with_its_own_error(parts):
    train, test = parts
    model = mc.models.Universal(mc.Independent()).fit(train)
    gain = mc.evaluate.lift(model, test)
    scores = [mc.score(each, test) for each in (model, model.base_)]
    assert gain.bits_per_second == pytest.approx(float(scores[0]) - float(scores[1]), abs=1e-10)
    pair = mc.compare({"base": model.base_, "universal": model}, test).pairs[0]
    assert gain.stderr == pytest.approx(pair.block_stderr, rel=1e-9)


def test_units_may_come_in_any_order(parts):
    train, test = parts
    model = mc.models.Universal(mc.models.Tree()).fit(train)
    turned = test.reordered([5, 2, 0, 1, 4, 3])
    assert float(mc.evaluate.lift(model, turned)) == pytest.approx(
        float(mc.evaluate.lift(model, test)), abs=1e-10
    )
    array = mc.evaluate.lift(model, test.expand())
    assert float(array) == pytest.approx(float(mc.evaluate.lift(model, test)), abs=1e-10)

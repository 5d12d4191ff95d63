import json

import pytest

from microcolumn.report import report_dict
from microcolumn.report._answer import whole_answer


@pytest.fixture(scope="module")
def found(planted_results):
    return json.loads(json.dumps(report_dict(planted_results), allow_nan=False))


def test_it_opens_with_the_answer(found, planted_results):
    assert next(iter(found)) == "answer"
    answer = whole_answer(planted_results)
    assert found["answer"]["title"] == answer.title
    told = [(each["question"], each["answer"]) for each in found["answer"]["paragraphs"]]
    assert told == list(answer.paragraphs)
    first, second = found["answer"]["findings"]
    pair = planted_results.comparison("cells").groups
    assert first["groups"]["bits_per_second"] == pytest.approx(2.0)
    assert (first["verdict"], first["groups"]["stderr"]) == ("groups", pair.stderr)
    assert (first["interval"], first["p_value"]) == (list(pair.interval), pair.p_value)
    assert (first["best"], first["best_of_family"]) == ("RBM 5", "RBM 5")
    assert (second["experiment"], second["window"]) == ("spatiotemporal", 3)


def test_every_comparison_is_that_of_the_results(found, planted_results):
    assert len(found["comparisons"]) == len(planted_results.tested()) == 4
    for shown, condition in zip(found["comparisons"], planted_results.tested(), strict=True):
        compared = planted_results.comparison(**condition.names)
        assert {name: shown[name] for name in condition.names} == condition.names
        assert shown["answer"] == compared.answer
        for model, expected in zip(shown["models"], compared.models, strict=True):
            assert model["name"] == expected.name
            assert model["bits_per_second"] == expected.bits_per_second
            assert model["spec"]["n_hidden"] == expected.spec.n_hidden
        for pair, judged in zip(shown["pairs"], compared.pairs, strict=True):
            assert (pair["first"], pair["second"]) == (judged.first, judged.second)
            assert (pair["stderr"], pair["df"]) == (judged.stderr, judged.df)
            assert pair["interval"] == list(judged.interval)
        for steps in shown["gain_steps"]:  # no model has a common drive
            assert [step["part"] for step in steps] == ["pairs", "groups"]
            assert steps[-1]["model"] == compared.best.name
            total = sum(step["bits_per_second"] for step in steps)
            assert total == pytest.approx(compared.best.bits_per_second)

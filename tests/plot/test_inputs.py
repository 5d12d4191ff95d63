import pytest
from matplotlib import rc_context
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError

import microcolumn as mc
from microcolumn.plot._inputs import (
    check_words,
    entitle,
    fitted_model,
    measured,
    model_with_hidden,
    named,
    named_models,
)


@pytest.fixture
def model():
    return mc.Independent().fit([[0, 1], [1, 1], [0, 0]])


def test_one_thing_is_called_by_its_class(model):
    assert named_models(model) == {"Independent": model}


def test_several_of_a_kind_are_numbered(model):
    assert list(named_models([model, model, model])) == [
        "Independent",
        "Independent (2)",
        "Independent (3)",
    ]


def test_names_are_kept(model):
    assert named_models({"a": model, "b": model}) == {"a": model, "b": model}
    tuned = mc.evaluate.TuneResult(best=model, models={"a": model}, choices={})
    assert named_models(tuned) == {"a": model}


def test_a_thing_with_a_name_is_called_by_it():
    spec = mc.models.ModelSpec.of("RBM 25")
    assert named("specs", [spec], mc.models.ModelSpec, "specs") == {"RBM 25": spec}


def test_a_title_has_the_size_of_the_axes_it_is_over():
    with rc_context({"axes.titlesize": 5.0}):
        ax = Figure().subplots()
    assert entitle(ax, "small").title.get_fontsize() == 5.0


def test_one_model_of_the_family_is_one_sentence_away(model):
    assert fitted_model(model) is model
    with pytest.raises(TypeError, match=r"^model is a Tree; pass one fitted model, such as Ising"):
        fitted_model(mc.models.Tree())
    with pytest.raises(NotFittedError, match="not fitted yet"):
        fitted_model(mc.RBM())
    with pytest.raises(ValueError, match=r"^Independent has no hidden units; pass an RBM"):
        model_with_hidden(model)


def test_models_are_measured_on_words_and_results_are_taken_as_they_are(model):
    def measure(each, words):
        return (each, words)

    words = [[0, 1]]
    assert measured({"a": model}, words, tuple, "f()", measure) == {"a": (model, words)}
    assert measured((1, 2), None, tuple, "f()", measure) == {"": (1, 2)}
    assert measured({"a": (1, 2)}, None, tuple, "f()", measure) == {"a": (1, 2)}
    remedy = r"^models is an Independent; pass fitted models and words, or what f\(\) returns$"
    with pytest.raises(TypeError, match=remedy):
        measured(model, None, tuple, "f()", measure)


@pytest.mark.parametrize("given", ["words", 3, [0, 1], mc.Independent(), {"a": [[0]]}])
def test_what_holds_no_words_is_one_sentence(given):
    with pytest.raises(TypeError, match=r"^words is an? \w+; pass Words, such as recording\.bin"):
        check_words(given)
    assert check_words([[0, 1]]) == [[0, 1]]

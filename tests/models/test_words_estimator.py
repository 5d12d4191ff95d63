"""What a notebook shows of a model: settings before a fit, then what was found."""

from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn import config_context

import microcolumn as mc


@pytest.fixture(scope="module")
def words():
    rng = np.random.default_rng(1)
    together = rng.random((3000, 1)) < 0.1
    return mc.Words.from_array(rng.random((3000, 5)) < np.where(together, 0.6, 0.05))


def shown(model):
    """Title and facts of a model in a notebook."""
    root = ElementTree.fromstring(model._repr_mimebundle_()["text/html"])
    return root.find("b").text, dict([c.text for c in line] for line in root.iter("tr"))


def test_a_fitted_model_shows_what_it_is_of_and_what_the_penalty_left(words):
    model = mc.SemiRBM(3, l1=3e-3).fit(words)
    title, facts = shown(model)
    assert title == "SemiRBM of 5 units"
    n_couplings = np.count_nonzero(np.triu(model.J_, 1))
    assert facts["couplings"] == f"{n_couplings} of 10 pairs"
    assert facts["live hidden units"] == f"{np.count_nonzero(model.W_.any(axis=0))} of 3"
    assert facts["penalty"] == "3e-3"
    assert facts["fitted to"] == "3,000 words of 20 ms from 0 to 60 s"
    assert facts["duration"] == "60 s"
    assert "log Z" not in facts  # which showing a model does not compute
    log_z = model.log_partition()
    assert shown(model)[1]["log Z"] == str(log_z)
    assert facts["converged"] == f"yes (optimality {model.optimality_:.1e})"


def test_units_of_windows_are_counted_once(words):
    assert shown(mc.Ising().fit(words.embed(2)))[0] == "Ising of 5 units x 2 bins"


def test_a_fit_that_stopped_early_says_so(words):
    with pytest.warns(UserWarning, match="not converged"):
        model = mc.Ising(max_iter=1).fit(words)
    assert shown(model)[1]["converged"].startswith("no ")


def test_a_rival_shows_what_was_chosen_for_it(words):
    model = mc.models.BernoulliMixture(3).fit(words)
    title, facts = shown(model)
    assert title == "BernoulliMixture of 5 units"
    assert facts["chosen"] == model.size_
    assert "couplings" not in facts


def test_a_model_of_an_array_or_of_parameters_does_not_know_its_words(words):
    assert "fitted to" not in shown(mc.Ising().fit(words.expand()))[1]
    parameters = mc.Ising().fit(words).parameters_
    assert "converged" not in shown(mc.Ising.from_parameters(parameters))[1]


def test_before_a_fit_a_notebook_shows_what_scikit_learn_does():
    html = mc.Ising()._repr_html_()
    assert "sk-estimator" in html
    assert "l1" in html


def test_who_wants_text_from_scikit_learn_gets_text(words):
    model = mc.Ising().fit(words)
    with config_context(display="text"):
        assert list(model._repr_mimebundle_()) == ["text/plain"]
    assert model._repr_html_() == model._repr_mimebundle_()["text/html"]

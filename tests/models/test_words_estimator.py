"""What a notebook shows of a model: settings before a fit, then what was found."""

from xml.etree import ElementTree

import numpy as np
import pytest

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
    assert facts["converged"] == f"yes (optimality {model.optimality_:.1e})"

"""What every model of words must say for itself, and what it may leave out."""

import numpy as np
import pytest

from microcolumn.models._alternative import AlternativeModel
from microcolumn.models._files import MODELS, model_class


class AlwaysSilent(AlternativeModel):
    """The least that an alternative model is made of: the silent word has probability 1."""

    def _fit(self, words):
        pass

    def _log_probability(self, bits):
        return np.where(bits.any(axis=1), -np.inf, 0.0)

    def _draw(self, n_samples, rng):
        return np.zeros((n_samples, self.n_features_in_), dtype=np.uint8)

    @classmethod
    def _from_arrays(cls, arrays, settings):
        return cls()


@pytest.mark.parametrize("part", ["_fit", "_log_probability", "_draw"])
def test_a_alternative_that_lacks_a_part_is_not_made(part):
    parts = {name: value for name, value in vars(AlwaysSilent).items() if name != part}
    with pytest.raises(TypeError, match=part):
        type("Lacking", (AlternativeModel,), parts)()


@pytest.mark.parametrize("kind", [model_class(name) for name in MODELS])
def test_every_model_has_all_parts(kind):
    assert not kind.__abstractmethods__


def test_the_least_alternative_predicts_by_both_values_of_a_bit_and_has_no_slopes():
    words = np.zeros((3, 2), dtype=np.uint8)
    model = AlwaysSilent().fit(words)
    assert (model.log_odds(words, [1, 0]) == np.finfo(float).min).all()
    assert model._slopes(words).shape == (3, 0)

from functools import partial

import numpy as np
import pytest
from drawing import draw
from matplotlib.colors import to_hex
from matplotlib.patches import StepPatch

from microcolumn.models import BernoulliMixture
from microcolumn.plot.hidden import POSITIVE, THRESHOLD, modes
from microcolumn.units import Units


def mixture(n_modes=4, n_bits=6, seed=0):
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(n_modes))
    return BernoulliMixture.from_parameters(rng.uniform(0.01, 0.5, (n_modes, n_bits)), weights)


drawn = partial(draw, modes)


def charts(ax, n_rows, colour):
    """Length of the bar of each row in each chart of this colour, from the left."""
    found = []
    for patch in ax.patches:
        if isinstance(patch, StepPatch) and to_hex(patch.get_facecolor()).upper() == colour:
            ends, edges, zero = patch.get_data()
            inside = np.searchsorted(edges, np.arange(n_rows), side="right") - 1
            found.append((float(zero), ends[inside] - zero))
    return np.array([lengths for _, lengths in sorted(found, key=lambda each: each[0])])


def scales(ax):
    """Probability per unit of x of the mean and of the modes, as the axis has them."""
    places, names = ax.get_xticks(), [text.get_text() for text in ax.get_xticklabels()]
    return [float(names[k]) / (places[k] - places[k - 1]) for k in (1, 3)]


@pytest.mark.parametrize("n_bits", [1, 6, 130])
def test_bars_are_probabilities_of_a_spike_from_superficial_to_deep(n_bits):
    model = mixture(n_bits=n_bits)
    depth = np.random.default_rng(1).random(n_bits)
    ax = drawn(model, Units(map(str, range(n_bits)), depth))
    rows, order = np.argsort(depth), np.argsort(-model.weights_)
    mean = (model.weights_ @ model.modes_)[rows]
    of_mean, of_modes = scales(ax)
    np.testing.assert_allclose(of_mean * charts(ax, n_bits, THRESHOLD), [mean], atol=1e-12)
    modes_drawn = of_modes * charts(ax, n_bits, POSITIVE)
    np.testing.assert_allclose(modes_drawn, model.modes_[order][:, rows], atol=1e-12)
    [top] = ax.child_axes
    shares = [float(text.get_text()) for text in top.get_xticklabels(minor=True)[1:]]
    np.testing.assert_allclose(shares, 100.0 * model.weights_[order], rtol=0.01)

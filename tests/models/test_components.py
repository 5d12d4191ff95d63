"""Components on sparse words against their definition on dense ones."""

import numpy as np
from hypothesis import given, settings, strategies as st
from scipy.special import logsumexp

from microcolumn.models._components import Components, listed_words


@settings(deadline=None, max_examples=25)
@given(
    st.integers(0, 999),
    st.integers(0, 12),
    st.integers(1, 40),
    st.integers(1, 17),
    st.sampled_from([0.0, 0.1, 1.0]),
    st.sampled_from([0.1, 2.0, 20.0]),
)
def test_everything_is_what_dense_products_give(seed, n_words, n_bits, n, density, scale):
    rng = np.random.default_rng(seed)
    X = (rng.random((n_words, n_bits)) < density).astype(np.uint8)
    modes = 1.0 / (1.0 + np.exp(rng.normal(scale=scale, size=(n, n_bits))))
    modes = modes.clip(1e-12, 1.0 - 1e-12)
    log_weights, counts = rng.normal(scale=scale, size=n), rng.random(n_words) * 5.0
    components, words = Components.of(modes, log_weights), listed_words(X)
    x = X.astype(float)
    expected = log_weights + x @ np.log(modes).T + (1.0 - x) @ np.log1p(-modes).T
    log_p = logsumexp(expected, axis=1)
    close = {"rtol": 1e-10, "atol": 1e-10 * (1.0 + np.abs(expected).max(initial=0.0))}
    np.testing.assert_allclose(components.log_joint(words), expected, **close)
    np.testing.assert_allclose(components.log_probability(words), log_p, **close)
    r = np.exp(expected - log_p[:, None])
    np.testing.assert_allclose(components.shares(words)[0], r, rtol=1e-8, atol=1e-25)
    spikes, shares, nats = components.sums(words, counts)
    np.testing.assert_allclose(shares, counts @ r, rtol=1e-8, atol=1e-25)
    np.testing.assert_allclose(spikes, (counts[:, None] * r).T @ x, rtol=1e-8, atol=1e-25)
    np.testing.assert_allclose(nats, counts @ log_p, **close)

"""Settings of a sampled likelihood for fits of a second, with noise that tests can tell."""

from microcolumn.solvers import SamplerSettings

FEW_DRAWS = SamplerSettings(
    n_chains=512,
    fewest_draws=1 << 13,
    most_draws=1 << 14,
    most_rounds=30,
    judging_chains=512,
    judging_words=16,
)

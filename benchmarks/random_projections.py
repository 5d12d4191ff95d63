"""Random projections against what their authors publish of 15 cells.

    python benchmarks/random_projections.py example15.mat

The file is that of the authors' toolbox (github.com/orimaoz/maxent_toolbox): 40,000 words, of which
a random half is fitted. Lines are Kullback-Leibler divergences in bits from the words of each half
to the model, as their example computes them: mean and standard deviation over ten halves, each with
new projections. The last two are fits of plain scipy over all 2^15 words with features drawn as in
the toolbox: weights of mean 1 and standard deviation 1 for each unit with the probability k / 15, a
threshold of k / 10, no penalty; a feature is as frequent as in the words but for its error.
"""

import sys

import h5py
import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

import microcolumn as mc

DRAWN = ((120, 5), (500, 4))  # projections, inputs of each
PUBLISHED = {  # of test words, from all revisions of docs/maxent_example.html there
    "KPairwise": "0.098, 0.107, 0.108, 0.110",
    "RandomProjections, 120 of 5": "0.126, 0.116",
    "RandomProjections, 500 of 4": "0.108",
}


def fitted_by_scipy(words, n_projections, n_inputs, rng):
    """Log probability of rows of bits, by a fit of the toolbox's features."""
    places = 1 << np.arange(words.shape[1])
    states = (np.arange(1 << len(places))[:, None] & places) > 0
    weights = rng.normal(1.0, 1.0, (n_projections, len(places)))
    weights[rng.random(weights.shape) > n_inputs / len(places)] = 0.0
    features = (states @ weights.T > n_inputs / 10).astype(float)
    wanted = features[words @ places].mean(axis=0)
    error = np.sqrt(np.clip(wanted * (1.0 - wanted), 1.0 / len(words), None) / len(words))

    def divergence(strengths):
        log_z = logsumexp(features @ strengths)
        slope = np.exp(features @ strengths - log_z) @ features - wanted
        return log_z - wanted @ strengths, slope

    def stop(intermediate_result):
        if (abs(divergence(intermediate_result.x)[1]) < error).all():
            raise StopIteration

    start = np.zeros(n_projections)
    found = minimize(divergence, start, jac=True, method="L-BFGS-B", callback=stop)
    table = features @ found.x - logsumexp(features @ found.x)
    return lambda rows: table[rows @ places]


def divergence_in_bits(words, log_probability):
    rows, counts = np.unique(words, axis=0, return_counts=True)
    shares = counts / counts.sum()
    return shares @ (np.log2(shares) - log_probability(rows) / np.log(2.0))


def log_probabilities(words, seed):
    """Of each model fitted to some words, by name."""
    models = {"Independent": mc.Independent(), "Ising": mc.Ising(objective="likelihood")}
    models["KPairwise"], by_scipy = mc.models.KPairwise(), {}
    for m, k in DRAWN:
        name, rng = f"RandomProjections, {m} of {k}", np.random.default_rng(seed)
        models[name] = mc.models.RandomProjections(m, n_inputs=k, random_state=seed)
        by_scipy[f"scipy, toolbox's features, {m} of {k}"] = fitted_by_scipy(words, m, k, rng)
    return {name: model.fit(words).score_samples for name, model in models.items()} | by_scipy


X, bits = h5py.File(sys.argv[1])["spikes15"][:].astype(int), {}
for split in range(10):
    halves = np.split(np.random.default_rng(split).permutation(X), 2)
    for model, log_probability in log_probabilities(halves[0], split).items():
        each = [divergence_in_bits(words, log_probability) for words in halves]
        bits.setdefault(model, []).append(each)
for model, each in bits.items():
    train, test = (f"{np.mean(b):.3f} ± {np.std(b, ddof=1):.3f}" for b in np.transpose(each))
    print(f"{model:38} training words {train}  test words {test}  {PUBLISHED.get(model, '')}")

"""Independent populations side by side: what each of several components says of words."""

from typing import NamedTuple, Self

import numpy as np
from scipy.sparse import csr_array

from ..validation import Floats, chunks


class Components(NamedTuple):
    """Components as words meet them; words come as :func:`listed_words` lists them."""

    logits: Floats  # log odds of a spike of each bit in each component, (n_bits, n_components)
    silent: Floats  # log probability of each component and of its silent word, (n_components,)

    @classmethod
    def of(cls, modes: Floats, log_weights: Floats) -> Self:
        """From probabilities of a spike (n_components, n_bits) and log weights of components."""
        log_silent = np.log1p(-modes)
        logits = np.ascontiguousarray((np.log(modes) - log_silent).T)
        return cls(logits, log_weights + log_silent.sum(axis=1))

    def log_joint(self, words: csr_array, missing: csr_array | None = None) -> Floats:
        """Log probability of each component and word, nats, shape (n_words, n_components).

        Bits that are ``missing``, listed as the words are and 0 in these, have no part in it.
        """
        joint: Floats = words @ self.logits
        joint += self.silent
        if missing is not None:
            joint += missing @ np.logaddexp(0.0, self.logits)
        return joint

    def log_probability(self, words: csr_array, missing: csr_array | None = None) -> Floats:
        """Log of the summed probability of all components, nats, shape (n_words,)."""
        out = np.empty(words.shape[0])
        for part in chunks(out.size, self.silent.size):
            _, out[part] = self.shares(words[part], None if missing is None else missing[part])
        return out

    def sums(
        self, words: csr_array, counts: Floats, missing: csr_array | None = None
    ) -> tuple[Floats, Floats, Floats, float]:
        """Expected spikes of each component (n_components, n_bits), and words (n_components,).

        Also the words in which each bit is missing, (n_components, n_bits), 0 without any, and the
        log-likelihood of all words, nats. ``counts`` (n_words,) says how often each word occurs.
        """
        spikes, shares, nats = np.zeros(self.logits.shape), np.zeros(self.silent.size), 0.0
        unseen = np.zeros(self.logits.shape if missing is not None else (1, 1))
        for part in chunks(counts.size, self.silent.size):
            block, gaps = words[part], None if missing is None else missing[part]
            own, log_p = self.shares(block, gaps)
            own *= counts[part, None]
            spikes += block.T @ own
            shares += own.sum(axis=0)
            nats += float(counts[part] @ log_p)
            if gaps is not None:
                unseen += gaps.T @ own
        return spikes.T, shares, unseen.T, nats

    def shares(self, words: csr_array, missing: csr_array | None = None) -> tuple[Floats, Floats]:
        """Probability of each component given each word, and log probability of each word."""
        return posterior(self.log_joint(words, missing))


def posterior(joint: Floats) -> tuple[Floats, Floats]:
    """Probability of each component given each word, and log probability of each word.

    ``joint`` has the log probabilities of both, nats, shape (n_words, n_components). It is
    overwritten.
    """
    tops = joint.max(axis=1)
    joint -= tops[:, None]
    np.exp(joint, out=joint)
    totals = joint.sum(axis=1)
    joint /= totals[:, None]
    return joint, tops + np.log(totals)

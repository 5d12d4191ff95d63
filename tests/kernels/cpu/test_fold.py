"""The folding kernel against sums written out state by state."""

import numpy as np
import pytest
from scipy.special import expit, logsumexp

from microcolumn.kernels.cpu.fold import LANES, fold_chunks
from microcolumn.kernels.simd.groups import GROUP


def bits(n_units):
    return (np.arange(1 << n_units)[:, None] >> np.arange(n_units)) & 1


def random_tables(n_a, n_b, n_hidden, n_inner_hidden, scale=1.0, n_chunks=3, seed=0):
    """Everything the kernel reads, in natural order: states first, then units or hidden units."""
    rng = np.random.default_rng(seed)
    return {
        "log_outer": rng.normal(size=1 << n_a) * scale,
        "log_inner": rng.normal(size=1 << n_b) * scale,
        "outer_fields": rng.normal(size=(n_chunks, n_a)) * scale,
        "inner_fields": rng.normal(size=(n_chunks, n_b)) * scale,
        "fields": rng.normal(size=(1 << n_a, n_b)) * scale,
        "outer_z": rng.normal(size=(1 << n_a, n_hidden)) * scale,
        "chunk_z": rng.normal(size=(n_chunks, n_hidden)) * scale,
        "inner_z": rng.normal(size=(1 << n_b, n_inner_hidden)) * scale,
    }


def in_rows(table, width):
    grouped = table.reshape(table.shape[0] // width, width, table.shape[1])
    return np.ascontiguousarray(grouped.transpose(0, 2, 1))


def run(t, centres):
    n_chunks, n_outer = t["chunk_z"].shape[0], t["log_outer"].size
    totals, logs = np.empty((n_chunks, n_outer)), np.empty(n_chunks)
    fold_chunks(
        t["log_outer"],
        t["log_inner"] + centres,
        centres,
        t["outer_fields"],
        t["inner_fields"],
        in_rows(np.exp(t["fields"]), LANES),
        in_rows(t["outer_z"], LANES),
        t["chunk_z"],
        in_rows(np.exp(t["inner_z"]), GROUP),
        totals,
        logs,
    )
    return totals, logs


def by_hand(t, chunk):
    """Log of the sum over b for every a, from log weights of all pairs (a, b)."""
    A, B = bits(t["outer_fields"].shape[1]), bits(t["inner_fields"].shape[1])
    log_a = t["log_outer"] + A @ t["outer_fields"][chunk]
    log_b = t["log_inner"] + B @ t["inner_fields"][chunk]
    pairs = log_a[:, None] + log_b + t["fields"] @ B.T
    z = t["outer_z"] + t["chunk_z"][chunk]
    n_inner_hidden = t["inner_z"].shape[1]
    pairs += np.logaddexp(0.0, z[:, n_inner_hidden:]).sum(axis=1)[:, None]
    for i in range(n_inner_hidden):
        pairs += np.logaddexp(0.0, z[:, i, None] + t["inner_z"][:, i])
    return logsumexp(pairs, axis=1)


@pytest.mark.parametrize("n_b", [4, 8, 12])
@pytest.mark.parametrize(("n_hidden", "n_inner_hidden"), [(0, 0), (3, 3), (5, 2), (2, 0)])
def test_every_outer_state_has_the_sum_over_its_inner_states(n_b, n_hidden, n_inner_hidden):
    t = random_tables(5, n_b, n_hidden, n_inner_hidden)
    centres = 0.5 * t["inner_z"].sum(axis=1)
    totals, logs = run(t, centres)
    for chunk in range(logs.size):
        np.testing.assert_allclose(
            np.log(totals[chunk]) + logs[chunk], by_hand(t, chunk), rtol=0, atol=1e-12
        )


def test_the_centres_change_the_scale_but_not_the_sums():
    t = random_tables(4, 8, 4, 4, scale=3.0)
    with_centres, logs = run(t, 0.5 * t["inner_z"].sum(axis=1))
    without, other_logs = run(t, np.zeros(1 << 8))
    assert not np.allclose(logs, other_logs)
    np.testing.assert_allclose(
        np.log(with_centres) + logs[:, None], np.log(without) + other_logs[:, None], atol=1e-11
    )


def test_weights_hundreds_of_nats_apart_stay_in_range():
    t = random_tables(5, 8, 3, 3, scale=12.0, seed=1)
    totals, logs = run(t, 0.5 * t["inner_z"].sum(axis=1))
    for chunk in range(logs.size):
        expected = logsumexp(by_hand(t, chunk))
        value = np.log(totals[chunk].sum()) + logs[chunk]
        assert value == pytest.approx(expected, rel=0, abs=1e-10)


def test_saturated_hidden_units_keep_their_factors():
    """Inputs of ±300 nats: one sigmoid is tiny, and its factor still follows e_i(b)."""
    t = random_tables(4, 4, 2, 2, n_chunks=1)
    t["chunk_z"] = np.array([[300.0, -300.0]])
    t["inner_z"] = np.where(bits(4)[:, :2] == 1, [-290.0, 290.0], 0.0)
    totals, logs = run(t, 0.5 * t["inner_z"].sum(axis=1))
    assert expit(-300.0) > 0.0
    np.testing.assert_allclose(np.log(totals[0]) + logs[0], by_hand(t, 0), atol=1e-10)

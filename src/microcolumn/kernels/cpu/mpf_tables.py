"""What the MPF kernel reads and writes, and the way from parameters into it and out again."""

import math
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from ..simd.groups import GROUP
from ..simd.lanes import WIDTH
from ..simd.views import aligned, sub_arrays, sub_views_size

#: Fewest words worth a chunk of their own: clearing and adding up its sums must not show.
_CHUNK_WORDS = 200
#: Most chunks. Fixed, so that sums do not depend on the number of threads.
_MAX_CHUNKS = 64
#: Bytes that all chunks' sums may take together.
_MAX_SUMS_BYTES = 128 << 20
#: Half a field so low that nothing flows.
NEVER = -1e4


# Bounds, in nats, that keep everything the kernel multiplies within the normal numbers.
LARGEST_FIELD = 80.0  # |log| of a product of factors of couplings; larger ones go the careful way
LARGEST_PRODUCT = 300.0  # |log| of a product of h
LARGEST_HIDDEN_BIAS = 100.0  # |c|; larger ones go the careful way
LARGEST_WEIGHT = 100.0  # |W|
LARGEST_FLOW = 250.0  # |log K| of an evaluation that is trusted
NEGLIGIBLE = 46.0  # minus the log of a number that does not change 1 when added


class ActiveBits(NamedTuple):
    """Bits ``active[offsets[u]:offsets[u + 1]]`` are on in word u; chunks lie between borders."""

    offsets: np.ndarray  # (n_words + 1,)
    active: np.ndarray  # (n_active,)
    half_weights: np.ndarray  # (n_words,)
    log_half_weights: np.ndarray  # (n_words,)
    weights: np.ndarray  # (n_words,) what multiplies terms that K is no factor of
    borders: np.ndarray  # (n_chunks + 1,)


class FlowTables(NamedTuple):
    """Parameters laid out for the kernel; rows are filled up with units that change nothing."""

    biases: np.ndarray  # (n_bits,) b / 2
    couplings: np.ndarray  # (n_units, n_bits) J, no rows without pairwise terms
    weights: np.ndarray  # (n_units, n_hidden) W
    bias_factor: np.ndarray  # (n_bits,) exp(b / 2)
    coupling_factor: np.ndarray  # (n_units, n_bits) exp(J)
    on: np.ndarray  # (n_hidden,) a = sigmoid(c), for c within its limit
    off: np.ndarray  # (n_hidden,) sigmoid(-c)
    beyond: np.ndarray  # (n_hidden,) the part of c beyond its limit
    grow: np.ndarray  # (n_rows, n_pairs, 2, WIDTH) a * exp(W)
    grow1: np.ndarray  # the same of a * expm1(W)
    shrink: np.ndarray  # (n_units, n_hidden) exp(-W)
    shrink1: np.ndarray  # (n_units, n_hidden) expm1(-W)
    bounds: np.ndarray  # (3,) largest |log| of factors of couplings, of products, of a block
    field_reach: np.ndarray  # (n_units,) most that an active bit adds to the first
    product_reach: np.ndarray  # (n_units,) most that an active bit adds to the second
    weight_reach: np.ndarray  # (n_hidden,) largest |W_ni|
    far: np.ndarray  # (n_hidden,) most that |log h| can be, whatever the word
    lowest: np.ndarray  # (n_hidden,) below this z - c a unit is off to the last digit


class Sums(NamedTuple):
    """Value and gradient, chunk as first axis."""

    value: np.ndarray  # (1,) sum of terms; of flow, halved
    biases: np.ndarray  # (n_bits,)
    couplings: np.ndarray  # (n_units, n_bits), row: the active unit
    weights: np.ndarray  # (n_units, n_hidden), active units
    inactive: np.ndarray  # shape of grow: inactive units, without the factor grow
    hidden_biases: np.ndarray  # (n_hidden,)


class Scratch(NamedTuple):
    """What a group of words needs between its passes, chunk as first axis."""

    field: np.ndarray  # (n_listed, 1) exp(field / 2) of active bits, or field / 2 where careful
    g: np.ndarray  # (n_listed, 1) their slopes
    term: np.ndarray  # (n_listed, 1) their terms of the value
    part: np.ndarray  # (n_listed, n_hidden) their a / h
    fields: np.ndarray  # (n_rows, GROUP * WIDTH) exp(field / 2) or field / 2 of inactive bits
    push: np.ndarray  # (n_rows, GROUP * WIDTH) d * g, the word's part of the bias gradient
    scale: np.ndarray  # (GROUP + 1, 1) weight / 2 / sqrt(prod h_i), or its log where careful
    weight: np.ndarray  # (GROUP + 1, 1) weight, 0 where there is no word
    r: np.ndarray  # (GROUP + 1, n_hidden)
    sbar: np.ndarray  # (GROUP, n_hidden)
    through: np.ndarray  # (n_hidden / 2, GROUP * WIDTH) derivative through z, before adding lanes
    prefix: np.ndarray  # (2, n_pairs, GROUP * WIDTH) running products of two rows of bits
    inverse: np.ndarray  # (2, n_pairs, GROUP * WIDTH) g / product of each block
    reach: np.ndarray  # (n_hidden,) most that |log h| is in this group


class Lists(NamedTuple):
    """Whole numbers that go with ``Scratch``."""

    unit: np.ndarray  # (n_listed,) the active bits of the group, one word after the other
    word: np.ndarray  # (n_listed,) their words within the group; GROUP where the list is filled up
    blocks: np.ndarray  # (n_pairs + 1,) borders of blocks, in pairs of hidden units


class FlowSizes(NamedTuple):
    """Sizes that the shapes of everything above follow from."""

    n_units: int
    n_hidden: int
    n_coupled: int  # n_units, or 0 without pairwise terms
    n_listed: int  # most active bits of a group of words, and space to fill it up
    rows: int  # rows of bits
    pairs: int  # pairs of hidden units
    filled: int  # hidden units filled up to GROUP registers

    @classmethod
    def of(cls, n_units: int, n_hidden: int, coupled: bool, most_active: int) -> "FlowSizes":
        """Sizes for words with up to ``most_active`` active bits."""
        n_coupled, n_listed = n_units if coupled else 0, GROUP * (most_active + 1)
        rows, pairs = -(-n_units // WIDTH), -(-n_hidden // 2)
        filled = -(-n_hidden // (GROUP * WIDTH)) * GROUP * WIDTH
        return cls(n_units, n_hidden, n_coupled, n_listed, rows, pairs, filled)


@register_jitable
def shapes_for(sizes):
    """Shapes of ``FlowTables``, ``Sums``, ``Scratch`` and ``Lists``."""
    units, hidden, listed = (sizes.n_units,), (sizes.filled,), (sizes.n_listed,)
    bits, lanes = (sizes.rows * WIDTH,), (GROUP * WIDTH,)
    pairwise, weights = (sizes.n_coupled, *bits), units + hidden
    grow = (sizes.rows, sizes.pairs, 2, WIDTH)
    fields, products = (sizes.rows, *lanes), (2, sizes.pairs, *lanes)
    tables = FlowTables(
        bits, pairwise, weights, bits, pairwise, hidden, hidden, hidden, grow, grow, weights,
        weights, (3,), units, units, hidden, hidden, hidden,
    )  # fmt: skip
    sums = Sums((1,), bits, pairwise, weights, grow, hidden)
    scratch = Scratch(
        (*listed, 1), (*listed, 1), (*listed, 1), listed + hidden, fields, fields,
        (GROUP + 1, 1), (GROUP + 1, 1), (GROUP + 1, *hidden), (GROUP, *hidden),
        (sizes.filled // 2, *lanes), products, products, hidden,
    )  # fmt: skip
    return tables, sums, scratch, Lists(listed, listed, (sizes.pairs + 1,))


class Workspace:
    """What an evaluation of so many distinct words needs besides them, kept for the next one."""

    def __init__(self, shape: FlowSizes, n_words: int) -> None:
        self.shape = shape
        tables, sums, scratch, lists = shapes_for(shape)
        size = sub_views_size(sums)
        affordable = max(4, _MAX_SUMS_BYTES // (8 * size))
        wanted = max(1, min(_MAX_CHUNKS, affordable, n_words // _CHUNK_WORDS))
        n_chunks = 1 << (wanted.bit_length() - 1)  # so that threads share them evenly
        self.sums = aligned((n_chunks, size))
        self._added = np.zeros(size)
        self._total = sub_arrays(self._added, sums)
        self.scratch = aligned((n_chunks, sub_views_size(scratch)))
        first = sub_arrays(self.scratch[0], scratch)
        first.r.fill(1.0)  # where a list is filled up nothing shall be divided by zero
        self.scratch[1:] = self.scratch[0]
        self.lists = aligned((n_chunks, sub_views_size(lists)), np.int64)
        self.model = aligned((1, sub_views_size(tables)))
        self.tables = sub_arrays(self.model[0], tables)
        # What lies beyond the last unit and the last hidden unit shall change nothing.
        self.tables.biases.fill(NEVER)
        self.tables.coupling_factor.fill(1.0)
        self.tables.off.fill(1.0)
        self.tables.shrink.fill(1.0)

    @np.errstate(over="ignore")  # what overflows makes sums that are not finite
    def lay_out(self, b: np.ndarray, J: np.ndarray | None, W: np.ndarray, c: np.ndarray) -> None:
        """Fill tables and bounds from the parameters of a model with live hidden units alone."""
        tables, (n_units, n_hidden) = self.tables, W.shape
        tables.biases[:n_units], tables.bias_factor[:n_units] = 0.5 * b, np.exp(0.5 * b)
        tables.bounds[0] = LARGEST_FIELD - 0.5 * np.abs(b).max()
        if J is not None:
            tables.couplings[:, :n_units] = J
            np.exp(J, out=tables.coupling_factor[:, :n_units])
            np.abs(J).max(axis=1, out=tables.field_reach)
        near = np.minimum(np.maximum(c, -LARGEST_HIDDEN_BIAS), LARGEST_HIDDEN_BIAS)
        on = 1.0 / (1.0 + np.exp(-near))
        tables.on[:n_hidden], tables.off[:n_hidden] = on, 1.0 / (1.0 + np.exp(near))
        tables.beyond[:n_hidden] = c - near
        sizes = np.abs(W)
        tables.product_reach[:] = sizes.sum(axis=1)
        tables.weight_reach[:n_hidden] = reach = sizes.max(axis=0)
        depth = np.maximum(0.0, near + reach + NEGLIGIBLE)
        tables.lowest[:n_hidden] = -depth
        tables.far[:n_hidden] = np.maximum(depth, reach - np.log(on))
        tables.weights[:, :n_hidden] = W
        grow, grow1 = np.exp(W), np.expm1(W)
        tables.shrink[:, :n_hidden], tables.shrink1[:, :n_hidden] = 1.0 / grow, -grow1 / grow
        # Bits that fill up the last row have no weights, and a hidden unit that fills up the last
        # pair is never on.
        n_rows, n_pairs = tables.grow.shape[:2]
        filled = np.zeros((n_rows * WIDTH, 2 * n_pairs))
        for table, factors, at_zero in ((tables.grow, grow, 1.0), (tables.grow1, grow1, 0.0)):
            filled[:, :n_hidden] = on * at_zero
            filled[:n_units, :n_hidden] = on * factors
            table[:] = filled.reshape(n_rows, WIDTH, n_pairs, 2).transpose(0, 2, 3, 1)
        tables.bounds[1] = -1.0 if tables.beyond.any() else LARGEST_PRODUCT
        tables.bounds[1] -= tables.product_reach.max()
        tables.bounds[2] = LARGEST_PRODUCT

    def borders(self, offsets: np.ndarray) -> np.ndarray:
        """First word of each chunk, and the last one's end, so that each is about equal work.

        A word costs its rows of bits times hidden units and a constant, an active bit two passes
        over hidden units and one over bits (in cycles, measured).
        """
        shape = self.shape
        per_word = 12 * shape.rows * shape.pairs + 100
        per_active = 3 * shape.filled + 8 * shape.rows + 30
        work = per_word * np.arange(offsets.size) + per_active * offsets
        return np.searchsorted(work, np.linspace(0, work[-1], self.sums.shape[0] + 1))

    def value(self) -> float:
        """Sum of terms over the chunks."""
        return float(self.sums[:, 0].sum())

    @np.errstate(over="ignore", invalid="ignore")  # what overflows is not finite
    def gradient(
        self, scale: float
    ) -> tuple[np.ndarray, np.ndarray | None, np.ndarray, np.ndarray]:
        """Derivatives by b, J, W and c that were laid out: the chunks' sums times ``scale``."""
        np.add.reduce(self.sums, axis=0, out=self._added)
        total, (n_units, n_hidden, *_) = self._total, self.shape
        b, J = scale * total.biases[:n_units], None
        if self.shape.n_coupled:
            J = scale * (total.couplings[:, :n_units] + total.couplings[:, :n_units].T)
            np.fill_diagonal(J, 0.0)
        inactive = (total.inactive * self.tables.grow).transpose(0, 3, 1, 2)
        inactive = inactive.reshape(self.shape.rows * WIDTH, 2 * self.shape.pairs)
        W = scale * (total.weights[:, :n_hidden] + inactive[:n_units, :n_hidden])
        return b, J, W, scale * total.hidden_biases[:n_hidden]


def trusted(K: float) -> bool:
    """Whether K is so near to 1 that nothing was lost at the ends of the range of numbers."""
    return math.exp(-LARGEST_FLOW) < K < math.exp(LARGEST_FLOW)

"""Groups: ``GROUP`` rows side by side in one long row, which the machine works on independently.

What the rows of a group share is loaded once and repeated by ``tile``; what each row has for
itself is broadcast over its lanes (``broadcast_rows``); ``group_sum`` adds the rows up. LLVM
splits the long row into the registers it is made of, so none of this moves any data. Adding up
the lanes *within* registers does: ``hadd`` does a step of it for two rows at once, so that a
whole tree of sums costs one shuffle and one addition per row.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ..compile import subroutine
from .lanes import Lanes, fma, halves, larger, reduce_to, shuffle, unary

#: Rows of a group: as many independent products as hide the latency of a multiplication.
GROUP = 4


def split_rows(builder, group):
    """The rows that a group is made of, as LLVM values."""
    rows = [group]
    while len(rows) < GROUP:
        rows = [half for row in rows for half in halves(builder, row)]
    return rows


def join_rows(builder, rows):
    """One long row from a power of two of equally long ones."""
    while len(rows) > 1:
        both = range(2 * rows[0].type.count)
        rows = [shuffle(builder, *rows[i : i + 2], both) for i in range(0, len(rows), 2)]
    return rows[0]


def _row(group):
    return Lanes(group.dtype, group.width // GROUP)


def _over_rows(combine, doc):
    def emit(builder, group):
        return reduce_to(builder, group, group.type.count // GROUP, combine)

    return unary(_row, emit, doc)


def _within_rows(combine, doc):
    def emit(builder, group):
        rows = split_rows(builder, group)
        return join_rows(builder, [reduce_to(builder, row, 1, combine) for row in rows])

    return unary(lambda group: Lanes(group.dtype, GROUP), emit, doc)


tile = unary(
    lambda row: Lanes(row.dtype, GROUP * row.width),
    lambda builder, row: join_rows(builder, [row] * GROUP),
    "Group of ``GROUP`` times the same row.",
)
unpack_rows = unary(
    lambda group: types.UniTuple(_row(group), GROUP),
    lambda builder, group: cgutils.pack_array(builder, split_rows(builder, group)),
    "The rows of a group, one by one: a tuple.",
)
group_sum = _over_rows(ir.IRBuilder.fadd, "Row of the sums over the rows, lane by lane.")
group_max = _over_rows(larger, "Row of the largest of the rows, lane by lane.")
row_sums = _within_rows(ir.IRBuilder.fadd, "Short row of the sum of the lanes of each row.")
row_products = _within_rows(ir.IRBuilder.fmul, "Short row of the product of each row's lanes.")


@subroutine(forceinline=True)
def group_dot(a, b):
    """Row of the sums over the rows of ``a * b``, lane by lane."""
    a0, a1, a2, a3 = unpack_rows(a)
    b0, b1, b2, b3 = unpack_rows(b)
    return fma(a0, b0, a1 * b1) + fma(a2, b2, a3 * b3)


def hadd_rows(builder, a, b, distance):
    """Sums of lanes that are ``distance`` apart: of ``a`` and of ``b`` in turns."""
    n = a.type.count
    stay = [i + (n if i & distance else 0) for i in range(n)]
    swap = [(i ^ distance) + (n if i & distance else 0) for i in range(n)]
    return builder.fadd(shuffle(builder, a, b, stay), shuffle(builder, a, b, swap))


@intrinsic
def hadd(typingctx, a, b):
    """Sums of neighbouring lanes: of ``a`` in the even lanes, of ``b`` in the odd ones."""

    def codegen(context, builder, signature, args):
        return hadd_rows(builder, *args, 1)

    return a(a, b), codegen

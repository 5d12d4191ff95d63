"""Rows that hold several words side by side, one vector register each.

A table row that all words of a group share is loaded once and ``repeat``-ed, a number that each
word has for itself is ``spread`` over that word's register, and ``fold`` adds the words up. LLVM
splits such a long row into the registers it is made of, so none of this moves any data. What
does is adding up the lanes *within* registers: ``pair_sums`` does a step of it for two rows at
once, so that a whole tree of them costs one shuffle and one addition per row.
"""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic, overload

from .lanes import Lanes, _broadcast, _vector, convert, like, reinterpret, select
from .views import REGISTER, address

#: Words of one group: as many independent products as hide the latency of a multiplication.
GROUP = 4

_I32 = ir.IntType(32)


def _width(dtype):
    return REGISTER * 8 // dtype.bitwidth


def _pick(builder, a, b, lanes):
    """Lanes of ``a``, then of ``b``, by number."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_I32, len(lanes)), list(lanes)))


def _halves(builder, row):
    half = row.type.count // 2
    return _pick(builder, row, row, range(half)), _pick(builder, row, row, range(half, 2 * half))


def _registers(builder, long):
    """The registers, one per word, that a long row is made of."""
    parts = [long]
    while len(parts) < GROUP:
        parts = [half for part in parts for half in _halves(builder, part)]
    return parts


def _beside(builder, rows):
    """One long row from a power of two of equally long ones."""
    while len(rows) > 1:
        both = range(2 * rows[0].type.count)
        rows = [_pick(builder, *rows[i : i + 2], both) for i in range(0, len(rows), 2)]
    return rows[0]


def _load(view, index, n_registers):
    lanes = Lanes(view.dtype, n_registers * _width(view.dtype))

    def codegen(context, builder, signature, args):
        pointer = address(context, builder, view, args[0], signature.args[1], args[1])
        pointer = builder.bitcast(pointer, _vector(lanes).as_pointer())
        return builder.load(pointer, align=view.dtype.bitwidth // 8)

    return lanes(view, types.unliteral(index)), codegen


def _store(context, builder, view, pointer, value):
    pointer = builder.bitcast(pointer, value.type.as_pointer())
    builder.store(value, pointer, align=view.dtype.bitwidth // 8)


def _columns(
    context, builder, view, value, first_type, first, column_type, column, picks=None, count=GROUP
):
    """Addresses of ``column`` in some rows of a view: from ``first`` on, or those picked there."""
    pair = types.UniTuple(types.intp, 2)
    first = context.cast(builder, first, first_type, types.intp)
    column = context.cast(builder, column, column_type, types.intp)
    for w in range(count):
        place = builder.add(first, context.get_constant(types.intp, w))
        if picks is not None:
            chosen = address(context, builder, picks[0], picks[1], types.intp, place)
            place = context.cast(builder, builder.load(chosen), picks[0].dtype, types.intp)
        index = context.make_tuple(builder, pair, [place, column])
        yield address(context, builder, view, value, pair, index)


def _loads(builder, view, pointers, width):
    vector = ir.VectorType(_vector(Lanes(view.dtype, 1)).element, width)
    return [
        builder.load(builder.bitcast(pointer, vector.as_pointer()), align=view.dtype.bitwidth // 8)
        for pointer in pointers
    ]


@intrinsic
def bits_of(typingctx, view):
    """Elements of the view in one register: a constant that the compiler knows."""

    def codegen(context, builder, signature, args):
        return context.get_constant(types.intp, _width(view.dtype))

    return types.intp(view), codegen


@intrinsic
def row(typingctx, view, index):
    """One register of consecutive elements from ``index`` on."""
    return _load(view, index, 1)


@intrinsic
def rows(typingctx, view, index):
    """A register for each word of the group, consecutive from ``index`` on."""
    return _load(view, index, GROUP)


@intrinsic
def put(typingctx, view, index, numbers):
    """Write a row to consecutive elements from ``index`` on."""

    def codegen(context, builder, signature, args):
        pointer = address(context, builder, view, args[0], signature.args[1], args[1])
        _store(context, builder, view, pointer, args[2])
        return context.get_dummy_value()

    return types.void(view, types.unliteral(index), numbers), codegen


@intrinsic
def each(typingctx, view, first, column):
    """For each word w of the group the register at ``view[first + w, column]``."""
    lanes = Lanes(view.dtype, GROUP * _width(view.dtype))

    def codegen(context, builder, signature, args):
        kinds = signature.args
        pointers = _columns(context, builder, view, args[0], kinds[1], args[1], kinds[2], args[2])
        return _beside(builder, _loads(builder, view, pointers, _width(view.dtype)))

    return lanes(view, types.unliteral(first), types.unliteral(column)), codegen


@intrinsic
def put_each(typingctx, view, first, column, long):
    """Write the register of each word w to ``view[first + w, column]``."""

    def codegen(context, builder, signature, args):
        kinds = signature.args
        pointers = _columns(context, builder, view, args[0], kinds[1], args[1], kinds[2], args[2])
        for pointer, value in zip(pointers, _registers(builder, args[3]), strict=True):
            _store(context, builder, view, pointer, value)
        return context.get_dummy_value()

    return types.void(view, types.unliteral(first), types.unliteral(column), long), codegen


@intrinsic
def chosen(typingctx, view, picks, first, column):
    """The registers at ``view[picks[first + w], column]``, w within the group."""
    lanes = Lanes(view.dtype, GROUP * _width(view.dtype))

    def codegen(context, builder, signature, args):
        kinds, picked = signature.args, (picks, args[1])
        pointers = _columns(
            context, builder, view, args[0], kinds[2], args[2], kinds[3], args[3], picked
        )
        return _beside(builder, _loads(builder, view, pointers, _width(view.dtype)))

    return lanes(view, picks, types.unliteral(first), types.unliteral(column)), codegen


@intrinsic
def chosen_numbers(typingctx, view, picks, first):
    """Short row of the numbers at ``view[picks[first + w], 0]``, w within the group."""
    lanes = Lanes(view.dtype, GROUP)

    def codegen(context, builder, signature, args):
        picked, zero = (picks, args[1]), context.get_constant(types.intp, 0)
        pointers = _columns(
            context, builder, view, args[0], signature.args[2], args[2], types.intp, zero, picked
        )
        return _beside(builder, _loads(builder, view, pointers, 1))

    return lanes(view, picks, types.unliteral(first)), codegen


@intrinsic
def numbers(typingctx, view, index):
    """Short row of as many consecutive numbers as there are words in the group."""
    lanes = Lanes(view.dtype, GROUP)

    def codegen(context, builder, signature, args):
        pointer = address(context, builder, view, args[0], signature.args[1], args[1])
        return _loads(builder, view, [pointer], GROUP)[0]

    return lanes(view, types.unliteral(index)), codegen


@intrinsic
def repeat(typingctx, one):
    """The same register for each word of the group."""

    def codegen(context, builder, signature, args):
        return _beside(builder, [args[0]] * GROUP)

    return Lanes(one.dtype, GROUP * one.width)(one), codegen


@intrinsic
def spread(typingctx, view, first, column):
    """Row with ``view[first + w, column]`` in all lanes of word w."""
    lanes = Lanes(view.dtype, GROUP * _width(view.dtype))

    def codegen(context, builder, signature, args):
        kinds = signature.args
        pointers = _columns(context, builder, view, args[0], kinds[1], args[1], kinds[2], args[2])
        registers = [
            _broadcast(
                builder,
                builder.load(pointer, align=view.dtype.bitwidth // 8),
                _width(view.dtype),
            )
            for pointer in pointers
        ]
        return _beside(builder, registers)

    return lanes(view, types.unliteral(first), types.unliteral(column)), codegen


def _across(combine):
    """Intrinsic that reduces the lanes of each word to one number: a short row."""

    @intrinsic
    def reduce(typingctx, long):
        def codegen(context, builder, signature, args):
            registers = _registers(builder, args[0])
            while registers[0].type.count > 1:
                registers = [combine(builder)(*_halves(builder, one)) for one in registers]
            return _beside(builder, registers)

        return Lanes(long.dtype, GROUP)(long), codegen

    return reduce


#: Sum, or product, over the lanes of each word of the group.
sums_across = _across(lambda builder: builder.fadd)
products_across = _across(lambda builder: builder.fmul)


def _over_words(combine):
    """Intrinsic that reduces the words of a group to one register, lane by lane."""

    @intrinsic
    def reduce(typingctx, long):
        def codegen(context, builder, signature, args):
            combined, words = args[0], GROUP
            while words > 1:
                combined, words = combine(builder, *_halves(builder, combined)), words // 2
            return combined

        return Lanes(long.dtype, long.width // GROUP)(long), codegen

    return reduce


#: Sum, or maximum, over the words of the group, lane by lane.
fold = _over_words(lambda builder, a, b: builder.fadd(a, b))
largest = _over_words(lambda builder, a, b: builder.select(builder.fcmp_ordered(">", a, b), a, b))


def _pair_sums(builder, a, b, distance):
    n = a.type.count
    stay = [i + (n if i & distance else 0) for i in range(n)]
    swap = [(i ^ distance) + (n if i & distance else 0) for i in range(n)]
    return builder.fadd(_pick(builder, a, b, stay), _pick(builder, a, b, swap))


@intrinsic
def pair_sums(typingctx, a, b):
    """Sums of neighbouring lanes: of ``a`` in the even lanes, of ``b`` in the odd ones."""

    def codegen(context, builder, signature, args):
        return _pair_sums(builder, *args, 1)

    return a(a, b), codegen


@intrinsic
def finish_pair_sums(typingctx, view, first, column):
    """Totals of GROUP registers' worth of rows, as ``pair_sums`` left them: two to a register.

    The registers are in column ``column`` of consecutive rows of the view from ``first`` on.
    """
    width = _width(view.dtype)

    def codegen(context, builder, signature, args):
        kinds = signature.args
        pointers = _columns(
            context, builder, view, args[0], kinds[1], args[1], kinds[2], args[2],
            count=GROUP * width // 2,
        )  # fmt: skip
        registers, distance = _loads(builder, view, pointers, width), 2
        while len(registers) > GROUP:
            registers = [
                _pair_sums(builder, *registers[i : i + 2], distance)
                for i in range(0, len(registers), 2)
            ]
            distance *= 2
        return _beside(builder, registers)

    lanes = Lanes(view.dtype, GROUP * width)
    return lanes(view, types.unliteral(first), types.unliteral(column)), codegen


@njit(inline="always")
def larger(a, b):
    """The larger of two rows, lane by lane."""
    return select(a > b, a, b)


@njit(inline="always")
def smaller(a, b):
    """The smaller of two rows, lane by lane."""
    return select(a < b, a, b)


def split(row):
    """Mantissa in [1, 2) and exponent of each lane, which must be positive and not subnormal."""
    raise TypeError("split is for compiled code")  # replaced by the overload below


@overload(split)
def _split(row):
    if not isinstance(row, Lanes):
        return None
    if row.dtype == types.float64:
        integer, number, mantissa_bits, bias = np.int64, np.float64, 52, 1023
    else:
        integer, number, mantissa_bits, bias = np.int32, np.float32, 23, 127
    mask = (1 << mantissa_bits) - 1

    def implementation(row):
        bits = reinterpret(row, integer)
        exponent = (bits >> like(bits, mantissa_bits)) - like(bits, bias)
        mantissa = (bits & like(bits, mask)) | like(bits, bias << mantissa_bits)
        return reinterpret(mantissa, number), convert(exponent, number)

    return implementation

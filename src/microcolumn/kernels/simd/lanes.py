"""The type ``Lanes``, a row of numbers in vector registers, and what is done lane by lane.

A number stands for a row of that number in ``+ - * /``, in comparisons, ``fma`` and ``select``.
"""

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import PrimitiveModel
from numba.core.errors import TypingError
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import intrinsic, lower_builtin, register_model

from ..compile import subroutine

#: Bytes of one vector register (AVX-512; LLVM splits it where registers are smaller).
REGISTER = 64
#: Doubles or 64-bit whole numbers in one register.
WIDTH = 8

I32 = ir.IntType(32)


class Lanes(types.Type):
    """Numba type of a row of ``width`` doubles or whole numbers (or of booleans: a mask)."""

    def __init__(self, dtype, width):
        if isinstance(dtype, types.Float) and dtype != types.float64:
            raise TypingError(f"rows of floats are rows of doubles, not of {dtype}")
        self.dtype = dtype
        self.width = width
        super().__init__(name=f"Lanes({dtype}, {width})")


@register_model(Lanes)
class _LanesModel(PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, ir.VectorType(element_of(fe_type.dtype), fe_type.width))


def element_of(dtype):
    """LLVM's type of one lane."""
    if isinstance(dtype, types.Float):
        return ir.DoubleType()
    return ir.IntType(1 if dtype == types.boolean else dtype.bitwidth)


def shuffle(builder, a, b, lanes):
    """Lanes of ``a`` followed by ``b``, by number."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(I32, len(lanes)), list(lanes)))


def halves(builder, row):
    """The first and the second half of the lanes."""
    n = row.type.count
    return shuffle(builder, row, row, range(n // 2)), shuffle(builder, row, row, range(n // 2, n))


def reduce_to(builder, row, n_lanes, combine):
    """Combine halves until ``n_lanes`` are left: the same order on every machine."""
    while row.type.count > n_lanes:
        row = combine(builder, *halves(builder, row))
    return row


def larger(builder, a, b):
    """LLVM's code for the larger of two rows of floats."""
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


def broadcast(builder, value, width):
    """Row with an LLVM value in each lane."""
    undefined = ir.Constant(ir.VectorType(value.type, width), ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(I32, 0))
    return shuffle(builder, first, undefined, [0] * width)


def _promoted(context, builder, row, kinds, values):
    """The operands as rows: numbers are converted to the row's element type and repeated."""
    return [
        value
        if isinstance(kind, Lanes)
        else broadcast(builder, context.cast(builder, value, kind, row.dtype), row.width)
        for kind, value in zip(kinds, values, strict=True)
    ]


def _common(kinds):
    """The one row type among operands that are rows or numbers, or None."""
    rows = {kind for kind in kinds if isinstance(kind, Lanes)}
    if not rows or not all(isinstance(kind, (Lanes, types.Number)) for kind in kinds):
        return None
    row = rows.pop()
    if rows:
        raise TypingError(f"rows of different types do not combine: {kinds}")
    if isinstance(row.dtype, types.Integer) and any(isinstance(k, types.Float) for k in kinds):
        raise TypingError(f"a float does not combine with {row}")
    return row


@intrinsic(prefer_literal=True)
def splat(typingctx, value, width):
    """Row with ``value`` in each of its ``width`` (a constant) lanes."""
    scalar, n_lanes = types.unliteral(value), width.literal_value

    def codegen(context, builder, signature, args):
        return broadcast(builder, args[0], n_lanes)

    return Lanes(scalar, n_lanes)(scalar, width), codegen


@intrinsic
def full_like(typingctx, row, value):
    """Row of the width and element type of ``row`` with ``value`` in each lane."""

    def codegen(context, builder, signature, args):
        return _promoted(context, builder, row, signature.args[1:], args[1:])[0]

    return row(row, value), codegen


def _call(builder, name, *args):
    """Call LLVM's intrinsic ``name`` on rows of doubles, e.g. ``llvm.sqrt.v8f64``."""
    vector = args[0].type
    kind = ir.FunctionType(vector, [vector] * len(args))
    name = f"llvm.{name}.v{vector.count}f64"
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)


@intrinsic
def fma(typingctx, a, b, c):
    """``a * b + c`` in one instruction where the machine has it."""
    row = _common((a, b, c))

    def codegen(context, builder, signature, args):
        return _call(builder, "fmuladd", *_promoted(context, builder, row, signature.args, args))

    return row(a, b, c), codegen


@intrinsic
def select(typingctx, mask, yes, no):
    """Lane by lane ``yes`` where ``mask`` holds, else ``no``."""
    row = _common((yes, no))

    def codegen(context, builder, signature, args):
        rows = _promoted(context, builder, row, signature.args[1:], args[1:])
        return builder.select(args[0], *rows)

    return row(mask, yes, no), codegen


@subroutine(forceinline=True)
def vmax(a, b):
    """The larger of two rows, lane by lane."""
    return select(a > b, a, b)


@subroutine(forceinline=True)
def vmin(a, b):
    """The smaller of two rows, lane by lane."""
    return select(a < b, a, b)


@intrinsic
def convert(typingctx, row, dtype):
    """Row of floats as signed integers of type ``dtype``, or the other way round, by value."""

    def codegen(context, builder, signature, args):
        cast = builder.fptosi if isinstance(row.dtype, types.Float) else builder.sitofp
        return cast(args[0], ir.VectorType(element_of(dtype.dtype), row.width))

    return Lanes(dtype.dtype, row.width)(row, dtype), codegen


@intrinsic
def reinterpret(typingctx, row, dtype):
    """The same bits read as the equally wide number type ``dtype``."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.VectorType(element_of(dtype.dtype), row.width))

    return Lanes(dtype.dtype, row.width)(row, dtype), codegen


def unary(result, emit, doc):
    """Instruction with one operand: ``emit(builder, value)``, of type ``result(row)``."""

    @intrinsic
    def instruction(typingctx, row):
        return result(row)(row), lambda context, builder, signature, args: emit(builder, *args)

    instruction.__doc__ = doc
    return instruction


def _reduction(combine, doc):
    def emit(builder, row):
        return builder.extract_element(reduce_to(builder, row, 1, combine), ir.Constant(I32, 0))

    return unary(lambda row: row.dtype, emit, doc)


def _any(builder, mask):
    bits = builder.bitcast(mask, ir.IntType(mask.type.count))
    return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))


def _call_of(name, doc):
    return unary(lambda row: row, lambda builder, row: _call(builder, name, row), doc)


sqrt = _call_of("sqrt", "Square root of each lane.")
rint = _call_of("rint", "Each lane rounded to the nearest integer, still as a float.")
any_lane = unary(lambda row: types.boolean, _any, "Whether a mask holds in at least one lane.")
reduce_add = _reduction(ir.IRBuilder.fadd, "Sum of the lanes (a power of two of them).")
reduce_max = _reduction(larger, "Largest of the lanes (a power of two of them).")


def _define(symbol, for_floats, for_signed, for_unsigned, is_comparison=False):
    """Let Python's operator ``symbol`` combine two rows, or a row and a number, lane by lane."""

    @infer_global(symbol)
    class _Operator(AbstractTemplate):
        def generic(self, args, kws):
            row = _common(args)
            if row is None:
                return None
            result = Lanes(types.boolean, row.width) if is_comparison else row
            return result(*map(types.unliteral, args))

    def lower(context, builder, signature, args):
        row = _common(signature.args)
        emit = for_signed if getattr(row.dtype, "signed", False) else for_unsigned
        emit = for_floats if isinstance(row.dtype, types.Float) else emit
        return emit(builder, *_promoted(context, builder, row, signature.args, args))

    for kinds in ((Lanes, Lanes), (Lanes, types.Number), (types.Number, Lanes)):
        lower_builtin(symbol, *kinds)(lower)


for _symbol, *_names in (
    (operator.add, "fadd", "add", "add"),
    (operator.sub, "fsub", "sub", "sub"),
    (operator.mul, "fmul", "mul", "mul"),
    (operator.truediv, "fdiv", "fdiv", "fdiv"),
    (operator.and_, "and_", "and_", "and_"),
    (operator.or_, "or_", "or_", "or_"),
    (operator.xor, "xor", "xor", "xor"),
    (operator.lshift, "shl", "shl", "shl"),
    (operator.rshift, "ashr", "ashr", "lshr"),
):
    _define(_symbol, *(getattr(ir.IRBuilder, name) for name in _names))
for _symbol, _sign in ((operator.lt, "<"), (operator.gt, ">"), (operator.ne, "!=")):
    _define(
        _symbol,
        lambda builder, a, b, sign=_sign: builder.fcmp_ordered(sign, a, b),
        lambda builder, a, b, sign=_sign: builder.icmp_signed(sign, a, b),
        lambda builder, a, b, sign=_sign: builder.icmp_unsigned(sign, a, b),
        is_comparison=True,
    )

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

from .compile import subroutine

#: Bytes of one vector register (AVX-512; LLVM splits it where registers are smaller).
REGISTER = 64
#: Doubles in one register.
WIDTH = 8

I32 = ir.IntType(32)


class Lanes(types.Type):
    """Numba type of a row of ``width`` numbers of type ``dtype`` (or of booleans: a mask)."""

    def __init__(self, dtype, width):
        self.dtype = dtype
        self.width = width
        super().__init__(name=f"Lanes({dtype}, {width})")


@register_model(Lanes)
class _LanesModel(PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, vector_of(fe_type))


def vector_of(lanes):
    """LLVM's type of a row."""
    if lanes.dtype == types.boolean:
        element = ir.IntType(1)
    elif isinstance(lanes.dtype, types.Float):
        element = ir.DoubleType() if lanes.dtype == types.float64 else ir.FloatType()
    else:
        element = ir.IntType(lanes.dtype.bitwidth)
    return ir.VectorType(element, lanes.width)


def shuffle(builder, a, b, lanes):
    """Lanes of ``a`` followed by ``b``, by number."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(I32, len(lanes)), list(lanes)))


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
    others = [kind for kind in kinds if not isinstance(kind, (Lanes, types.Number))]
    if not rows or others:
        return None
    if len(rows) > 1:
        raise TypingError(f"rows of different types do not combine: {sorted(map(str, rows))}")
    row = rows.pop()
    if isinstance(row.dtype, types.Integer) and any(isinstance(k, types.Float) for k in kinds):
        raise TypingError(f"a float does not combine with {row}")
    return row


@intrinsic(prefer_literal=True)
def splat(typingctx, value, width):
    """Row with ``value`` in each of its ``width`` (a constant) lanes."""
    scalar = types.unliteral(value)
    lanes = Lanes(scalar, width.literal_value)

    def codegen(context, builder, signature, args):
        return broadcast(builder, args[0], lanes.width)

    return lanes(scalar, width), codegen


@intrinsic
def full_like(typingctx, row, value):
    """Row of the width and element type of ``row`` with ``value`` in each lane."""

    def codegen(context, builder, signature, args):
        return _promoted(context, builder, row, signature.args[1:], args[1:])[0]

    return row(row, value), codegen


def _call(context, builder, name, row, kinds, args):
    """Call LLVM's intrinsic ``name`` for a row type, e.g. ``llvm.sqrt.v8f64``."""
    vector = vector_of(row)
    function = cgutils.get_or_insert_function(
        builder.module,
        ir.FunctionType(vector, [vector] * len(args)),
        f"llvm.{name}.v{row.width}f{row.dtype.bitwidth}",
    )
    return builder.call(function, _promoted(context, builder, row, kinds, args))


@intrinsic
def fma(typingctx, a, b, c):
    """``a * b + c`` in one instruction where the machine has it."""
    row = _common((a, b, c))

    def codegen(context, builder, signature, args):
        return _call(context, builder, "fmuladd", row, signature.args, args)

    return row(a, b, c), codegen


def _unary(name, doc):
    @intrinsic
    def instruction(typingctx, row):
        def codegen(context, builder, signature, args):
            return _call(context, builder, name, row, signature.args, args)

        return row(row), codegen

    instruction.__doc__ = doc
    return instruction


sqrt = _unary("sqrt", "Square root of each lane.")
rint = _unary("rint", "Each lane rounded to the nearest integer, still as a float.")


@intrinsic
def select(typingctx, mask, yes, no):
    """Lane by lane ``yes`` where ``mask`` holds, else ``no``."""
    row = _common((yes, no))

    def codegen(context, builder, signature, args):
        return builder.select(
            args[0], *_promoted(context, builder, row, signature.args[1:], args[1:])
        )

    return row(mask, yes, no), codegen


@subroutine(inline="always")
def vmax(a, b):
    """The larger of two rows, lane by lane."""
    return select(a > b, a, b)


@subroutine(inline="always")
def vmin(a, b):
    """The smaller of two rows, lane by lane."""
    return select(a < b, a, b)


@intrinsic
def convert(typingctx, row, dtype):
    """Row with each lane converted to the number type ``dtype``, by value."""
    target = Lanes(dtype.dtype, row.width)

    def codegen(context, builder, signature, args):
        from_float, to_float = (isinstance(t, types.Float) for t in (row.dtype, target.dtype))
        bits, target_bits = row.dtype.bitwidth, target.dtype.bitwidth
        if from_float and to_float:
            cast = builder.fpext if target_bits > bits else builder.fptrunc
        elif from_float:
            cast = builder.fptosi
        elif to_float:
            cast = builder.sitofp if row.dtype.signed else builder.uitofp
        elif target_bits < bits:
            cast = builder.trunc
        else:
            cast = builder.sext if row.dtype.signed else builder.zext
        return cast(args[0], vector_of(target))

    return target(row, dtype), codegen


@intrinsic
def reinterpret(typingctx, row, dtype):
    """The same bits read as the equally wide number type ``dtype``."""
    target = Lanes(dtype.dtype, row.width)

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], vector_of(target))

    return target(row, dtype), codegen


@intrinsic
def any_lane(typingctx, mask):
    """Whether the mask holds in at least one lane."""

    def codegen(context, builder, signature, args):
        bits = builder.bitcast(args[0], ir.IntType(mask.width))
        return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))

    return types.boolean(mask), codegen


def halves(builder, row):
    """The first and the second half of the lanes."""
    n = row.type.count
    return shuffle(builder, row, row, range(n // 2)), shuffle(builder, row, row, range(n // 2, n))


def larger(builder, a, b):
    """LLVM's code for the larger of two rows of floats."""
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


def _reduce(combine, doc):
    """Instruction that reduces a row by halving, in the same order on every machine."""

    @intrinsic
    def instruction(typingctx, row):
        def codegen(context, builder, signature, args):
            reduced = args[0]
            while reduced.type.count > 1:
                reduced = combine(builder, *halves(builder, reduced))
            return builder.extract_element(reduced, ir.Constant(I32, 0))

        return row.dtype(row), codegen

    instruction.__doc__ = doc
    return instruction


reduce_add = _reduce(ir.IRBuilder.fadd, "Sum of the lanes (a power of two of them).")
reduce_max = _reduce(larger, "Largest of the lanes (a power of two of them).")


def _define(symbol, for_floats, for_signed, for_unsigned, is_comparison=False):
    """Let Python's operator ``symbol`` combine two rows, or a row and a number, lane by lane.

    The last arguments but one are functions of (builder, a, b), by the kind of elements.
    """

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
        a, b = _promoted(context, builder, row, signature.args, args)
        if isinstance(row.dtype, types.Float):
            return for_floats(builder, a, b)
        signed = isinstance(row.dtype, types.Integer) and row.dtype.signed
        return (for_signed if signed else for_unsigned)(builder, a, b)

    for kinds in ((Lanes, Lanes), (Lanes, types.Number), (types.Number, Lanes)):
        lower_builtin(symbol, *kinds)(lower)


for _symbol, _names in {
    operator.add: ("fadd", "add", "add"),
    operator.sub: ("fsub", "sub", "sub"),
    operator.mul: ("fmul", "mul", "mul"),
    operator.truediv: ("fdiv", "fdiv", "fdiv"),
    operator.and_: ("and_", "and_", "and_"),
    operator.or_: ("or_", "or_", "or_"),
    operator.xor: ("xor", "xor", "xor"),
    operator.lshift: ("shl", "shl", "shl"),
    operator.rshift: ("ashr", "ashr", "lshr"),
}.items():
    _define(_symbol, *(getattr(ir.IRBuilder, name) for name in _names))
for _symbol, _sign in {operator.lt: "<", operator.gt: ">", operator.ne: "!="}.items():
    _define(
        _symbol,
        lambda builder, a, b, sign=_sign: builder.fcmp_ordered(sign, a, b),
        lambda builder, a, b, sign=_sign: builder.icmp_signed(sign, a, b),
        lambda builder, a, b, sign=_sign: builder.icmp_unsigned(sign, a, b),
        is_comparison=True,
    )

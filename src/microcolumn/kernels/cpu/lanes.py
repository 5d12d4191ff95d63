"""Explicit SIMD for Numba: a value of type ``Lanes`` is a row of numbers in vector registers.

Numba leaves vectorisation to LLVM's guesses, which give up on running products and on arrays
that might overlap. Here the programmer says it: ``load`` a row of ``WIDTH`` numbers, combine
rows with ``+ - * /`` and ``fma``, ``store`` the row. LLVM maps a row onto whatever registers the
machine has (one AVX-512 register, two AVX2 registers, four NEON registers), so nothing here is
tied to a processor. ``exp`` and ``log`` are polynomial and stay in the registers.

>>> import numpy as np
>>> from numba import njit
>>> @njit
... def double(x, out):
...     for i in range(0, x.size, WIDTH):
...         store(out, i, load(x, i, WIDTH) + load(x, i, WIDTH))
>>> out = np.empty(16)
>>> double(np.arange(16.0), out)
>>> out[:4].tolist()
[0.0, 2.0, 4.0, 6.0]
"""

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import PrimitiveModel
from numba.extending import intrinsic, overload, register_model

#: Lanes of one row: one AVX-512 register of doubles. Kernels may use multiples of it.
WIDTH = 8

_I32 = ir.IntType(32)


class Lanes(types.Type):
    """Numba type of a row of ``width`` numbers of type ``dtype`` (or of booleans: a mask)."""

    def __init__(self, dtype, width):
        self.dtype = dtype
        self.width = width
        super().__init__(name=f"Lanes({dtype}, {width})")

    def of(self, dtype):
        """The row type of the same width with another element type."""
        return Lanes(dtype, self.width)


@register_model(Lanes)
class _LanesModel(PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, _vector(fe_type))


def _element(dtype):
    if dtype == types.boolean:
        return ir.IntType(1)
    if dtype == types.float64:
        return ir.DoubleType()
    if dtype == types.float32:
        return ir.FloatType()
    return ir.IntType(dtype.bitwidth)


def _vector(lanes):
    return ir.VectorType(_element(lanes.dtype), lanes.width)


def _broadcast(builder, value, width):
    vector = ir.VectorType(value.type, width)
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(_I32, 0))
    zeros = ir.Constant(ir.VectorType(_I32, width), [0] * width)
    return builder.shuffle_vector(first, undefined, zeros)


def _pointer(context, builder, array_type, array, index_type, index, vector):
    """Pointer to ``width`` consecutive elements of a C-contiguous array; no bounds check."""
    view = context.make_array(array_type)(context, builder, array)
    single = isinstance(index_type, types.Integer)
    indices = [index] if single else cgutils.unpack_tuple(builder, index)
    index_types = [index_type] if single else list(index_type)
    indices = [
        context.cast(builder, i, t, types.intp) for i, t in zip(indices, index_types, strict=True)
    ]
    pointer = cgutils.get_item_pointer2(
        context,
        builder,
        data=view.data,
        shape=cgutils.unpack_tuple(builder, view.shape),
        strides=cgutils.unpack_tuple(builder, view.strides),
        layout="C",
        inds=indices,
        wraparound=False,
        boundscheck=False,
    )
    return builder.bitcast(pointer, vector.as_pointer())


@intrinsic(prefer_literal=True)
def load(typingctx, array, index, width):
    """Row of ``width`` (a constant) consecutive elements of ``array`` from ``index`` on."""
    lanes = Lanes(array.dtype, width.literal_value)

    def codegen(context, builder, signature, args):
        pointer = _pointer(
            context, builder, signature.args[0], args[0], signature.args[1], args[1], _vector(lanes)
        )
        return builder.load(pointer, align=array.dtype.bitwidth // 8)

    return lanes(array, types.unliteral(index), width), codegen


@intrinsic
def store(typingctx, array, index, row):
    """Write ``row`` to consecutive elements of ``array`` from ``index`` on."""

    def codegen(context, builder, signature, args):
        pointer = _pointer(
            context, builder, signature.args[0], args[0], signature.args[1], args[1], _vector(row)
        )
        builder.store(args[2], pointer, align=array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, index, row), codegen


@intrinsic(prefer_literal=True)
def splat(typingctx, value, width):
    """Row with ``value`` in each of its ``width`` (a constant) lanes."""
    scalar = types.unliteral(value)
    lanes = Lanes(scalar, width.literal_value)

    def codegen(context, builder, signature, args):
        return _broadcast(builder, args[0], lanes.width)

    return lanes(scalar, width), codegen


@intrinsic
def like(typingctx, row, value):
    """Row of the width and element type of ``row`` with ``value`` in each lane."""

    def codegen(context, builder, signature, args):
        scalar = context.cast(builder, args[1], signature.args[1], row.dtype)
        return _broadcast(builder, scalar, row.width)

    return row(row, value), codegen


def _call(builder, name, vector, args):
    """Call LLVM's intrinsic ``name`` for a vector type, e.g. ``llvm.sqrt.v8f64``."""
    bits = {ir.DoubleType(): 64, ir.FloatType(): 32}[vector.element]
    function = cgutils.get_or_insert_function(
        builder.module,
        ir.FunctionType(vector, [vector] * len(args)),
        f"llvm.{name}.v{vector.count}f{bits}",
    )
    return builder.call(function, args)


@intrinsic
def fma(typingctx, a, b, c):
    """``a * b + c`` in one instruction where the machine has it."""

    def codegen(context, builder, signature, args):
        return _call(builder, "fmuladd", _vector(a), args)

    return a(a, a, a), codegen


@intrinsic
def sqrt(typingctx, row):
    """Square root of each lane."""

    def codegen(context, builder, signature, args):
        return _call(builder, "sqrt", _vector(row), args)

    return row(row), codegen


@intrinsic
def rint(typingctx, row):
    """Each lane rounded to the nearest integer, still as a float."""

    def codegen(context, builder, signature, args):
        return _call(builder, "rint", _vector(row), args)

    return row(row), codegen


@intrinsic
def select(typingctx, mask, yes, no):
    """Lane by lane ``yes`` where ``mask`` holds, else ``no``."""

    def codegen(context, builder, signature, args):
        return builder.select(*args)

    return yes(mask, yes, yes), codegen


@intrinsic
def convert(typingctx, row, dtype):
    """Row with each lane converted to the number type ``dtype``, by value."""
    target = row.of(dtype.dtype)

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
        return cast(args[0], _vector(target))

    return target(row, dtype), codegen


@intrinsic
def reinterpret(typingctx, row, dtype):
    """The same bits read as the equally wide number type ``dtype``."""
    target = row.of(dtype.dtype)

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], _vector(target))

    return target(row, dtype), codegen


@intrinsic
def any_lane(typingctx, mask):
    """Whether the mask holds in at least one lane."""

    def codegen(context, builder, signature, args):
        bits = builder.bitcast(args[0], ir.IntType(mask.width))
        return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))

    return types.boolean(mask), codegen


def _tree(builder, row, width, combine):
    """Reduce a row to one number by halving, the same order on every machine."""
    while width > 1:
        width //= 2
        low, high = (
            builder.shuffle_vector(
                row, row, ir.Constant(ir.VectorType(_I32, width), list(range(start, start + width)))
            )
            for start in (0, width)
        )
        row = combine(low, high)
    return builder.extract_element(row, ir.Constant(_I32, 0))


@intrinsic
def total(typingctx, row):
    """Sum of the lanes (the width a power of two)."""

    def codegen(context, builder, signature, args):
        return _tree(builder, args[0], row.width, builder.fadd)

    return row.dtype(row), codegen


@intrinsic
def product(typingctx, row):
    """Product of the lanes (the width a power of two)."""

    def codegen(context, builder, signature, args):
        return _tree(builder, args[0], row.width, builder.fmul)

    return row.dtype(row), codegen


def _define(symbol, kinds, is_comparison=False):
    """Let Python's operator ``symbol`` combine two rows of one type lane by lane."""
    for_floats, for_signed, for_unsigned = kinds

    @intrinsic
    def combine(typingctx, a, b):
        result = a.of(types.boolean) if is_comparison else a

        def codegen(context, builder, signature, args):
            if isinstance(a.dtype, types.Float):
                return for_floats(builder)(*args)
            signed = isinstance(a.dtype, types.Integer) and a.dtype.signed
            return (for_signed if signed else for_unsigned)(builder)(*args)

        return result(a, b), codegen

    @overload(symbol)
    def _operator(a, b):
        if isinstance(a, Lanes) and a == b:
            return lambda a, b: combine(a, b)
        return None


def _compare(sign):
    return (
        lambda builder: lambda a, b: builder.fcmp_ordered(sign, a, b),
        lambda builder: lambda a, b: builder.icmp_signed(sign, a, b),
        lambda builder: lambda a, b: builder.icmp_unsigned(sign, a, b),
    )


def _named(floats, signed=None, unsigned=None):
    signed = signed or floats
    return tuple(operator.attrgetter(name) for name in (floats, signed, unsigned or signed))


_define(operator.add, _named("fadd", "add"))
_define(operator.sub, _named("fsub", "sub"))
_define(operator.mul, _named("fmul", "mul"))
_define(operator.truediv, _named("fdiv"))
_define(operator.and_, _named("and_"))
_define(operator.or_, _named("or_"))
_define(operator.xor, _named("xor"))
_define(operator.lshift, _named("shl"))
_define(operator.rshift, _named("ashr", "ashr", "lshr"))
_define(operator.lt, _compare("<"), is_comparison=True)
_define(operator.gt, _compare(">"), is_comparison=True)
_define(operator.ne, _compare("!="), is_comparison=True)

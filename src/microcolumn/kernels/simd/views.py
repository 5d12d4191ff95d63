"""Arrays without reference counts, and the address of an element of an array or a view.

Numba counts references whenever an array is taken out of a tuple or handed to a function, with
an atomic instruction each time, and it hands over a tuple as one argument per number in it. In a
kernel of many short passes that is most of the time. A ``View`` is the address and the shape of
a C-contiguous array and nothing else. A ``Bundle`` is the address of a record of views, so that
handing it over costs one register. Whoever makes them keeps the arrays alive, and a bundle ends
with the function that made it. Taking a view out of a bundle reads memory: do it before a loop.
"""

import functools
import math
import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import OpaqueModel, StructModel
from numba.core.errors import TypingError
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_global
from numba.extending import (
    infer_getattr,
    intrinsic,
    lower_builtin,
    lower_getattr_generic,
    make_attribute_wrapper,
    register_model,
)

from ..compile import CHECKED
from .lanes import I32, REGISTER, WIDTH


class View(types.Type):
    """Numba type of a view of a C-contiguous array."""

    def __init__(self, dtype, ndim):
        self.dtype = dtype
        self.ndim = ndim
        super().__init__(name=f"View({dtype}, {ndim})")


@register_model(View)
class _ViewModel(StructModel):
    def __init__(self, dmm, fe_type):
        members = [
            ("data", types.CPointer(fe_type.dtype)),
            ("shape", types.UniTuple(types.intp, fe_type.ndim)),
        ]
        super().__init__(dmm, fe_type, members)


make_attribute_wrapper(View, "shape", "shape")


class Bundle(types.Type):
    """Numba type of the address of a record of views and numbers."""

    def __init__(self, names, kinds):
        self.names = tuple(names)
        self.kinds = tuple(kinds)
        super().__init__(name=f"Bundle({self.names}, {self.kinds})")


register_model(Bundle)(OpaqueModel)


@infer_getattr
class _BundleAttribute(AttributeTemplate):
    key = Bundle

    def generic_resolve(self, bundle, name):
        return dict(zip(bundle.names, bundle.kinds, strict=True)).get(name)


def typed(builder, pointer, kind):
    """The pointer as one to ``kind``, which llvmlite asks for until all its pointers are opaque."""
    return pointer if pointer.type.is_opaque else builder.bitcast(pointer, kind.as_pointer())


def _record(context, bundle):
    return ir.LiteralStructType([context.get_value_type(kind) for kind in bundle.kinds])


def _field(builder, record, kind, place):
    """Address of a field of a record of LLVM type ``kind``."""
    record = typed(builder, record, kind)
    source = kind if record.type.is_opaque else None
    return builder.gep(record, [I32(0), I32(place)], inbounds=True, source_etype=source)


@lower_getattr_generic(Bundle)
def _get_field(context, builder, bundle, value, name):
    kind, place = _record(context, bundle), bundle.names.index(name)
    return builder.load(_field(builder, value, kind, place), typ=kind.elements[place])


def _bundle(context, builder, bundle, values):
    """Address of a new record with these values, in the frame of the function being compiled."""
    kind = _record(context, bundle)
    record = cgutils.alloca_once(builder, kind)
    for place, value in enumerate(values):
        builder.store(value, _field(builder, record, kind, place))
    return builder.bitcast(record, context.get_value_type(bundle))


def check_memory(kind):
    """Raise unless this is the Numba type of a view or of a C-contiguous array."""
    if not isinstance(kind, View) and getattr(kind, "layout", None) != "C":
        raise TypingError(f"only C-contiguous arrays and views have rows, not {kind}")


def address(context, builder, kinds, args, count=1):
    """Pointer to the first of ``count`` elements of an array or view, in memory order.

    ``kinds`` and ``args`` are types and values of operands. The first two are the memory and the
    index, a number or a tuple with one for each axis. Unchecked unless ``CHECKED``.
    """
    (kind, index_type, *_), (value, index, *_) = kinds, args
    if isinstance(kind, View):
        memory = cgutils.create_struct_proxy(kind)(context, builder, value)
    else:
        memory = context.make_array(kind)(context, builder, value)
    index_types, indices = [index_type], [index]
    if not isinstance(index_type, types.Integer):
        index_types, indices = list(index_type), cgutils.unpack_tuple(builder, index)
    indices = [
        context.cast(builder, *pair, types.intp) for pair in zip(indices, index_types, strict=True)
    ]
    shape = cgutils.unpack_tuple(builder, memory.shape)
    flat = indices[0]
    for one, size in zip(indices[1:], shape[1:], strict=True):
        flat = builder.add(builder.mul(flat, size, flags=["nsw"]), one, flags=["nsw"])
    if CHECKED:
        outside = [builder.icmp_unsigned(">=", *pair) for pair in zip(indices, shape, strict=True)]
        end = builder.add(flat, context.get_constant(types.intp, count))
        outside.append(builder.icmp_signed(">", end, functools.reduce(builder.mul, shape)))
        _raise_if(context, builder, outside, f"{count} elements from", indices, shape)
    return builder.gep(memory.data, [flat], source_etype=context.get_data_type(kind.dtype))


def _raise_if(context, builder, conditions, what, indices, shape):
    """Raise an IndexError that names indices and shape if one of the conditions holds."""
    with cgutils.if_unlikely(builder, functools.reduce(builder.or_, conditions)):
        kind = types.UniTuple(types.intp, len(shape))
        place, size = (context.make_tuple(builder, kind, values) for values in (indices, shape))
        context.call_conv.return_dynamic_user_exc(
            builder,
            IndexError,
            (f"{what} index", place, "are not in an array of shape", size),
            (kind, kind),
        )


def _view(array):
    check_memory(array)
    return View(array.dtype, array.ndim)


def _make(context, builder, target, data, shape):
    view = cgutils.create_struct_proxy(target)(context, builder)
    view.data = data
    view.shape = shape
    return view._getvalue()


@intrinsic
def views(typingctx, arrays):
    """Bundle of a named tuple, with a view in place of each array."""
    kinds = [_view(kind) if isinstance(kind, types.Array) else kind for kind in arrays.types]

    def codegen(context, builder, signature, args):
        values = cgutils.unpack_tuple(builder, args[0])
        for place, kind in enumerate(arrays.types):
            if isinstance(kind, types.Array):
                array = context.make_array(kind)(context, builder, values[place])
                values[place] = _make(context, builder, kinds[place], array.data, array.shape)
        return _bundle(context, builder, signature.return_type, values)

    return Bundle(arrays.fields, kinds)(arrays), codegen


@intrinsic
def sub_views(typingctx, buffer, k, shapes):
    """Bundle of views, one after the other, in row ``k`` of a matrix of 64-bit numbers.

    ``shapes`` is a named tuple of shapes. Each view starts at a multiple of ``REGISTER`` bytes if
    the row does. :func:`sub_views_size` is the length that a row must have.
    """
    check_memory(buffer)
    kinds = [View(buffer.dtype, len(shape)) for shape in shapes.types]

    def codegen(context, builder, signature, args):
        def number(value):
            return context.get_constant(types.intp, value)

        array = context.make_array(buffer)(context, builder, args[0])
        row = context.cast(builder, args[1], signature.args[1], types.intp)
        n_rows, length = cgutils.unpack_tuple(builder, array.shape)
        element = context.get_data_type(buffer.dtype)
        first = builder.gep(array.data, [builder.mul(row, length)], source_etype=element)
        start, values = number(0), []
        for kind, shape in zip(kinds, cgutils.unpack_tuple(builder, args[2]), strict=True):
            data = builder.gep(first, [start], source_etype=element)
            values.append(_make(context, builder, kind, data, shape))
            size = functools.reduce(builder.mul, cgutils.unpack_tuple(builder, shape), number(1))
            size = builder.add(size, number(WIDTH - 1))
            start = builder.add(start, builder.and_(size, number(-WIDTH)))
        if CHECKED:
            outside = (
                builder.icmp_unsigned(">=", row, n_rows),
                builder.icmp_signed(">", start, length),
            )
            _raise_if(context, builder, outside, "sub-views up to", [row, start], [n_rows, length])
        return _bundle(context, builder, signature.return_type, values)

    return Bundle(shapes.fields, kinds)(buffer, k, shapes), codegen


def _starts(shapes):
    """Where each sub-view starts, and where the last one ends, in elements."""
    starts = [0]
    for shape in shapes:
        starts.append(starts[-1] + -(-math.prod(shape) // WIDTH) * WIDTH)
    return starts


def sub_views_size(shapes):
    """Elements that :func:`sub_views` needs for views of these shapes."""
    return _starts(shapes)[-1]


def sub_arrays(row, shapes):
    """The views that :func:`sub_views` makes of a row, as NumPy views."""
    starts = zip(_starts(shapes)[:-1], shapes, strict=True)
    return type(shapes)(
        *(row[start : start + math.prod(shape)].reshape(shape) for start, shape in starts)
    )


def aligned(shape, dtype=np.float64):
    """Zeros of 64 bits that start on a register's border: a load across cache lines costs twice."""
    size = math.prod(shape)
    raw = np.zeros(size + WIDTH, dtype)
    start = -raw.ctypes.data % REGISTER // raw.itemsize
    return raw[start : start + size].reshape(shape)


@infer_global(operator.getitem)
@infer_global(operator.setitem)
class _Item(AbstractTemplate):
    def generic(self, args, kws):
        if not isinstance(args[0], View):
            return None
        return (args[0].dtype if len(args) == 2 else types.void)(*map(types.unliteral, args))


@lower_builtin(operator.getitem, View, types.Any)
def _get(context, builder, signature, args):
    pointer = address(context, builder, signature.args, args)
    return context.unpack_value(builder, signature.args[0].dtype, pointer)


@lower_builtin(operator.setitem, View, types.Any, types.Any)
def _set(context, builder, signature, args):
    view, _, kind = signature.args
    pointer = address(context, builder, signature.args, args)
    value = context.cast(builder, args[2], kind, view.dtype)
    context.pack_value(builder, view.dtype, value, pointer)

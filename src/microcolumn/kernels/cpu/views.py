"""Arrays without reference counts, for kernels of many short passes over many arrays.

Numba counts references whenever an array is taken out of a tuple or handed to a function, with
an atomic instruction each time, and it hands over a tuple as one argument per number in it. In a
kernel of many short passes that is most of the time. A ``View`` is the address and the shape of
a C-contiguous array and nothing else; a ``Bundle`` is the address of a record of views, so that
handing it over costs one register. Whoever makes them keeps the arrays alive, and a bundle ends
with the function that made it. Taking a view out of a bundle reads memory: do it before a loop.

>>> from typing import NamedTuple
>>> import numpy as np
>>> from numba import njit
>>> class Pair(NamedTuple):
...     a: np.ndarray
...     b: np.ndarray
>>> @njit
... def exchange(pair):
...     pair.a[0, 1], pair.b[0, 1] = pair.b[0, 1], pair.a[0, 1]
>>> @njit
... def kernel(pair):
...     exchange(views(pair))
>>> pair = Pair(np.zeros((1, 2)), np.ones((1, 2)))
>>> kernel(pair)
>>> pair.a.tolist()
[[0.0, 1.0]]
"""

import math
import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import OpaqueModel, StructModel
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_global
from numba.extending import (
    infer_getattr,
    intrinsic,
    lower_builtin,
    lower_getattr_generic,
    make_attribute_wrapper,
    register_model,
)

#: Bytes of one vector register (AVX-512; LLVM splits it where registers are smaller).
REGISTER = 64


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
        listed = ", ".join(f"{n}: {k}" for n, k in zip(self.names, self.kinds, strict=True))
        super().__init__(name=f"Bundle({listed})")

    def record(self, context):
        """The LLVM type of the record."""
        return ir.LiteralStructType([context.get_value_type(kind) for kind in self.kinds])


register_model(Bundle)(OpaqueModel)


@infer_getattr
class _BundleAttribute(AttributeTemplate):
    key = Bundle

    def generic_resolve(self, bundle, name):
        return dict(zip(bundle.names, bundle.kinds, strict=True)).get(name)


def _field(context, builder, bundle, value, place):
    record = builder.bitcast(value, bundle.record(context).as_pointer())
    return builder.load(cgutils.gep_inbounds(builder, record, 0, place))


@lower_getattr_generic(Bundle)
def _get_field(context, builder, bundle, value, name):
    return _field(context, builder, bundle, value, bundle.names.index(name))


def _bundle(context, builder, bundle, values):
    """Address of a new record with these values, in the frame of the function being compiled."""
    record = cgutils.alloca_once(builder, bundle.record(context))
    for place, value in enumerate(values):
        builder.store(value, cgutils.gep_inbounds(builder, record, 0, place))
    return builder.bitcast(record, context.get_value_type(bundle))


def address(context, builder, view_type, view, index_type, index):
    """Pointer to the element at ``index``: a number, or a tuple with one per axis; unchecked."""
    parts = cgutils.create_struct_proxy(view_type)(context, builder, view)
    if isinstance(index_type, types.Integer):
        indices, kinds = [index], [index_type]
    else:
        indices, kinds = cgutils.unpack_tuple(builder, index), list(index_type)
    shape = cgutils.unpack_tuple(builder, parts.shape)
    flat = context.get_constant(types.intp, 0)
    for one, kind, size in zip(indices, kinds, shape, strict=True):
        step = context.cast(builder, one, kind, types.intp)
        flat = builder.add(builder.mul(flat, size, flags=["nsw"]), step, flags=["nsw"])
    return builder.gep(parts.data, [flat])


def _make(context, builder, target, data, shape):
    view = cgutils.create_struct_proxy(target)(context, builder)
    view.data = data
    view.shape = cgutils.pack_array(builder, shape, ty=context.get_value_type(types.intp))
    return view._getvalue()


@intrinsic
def views(typingctx, arrays):
    """Bundle of a named tuple, with a view in place of each array."""
    kinds = [
        View(kind.dtype, kind.ndim) if isinstance(kind, types.Array) else kind
        for kind in arrays.types
    ]

    def codegen(context, builder, signature, args):
        values = []
        for place, kind in enumerate(arrays.types):
            value = builder.extract_value(args[0], place)
            if isinstance(kind, types.Array):
                array = context.make_array(kind)(context, builder, value)
                shape = cgutils.unpack_tuple(builder, array.shape)
                value = _make(context, builder, kinds[place], array.data, shape)
            values.append(value)
        return _bundle(context, builder, signature.return_type, values)

    return Bundle(arrays.fields, kinds)(arrays), codegen


@intrinsic
def carve(typingctx, buffer, k, shapes):
    """Bundle of views, one after the other, in row ``k`` of a two-dimensional array.

    ``shapes`` is a named tuple of shapes. Each view starts at a multiple of ``REGISTER`` bytes
    if the row does; :func:`room` says how long a row must be.
    """
    kinds = [View(buffer.dtype, len(shape)) for shape in shapes.types]
    per_register = REGISTER * 8 // buffer.dtype.bitwidth

    def codegen(context, builder, signature, args):
        def number(value):
            return context.get_constant(types.intp, value)

        array = context.make_array(buffer)(context, builder, args[0])
        row = context.cast(builder, args[1], signature.args[1], types.intp)
        length = builder.extract_value(array.shape, 1)
        data, values = builder.gep(array.data, [builder.mul(row, length)]), []
        for place, kind in enumerate(kinds):
            shape = cgutils.unpack_tuple(builder, builder.extract_value(args[2], place))
            values.append(_make(context, builder, kind, data, shape))
            size = number(1)
            for one in shape:
                size = builder.mul(size, one)
            size = builder.add(size, number(per_register - 1))
            data = builder.gep(data, [builder.and_(size, number(-per_register))])
        return _bundle(context, builder, signature.return_type, values)

    return Bundle(shapes.fields, kinds)(buffer, k, shapes), codegen


def room(shapes, dtype):
    """Elements that :func:`carve` needs for views of these shapes."""
    per_register = REGISTER // dtype.itemsize
    return sum(-(-math.prod(shape) // per_register) * per_register for shape in shapes)


def split_up(row, shapes, dtype):
    """The arrays that :func:`carve` makes of a row of type ``dtype``, as NumPy views of ``row``."""
    per_register, start, arrays = REGISTER // dtype.itemsize, 0, []
    for shape in shapes:
        size = math.prod(shape)
        arrays.append(row[start : start + size].reshape(shape))
        start += -(-size // per_register) * per_register
    return type(shapes)(*arrays)


def aligned(shape, dtype, value=0.0):
    """New array that starts on a register's border: a load across cache lines costs twice."""
    size = math.prod(shape)
    raw = np.full(size + REGISTER // np.dtype(dtype).itemsize, value, dtype)
    start = -raw.ctypes.data % REGISTER // raw.itemsize
    return raw[start : start + size].reshape(shape)


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):
    def generic(self, args, kws):
        if isinstance(args[0], View):
            return args[0].dtype(*map(types.unliteral, args))
        return None


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):
    def generic(self, args, kws):
        if isinstance(args[0], View):
            return types.void(*map(types.unliteral, args))
        return None


@lower_builtin(operator.getitem, View, types.Any)
def _get(context, builder, signature, args):
    view, index = signature.args
    pointer = address(context, builder, view, args[0], index, args[1])
    return context.unpack_value(builder, view.dtype, pointer)


@lower_builtin(operator.setitem, View, types.Any, types.Any)
def _set(context, builder, signature, args):
    view, index, kind = signature.args
    pointer = address(context, builder, view, args[0], index, args[1])
    context.pack_value(
        builder, view.dtype, context.cast(builder, args[2], kind, view.dtype), pointer
    )


@intrinsic
def clear(typingctx, bundle):
    """Set every element of every view of a bundle to zero."""

    def codegen(context, builder, signature, args):
        for place, kind in enumerate(bundle.kinds):
            value = _field(context, builder, bundle, args[0], place)
            view = cgutils.create_struct_proxy(kind)(context, builder, value)
            size = context.get_constant(types.intp, kind.dtype.bitwidth // 8)
            for one in cgutils.unpack_tuple(builder, view.shape):
                size = builder.mul(size, one)
            bytewise = builder.bitcast(view.data, ir.IntType(8).as_pointer())
            cgutils.memset(builder, bytewise, size, 0)
        return context.get_dummy_value()

    return types.void(bundle), codegen

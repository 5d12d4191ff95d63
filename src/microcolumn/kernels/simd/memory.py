"""Loads and stores of rows and groups.

Memory is a C-contiguous array or a view. Elements are consecutive in memory from ``index`` on (a
number, or a tuple with one for each axis) and may run on into the next rows of an array. A row
has ``WIDTH`` lanes unless a ``width`` (a constant) is given.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .groups import GROUP, hadd_rows, join_rows, split_rows
from .lanes import WIDTH, Lanes, broadcast, element_of
from .views import address, check_memory, typed


def _width(memory, width=None):
    """Lanes of a row of this memory."""
    check_memory(memory)
    return WIDTH if width is None else width.literal_value


def _signature(result, *args):
    """Signature without literal types, except for the width, which comes last."""
    *others, width = args
    return result(*map(types.unliteral, others), types.Omitted(None) if width is None else width)


def _read(builder, dtype, pointer, n_lanes=None):
    """Row of so many lanes, or one number, from a pointer."""
    kind = element_of(dtype) if n_lanes is None else ir.VectorType(element_of(dtype), n_lanes)
    return builder.load(typed(builder, pointer, kind), align=dtype.bitwidth // 8, typ=kind)


def _write(builder, dtype, pointer, value):
    builder.store(value, typed(builder, pointer, value.type), align=dtype.bitwidth // 8)


def _load(memory, index, width, n_lanes):
    def codegen(context, builder, signature, args):
        pointer = address(context, builder, signature.args, args, n_lanes)
        return _read(builder, memory.dtype, pointer, n_lanes)

    return _signature(Lanes(memory.dtype, n_lanes), memory, index, width), codegen


@intrinsic(prefer_literal=True)
def load(typingctx, memory, index, width=None):
    """One row."""
    return _load(memory, index, width, _width(memory, width))


@intrinsic(prefer_literal=True)
def load_group(typingctx, memory, index, width=None):
    """A group of consecutive rows."""
    return _load(memory, index, width, GROUP * _width(memory, width))


@intrinsic
def store(typingctx, memory, index, row):
    """Write a row or a group to consecutive elements."""
    check_memory(memory)

    def codegen(context, builder, signature, args):
        pointer = address(context, builder, signature.args, args, row.width)
        _write(builder, memory.dtype, pointer, args[2])
        return context.get_dummy_value()

    return types.void(memory, types.unliteral(index), row), codegen


def _group(emit, memory, *operands):
    """Instruction that joins the rows that ``emit`` gives; its last operand is the width."""
    n_lanes = _width(memory, operands[-1])

    def codegen(context, builder, signature, args):
        return join_rows(builder, list(emit(context, builder, signature.args, args, n_lanes)))

    return _signature(Lanes(memory.dtype, GROUP * n_lanes), memory, *operands), codegen


@intrinsic(prefer_literal=True)
def broadcast_group(typingctx, memory, index, width=None):
    """Group whose rows hold one of ``GROUP`` consecutive numbers each, in all of their lanes."""

    def emit(context, builder, kinds, args, n_lanes):
        pointer = address(context, builder, kinds, args, GROUP)
        for w in range(GROUP):
            step = [context.get_constant(types.intp, w)]
            one = builder.gep(pointer, step, source_etype=element_of(memory.dtype))
            yield broadcast(builder, _read(builder, memory.dtype, one), n_lanes)

    return _group(emit, memory, index, width)


def _row_addresses(context, builder, kinds, args, n_elements, n_rows=GROUP, picks=None):
    """Addresses of ``column`` in rows ``first``, ``first + 1``, ...; or in the rows picked there.

    ``kinds`` and ``args`` are types and values of (memory, first, column, ...), ``picks`` type and
    value of a list of rows.
    """
    pair = types.UniTuple(types.intp, 2)
    first, column = (context.cast(builder, args[k], kinds[k], types.intp) for k in (1, 2))
    for w in range(n_rows):
        place = builder.add(first, context.get_constant(types.intp, w))
        if picks is not None:
            pointer = address(context, builder, (picks[0], types.intp), (picks[1], place))
            picked = _read(builder, picks[0].dtype, pointer)
            place = context.cast(builder, picked, picks[0].dtype, types.intp)
        index = context.make_tuple(builder, pair, [place, column])
        yield address(context, builder, (kinds[0], pair), (args[0], index), n_elements)


def _read_rows(context, builder, kinds, args, n_lanes, **options):
    pointers = _row_addresses(context, builder, kinds, args, n_lanes or 1, **options)
    return [_read(builder, kinds[0].dtype, pointer, n_lanes) for pointer in pointers]


@intrinsic(prefer_literal=True)
def load_rows(typingctx, memory, first, column, width=None):
    """Group of the rows from ``memory[first + w, column]`` on, for each w of the group."""
    return _group(_read_rows, memory, first, column, width)


@intrinsic(prefer_literal=True)
def gather_rows(typingctx, memory, picks, first, column, width=None):
    """Group of the rows from ``memory[picks[first + w], column]`` on, for each w of the group."""

    def emit(context, builder, kinds, args, n_lanes):
        picked = kinds[1], args[1]
        kinds, args = ([one[0], *one[2:]] for one in (kinds, args))
        return _read_rows(context, builder, kinds, args, n_lanes, picks=picked)

    return _group(emit, memory, picks, first, column, width)


@intrinsic
def store_rows(typingctx, memory, first, column, group):
    """Write row w of the group to ``memory[first + w, column]`` and what follows it."""
    check_memory(memory)

    def codegen(context, builder, signature, args):
        rows = split_rows(builder, args[3])
        pointers = _row_addresses(context, builder, signature.args, args, rows[0].type.count)
        for pointer, row in zip(pointers, rows, strict=True):
            _write(builder, memory.dtype, pointer, row)
        return context.get_dummy_value()

    return types.void(memory, types.unliteral(first), types.unliteral(column), group), codegen


@intrinsic(prefer_literal=True)
def broadcast_rows(typingctx, memory, first, column, width=None):
    """Group with ``memory[first + w, column]`` in all lanes of its row w."""

    def emit(context, builder, kinds, args, n_lanes):
        numbers = _read_rows(context, builder, kinds, args, None)
        return [broadcast(builder, number, n_lanes) for number in numbers]

    return _group(emit, memory, first, column, width)


@intrinsic
def hadd_finish(typingctx, memory, first, column):
    """Totals of a group's worth of rows that ``hadd`` added up by one step, two to a register.

    The registers are at ``column`` of consecutive rows of the memory from ``first`` on.
    """
    check_memory(memory)
    count = GROUP * WIDTH // 2

    def codegen(context, builder, signature, args):
        rows = _read_rows(context, builder, signature.args, args, WIDTH, n_rows=count)
        distance = 2
        while len(rows) > GROUP:
            pairs = zip(rows[::2], rows[1::2], strict=True)
            rows = [hadd_rows(builder, *pair, distance) for pair in pairs]
            distance *= 2
        return join_rows(builder, rows)

    lanes = Lanes(memory.dtype, GROUP * WIDTH)
    return lanes(memory, types.unliteral(first), types.unliteral(column)), codegen

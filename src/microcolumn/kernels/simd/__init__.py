"""Explicit SIMD for Numba: the language that the kernels are written in (see README.md)."""
# ruff: noqa: F401

from .compile import CHECKED, kernel, subroutine
from .elementary import exp, frexp, gate, log, sigmoids, softplus
from .groups import (
    GROUP,
    group_dot,
    group_max,
    group_sum,
    hadd,
    row_products,
    row_sums,
    tile,
    unpack_rows,
)
from .lanes import (
    REGISTER,
    WIDTH,
    any_lane,
    convert,
    fma,
    full_like,
    reduce_add,
    reduce_max,
    reinterpret,
    rint,
    select,
    splat,
    sqrt,
    vmax,
    vmin,
)
from .memory import (
    broadcast_group,
    broadcast_rows,
    gather_rows,
    gather_scalars,
    hadd_finish,
    lanes_of,
    load,
    load_group,
    load_rows,
    load_scalars,
    splat_group,
    store,
    store_rows,
)
from .philox import philox4x32, uniforms
from .views import aligned, sub_arrays, sub_views, sub_views_size, views, zero_fill
